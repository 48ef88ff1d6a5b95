package stacktest_test

import (
	"regexp"
	"strings"
	"testing"
)

// With ExistingTable, the stack's own table leaves the stack and stays in the account.
// CloudFormation refuses a template that refers to a resource which its condition leaves out.
func TestTemplate_UsesAnExistingTableInPlaceOfItsOwn(t *testing.T) {
	table := readStack(t).resources["Table"].(anything)
	if table["Condition"] != "OwnsTable" || table["DeletionPolicy"] != "RetainExceptOnCreate" || table["UpdateReplacePolicy"] != "Retain" {
		t.Errorf("the table: %v, %v, %v", table["Condition"], table["DeletionPolicy"], table["UpdateReplacePolicy"])
	}
	rest := strings.NewReplacer(tableName, "", tableARN, "").Replace(readTemplate(t))
	if found := regexp.MustCompile(`.*(!Ref Table\b|!GetAtt Table\.|\$\{Table\.).*`).FindAllString(rest, -1); len(found) > 0 {
		t.Errorf("these lines know only the stack's own table; write %s or %s:\n%s", tableName, tableARN, strings.Join(found, "\n"))
	}
	if named := strings.Count(rest, "${Table}"); named != strings.Count(dashboard(t), "${Table}") {
		t.Errorf("${Table} occurs %d times, not only in the dashboard, which defines it", named)
	}
}
