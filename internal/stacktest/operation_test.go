package stacktest_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/telemetry"
)

func TestTemplate_AlarmsNotifyTheOperatorAndStayQuietWithoutTraffic(t *testing.T) {
	alarms := readStack(t).of("AWS::CloudWatch::Alarm")
	for id, alarm := range alarms {
		const told = "!If [HasAlarmEmail, [!Ref Alarms], !Ref AWS::NoValue]"
		if alarm["TreatMissingData"] != "notBreaching" || alarm["AlarmActions"] != told || alarm["OKActions"] != told {
			t.Errorf("%s: %v", id, alarm)
		}
		if words, _ := alarm["AlarmDescription"].(string); !strings.HasSuffix(strings.Trim(words, `"'`), ".") || len(words) < 60 {
			t.Errorf("%s says %q", id, words)
		}
	}
	if looked := len(readStack(t).of("AWS::CloudWatch::Alarm")); looked > 10 { // AWS charges for more
		t.Errorf("the alarms of a default deployment look at %d metrics", looked)
	}
}

// The alarms use only metrics that the functions print, or the access log.
func TestTemplate_UsesExistingMetrics(t *testing.T) {
	request := &telemetry.Request{}
	ctx := telemetry.With(t.Context(), request)
	telemetry.Tripped(ctx)
	telemetry.StoreFailed(ctx)
	counted := map[string]bool{"Refused": true}
	for _, field := range (telemetry.Counts{Request: request}).Append(nil, "table") {
		counted[field.Key] = true
	}
	for id, alarm := range readStack(t).of("AWS::CloudWatch::Alarm") {
		if alarm["Namespace"] == telemetry.Namespace && (!counted[text(alarm["MetricName"])] || dimensions(alarm) != "TableName") {
			t.Errorf("%s uses %s by %s", id, alarm["MetricName"], dimensions(alarm))
		}
	}
}

// One event that an operator must know of rings its alarm.
func TestTemplate_AnAlarmRingsForOneEventOfItsKind(t *testing.T) {
	tripped := &telemetry.Request{}
	telemetry.Tripped(telemetry.With(t.Context(), tripped))
	for id, counts := range map[string]telemetry.Counts{
		"SignOnAlarm": {Request: tripped}, "ErrorAlarm": {Failure: "INTERNAL_ERROR"},
	} {
		alarm, counted := readStack(t).properties(id), int64(0)
		for _, field := range counts.Append(nil, "table") {
			if field.Key == alarm["MetricName"] {
				counted = field.Value.Int64()
			}
		}
		if fmt.Sprint(counted) != alarm["Threshold"] || alarm["ComparisonOperator"] != "GreaterThanOrEqualToThreshold" {
			t.Errorf("%s looks for %v %v, and one event counts %d", id, alarm["ComparisonOperator"], alarm["Threshold"], counted)
		}
	}
}

// dimensions returns the names of a metric's dimensions.
func dimensions(metric anything) string {
	var names []string
	for _, d := range metric["Dimensions"].([]any) {
		names = append(names, d.(anything)["Name"].(string))
	}
	slices.Sort(names)
	return strings.Join(names, ",")
}

// Data survives the deletion of the stack. Resources that AWS encrypts by default keep that
// encryption.
func TestTemplate_PeoplesDataOutlivesTheStack(t *testing.T) {
	table := readStack(t).resources["Table"].(anything)
	if table["DeletionPolicy"] != "RetainExceptOnCreate" || table["UpdateReplacePolicy"] != "Retain" {
		t.Errorf("the table: %v", table)
	}
	if own := table["Properties"].(anything); !cmp.Equal(own["PointInTimeRecoverySpecification"], any(anything{"PointInTimeRecoveryEnabled": "true"})) ||
		!cmp.Equal(own["TimeToLiveSpecification"], any(anything{"AttributeName": "ttl", "Enabled": "true"})) {
		t.Errorf("the table: %v", own)
	}
	ring := readStack(t).resources["KeyRingSecret"].(anything)
	if ring["DeletionPolicy"] != "Retain" || ring["UpdateReplacePolicy"] != "Retain" || ring["Condition"] != "HasKeyRing" {
		t.Errorf("the key ring: %v", ring)
	}
	text := readTemplate(t)
	for _, never := range []string{"SSEEnabled: false", "KmsMasterKeyId: alias/aws/sns", "secretsmanager:ListSecrets", `Action: "*"`, `Resource: "*"`} {
		if strings.Contains(text, never) {
			t.Errorf("the template has %s", never)
		}
	}
}

// With ExistingTable, the stack's own table leaves the stack and stays in the account.
// CloudFormation refuses a template that refers to a resource which its condition leaves out.
func TestTemplate_UsesAnExistingTableInPlaceOfItsOwn(t *testing.T) {
	rest := strings.NewReplacer(tableName, "", tableARN, "").Replace(readTemplate(t))
	if found := regexp.MustCompile(`.*(!Ref Table\b|!GetAtt Table\.|\$\{Table\.).*`).FindAllString(rest, -1); len(found) > 0 {
		t.Errorf("these lines know only the stack's own table; write %s or %s:\n%s", tableName, tableARN, strings.Join(found, "\n"))
	}
	if named := strings.Count(rest, "${Table}"); named != 1 {
		t.Errorf("${Table} occurs %d times, not only in the format of the access log, which defines it", named)
	}
}
