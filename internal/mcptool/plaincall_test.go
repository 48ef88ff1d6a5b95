package mcptool

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"unicode/utf8"

	"basecamp-mcp/internal/identity"
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
		return album{in.Name, []Image{{[]byte("red"), "image/png"}}}, nil
	})
	var log bytes.Buffer
	s := NewServer([]Toolset{{Name: "t", Tools: []Tool{tool}}}, Options{Name: "test", Version: "1", Log: slog.New(slog.NewJSONHandler(&log, nil))})
	w := post(identity.With(t.Context(), writer), t, s.Handler(nil, true), "tools/call", "show", `"name":"show","arguments":{"name":"bikes"}`)
	if lines := strings.Count(log.String(), "\n"); runs != 1 || lines != 1 || !strings.Contains(w.Body.String(), `"type":"image"`) {
		t.Errorf("%d runs and %d log lines for %s", runs, lines, w.Body)
	}
}
