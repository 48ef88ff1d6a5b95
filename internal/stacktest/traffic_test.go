package stacktest_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"basecamp-mcp/internal/lambdahttp/runtimetest"
	"basecamp-mcp/internal/mcptest"
)

const (
	perEvent      = 26  // bytes that CloudWatch Logs adds to a line
	toBasecamp    = 600 // bytes of a request to Basecamp: the address, the token, the User-Agent and what the cache knows
	requestsACall = 2   // to Basecamp
	ofGateway     = 140 // bytes of a response: the status line, Date, Content-Length, Connection and Apigw-Requestid
)

// opened are the messages with which a client begins a session.
var opened = []string{
	mcptest.Message("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"claude-code","version":"2.1.0"}}`),
	`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	mcptest.Message("tools/list", `{}`),
}

// called are calls of an agent's usual tools.
var called = []string{
	`"list_projects","arguments":{}`, `"get_my_work","arguments":{}`, `"search","arguments":{"query":"wheel"}`,
	`"list_todos","arguments":{"project":"Cargo Bike Launch"}`, `"list_messages","arguments":{"project":"Cargo Bike Launch"}`,
	`"get_board","arguments":{"project":"Cargo Bike Launch","board":"Web shop"}`, `"get_project_tools","arguments":{"project":"Cargo Bike Launch"}`,
	`"get_activity","arguments":{}`, `"list_people","arguments":{}`, `"get_me","arguments":{}`,
	`"create_todos","arguments":{"project":"Cargo Bike Launch","list":"Launch checklist","todos":[{"content":"Oil the chains"}]}`, `"list_tasks","arguments":{}`,
}

// The bill's figures for logs and data come from a session of the deployed binary: its lines, those
// of the gateway, and what it sends to a client that accepts gzip and to Basecamp.
func TestTraffic_IsWhatTheBillCounts(t *testing.T) {
	f := runtimetest.Start(t, runtimetest.Build(t, root, sources["McpFunction"]),
		"BASECAMP_API_URL=sandbox", "AWS_LAMBDA_FUNCTION_NAME=fernhill-basecamp-McpFunction-1a2B3c4D5e6F")
	g := gateway{tb: t}
	session := ""
	ask := func(message string) (sent int) {
		r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(message))
		r.Header = http.Header{
			"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Accept-Encoding": {"gzip, deflate"},
			"Authorization": {"Bearer sandbox-ines"}, "Mcp-Protocol-Version": {"2025-11-25"},
		}
		if session != "" {
			r.Header.Set("Mcp-Session-Id", session)
		}
		answer := invoke(t, f, g.event(r, "ANY /mcp"))
		if answer.StatusCode >= 300 || strings.Contains(answer.Body, `"isError":true`) {
			t.Errorf("%s: HTTP %d %.300s", message, answer.StatusCode, answer.Body)
		}
		if id := answer.Headers["Mcp-Session-Id"]; id != "" {
			session = id
		}
		return weight(t, answer)
	}
	total := func(messages []string) (sent float64) {
		for _, message := range messages {
			sent += float64(ask(message))
		}
		return sent
	}
	ask(opened[0]) // the first line of a process is longer
	opening := total(opened)
	calls := 0.0
	for _, call := range called {
		calls += float64(ask(mcptest.Message("tools/call", `{"name":`+call+`}`))) + requestsACall*toBasecamp
	}
	f.Stop()

	u := billed(t)
	sessions := (u.Requests - u.ToolCalls - u.Refreshes) / float64(len(opened))
	average := func(opening, calls float64) float64 {
		return (sessions*opening + u.ToolCalls*calls/float64(len(called))) / (u.Requests - u.Refreshes) / 1024
	}
	lines := strings.SplitAfter(strings.TrimSpace(f.Logs()), "\n")[1:]
	at := len(lines) - len(called)
	logged := average(linesOf(lines[:at]), linesOf(lines[at:])) + float64(len(accessed(t))+perEvent)/1024
	near(t, "log_kb_a_request", u.LogKB, logged)
	near(t, "sent_kb_a_request", u.SentKB, average(opening, calls))
	t.Logf("opening a session sends %.1f KB, a call %.1f KB; logs %.2f KB a request, sent %.2f KB", opening/1024, calls/float64(len(called))/1024, logged, average(opening, calls))
}

// usage is the part of the bill's usage that is checked here.
type usage struct {
	Requests, Refreshes float64

	Metrics      struct{ Secrets, Envelope float64 }
	SweepMetrics int `json:"sweep_metrics"`

	ToolCalls float64 `json:"tool_calls"`
	LogKB     float64 `json:"log_kb_a_request"`
	SentKB    float64 `json:"sent_kb_a_request"`
}

func billed(t *testing.T) usage {
	t.Helper()
	text, err := os.ReadFile(root + "/internal/cmd/costs/prices.json")
	var bill struct{ Use usage }
	if err == nil {
		err = json.Unmarshal(text, &bill)
	}
	if err != nil {
		t.Fatal(err)
	}
	return bill.Use
}

// Each name is a metric, and a failed call has one of five codes. Without sealed tokens, none are
// refused.
func TestBill_CountsTheMetrics(t *testing.T) {
	const codes = 5
	metrics := 1 // both filters of the access log count Refused
	for name := range counted(t) {
		switch {
		case strings.Contains(name, "Provider"): // only with GitHub
		case strings.Contains(name, "Code"):
			metrics += codes
		default:
			metrics++
		}
	}
	if got := billed(t).Metrics; got.Envelope != float64(metrics) || got.Secrets != float64(metrics-1) {
		t.Errorf("the bill counts %v metrics, and there are %d, one of them about sealed tokens", got, metrics)
	}
	source, err := os.ReadFile(root + "/internal/app/sweeper/sweeper.go")
	if err != nil {
		t.Fatal(err)
	}
	if got, has := billed(t).SweepMetrics, strings.Count(string(source), `{Name: "Sweep`); got != has {
		t.Errorf("the bill counts %d metrics of the sweep, and there are %d", got, has)
	}
}

func near(t *testing.T, what string, said, measured float64) {
	t.Helper()
	if said < 0.95*measured || said > 1.1*measured {
		t.Errorf("the bill has %s %.2f, measured %.2f", what, said, measured)
	}
}

// weight returns the bytes of an answer that leave AWS.
func weight(t *testing.T, answer events.APIGatewayV2HTTPResponse) int {
	t.Helper()
	size := len(answer.Body)
	if answer.IsBase64Encoded {
		body, err := base64.StdEncoding.DecodeString(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		size = len(body)
	}
	for name, value := range answer.Headers {
		size += len(name) + len(value) + len(": \r\n")
	}
	return size + ofGateway
}

func linesOf(lines []string) (bytes float64) {
	for _, line := range lines {
		bytes += float64(len(line) + perEvent)
	}
	return bytes
}

// accessed returns a line of the access log.
func accessed(t *testing.T) string {
	t.Helper()
	format := text(readStack(t).properties("Stage")["AccessLogSettings"].(anything)["Format"])
	for name, value := range map[string]string{
		"apiId": "abc123def4", "requestId": "UjKq1hX8liAEMXQ=", "identity.sourceIp": "203.0.113.70", "routeKey": "ANY /mcp", "status": strconv.Itoa(200),
		"responseLatency": "252", "integrationLatency": "250", "integrationStatus": "200", "integrationErrorMessage": "-",
	} {
		format = strings.ReplaceAll(format, "$context."+name, value)
	}
	if strings.Contains(format, "$") {
		t.Fatalf("the access log has %s", format)
	}
	return format
}
