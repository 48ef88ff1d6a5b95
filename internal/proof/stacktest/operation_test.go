package stacktest_test

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/report/telemetry"
)

// The alarms notify the operator, stay quiet without traffic, and use metrics that are counted.
// One event that an operator must know of rings its alarm.
func TestTemplate_AlarmsRingForWhatIsCounted(t *testing.T) {
	tripped := &telemetry.Request{}
	ctx := telemetry.With(t.Context(), tripped)
	telemetry.Tripped(ctx)
	telemetry.StoreFailed(ctx)
	counted := map[string]string{"Refused": ""}
	for _, counts := range []telemetry.Counts{{Request: tripped}, {Failure: "INTERNAL_ERROR"}} {
		for _, field := range counts.Append(nil, "table") {
			counted[field.Key] = field.Value.String()
		}
	}
	alarms := readStack(t).of("AWS::CloudWatch::Alarm")
	for id, alarm := range alarms {
		const told = "!If [HasAlarmEmail, [!Ref Alarms], !Ref AWS::NoValue]"
		if alarm["TreatMissingData"] != "notBreaching" || alarm["AlarmActions"] != told || alarm["OKActions"] != told || alarm["ComparisonOperator"] != "GreaterThanOrEqualToThreshold" {
			t.Errorf("%s: %v", id, alarm)
		}
		if words := text(alarm["AlarmDescription"]); !strings.HasSuffix(words, ".") || len(words) < 60 {
			t.Errorf("%s says %q", id, words)
		}
		count, known := counted[text(alarm["MetricName"])]
		if alarm["Namespace"] == telemetry.Namespace && (!known || byTable(alarm) != tableName || id != "RefusedAlarm" && count != alarm["Threshold"]) {
			t.Errorf("%s looks for %v of %s by %v, and one event counts %q", id, alarm["Threshold"], alarm["MetricName"], alarm["Dimensions"], count)
		}
	}
	if len(alarms) > 10 { // AWS charges for more
		t.Errorf("the alarms of a default deployment look at %d metrics", len(alarms))
	}
}

// byTable returns the value of a metric's only dimension, TableName.
func byTable(metric anything) string {
	dimensions, _ := metric["Dimensions"].([]any)
	if len(dimensions) != 1 {
		return ""
	}
	d := dimensions[0].(anything)
	if d["Name"] != "TableName" && d["Key"] != "TableName" {
		return ""
	}
	return text(d["Value"])
}

// An HTTP API has no metric of its own for 429, and a function that crashes, times out or cannot
// start writes none. This test counts lines of the access log that the filters of the template
// select.
func TestTemplate_FiltersCountTheAnswersThatNoFunctionCounts(t *testing.T) {
	for name, test := range map[string]struct {
		status, functionTime, lambda string
		refused, failed              int
	}{
		"refused by the gateway":       {"429", "-", "-", 1, 0},
		"a function that cannot start": {"503", "12", "429", 1, 1},
		"refused by the function":      {"429", "12", "200", 0, 0},
		"a function that fails":        {"500", "12", "200", 0, 1},
		"a function that times out":    {"504", "30000", "-", 0, 1},
		"answered":                     {"200", "12", "200", 0, 0},
		"no route":                     {"404", "-", "-", 0, 0},
	} {
		line := accessLine(t, map[string]string{
			"$context.status": test.status, "$context.integrationLatency": test.functionTime, "$context.integrationStatus": test.lambda, "${Table}": "table",
		})
		if refused, failed := counts(t, "RefusedFilter", "RefusedAlarm", line), counts(t, "FailedFilter", "ErrorAlarm", line); refused != test.refused || failed != test.failed {
			t.Errorf("%s counts %d and %d", name, refused, failed)
		}
	}
}

// counts returns what a filter adds, for a line of the access log, to the metric of an alarm.
func counts(t *testing.T, id, alarmed string, line map[string]string) int {
	t.Helper()
	s := readStack(t)
	filter, alarm := s.properties(id), s.properties(alarmed)
	counted := filter["MetricTransformations"].([]any)[0].(anything)
	if filter["LogGroupName"] != "!Ref AccessLogGroup" || counted["DefaultValue"] != nil || counted["MetricNamespace"] != alarm["Namespace"] ||
		counted["MetricName"] != alarm["MetricName"] || counted["MetricValue"] != "1" || line[strings.TrimPrefix(byTable(counted), "$.")] != "table" {
		t.Fatalf("the alarm looks at %v, and %s counts %v", alarm, id, counted)
	}
	for either := range strings.SplitSeq(strings.Trim(text(filter["FilterPattern"]), "{ }"), " || ") {
		selected := true
		for part := range strings.SplitSeq(strings.Trim(either, "()"), " && ") {
			m := compared.FindStringSubmatch(part)
			if m == nil {
				t.Fatalf("the pattern has the part %s", part)
			}
			selected = selected && strings.HasPrefix(line[m[1]], m[2]) && (m[3] != "" || line[m[1]] == m[2])
		}
		if selected {
			return 1
		}
	}
	return 0
}

// compared matches a part of a filter pattern of CloudWatch Logs, which compares a field with a
// text or its beginning. Parts, in parentheses or not, are joined by || and then by &&.
var compared = regexp.MustCompile(`^\$\.(\w+) = "([^"*]*)(\*?)"$`)

// accessLine returns a line of the access log in which variables have these values.
func accessLine(t *testing.T, variables map[string]string) (line map[string]string) {
	t.Helper()
	arguments := at(t, "Resources/Stage/Properties/AccessLogSettings/Format/!Sub").([]any)
	if diff := cmp.Diff(any(anything{"Table": tableName}), arguments[1]); diff != "" {
		t.Error(diff)
	}
	format := text(arguments[0])
	for name, value := range variables {
		if !strings.Contains(format, `"`+name+`"`) {
			t.Fatalf("the access log has no %s", name)
		}
		format = strings.ReplaceAll(format, `"`+name+`"`, strconv.Quote(value))
	}
	if err := json.Unmarshal([]byte(format), &line); err != nil {
		t.Fatal(err)
	}
	return line
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
