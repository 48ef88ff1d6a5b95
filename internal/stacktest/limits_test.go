package stacktest_test

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"
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
		"a function that cannot start": {"503", "12", "429", 1, true},
		"refused by the function":      {"429", "12", "200", 10 * needed, false},
		"a function that fails":        {"500", "12", "200", 10 * needed, false},
		"answered":                     {"200", "12", "200", 10 * needed, false},
		"no route":                     {"404", "-", "-", 10 * needed, false},
	} {
		line := accessLine(t, map[string]string{
			"$context.status": test.status, "$context.integrationLatency": test.functionTime, "$context.integrationStatus": test.lambda, "$context.apiId": "abc123def4",
		})
		sum := test.many * (refused(t, "RefusedFilter", line) + refused(t, "ThrottledFilter", line))
		if rings := sum >= needed; rings != test.rings {
			t.Errorf("%s: the alarm rings: %t", name, rings)
		}
	}
}

// refused returns what a filter adds, for a line of the access log, to the metric of RefusedAlarm.
func refused(t *testing.T, id string, line map[string]string) int {
	t.Helper()
	s := readStack(t)
	filter, alarm := s.properties(id), s.properties("RefusedAlarm")
	counted := filter["MetricTransformations"].([]any)[0].(anything)
	if filter["LogGroupName"] != "!Ref AccessLogGroup" || counted["DefaultValue"] != nil ||
		counted["MetricNamespace"] != alarm["Namespace"] || counted["MetricName"] != alarm["MetricName"] {
		t.Fatalf("the alarm looks at %v, and %s counts %v", alarm, id, counted)
	}
	dimension := counted["Dimensions"].([]any)[0].(anything)
	if dimension["Key"] != "ApiId" || line[strings.TrimPrefix(text(dimension["Value"]), "$.")] != "abc123def4" {
		t.Errorf("the metric is counted by %v", dimension)
	}
	value, err := strconv.Atoi(text(counted["MetricValue"]))
	if err != nil || !selects(t, text(filter["FilterPattern"]), line) {
		return 0
	}
	return value
}

// accessLine returns a line of the access log in which variables have these values.
func accessLine(t *testing.T, variables map[string]string) map[string]string {
	t.Helper()
	format := text(readStack(t).properties("Stage")["AccessLogSettings"].(anything)["Format"])
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

var compared = regexp.MustCompile(`^\$\.(\w+) = "([^"]*)"$`)

// selects reports whether a filter pattern of CloudWatch Logs matches a line. It knows patterns
// whose parts are joined by && and compare a field with a text.
func selects(t *testing.T, pattern string, line map[string]string) bool {
	t.Helper()
	inner, ok := strings.CutPrefix(pattern, "{ ")
	inner, closed := strings.CutSuffix(inner, " }")
	if !ok || !closed {
		t.Fatalf("the pattern is %s", pattern)
	}
	for part := range strings.SplitSeq(inner, " && ") {
		m := compared.FindStringSubmatch(part)
		if m == nil {
			t.Fatalf("the pattern has the part %s", part)
		}
		if line[m[1]] != m[2] {
			return false
		}
	}
	return true
}
