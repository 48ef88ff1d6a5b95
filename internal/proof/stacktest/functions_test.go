package stacktest_test

import (
	"encoding/json"
	"io"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"basecamp-mcp/internal/serve/lambdahttp/runtimetest"
)

// wantLines fails unless the log is one JSON object per line without these texts.
func wantLines(t *testing.T, logs string, never ...string) {
	t.Helper()
	for line := range strings.Lines(logs) {
		var object map[string]any
		if err := json.Unmarshal([]byte(line), &object); err != nil {
			t.Errorf("%v in %q", err, line)
		}
		if len(line) > 4096 {
			t.Errorf("a line of %d bytes: %s", len(line), line)
		}
	}
	for _, text := range never {
		if strings.Contains(logs, text) {
			t.Errorf("%s was logged: %s", text, logs)
		}
	}
}

// planted is text that an attacker wants to see in the log: a secret, a line of its own, and
// metrics.
const planted = "s3cret\n{\"_aws\":{},\"TableName\":\"forged\"}\n\x1b[31m\u2028\",\"Code\":\"forged"

func TestFunctions_DoNotLogTheInputOfStrangers(t *testing.T) {
	quoted, err := json.Marshal(planted)
	if err != nil {
		t.Fatal(err)
	}
	call := func(name, arguments string) string {
		return `{"jsonrpc":"2.0","id":` + string(quoted) + `,"method":"tools/call","params":{"name":` + name + `,"arguments":` + arguments + `}}`
	}
	bodies := map[string][]string{
		"McpFunction": {
			call(string(quoted), "{}"), call(`"get_me"`, `{`+string(quoted)+`:1}`), call(`"search"`, `{"query":`+string(quoted)+`}`),
			`{"jsonrpc":"2.0","id":1,"method":` + string(quoted) + `}`, `{"jsonrpc":"2.0","method":"notifications/s3cret"}`, planted,
		},
		"OAuthFunction": {"grant_type=refresh_token&refresh_token=bcm_rt_s3cret&client_id=c_s3cret&client_secret=s3cret", planted},
	}
	event := map[string]string{"McpFunction": "initialize-2025-11-25", "OAuthFunction": "token-unknown-client-401"}
	for function, f := range runAll(t, map[string]string{"BASECAMP_API_URL": "sandbox", "LOG_LEVEL": "DEBUG"}) {
		for _, body := range bodies[function] {
			for _, path := range []string{"", "/s3cret", "/x/s3cret"} {
				invoke(t, f, edited(t, event[function], func(e *events.APIGatewayV2HTTPRequest) {
					e.Body, e.RawPath, e.RawQueryString, e.Cookies = body, e.RawPath+path, "code=s3cret&state=s3cret", []string{"a=s3cret"}
					for _, name := range []string{"user-agent", "origin", "mcp-session-id", "x-mcp-toolsets", "x-request-id", "x-s3cret"} {
						e.Headers[name] = planted
					}
				}))
				invoke(t, f, edited(t, event[function], func(e *events.APIGatewayV2HTTPRequest) { e.Body, e.RawPath = body, e.RawPath+path }))
			}
		}
		invoke(t, f, edited(t, event[function], func(e *events.APIGatewayV2HTTPRequest) { e.RequestContext.HTTP.Method = planted }))
		f.Stop()
		wantLines(t, f.Logs(), "s3cret", "forged", "sandbox-ines")
	}
}

// dependency accepts connections and sends the same text on each, or nothing for "".
func dependency(t *testing.T, says string) (origin string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = connection.Close() })
			_, _ = io.WriteString(connection, says)
		}
	}()
	return "://" + listener.Addr().String()
}

func TestFunctions_StartWhileTheirServicesFail(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	var bootstraps []string
	for _, source := range sources {
		bootstraps = append(bootstraps, runtimetest.Build(t, root, source))
	}
	for name, origin := range map[string]string{
		"unreachable":   "https://127.0.0.1:1",
		"silent":        "https" + dependency(t, ""),
		"no HTTP":       "http" + dependency(t, "s3cret\r\n\r\n"),
		"answers twice": "http" + dependency(t, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\ns3cret"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // they wait for the services
			for _, bootstrap := range bootstraps {
				f := runtimetest.Start(t, bootstrap, pairs(environmentAt(origin))...)
				if err := f.Ready(); err != nil {
					t.Fatal(err, f.Logs())
				}
				promises["healthz"].check(t, invoke(t, f, read(t, "healthz")))
				f.Stop()
				wantLines(t, f.Logs(), "s3cret")
			}
		})
	}
}

// mostBytes are the largest sizes of the functions' binaries, a few percent above their present
// ones. A larger binary starts later. Raise a size only for code that the function needs.
var mostBytes = map[string]int64{"McpFunction": 29_400_000, "OAuthFunction": 21_400_000}

func TestFunctions_StaySmall(t *testing.T) {
	if os.Getenv("INTEGRATION") == "" {
		t.Skip("compiles for another processor; run make integration, or set INTEGRATION=1")
	}
	t.Setenv("GOOS", "linux")
	t.Setenv("GOARCH", "arm64")
	for function, source := range sources {
		file, err := os.Stat(runtimetest.Build(t, root, source))
		if err != nil {
			t.Fatal(err)
		}
		if most := mostBytes[function]; file.Size() > most {
			t.Errorf("%s has %d bytes, at most %d are allowed; go version -m lists its modules", function, file.Size(), most)
		}
	}
}
