package lambdahttp

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"
	"github.com/google/go-cmp/cmp"
)

// call sends an event to h and decodes the answer with the types that AWS publishes.
func call(t *testing.T, h http.HandlerFunc, e events.APIGatewayV2HTTPRequest) events.APIGatewayV2HTTPResponse {
	t.Helper()
	payload, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, Handler(h), payload)
}

func decode(t *testing.T, h lambda.Handler, payload []byte) events.APIGatewayV2HTTPResponse {
	t.Helper()
	out, err := h.Invoke(t.Context(), payload)
	if err != nil {
		t.Fatalf("the invocation failed, which would start a new process: %v", err)
	}
	var answer events.APIGatewayV2HTTPResponse
	dec := json.NewDecoder(bytes.NewReader(out))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&answer); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return answer
}

// received returns the request that a handler receives for an event.
func received(t *testing.T, e events.APIGatewayV2HTTPRequest) (*http.Request, []byte) {
	t.Helper()
	var r *http.Request
	var body []byte
	call(t, func(_ http.ResponseWriter, got *http.Request) {
		r = got
		body, _ = io.ReadAll(got.Body)
	}, e)
	if r == nil {
		t.Fatal("the event did not reach the handler")
	}
	return r, body
}

func post(body string) events.APIGatewayV2HTTPRequest {
	e := events.APIGatewayV2HTTPRequest{Version: "2.0", RawPath: "/mcp", Body: body}
	e.RequestContext.DomainName = "abc123.execute-api.eu-central-1.amazonaws.com"
	e.RequestContext.RequestID = "UjKq1hX8liAEMXQ="
	e.RequestContext.HTTP.Method = http.MethodPost
	e.RequestContext.HTTP.SourceIP = "203.0.113.7"
	return e
}

func TestRequest_EqualsWhatTheCallerSent(t *testing.T) {
	e := post(`{"method":"tools/list"}`)
	e.RawQueryString = "a=1&a=2&b=%20"
	e.Headers = map[string]string{
		"accept":       "application/json, text/event-stream",
		"content-type": "application/json",
	}
	e.Cookies = []string{"a=1", "b=2"}

	r, body := received(t, e)

	if r.Method != "POST" || r.Proto != "HTTP/1.1" || r.RequestURI != "/mcp?a=1&a=2&b=%20" {
		t.Errorf("%s %s %s", r.Method, r.RequestURI, r.Proto)
	}
	if string(body) != e.Body || r.ContentLength != int64(len(e.Body)) {
		t.Errorf("body %q, length %d", body, r.ContentLength)
	}
	if diff := cmp.Diff([]string{"1", "2"}, r.URL.Query()["a"]); diff != "" {
		t.Error("repeated parameters:", diff)
	}
	if diff := cmp.Diff([]string{"application/json, text/event-stream"}, r.Header["Accept"]); diff != "" {
		t.Error("a joined header is one value:", diff)
	}
	if b, err := r.Cookie("b"); err != nil || b.Value != "2" {
		t.Errorf("cookie b: %v, %v", b, err)
	}
}

func TestRequest_HostAndAddressComeOnlyFromTheGateway(t *testing.T) {
	e := post("")
	e.Headers = map[string]string{
		"host":              "evil.example",
		"x-forwarded-host":  "evil.example",
		"x-forwarded-for":   "198.51.100.1",
		"x-forwarded-proto": "http",
		"forwarded":         "host=evil.example",
		"content-length":    "999999",
		"authorization":     "Bearer t",
	}

	r, _ := received(t, e)

	if r.Host != "abc123.execute-api.eu-central-1.amazonaws.com" || r.RemoteAddr != "203.0.113.7:0" || r.ContentLength != 0 {
		t.Errorf("host %q, address %q, length %d", r.Host, r.RemoteAddr, r.ContentLength)
	}
	if diff := cmp.Diff(http.Header{"Authorization": {"Bearer t"}}, r.Header); diff != "" {
		t.Error(diff)
	}
}

func TestRequest_RemoteAddrOfIPv6HasAPort(t *testing.T) {
	e := post("")
	e.RequestContext.HTTP.SourceIP = "2001:db8::1"
	if r, _ := received(t, e); r.RemoteAddr != "[2001:db8::1]:0" {
		t.Error(r.RemoteAddr)
	}
}

