package stacktest_test

import (
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/stacktest"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// of returns a value of a metric by the names and the values of its dimensions.
func of(namespace, name string, value float64, after time.Duration, dimensions ...string) stacktest.Datum {
	d := stacktest.Datum{Namespace: namespace, Name: name, Dimensions: map[string]string{}, Value: value, Time: noon.Add(after)}
	for i := 0; i < len(dimensions); i += 2 {
		d.Dimensions[dimensions[i]] = dimensions[i+1]
	}
	return d
}

func TestAlarm_RingsOnlyAboveItsThreshold(t *testing.T) {
	const own = "basecamp-mcp"
	function := []string{"FunctionName", "McpFunction"}
	failed := func(value float64, after time.Duration, code string) stacktest.Datum {
		return of(own, "Errors", value, after, "FunctionName", "McpFunction", "Code", code)
	}
	for _, test := range []struct {
		alarm string
		data  []stacktest.Datum
		rings bool
	}{
		{"OutageAlarm", nil, false},
		{"OutageAlarm", []stacktest.Datum{failed(5, 0, "UPSTREAM_ERROR"), of("AWS/Lambda", "Invocations", 25, 0, function...)}, true},
		{"OutageAlarm", []stacktest.Datum{failed(5, 0, "UPSTREAM_ERROR"), of("AWS/Lambda", "Invocations", 26, 0, function...)}, false},
		{"OutageAlarm", []stacktest.Datum{failed(4, 0, "UPSTREAM_ERROR"), of("AWS/Lambda", "Invocations", 4, 0, function...)}, false},
		{"OutageAlarm", []stacktest.Datum{failed(49, 0, "UPSTREAM_ERROR"), of("AWS/Lambda", "Invocations", 30_000, 0, function...)}, false},
		// A flood of requests without a valid token makes the share small.
		{"OutageAlarm", []stacktest.Datum{failed(50, 0, "UPSTREAM_ERROR"), of("AWS/Lambda", "Invocations", 30_000, 0, function...)}, true},
		{"OutageAlarm", []stacktest.Datum{failed(30, 0, "NOT_FOUND"), of("AWS/Lambda", "Invocations", 30, 0, function...)}, false},
		{"FaultAlarm", []stacktest.Datum{of(own, "Faults", 1, 0, "TableName", "Table"), of(own, "Faults", 2, time.Minute, "TableName", "Table")}, true},
		{"FaultAlarm", []stacktest.Datum{of(own, "Faults", 2, 0, "TableName", "Table")}, false},
		{"FaultAlarm", []stacktest.Datum{of(own, "Faults", 9, 0, "TableName", "another")}, false},
		{"SignOnAlarm", []stacktest.Datum{of(own, "SignOnFailures", 12, 0, "TableName", "Table"), of(own, "SignOnFailures", 3, 14*time.Minute, "TableName", "Table")}, true},
		{"SignOnAlarm", []stacktest.Datum{of(own, "SignOnFailures", 12, 0, "TableName", "Table"), of(own, "SignOnFailures", 3, 15*time.Minute, "TableName", "Table")}, false},
		{"FailingAlarm", []stacktest.Datum{of("AWS/ApiGateway", "5xx", 5, 0, "ApiId", "Api")}, true},
		{"FailingAlarm", []stacktest.Datum{of("AWS/ApiGateway", "5xx", 4, 0, "ApiId", "Api"), of("AWS/ApiGateway", "5xx", 4, 5*time.Minute, "ApiId", "Api")}, false},
		{"McpCrashAlarm", []stacktest.Datum{of("AWS/Lambda", "Errors", 1, 0, function...)}, true},
		{"OAuthCrashAlarm", []stacktest.Datum{of("AWS/Lambda", "Errors", 1, 0, "FunctionName", "OAuthFunction")}, true},
		{"OAuthCrashAlarm", []stacktest.Datum{of("AWS/Lambda", "Errors", 1, 0, function...)}, false},
	} {
		named := map[string]string{"McpFunction": "McpFunction", "OAuthFunction": "OAuthFunction", "Table": "Table", "Api": "Api", "McpVersion.Version": "8"}
		found := false
		for _, namespace := range []string{own, "AWS/ApiGateway", "AWS/Lambda"} {
			alarms, err := stacktest.Alarms(namespace, named)
			if err != nil {
				t.Fatal(err)
			}
			if a, ok := alarms[test.alarm]; ok {
				found = true
				if rings := a.Rings(test.data); rings != test.rings {
					t.Errorf("%s rings: %t, for %v", test.alarm, rings, test.data)
				}
			}
		}
		if !found {
			t.Errorf("there is no %s", test.alarm)
		}
	}
}

func TestData_ReadsTheValuesOfALine(t *testing.T) {
	data, err := stacktest.Data([]byte(`{"Calls":1,"FunctionName":"f","_aws":{"Timestamp":1000,"CloudWatchMetrics":[{"Namespace":"n","Dimensions":[["FunctionName"]],"Metrics":[{"Name":"Calls"}]}]}}`))
	if err != nil || len(data) != 1 || data[0].Value != 1 || data[0].Dimensions["FunctionName"] != "f" || data[0].Time.Unix() != 1 {
		t.Errorf("%+v, %v", data, err)
	}
	if data, err := stacktest.Data([]byte(`{"msg":"request"}`)); err != nil || data != nil {
		t.Errorf("%+v, %v", data, err)
	}
	for _, line := range []string{"text", `{"_aws":[]}`, strings.Repeat("{", 3)} {
		if _, err := stacktest.Data([]byte(line)); err == nil {
			t.Errorf("%s is a line with metrics", line)
		}
	}
}
