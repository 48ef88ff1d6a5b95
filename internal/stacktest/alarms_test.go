package stacktest_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTemplate_HasAnAlarmForEachFailureThatNeedsAnOperator(t *testing.T) {
	want := map[string]string{
		"FailingAlarm":    "Sum of AWS/ApiGateway 5xx of !Ref Api in 300 s >= 5, 1 of 1",
		"RefusedAlarm":    "Sum of basecamp-mcp/gateway Refused of !Ref Api in 300 s >= 10, 1 of 1",
		"McpCrashAlarm":   "Sum of AWS/Lambda Errors of !Ref McpFunction in 300 s >= 1, 1 of 1",
		"OAuthCrashAlarm": "Sum of AWS/Lambda Errors of !Ref OAuthFunction in 300 s >= 1, 1 of 1",
		"SweepAlarm":      "Sum of AWS/Lambda Errors of !Ref SweepFunction in 86400 s >= 1, 2 of 2",
		"SlowAlarm":       "p99 of AWS/ApiGateway IntegrationLatency of !Ref Api in 300 s > 20000, 3 of 3",
		"OutageAlarm": "IF(failed >= 50, 100, IF(failed >= 5, 100 * failed / requests, 0)) with Sum of basecamp-mcp Errors of !Ref McpFunction and UPSTREAM_ERROR in 300 s" +
			" and Sum of AWS/Lambda Invocations of !Ref McpFunction in 300 s >= 20, 1 of 1",
		// The alarm lasts as long as the server pauses requests to the sign-on: a report of
		// recovery after a quarter of an hour would be wrong.
		"SignOnAlarm": "Sum of basecamp-mcp SignOnFailures of table " + tableName + " in 900 s >= 15, 1 of 4",
		"FaultAlarm":  "Sum of basecamp-mcp Faults of table " + tableName + " in 300 s >= 3, 1 of 1",
		"TamperAlarm": "Sum of basecamp-mcp TokensRefused of table " + tableName + " in 300 s >= 1, 1 of 1",
	}
	if diff := cmp.Diff(want, triggers(readStack(t))); diff != "" {
		t.Error(diff)
	}
	delete(want, "TamperAlarm")
	if diff := cmp.Diff(want, triggers(readStack(t).without("HasKeyRing"))); diff != "" {
		t.Errorf("without a key ring: %s", diff)
	}
}

// triggers returns the triggers of a stack's alarms.
func triggers(s stack) map[string]string {
	all := map[string]string{}
	for id, alarm := range s.of("AWS::CloudWatch::Alarm") {
		all[id] = trigger(alarm)
	}
	return all
}

// trigger returns an alarm's metric, its threshold, and in how many of how many periods the metric
// must cross it.
func trigger(alarm anything) string {
	var looksAt string
	if queries, ok := alarm["Metrics"].([]any); ok {
		looksAt = compares(queries)
	} else {
		looksAt = metricOf(alarm, text(alarm["Statistic"])+text(alarm["ExtendedStatistic"]), alarm["Period"])
	}
	compared := map[string]string{"GreaterThanOrEqualToThreshold": ">=", "GreaterThanThreshold": ">"}[text(alarm["ComparisonOperator"])]
	periods, many := text(alarm["EvaluationPeriods"]), text(alarm["DatapointsToAlarm"])
	if many == "" {
		many = periods
	}
	return fmt.Sprintf("%s %s %s, %s of %s", looksAt, compared, alarm["Threshold"], many, periods)
}

// compares returns the expression of an alarm that compares metrics, and the metrics.
func compares(queries []any) string {
	expression, all := "", []string{}
	for _, each := range queries {
		query := each.(anything)
		if stat, ok := query["MetricStat"].(anything); ok {
			all = append(all, metricOf(stat["Metric"].(anything), text(stat["Stat"]), stat["Period"]))
		} else {
			expression = text(query["Expression"])
		}
	}
	return expression + " with " + strings.Join(all, " and ")
}

// dimension holds the dimension of each kind of metric, both AWS's and this server's.
var dimension = map[string]string{
	"AWS/ApiGateway": "ApiId", "AWS/Lambda": "FunctionName", "AWS/DynamoDB": "TableName", "basecamp-mcp": "FunctionName",
	"basecamp-mcp/gateway": "ApiId",
}

func metricOf(metric anything, statistic string, period any) string {
	of := "something else"
	by, _ := metric["Dimensions"].([]any)
	switch {
	case len(by) == 1 && by[0].(anything)["Name"] == "TableName":
		of = "table " + text(by[0].(anything)["Value"])
	case len(by) > 0 && by[0].(anything)["Name"] == dimension[text(metric["Namespace"])]:
		switch {
		case len(by) == 1:
			of = text(by[0].(anything)["Value"])
		case len(by) == 2 && (by[1].(anything)["Name"] == "Provider" || by[1].(anything)["Name"] == "Code"):
			of = text(by[0].(anything)["Value"]) + " and " + text(by[1].(anything)["Value"])
		}
	}
	return fmt.Sprintf("%s of %s %s of %s in %s s", statistic, metric["Namespace"], metric["MetricName"], of, period)
}

func TestTemplate_DashboardShowsItsOwnStack(t *testing.T) {
	body := dashboard(t)
	found := regexp.MustCompile(`\["([\w/-]+)", "(\w+)", "(\w+)", "(\$\{\w+\})"`).FindAllStringSubmatch(body, -1)
	for _, m := range found {
		of := map[string]string{"ApiId": "${Api}", "FunctionName": "${McpFunction}", "TableName": "${Table}"}[m[3]]
		shared := m[2] == "SignOnFailures" && m[3] == "TableName" // of all functions
		if m[3] != dimension[m[1]] && !shared || m[4] != of {
			t.Errorf("the dashboard shows %s", m[0])
		}
	}
	if len(found) != 7 || !strings.Contains(body, "SOURCE '${McpLogGroup}' | filter ispresent(cold) | stats count(*), max(init_ms)") {
		t.Errorf("the dashboard shows %q", found)
	}
}

func TestTemplate_MailsAlarmsToTheOperator(t *testing.T) {
	topic := readStack(t).properties("Alarms")
	if diff := cmp.Diff(any([]any{anything{"Protocol": "email", "Endpoint": "!Ref AlarmEmail"}}), topic["Subscription"]); diff != "" {
		t.Error(diff)
	}
	if key, has := topic["KmsMasterKeyId"]; has { // alarms cannot use the AWS managed key for topics
		t.Errorf("the topic is encrypted with %v", key)
	}
}