func TestRequest_ThePathKeepsItsEncoding(t *testing.T) {
	for raw, want := range map[string]struct{ path, escaped string }{
		"/mcp":               {"/mcp", "/mcp"},
		"/mcp/x/a%2Fb":       {"/mcp/x/a/b", "/mcp/x/a%2Fb"},
		"/mcp/x/tasks%2Chub": {"/mcp/x/tasks,hub", "/mcp/x/tasks%2Chub"},
		"/caf\u00e9":         {"/caf\u00e9", "/caf%C3%A9"},
		"/100%":              {"/100%", "/100%25"},
	} {
		e := post("")
		e.RawPath = raw
		if r, _ := received(t, e); r.URL.Path != want.path || r.URL.EscapedPath() != want.escaped {
			t.Errorf("%s: path %s, escaped %s", raw, r.URL.Path, r.URL.EscapedPath())
		}
	}
}

func TestRequest_ABase64BodyIsDecoded(t *testing.T) {
	e := post(base64.StdEncoding.EncodeToString([]byte{0xff, 0, 1}))
	e.IsBase64Encoded = true
	if r, body := received(t, e); !bytes.Equal(body, []byte{0xff, 0, 1}) || r.ContentLength != 3 {
		t.Errorf("%x, length %d", body, r.ContentLength)
	}
}

func TestRequest_CarriesTheDeadlineAndTheIDs(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	ctx = lambdacontext.NewContext(ctx, &lambdacontext.LambdaContext{AwsRequestID: "invocation"})
	if id := RequestID(ctx); id != "invocation" {
		t.Errorf("without a request ID of the gateway: %q", id)
	}
	payload, _ := json.Marshal(post(""))

	r, err := request(ctx, payload)

	if err != nil {
		t.Fatal(err)
	}
	if id := RequestID(r.Context()); id != "UjKq1hX8liAEMXQ=" {
		t.Errorf("request id %q", id)
	}
	if _, ok := r.Context().Deadline(); !ok {
		t.Error("no deadline")
	}
	if id := RequestID(t.Context()); id != "" {
		t.Errorf("outside a request: %q", id)
	}
}

// A function also receives other events: a scheduled ping, a console test, a wrong integration.
func TestHandler_RefusesAnEventThatIsNotARequest(t *testing.T) {
	for name, payload := range map[string]string{
		"nothing":      "",
		"null":         "null",
		"empty":        "{}",
		"a list":       "[]",
		"garbage":      `{"version":`,
		"cut short":    small[:len(small)-1],
		"two events":   small + small,
		"not UTF-8":    strings.Replace(small, "claude", "\xff", 1),
		"REST API":     `{"version":"1.0","resource":"/mcp","path":"/mcp","httpMethod":"POST","headers":{},"body":"{}"}`,
		"balancer":     `{"requestContext":{"elb":{"targetGroupArn":"arn"}},"httpMethod":"POST","path":"/mcp","body":""}`,
		"WebSocket":    `{"requestContext":{"routeKey":"$connect","eventType":"CONNECT","connectionId":"1","domainName":"d"},"isBase64Encoded":false}`,
		"a queue":      `{"Records":[{"messageId":"1","body":"{}","eventSource":"aws:sqs"}]}`,
		"text":         `"text"`,
		"scheduled":    `{"version":"0","id":"1","detail-type":"Scheduled Event","source":"aws.events","detail":{}}`,
		"no method":    `{"version":"2.0","rawPath":"/mcp","requestContext":{"http":{}}}`,
		"no path":      `{"version":"2.0","requestContext":{"http":{"method":"POST"}}}`,
		"wrong types":  `{"version":2.0,"rawPath":["/mcp"],"headers":"none"}`,
		"nested":       `{"x":` + strings.Repeat("[", 1e6),
		"broken b64":   `{"version":"2.0","rawPath":"/","requestContext":{"http":{"method":"POST"}},"body":"*","isBase64Encoded":true}`,
		"numeric body": `{"version":"2.0","rawPath":"/","requestContext":{"http":{"method":"POST"}},"body":1}`,
	} {
		t.Run(name, func(t *testing.T) {
			h := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the event reached the handler") })
			answer := decode(t, Handler(h), []byte(payload))
			if answer.StatusCode != 400 || answer.Headers["Content-Type"] != "application/json" || !strict(answer.Headers) {
				t.Errorf("%+v", answer)
			}
			var failure struct {
				Error string `json:"error"`
			}
			if json.Unmarshal([]byte(answer.Body), &failure) != nil || failure.Error != "invalid_request" {
				t.Error(answer.Body)
			}
		})
	}
}

