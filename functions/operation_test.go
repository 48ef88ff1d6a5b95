package functions

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

func TestTemplate_AlarmsTellWhoWantsToKnowAndAreQuietWhenNobodyCalls(t *testing.T) {
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
	if len(alarms) != 5 { // ten are free
		t.Errorf("%d alarms", len(alarms))
	}
}

// What the alarms and the dashboard look at is what the functions count.
func TestTemplate_LooksAtMetricsThatThereAre(t *testing.T) {
	counted := map[string]bool{
		"Calls": true, "Errors": true, "Latency": true, "UpstreamRateLimited": true, "Refreshes": true, "CircuitOpen": true,
	}
	looked := 0
	for id, alarm := range readStack(t).of("AWS::CloudWatch::Alarm") {
		if alarm["Namespace"] == "basecamp-mcp" {
			looked++
			if name := alarm["MetricName"].(string); !counted[name] {
				t.Errorf("%s looks at %s", id, name)
			}
		}
	}
	body := strings.TrimPrefix(readStack(t).properties("Dashboard")["DashboardBody"].(string), "!Sub ")
	var dashboard struct {
		Widgets []struct {
			Properties struct{ Metrics [][]any }
		}
	}
	if err := json.Unmarshal([]byte(regexp.MustCompile(`\$\{[A-Za-z:]+\}`).ReplaceAllString(body, "x")), &dashboard); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	for _, widget := range dashboard.Widgets {
		namespace := ""
		for _, metric := range widget.Properties.Metrics {
			first, ok := metric[0].(string)
			if !ok || first == "..." {
				continue
			}
			if first != "." {
				namespace = first
			}
			if name := metric[1].(string); namespace == "basecamp-mcp" && !counted[name] {
				t.Errorf("the dashboard looks at %s", name)
			}
			looked++
		}
	}
	if looked < 10 {
		t.Errorf("only %d metrics are looked at", looked)
	}
}

func TestTemplate_NothingOptionalIsInTheWayOfAPlainStack(t *testing.T) {
	parameters := parsed(t)["Parameters"].(anything)
	for name, want := range map[string]string{
		"DomainName": "", "CertificateArn": "", "HostedZoneId": "", "AlarmEmail": "", "ReservedConcurrency": "0", "DeletionProtection": "false",
		"Tracing": "PassThrough",
	} {
		if parameter := parameters[name].(anything); parameter["Default"] != want || parameter["Description"] == nil {
			t.Errorf("%s: %v", name, parameter)
		}
	}
	s := readStack(t)
	for id, condition := range map[string]string{"Domain": "HasDomain", "DomainMapping": "HasDomain", "DomainRecord": "HasZone", "Alarms": "HasAlarmEmail"} {
		if got := s.resources[id].(anything)["Condition"]; got != condition {
			t.Errorf("%s is made if %v", id, got)
		}
	}
	if got := s.properties("McpFunction")["ReservedConcurrentExecutions"]; got != "!If [HasReservedConcurrency, !Ref ReservedConcurrency, !Ref AWS::NoValue]" {
		t.Errorf("ReservedConcurrentExecutions %v", got)
	}
}

// What may be deleted by a mistake is kept; what is encrypted by default is not unencrypted.
func TestTemplate_PeoplesThingsOutliveTheStack(t *testing.T) {
	table := readStack(t).resources["Table"].(anything)
	if table["DeletionPolicy"] != "RetainExceptOnCreate" || table["UpdateReplacePolicy"] != "Retain" {
		t.Errorf("the table: %v", table)
	}
	text := readTemplate(t)
	for _, never := range []string{"SSEEnabled: false", "KmsMasterKeyId: alias/aws/sns", "secretsmanager:ListSecrets", "dynamodb:Scan", `Action: "*"`, `Resource: "*"`} {
		if strings.Contains(text, never) {
			t.Errorf("the template has %s", never)
		}
	}
}
