package mcptool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/memory"
)

func TestResources_AreListedWithTheirTemplate(t *testing.T) {
	s, _ := audited(outcomes(), memory.New(nil))
	for _, era := range eras {
		list, templates := s.read(t, reader, era, "resources/list", ""), s.read(t, reader, era, "resources/templates/list", "")
		if r := list.Result.Resources; len(r) != 1 || r[0]["uri"] != "audit://calls" || r[0]["mimeType"] != "application/json" || r[0]["title"] == nil {
			t.Errorf("%s: %+v", era, list)
		}
		if r := templates.Result.ResourceTemplates; len(r) != 1 || r[0]["uriTemplate"] != "audit://calls{?cursor}" {
			t.Errorf("%s: %+v", era, templates)
		}
	}
}

func TestResources_AreACapabilityThatNeverChanges(t *testing.T) {
	s, _ := audited(outcomes(), memory.New(nil))
	discovered := s.read(t, reader, "2026-07-28", "server/discover", "")
	initialized := s.read(t, reader, "2025-11-25", "initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}`)
	for _, got := range []rpc{discovered, initialized} {
		if resources, ok := got.Result.Capabilities["resources"].(map[string]any); !ok || resources["subscribe"] == true || resources["listChanged"] == true {
			t.Errorf("%+v", got.Result.Capabilities)
		}
	}
	if without := newTestServer().read(t, reader, "2026-07-28", "server/discover", ""); without.Result.Capabilities["resources"] != nil {
		t.Errorf("without a trail: %+v", without.Result.Capabilities)
	}
	if without := newTestServer().read(t, reader, "2026-07-28", "resources/read", `"uri":"audit://calls"`); without.Error == nil || without.Error.Code != -32601 {
		t.Errorf("without a trail: %+v", without)
	}
}

type calls struct {
	Calls []struct {
		Time       time.Time
		Tool       string
		Outcome    string
		Arguments  []map[string]string
		Client     string
		Door       string
		Connection string
	}
	HasMore    bool    `json:"has_more"`
	NextCursor *string `json:"next_cursor"`
	Next       string
}

// page reads one page of a caller's calls.
func (s testServer) page(t *testing.T, caller identity.Caller, era, uri string) calls {
	t.Helper()
	got := s.read(t, caller, era, "resources/read", fmt.Sprintf(`"uri":%q`, uri))
	if got.Error != nil || len(got.Result.Contents) != 1 {
		t.Fatalf("%s: %+v", uri, got)
	}
	content := got.Result.Contents[0]
	var c calls
	if err := json.Unmarshal([]byte(content.Text), &c); err != nil || content.URI != uri || content.MIMEType != "application/json" {
		t.Fatalf("%+v, %v", content, err)
	}
	if era == eras[0] && (got.Result.CacheScope != "private" || got.Result.TTLMs == nil || *got.Result.TTLMs != 0) {
		t.Errorf("cached: %+v", got.Result)
	}
	return c
}

func TestCalls_ArePagedNewestFirstForTheirPersonAlone(t *testing.T) {
	s, trail := audited(outcomes(), memory.New(nil))
	for range 120 {
		s.callAs(t, writer, "greet", `{"name":"secret"}`)
	}
	s.callAs(t, writer, "missing", `{"name":"secret"}`)
	if err := trail.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, era := range eras {
		first := s.page(t, reader, era, "audit://calls")
		second := s.page(t, reader, era, first.Next)
		third := s.page(t, reader, era, "audit://calls?cursor="+*second.NextCursor)
		if len(first.Calls) != 50 || len(second.Calls) != 50 || len(third.Calls) != 21 || third.HasMore || third.NextCursor != nil || !first.HasMore {
			t.Errorf("%s: %d, %d and %d calls", era, len(first.Calls), len(second.Calls), len(third.Calls))
		}
		latest := first.Calls[0]
		if latest.Tool != "missing" || latest.Outcome != "NOT_FOUND" || latest.Client != "t/1" || latest.Door != "mcp" || latest.Arguments[0]["name"] != "name" || latest.Time.IsZero() {
			t.Errorf("%+v", latest)
		}
	}
	stranger := identity.Caller{Subject: "37s:2", Scopes: reader.Scopes}
	if got := s.page(t, stranger, eras[0], "audit://calls"); len(got.Calls) != 0 || got.Calls == nil {
		t.Errorf("a stranger reads %+v", got)
	}
}

// unread is a Store that cannot be read.
type unread struct{ *memory.Store }

func (unread) Entries(context.Context, string, string, int) ([]audit.Entry, error) {
	return nil, errors.New("dial tcp 10.0.0.1: secret")
}

func TestRead_ThatFailsSaysWhatToDoAndNothingElse(t *testing.T) {
	s, _ := audited(outcomes(), unread{memory.New(nil)})
	for what, test := range map[string]struct {
		caller identity.Caller
		uri    string
		says   string
	}{
		"a dead table":      {reader, "audit://calls", "try again"},
		"a strange cursor":  {reader, "audit://calls?cursor=37s%3A2", "read audit://calls without a cursor"},
		"another parameter": {reader, "audit://calls?foo=1", "read audit://calls without a cursor"},
		"another case":      {reader, "audit://calls?Cursor=abc", "read audit://calls without a cursor"},
		"another path":      {reader, "audit://calls/37s:2", "there is no resource at"},
		"a broken escape":   {reader, "audit://calls?cursor=%zz", "there is no resource at"},
		"an empty cursor":   {reader, "audit://calls?cursor=", "read audit://calls without a cursor"},
		"no caller":         {identity.Caller{}, "audit://calls", "needs the scope"},
	} {
		got := s.read(t, test.caller, eras[0], "resources/read", fmt.Sprintf(`"uri":%q`, test.uri))
		if got.Error == nil || !strings.Contains(got.Error.Message, test.says) || strings.Contains(got.Error.Message, "secret") {
			t.Errorf("%s: %+v", what, got.Error)
		}
	}
}
