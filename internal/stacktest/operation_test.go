package stacktest_test

import (
	"encoding/json"
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
	for _, alarm := range readStack(t).without("HasKeyRing").of("AWS::CloudWatch::Alarm") {
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
		telemetry.TokensRefused(ctx)
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

func TestTemplate_OptionalResourcesHaveAConditionThatDefaultsToOff(t *testing.T) {
	parameters := parsed(t)["Parameters"].(anything)
	for name, want := range map[string]string{
		"DomainName": "", "CertificateArn": "", "HostedZoneId": "", "AlarmEmail": "", "ReservedConcurrency": "0", "ExistingTable": "", "DeletionProtection": "false",
		"Tracing": "PassThrough", "TokenStore": "secrets", "KeyRing": "", "KeyRingKmsKey": "",
	} {
		if parameter := parameters[name].(anything); parameter["Default"] != want || parameter["Description"] == nil {
			t.Errorf("%s: %v", name, parameter)
		}
	}
	s := readStack(t)
	for id, condition := range map[string]string{"Domain": "HasDomain", "DomainMapping": "HasDomain", "DomainRecord": "HasZone", "DomainRecordIPv6": "HasZone", "Alarms": "HasAlarmEmail"} {
		if got := s.resources[id].(anything)["Condition"]; got != condition {
			t.Errorf("%s is created if %v", id, got)
		}
	}
	if got := s.properties("McpFunction")["ReservedConcurrentExecutions"]; got != "!If [HasReservedConcurrency, !Ref ReservedConcurrency, !Ref AWS::NoValue]" {
		t.Errorf("ReservedConcurrentExecutions %v", got)
	}
}

// Data survives the deletion of the stack. Resources that AWS encrypts by default keep that
// encryption.
func TestTemplate_PeoplesDataOutlivesTheStack(t *testing.T) {
	table := readStack(t).resources["Table"].(anything)
	if table["DeletionPolicy"] != "RetainExceptOnCreate" || table["UpdateReplacePolicy"] != "Retain" {
		t.Errorf("the table: %v", table)
	}
	ring := readStack(t).resources["KeyRingSecret"].(anything)
	if ring["DeletionPolicy"] != "Retain" || ring["UpdateReplacePolicy"] != "Retain" || ring["Condition"] != "MakesKeyRing" {
		t.Errorf("the key ring: %v", ring)
	}
	text := readTemplate(t)
	for _, never := range []string{"SSEEnabled: false", "KmsMasterKeyId: alias/aws/sns", "secretsmanager:ListSecrets", `Action: "*"`, `Resource: "*"`} {
		if strings.Contains(text, never) {
			t.Errorf("the template has %s", never)
		}
	}
}
