package stacktest_test

import (
	"encoding/json"
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
	looked := 0
	for _, alarm := range readStack(t).of("AWS::CloudWatch::Alarm") {
		looked += len(metricsOf(alarm))
	}
	if looked > 10 { // AWS charges for more
		t.Errorf("the alarms of a default deployment look at %d metrics", looked)
	}
}

// counted returns the metrics that functions print: "Errors by Code,FunctionName".
func counted(t *testing.T) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, provider := range []string{"", "github"} {
		request := &telemetry.Request{}
		ctx := telemetry.With(t.Context(), request)
		telemetry.Refreshed(ctx)
		telemetry.Tripped(ctx)
		telemetry.ExchangeRefused(ctx)
		telemetry.StoreFailed(ctx)
		if provider != "" {
			telemetry.Provider(ctx, provider)
		}
		line := telemetry.Counts{Request: request, Call: true, Failure: "NOT_FOUND", RateLimited: 1}.Append(nil, telemetry.Function{Name: "f", Table: "table"})
		var definition struct {
			CloudWatchMetrics []struct {
				Dimensions [][]string
				Metrics    []struct{ Name string }
			}
		}
		if err := json.Unmarshal(line[len(line)-1].Value.Any().(json.RawMessage), &definition); err != nil {
			t.Fatal(err)
		}
		for _, directive := range definition.CloudWatchMetrics {
			slices.Sort(directive.Dimensions[0])
			for _, m := range directive.Metrics {
				all[m.Name+" by "+strings.Join(directive.Dimensions[0], ",")] = true
			}
		}
	}
	return all
}

// search matches a dashboard's search for a metric by code, or for all metrics by provider. The
// namespace must be quoted because of its hyphen.
var search = regexp.MustCompile(`^SEARCH\('\{"basecamp-mcp",([\w,]+)\} FunctionName="x"(?: MetricName="(\w+)")?', 'Sum', 300\)$`)

// The alarms and the dashboard use only metrics that the functions print.
func TestTemplate_UsesExistingMetrics(t *testing.T) {
	counted, looked := counted(t), 0
	for id, alarm := range readStack(t).of("AWS::CloudWatch::Alarm") {
		for _, metric := range metricsOf(alarm) {
			if metric["Namespace"] != telemetry.Namespace {
				continue
			}
			looked++
			if name := metric["MetricName"].(string); !counted[name+" by "+dimensions(metric)] {
				t.Errorf("%s uses %s by %s", id, name, dimensions(metric))
			}
		}
	}
	body := dashboard(t)
	var shown struct {
		Widgets []struct {
			Properties struct{ Metrics [][]any }
		}
	}
	if err := json.Unmarshal([]byte(regexp.MustCompile(`\$\{[A-Za-z:]+\}`).ReplaceAllString(body, "x")), &shown); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	for _, widget := range shown.Widgets {
		namespace := ""
		for _, line := range widget.Properties.Metrics {
			looked++
			if expression, ok := line[0].(anything); ok {
				if found := search.FindStringSubmatch(expression["expression"].(string)); len(found) == 0 || !finds(counted, found[2], found[1]) {
					t.Errorf("the dashboard searches for %s", expression["expression"])
				}
				continue
			}
			if line[0] == "..." {
				continue
			}
			if line[0] != "." {
				namespace = line[0].(string)
			}
			if name := line[1].(string); namespace == telemetry.Namespace && !counted[name+" by FunctionName"] && !counted[name+" by TableName"] {
				t.Errorf("the dashboard shows %s", name)
			}
		}
	}
	if looked < 10 {
		t.Errorf("only %d metrics are used", looked)
	}
}

