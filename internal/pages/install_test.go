package pages

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html/atom"
)

// The links work without a script, and hold the address however strange it is.
func TestLanding_AddsTheServerToCursorAndCodeWithOneClick(t *testing.T) {
	for _, address := range append([]string{"https://mcp.fernhill.example/mcp", "http://127.0.0.1:8787/mcp", "https://mcp.fernhill.example/mcp/x/a,b?c=d&e#f"}, hostile...) {
		links := map[string]string{}
		for _, a := range write(t, Landing{URL: address}).all(atom.A) {
			links[content(a)] = value(a, "href")
		}
		cursor, err := url.Parse(links["Add it to Cursor with one click"])
		if err != nil {
			t.Fatal(err)
		}
		config, err := base64.StdEncoding.DecodeString(cursor.Query().Get("config"))
		var got struct{ Name, Type, URL string }
		if err != nil || json.Unmarshal(config, &got) != nil || cursor.Scheme != "cursor" || cursor.Query().Get("name") != "basecamp" || got.URL != strings.ToValidUTF8(address, "\ufffd") {
			t.Errorf("%q: %s (%s), %v", address, cursor, config, err)
		}
		code, found := strings.CutPrefix(links["Add it to VS Code with one click"], "vscode:mcp/install?")
		decoded, err := url.PathUnescape(code)
		got = struct{ Name, Type, URL string }{}
		if err != nil || !found || json.Unmarshal([]byte(decoded), &got) != nil {
			t.Fatalf("%q: %s, %v", address, code, err)
		}
		if diff := cmp.Diff(struct{ Name, Type, URL string }{"basecamp", "http", address}, got); diff != "" {
			t.Error(diff)
		}
	}
}

// Screen readers read generated content, and say themselves whether a summary is open.
func TestStyle_WritesNoCharacters(t *testing.T) {
	for _, rule := range regexp.MustCompile(`[^-]content:[^;}]*`).FindAllString(string(style), -1) {
		if !strings.HasSuffix(rule, `content: ""`) {
			t.Error(rule)
		}
	}
}