// strict reports whether an answer tells browsers to use only https from now on.
func strict(headers map[string]string) bool {
	return headers["Strict-Transport-Security"] == "max-age=31536000"
}

func TestHandler_AnswersAPanicAndDescribesItOnlyInTheLog(t *testing.T) {
	var lines bytes.Buffer
	h := &handler{log: newLogger(&lines, nil), http: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "half an answer")
		panic("secret")
	})}

	answer := decode(t, h, []byte(small))

	want := `{"error":"server_error","error_description":"something went wrong on our side"}`
	if answer.StatusCode != 500 || answer.Body != want || !strict(answer.Headers) {
		t.Errorf("%+v", answer)
	}
	if log := lines.String(); !strings.Contains(log, `"type":"string"`) || strings.Contains(log, "secret") || strings.Count(log, "\n") != 1 {
		t.Errorf("logged %s", log)
	}
}

// Lambda accepts at most 6 MB and ends a function that answers with more.
func TestHandler_ReplacesAnAnswerThatIsTooLarge(t *testing.T) {
	for n, want := range map[int]int{1 << 20: http.StatusOK, largest / 2: http.StatusInternalServerError} {
		var lines bytes.Buffer
		h := &handler{log: newLogger(&lines, nil), http: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(bytes.Repeat([]byte{'"'}, n)) // each byte is two in JSON
		})}
		answer := decode(t, h, []byte(small))
		if answer.StatusCode != want || (want == http.StatusOK) != (lines.Len() == 0) {
			t.Errorf("%d bytes: %d, logged %s", n, answer.StatusCode, lines.String())
		}
	}
}

func TestInvoke_LeavesTimeForTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 28*time.Second)
		defer cancel()
		patient := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			w.WriteHeader(http.StatusServiceUnavailable)
		})
		for range 2 { // the second request starts late
			out, err := Handler(patient).Invoke(ctx, []byte(small))
			if err != nil || !bytes.Contains(out, []byte(`"statusCode":503`)) || ctx.Err() != nil {
				t.Errorf("%s, %v, %v", out, err, ctx.Err())
			}
		}
	})
}

func TestResponse_EqualsWhatTheHandlerWrote(t *testing.T) {
	answer := call(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Add("Vary", "Origin")
		w.Header().Add("Vary", "Accept")
		w.Header().Set("X-Odd", "one\r\nSet-Cookie: two\xff")
		w.Header().Set("Content-Length", "7")
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "1"})
		http.SetCookie(w, &http.Cookie{Name: "b", Value: "2", Secure: true})
		w.WriteHeader(http.StatusEarlyHints)
		w.WriteHeader(http.StatusTeapot)
		w.WriteHeader(http.StatusOK)
		w.Header().Set("X-Late", "ignored")
		_, _ = io.WriteString(w, `{"text":"<a> `)
		_, _ = w.Write([]byte("\u00e9 \u2028 \x01 \n\"}"))
	}, post(""))

	want := events.APIGatewayV2HTTPResponse{
		StatusCode: http.StatusTeapot,
		Headers: map[string]string{
			"Content-Type": "application/json",
			"Vary":         "Origin, Accept",
			"X-Odd":        "one  Set-Cookie: two\uFFFD",
		},
		Cookies: []string{"a=1", "b=2; Secure"},
		Body:    "{\"text\":\"<a> \u00e9 \u2028 \x01 \n\"}",
	}
	if diff := cmp.Diff(want, answer); diff != "" {
		t.Error(diff)
	}
}

func TestResponse_IsJSONWithoutEscapedHTML(t *testing.T) {
	h := func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<b>&amp;</b>") }
	out, _ := Handler(http.HandlerFunc(h)).Invoke(t.Context(), []byte(small))
	if !bytes.Contains(out, []byte("<b>&amp;</b>")) {
		t.Errorf("%s", out)
	}
}

