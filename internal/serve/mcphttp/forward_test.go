package mcphttp

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// parts is an http.ResponseWriter that records how a body was written.
type parts struct {
	*httptest.ResponseRecorder
	written, constant []string
}

func (p *parts) Write(b []byte) (int, error) {
	p.written = append(p.written, string(b))
	return p.ResponseRecorder.Write(b)
}

func (p *parts) WriteConstant(b []byte) (int, error) {
	p.constant = append(p.constant, string(b))
	return p.ResponseRecorder.Write(b)
}

// inParts answers with a head and a constant end.
func inParts(length string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Mcp-Session-Id", "from-behind")
		if length != "" {
			w.Header().Set("Content-Length", length)
		}
		_, _ = io.WriteString(w, `{"id":1,"result":`)
		_, _ = w.(constantWriter).WriteConstant([]byte(`{"protocolVersion":"2025-11-25"}}`))
	}
}

func TestGuard_PassesOnAnAnswerOfDeclaredLength(t *testing.T) {
	const whole = `{"id":1,"result":{"protocolVersion":"2025-11-25"}}`
	for name, test := range map[string]struct {
		q      request
		length string
		direct bool
	}{
		"declared":   {request{}, "50", true},
		"undeclared": {request{}, "", false},
		"handshake":  {request{body: `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`}, "50", false},
	} {
		g, catalog := newGuard()
		catalog.reply = inParts(test.length)
		log := slog.New(slog.DiscardHandler)
		handler := WithLine(Recover(g, log), log, "", func(*http.Request) time.Duration { return 0 })
		w := &parts{ResponseRecorder: httptest.NewRecorder()}
		handler.ServeHTTP(w, test.q.http())
		if h := w.Header(); w.Code != http.StatusOK || w.Body.String() != whole || h.Get("Content-Length") != "50" || h.Get("Content-Type") != "application/json" {
			t.Errorf("%s: HTTP %d %v %s", name, w.Code, h, w.Body)
		}
		if (len(w.constant) == 1) != test.direct {
			t.Errorf("%s: written %q, constant %q", name, w.written, w.constant)
		}
		if id := w.Header().Get("Mcp-Session-Id"); id == "from-behind" || (id != "") != (name == "handshake") {
			t.Errorf("%s: session ID %q", name, id)
		}
	}
}
