package stacktest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"basecamp-mcp/internal/lambdahttp/runtimetest"
)

// A deployed function prints one line per request. Lambda and CloudWatch find all their fields at
// its root.
func TestMcpFunction_PrintsOneLineWithMetricsForEachRequest(t *testing.T) {
	f := runtimetest.Start(t, runtimetest.Build(t, root, sources["McpFunction"]), "BASECAMP_API_URL=sandbox")
	asked := []string{"tools-call-list-projects", "tools-list", "no-bearer-401", "scheduled-event-400"}
	for _, event := range asked {
		invoke(t, f, read(t, event))
	}
	f.Stop() // the log is complete after the process has ended
	printed := strings.Split(strings.TrimSpace(f.Logs()), "\n")
	if len(printed) != len(asked) {
		t.Fatalf("printed %s", f.Logs())
	}
	var lines []map[string]any
	for _, text := range printed {
		var line map[string]any
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		if line["timestamp"] == nil || line["level"] != "INFO" || line["message"] == nil || line["requestId"] != nil || line["request_id"] == nil {
			t.Errorf("printed %s", text)
		}
		lines = append(lines, line)
	}
	call, list, stranger, clock := lines[0], lines[1], lines[2], lines[3]
	if call["tool"] != "list_projects" || call["_aws"] != nil {
		t.Errorf("a call: %v", call)
	}
	if init, _ := call["init_ms"].(float64); call["cold"] != true || init <= 0 || list["cold"] != nil {
		t.Errorf("the first line: %v, the next: %v", call, list)
	}
	if list["method"] != "tools/list" || list["_aws"] != nil || stranger["outcome"] != "HTTP 401" || stranger["_aws"] != nil || clock["outcome"] != "HTTP 400" {
		t.Errorf("%v, %v, %v", list, stranger, clock)
	}
}
