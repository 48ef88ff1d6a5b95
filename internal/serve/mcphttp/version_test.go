package mcphttp

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestVersion_ARefusalOfAnUnknownVersionListsTheSupportedOnes(t *testing.T) {
	meta := func(v string) string {
		return `{"jsonrpc":"2.0","id":"q","method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"` + v + `"}}}`
	}
	legacy := `{"jsonrpc":"2.0","id":"q","method":"tools/list"}`
	for _, test := range []struct{ what, header, body, requested string }{
		{"older, in both", "1900-01-01", meta("1900-01-01"), "1900-01-01"},
		{"newer, in both", "2099-01-01", meta("2099-01-01"), "2099-01-01"},
		{"in _meta alone", "", meta("1900-01-01"), "1900-01-01"},
		{"older in _meta, the header legacy", Version20251125, meta("1900-01-01"), "1900-01-01"},
		{"older in the header, _meta legacy", "1999-01-01", meta(Version20251125), "1999-01-01"},
		{"legacy, in the header", "1999-01-01", legacy, "1999-01-01"},
		{"legacy, before streamable HTTP", "2024-11-05", legacy, "2024-11-05"},
		{"no date", "latest", legacy, "latest"},
		{"two joined by a gateway", "2025-11-25,2025-11-25", legacy, "2025-11-25,2025-11-25"},
		{"initialize of a version to come", "2099-01-01",
			`{"jsonrpc":"2.0","id":"q","method":"initialize","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01"}}}`, "2099-01-01"},
	} {
		w := request{body: test.body, header: map[string]string{versionHeader: test.header}}.refused(t, http.StatusBadRequest)
		a := wantCode(t, w, codeUnsupportedVersion)
		var data struct {
			Supported []string `json:"supported"`
			Requested string   `json:"requested"`
		}
		_ = json.Unmarshal(a.Error.Data, &data)
		if data.Requested != test.requested || string(a.ID) != `"q"` {
			t.Errorf("%s: requested %q, id %s", test.what, data.Requested, a.ID)
		}
		if diff := cmp.Diff([]string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"}, data.Supported); diff != "" {
			t.Errorf("%s: supported (-want +got):\n%s", test.what, diff)
		}
	}
}

func TestVersion_TwoThatDifferAreAMismatchEvenIfOneIsUnknown(t *testing.T) {
	for _, test := range []struct{ header, meta string }{
		{"1999-01-01", Version20260728}, {"2099-01-01", Version20260728}, {Version20251125, Version20260728},
		{Version20260728, "v999.0.0"}, {Version20260728, "1900-01-01"}, {Version20260728, Version20251125},
	} {
		q := stateless("tools/list", "")
		q.body = strings.Replace(q.body, Version20260728, test.meta, 1)
		q.header[versionHeader] = test.header
		if a := wantCode(t, q.refused(t, http.StatusBadRequest), codeHeaderMismatch); string(a.ID) != "1" {
			t.Errorf("%v: id %s", test, a.ID)
		}
	}
}

func TestVersion_TheMCPServerRefusesAMissingOne(t *testing.T) {
	g, c := newGuard()
	for _, q := range []request{
		{body: stateless("tools/list", "").body, header: map[string]string{sessionHeader: "x"}},
		{header: map[string]string{versionHeader: Version20260728, sessionHeader: "x"}},
	} {
		wantStatus(t, q.send(g), http.StatusOK) // and no session is looked for: either is enough to be stateless
	}
	if len(c.reached) != 2 {
		t.Errorf("reached %d times", len(c.reached))
	}
}

func TestVersion_TheMCPServerAnswersInitializeWithAnyVersion(t *testing.T) {
	for _, header := range []string{"", "1999-01-01", "2099-01-01", Version20260728, Version20251125} {
		g, c := newGuard()
		body := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"1999-01-01"}}`
		w := request{body: body, header: map[string]string{versionHeader: header}}.send(g)
		wantStatus(t, w, http.StatusOK)
		if got := c.last(t).header.Values(versionHeader); got != nil {
			t.Errorf("the header %q reached the MCP server, which would go by it", got)
		}
		if w.Header().Get(sessionHeader) == "" {
			t.Errorf("header %q: no session was opened", header)
		}
	}
}

func TestVersion_TheMCPServerRefusesAStatelessInitialize(t *testing.T) {
	g, c := newGuard()
	w := stateless("initialize", "").send(g)
	wantStatus(t, w, http.StatusOK)
	if c.last(t).header.Get(versionHeader) != Version20260728 || w.Header().Get(sessionHeader) != "" {
		t.Errorf("it was taken for a handshake")
	}
}

func TestVersion_DeleteGoesByTheHeader(t *testing.T) {
	g, _ := newGuard()
	id := open(t, g, "ines")
	w := request{method: "DELETE", header: map[string]string{versionHeader: "1999-01-01", sessionHeader: id}}.send(g)
	wantStatus(t, w, http.StatusBadRequest)
	wantCode(t, w, codeUnsupportedVersion)
}