// One event that an operator must know of rings its alarm.
func TestTemplate_AnAlarmRingsForOneEventOfItsKind(t *testing.T) {
	tripped := &telemetry.Request{}
	telemetry.Tripped(telemetry.With(t.Context(), tripped))
	for id, counts := range map[string]telemetry.Counts{
		"SignOnAlarm": {Request: tripped}, "FaultAlarm": {Call: true, Failure: "INTERNAL_ERROR"},
	} {
		alarm, counted := readStack(t).properties(id), int64(0)
		for _, field := range counts.Append(nil, telemetry.Function{Name: "f", Table: "table"}) {
			if field.Key == alarm["MetricName"] {
				counted = field.Value.Int64()
			}
		}
		if fmt.Sprint(counted) != alarm["Threshold"] || alarm["ComparisonOperator"] != "GreaterThanOrEqualToThreshold" {
			t.Errorf("%s looks for %v %v, and one event counts %d", id, alarm["ComparisonOperator"], alarm["Threshold"], counted)
		}
	}
}

// dashboard returns the body of the dashboard, with its references.
func dashboard(t *testing.T) string {
	t.Helper()
	arguments := readStack(t).properties("Dashboard")["DashboardBody"].(anything)["!Sub"].([]any)
	if diff := cmp.Diff(any(anything{"Table": tableName}), arguments[1]); diff != "" {
		t.Error(diff)
	}
	return arguments[0].(string)
}

// metricsOf returns the metrics that an alarm looks at. AWS charges for each of them.
func metricsOf(alarm anything) []anything {
	queries, ok := alarm["Metrics"].([]any)
	if !ok {
		return []anything{alarm}
	}
	var all []anything
	for _, query := range queries {
		if stat, ok := query.(anything)["MetricStat"].(anything); ok {
			all = append(all, stat["Metric"].(anything))
		}
	}
	return all
}

// dimensions returns the names of a metric's dimensions, as counted does.
func dimensions(metric anything) string {
	var names []string
	for _, d := range metric["Dimensions"].([]any) {
		names = append(names, d.(anything)["Name"].(string))
	}
	slices.Sort(names)
	return strings.Join(names, ",")
}

// finds reports whether functions print a metric by these dimensions. An empty name is any metric.
func finds(counted map[string]bool, name, by string) bool {
	for each := range counted {
		if found, of, _ := strings.Cut(each, " by "); of == by && (name == "" || name == found) {
			return true
		}
	}
	return false
}

// Data survives the deletion of the stack. Resources that AWS encrypts by default keep that
// encryption.
func TestTemplate_PeoplesDataOutlivesTheStack(t *testing.T) {
	table := readStack(t).resources["Table"].(anything)
	if table["DeletionPolicy"] != "RetainExceptOnCreate" || table["UpdateReplacePolicy"] != "Retain" {
		t.Errorf("the table: %v", table)
	}
	if own := table["Properties"].(anything); !cmp.Equal(own["PointInTimeRecoverySpecification"], any(anything{"PointInTimeRecoveryEnabled": "true"})) ||
		own["DeletionProtectionEnabled"] != "!Ref DeletionProtection" || !cmp.Equal(own["TimeToLiveSpecification"], any(anything{"AttributeName": "ttl", "Enabled": "true"})) {
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

// dimension holds the dimension of each kind of metric, both AWS's and this server's.
var dimension = map[string]string{
	"AWS/ApiGateway": "ApiId", "AWS/Lambda": "FunctionName", "AWS/DynamoDB": "TableName", "basecamp-mcp": "FunctionName",
	"basecamp-mcp/gateway": "ApiId",
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

// With ExistingTable, the stack's own table leaves the stack and stays in the account.
// CloudFormation refuses a template that refers to a resource which its condition leaves out.
func TestTemplate_UsesAnExistingTableInPlaceOfItsOwn(t *testing.T) {
	rest := strings.NewReplacer(tableName, "", tableARN, "").Replace(readTemplate(t))
	if found := regexp.MustCompile(`.*(!Ref Table\b|!GetAtt Table\.|\$\{Table\.).*`).FindAllString(rest, -1); len(found) > 0 {
		t.Errorf("these lines know only the stack's own table; write %s or %s:\n%s", tableName, tableARN, strings.Join(found, "\n"))
	}
	if named := strings.Count(rest, "${Table}"); named != strings.Count(dashboard(t), "${Table}") {
		t.Errorf("${Table} occurs %d times, not only in the dashboard, which defines it", named)
	}
}