func TestResponse_BinaryBodiesAreBase64(t *testing.T) {
	for name, h := range map[string]http.HandlerFunc{
		"bytes": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("\xff\xd8\xff")) },
		"compressed": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write([]byte("\xff\xd8\xff"))
		},
	} {
		answer := call(t, h, post(""))
		if !answer.IsBase64Encoded || answer.Body != "/9j/" {
			t.Errorf("%s: %+v", name, answer)
		}
		if typ := answer.Headers["Content-Type"]; (typ == "image/jpeg") == (name == "compressed") {
			t.Errorf("%s: type %q", name, typ)
		}
	}
}

func TestResponse_IsEmptyIfHTTPOrTheHandlerLeavesOutTheBody(t *testing.T) {
	text := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, "text")
		}
	}
	head := post("")
	head.RequestContext.HTTP.Method = http.MethodHead
	for name, answer := range map[string]events.APIGatewayV2HTTPResponse{
		"HEAD":              call(t, text(200), head),
		"204":               call(t, text(204), post("")),
		"304":               call(t, text(304), post("")),
		"nothing written":   call(t, func(http.ResponseWriter, *http.Request) {}, post("")),
		"a status and stop": call(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(202) }, post("")),
	} {
		if answer.Body != "" || answer.IsBase64Encoded {
			t.Errorf("%s: body %q", name, answer.Body)
		}
	}
}

func TestResponse_CannotBeStreamed(t *testing.T) {
	call(t, func(w http.ResponseWriter, _ *http.Request) {
		if _, ok := w.(http.Flusher); ok {
			t.Error("the writer can flush")
		}
	}, post(""))
}

func TestWarmUp_RunsConcurrentlyWithinItsLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		sleep := func(d time.Duration) func(context.Context) {
			return func(context.Context) { time.Sleep(d) }
		}
		warmUp([]func(context.Context){sleep(300 * time.Millisecond), sleep(400 * time.Millisecond)})
		if took := time.Since(start); took != 400*time.Millisecond {
			t.Errorf("two warm-ups took %v", took)
		}

		start = time.Now()
		warmUp([]func(context.Context){func(ctx context.Context) { <-ctx.Done(); time.Sleep(time.Minute) }})
		if took := time.Since(start); took != time.Second {
			t.Errorf("a stuck warm-up took %v", took)
		}
		time.Sleep(time.Minute)
	})
}

func TestLogger_NamesTheInvocationInEveryLine(t *testing.T) {
	var lines bytes.Buffer
	ctx := lambdacontext.NewContext(t.Context(), &lambdacontext.LambdaContext{AwsRequestID: "invocation"})

	newLogger(&lines, nil).With("tool", "get_me").WarnContext(ctx, "slow")

	var line map[string]any
	if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
		t.Fatal(err)
	}
	delete(line, "timestamp")
	want := map[string]any{"level": "WARN", "message": "slow", "tool": "get_me", "requestId": "invocation"}
	if diff := cmp.Diff(want, line); diff != "" {
		t.Error(diff)
	}
}

func TestInvoke_ReportsHowLongTheProcessTookToStart(t *testing.T) {
	var got time.Duration
	h := &handler{http: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = InitTime(r.Context()) }), init: time.Second}
	if _, err := h.Invoke(t.Context(), []byte(small)); err != nil || got != time.Second || InitTime(t.Context()) != 0 {
		t.Errorf("%s, %v", got, err)
	}
}

func FuzzHandler(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte(`{"version":"2.0","rawPath":"/%zz","requestContext":{"http":{"method":"PUT"}},"body":"/9j/","isBase64Encoded":true}`))
	f.Add([]byte(`{"version":"2.0","rawPath":"/","cookies":["a=b",null],"headers":{"a b":"\u0000"},"requestContext":{"http":{"method":"\n"}}}`))
	h := Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		maps.Copy(w.Header(), r.Header)
		_, _ = io.WriteString(w, r.RequestURI+r.URL.EscapedPath()+r.RemoteAddr)
		_, _ = io.Copy(w, r.Body)
	}))
	f.Fuzz(func(t *testing.T, payload []byte) {
		out, err := h.Invoke(t.Context(), payload)
		if err != nil || !json.Valid(out) || !utf8.Valid(out) {
			t.Fatalf("%v: %q", err, out)
		}
	})
}
