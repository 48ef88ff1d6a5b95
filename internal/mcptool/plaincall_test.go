package mcptool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/toolanswer"
)

func FuzzAppendQuoted(f *testing.F) {
	for _, seed := range strange {
		f.Add([]byte(`{"text":"` + seed + `","n":[1,{"<":null}]}`))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var compact, want bytes.Buffer
		if !utf8.Valid(text) || json.Compact(&compact, text) != nil {
			t.Skip()
		}
		quoted, err := json.Marshal(compact.String())
		if err != nil {
			t.Fatal(err)
		}
		if got := appendQuoted(nil, compact.Bytes()); !bytes.Equal(got, quoted) {
			t.Errorf("%s as a string is %s, want %s", text, got, quoted)
		}
		json.HTMLEscape(&want, compact.Bytes())
		if got := appendHTMLSafe(nil, compact.Bytes()); !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%s for HTML is %s, want %s", text, got, want.Bytes())
		}
	})
}

func TestPlainCall_RunsItsToolOnceIfMCPGoWritesTheAnswer(t *testing.T) {
	runs := 0
	tool := Define(Spec{Name: "show", Title: "Show", Description: "Shows."}, func(_ context.Context, in greetInput) (album, error) {
		runs++
		return album{in.Name, []toolanswer.Image{{Data: []byte("red"), MIMEType: "image/png"}}}, nil
	})
	s := serveTools(Options{}, tool)
	w := post(identity.With(t.Context(), writer), t, s.Handler(Selection{ReadOnly: true}), "tools/call", "show", `"name":"show","arguments":{"name":"bikes"}`)
	if lines := strings.Count(s.log.String(), "\n"); runs != 1 || lines != 1 || !strings.Contains(w.Body.String(), `"type":"image"`) {
		t.Errorf("%d runs and %d log lines for %s", runs, lines, w.Body)
	}
}

// breaking is an http.ResponseWriter that fails, and reads the bytes of a Write after it.
type breaking struct {
	http.ResponseWriter
	held []byte
}

func (b *breaking) Write(p []byte) (int, error) {
	b.held = p
	return 0, errors.New("stream closed")
}

func TestPlainCall_DoesNotReuseTheBytesOfAFailedWrite(t *testing.T) {
	e := generated(new(bytes.Buffer))
	call := func(w http.ResponseWriter, name string) {
		message := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hub_greets","arguments":{"name":"` + name + `"}}}`
		r := httptest.NewRequestWithContext(identity.With(t.Context(), writer), http.MethodPost, "/mcp", strings.NewReader(message))
		r.Header.Set("Content-Type", jsonType)
		e.ServeHTTP(w, r)
	}
	for range 10 { // the pool may drop any buffer
		broken := &breaking{ResponseWriter: httptest.NewRecorder()}
		call(broken, "Ines")
		before := string(broken.held)
		call(httptest.NewRecorder(), "Otto")
		if !strings.Contains(before, "Ines") || string(broken.held) != before {
			t.Fatalf("%s became %s", before, broken.held)
		}
	}
}
