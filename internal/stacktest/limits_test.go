package stacktest_test

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// An HTTP API has no metric of its own for 429. This test writes lines of the access log, counts
// those that the filter of the template selects, and compares them with the alarm's threshold.
func TestTemplate_RefusedAlarmRingsForRequestsThatNoFunctionServed(t *testing.T) {
	needed, err := strconv.Atoi(text(readStack(t).properties("RefusedAlarm")["Threshold"]))
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		status, functionTime, lambda string
		many                         int
		rings                        bool
	}{
		"refused by the gateway":       {"429", "-", "-", needed, true},
		"a single burst of a client":   {"429", "-", "-", needed - 1, false},
		"a function that cannot start": {"503", "12", "429", needed, true},
		"refused by the function":      {"429", "12", "200", 10 * needed, false},
		"a function that fails":        {"500", "12", "200", 10 * needed, false},
		"answered":                     {"200", "12", "200", 10 * needed, false},
		"no route":                     {"404", "-", "-", 10 * needed, false},
	} {
		line := accessLine(t, map[string]string{
			"$context.status": test.status, "$context.integrationLatency": test.functionTime, "$context.integrationStatus": test.lambda, "${Table}": "table",
		})
		sum := test.many * counts(t, "RefusedFilter", "RefusedAlarm", line)
		if rings := sum >= needed; rings != test.rings {
			t.Errorf("%s: the alarm rings: %t", name, rings)
		}
	}
}

// A function that crashes, times out or cannot start writes no metric of its own.
func TestTemplate_ErrorAlarmCountsAnswersWith5xx(t *testing.T) {
	for status, want := range map[string]int{"500": 1, "502": 1, "503": 1, "504": 1, "200": 0, "401": 0, "429": 0} {
		if got := counts(t, "FailedFilter", "ErrorAlarm", accessLine(t, map[string]string{"$context.status": status, "${Table}": "table"})); got != want {
			t.Errorf("%s counts %d", status, got)
		}
	}
}

// counts returns what a filter adds, for a line of the access log, to the metric of an alarm.
func counts(t *testing.T, id, alarmed string, line map[string]string) int {
	t.Helper()
	s := readStack(t)
	filter, alarm := s.properties(id), s.properties(alarmed)
	counted := filter["MetricTransformations"].([]any)[0].(anything)
	if filter["LogGroupName"] != "!Ref AccessLogGroup" || counted["DefaultValue"] != nil ||
		counted["MetricNamespace"] != alarm["Namespace"] || counted["MetricName"] != alarm["MetricName"] {
		t.Fatalf("the alarm looks at %v, and %s counts %v", alarm, id, counted)
	}
	dimension := counted["Dimensions"].([]any)[0].(anything)
	if dimension["Key"] != "TableName" || dimensions(alarm) != "TableName" || line[strings.TrimPrefix(text(dimension["Value"]), "$.")] != "table" {
		t.Errorf("the metric is counted by %v", dimension)
	}
	value, err := strconv.Atoi(text(counted["MetricValue"]))
	if err != nil || !selects(t, text(filter["FilterPattern"]), line) {
		return 0
	}
	return value
}

// accessFormat returns the format of the access log.
func accessFormat(t *testing.T) string {
	t.Helper()
	arguments := readStack(t).properties("Stage")["AccessLogSettings"].(anything)["Format"].(anything)["!Sub"].([]any)
	if diff := cmp.Diff(any(anything{"Table": tableName}), arguments[1]); diff != "" {
		t.Error(diff)
	}
	return arguments[0].(string)
}

// accessLine returns a line of the access log in which variables have these values.
func accessLine(t *testing.T, variables map[string]string) map[string]string {
	t.Helper()
	format := accessFormat(t)
	for name, value := range variables {
		if !strings.Contains(format, `"`+name+`"`) {
			t.Fatalf("the access log has no %s", name)
		}
		format = strings.ReplaceAll(format, `"`+name+`"`, strconv.Quote(value))
	}
	var line map[string]string
	if err := json.Unmarshal([]byte(format), &line); err != nil {
		t.Fatal(err)
	}
	return line
}

var compared = regexp.MustCompile(`^\$\.(\w+) = "([^"*]*)(\*?)"$`)

// selects reports whether a filter pattern of CloudWatch Logs matches a line. It knows patterns
// whose parts, in parentheses or not, are joined by || and then by &&, and compare a field with a
// text or its beginning.
func selects(t *testing.T, pattern string, line map[string]string) bool {
	t.Helper()
	inner, ok := strings.CutPrefix(pattern, "{ ")
	inner, closed := strings.CutSuffix(inner, " }")
	if !ok || !closed {
		t.Fatalf("the pattern is %s", pattern)
	}
	for either := range strings.SplitSeq(inner, " || ") {
		all := true
		for part := range strings.SplitSeq(strings.Trim(either, "()"), " && ") {
			m := compared.FindStringSubmatch(part)
			if m == nil {
				t.Fatalf("the pattern has the part %s", part)
			}
			all = all && strings.HasPrefix(line[m[1]], m[2]) && (m[3] != "" || line[m[1]] == m[2])
		}
		if all {
			return true
		}
	}
	return false
}
