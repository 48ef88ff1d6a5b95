package config

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/proof/docstest"
	"basecamp-mcp/internal/proof/stacktest"
)

const document = "docs/configuration.md"

func TestVariables_EqualWhatLoadReads(t *testing.T) {
	read := map[string]bool{}
	if _, err := Load(func(name string) string { read[name] = true; return "" }, nil); err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, group := range Variables() {
		for _, v := range group.Variables {
			listed = append(listed, v.Name)
		}
	}
	slices.Sort(listed)
	if diff := gocmp.Diff(slices.Sorted(maps.Keys(read)), listed); diff != "" {
		t.Errorf("-read +listed:\n%s", diff)
	}
}

// A default that is written as code must be the value that a missing variable has.
func TestVariables_HaveTheDefaultsOfLoad(t *testing.T) {
	without, err := Load(environment(), nil)
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, group := range Variables() {
		for _, v := range group.Variables {
			value := strings.Trim(v.Default, "`")
			if v.Default != "`"+value+"`" {
				continue
			}
			checked++
			with, err := Load(environment(v.Name, value), nil)
			if diff := gocmp.Diff(without, with); err != nil || diff != "" {
				t.Errorf("%s=%s: %v, -without +with:\n%s", v.Name, value, err, diff)
			}
		}
	}
	if checked < 5 {
		t.Errorf("only %d defaults were checked", checked)
	}
}

func TestDocument_ListsVariablesFlagsAndParameters(t *testing.T) {
	var b strings.Builder
	for _, group := range Variables() {
		fmt.Fprintf(&b, "### %s\n\n| variable | meaning | if left out |\n|---|---|---|\n", group.Title)
		for _, v := range group.Variables {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", v.Name, v.Meaning, v.Default)
		}
		b.WriteByte('\n')
	}
	docstest.Section(t, document, "variables", b.String())
	docstest.Section(t, document, "flags", flagTable())
	docstest.Section(t, document, "parameters", parameterTable(t))
}

func flagTable() string {
	var b strings.Builder
	b.WriteString("| flag | meaning | default |\n|---|---|---|\n")
	set := flag.NewFlagSet("local", flag.ContinueOnError)
	new(LocalFlags).Define(set)
	new(StdioFlags).Define(set)
	set.VisitAll(func(f *flag.Flag) {
		value := "empty"
		if f.DefValue != "" {
			value = "`" + f.DefValue + "`"
		}
		fmt.Fprintf(&b, "| `-%s` | %s | %s |\n", f.Name, f.Usage, value)
	})
	return b.String()
}

// parameterTable lists the parameters in the groups and in the order in which AWS's console shows
// them.
func parameterTable(t *testing.T) string {
	t.Helper()
	text, err := stacktest.Text()
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := stacktest.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	at := func(value any, keys ...string) any {
		for _, key := range keys {
			value = value.(map[string]any)[key]
		}
		return value
	}
	var b strings.Builder
	for _, group := range at(parsed, "Metadata", "AWS::CloudFormation::Interface", "ParameterGroups").([]any) {
		fmt.Fprintf(&b, "### %s\n\n| parameter | meaning | default |\n|---|---|---|\n", at(group, "Label", "default"))
		for _, name := range at(group, "Parameters").([]any) {
			parameter := at(parsed, "Parameters", name.(string)).(map[string]any)
			meaning, _ := parameter["Description"].(string)
			value, given := parameter["Default"].(string)
			switch value = strings.Trim(value, `"`); {
			case !given:
				value = mustBeSet
			case value == "":
				value = "empty"
			default:
				value = "`" + value + "`"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, strings.ReplaceAll(meaning, "|", `\|`), value)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
