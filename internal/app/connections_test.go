package app

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/launchpad"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/catalog/tools"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/signin/authserver"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/signin/grant"
)

func (p *place) connections(bearer string) tools.Connections {
	p.Helper()
	_, _, body := send(p, p.URL+"/mcp", bearer, "tools/call", `{"name":"connections","arguments":{}}`)
	result := mcptest.Result[struct {
		IsError           bool
		StructuredContent tools.Connections
	}](p, []byte(body))
	if result.IsError {
		p.Errorf("it says %s", body)
	}
	if strings.Contains(body, `":null`) || strings.Contains(body, "0001-01-01") {
		p.Errorf("it says what it does not know: %s", body)
	}
	return result.StructuredContent
}

func (p *place) record(handle string) grant.Record {
	p.Helper()
	record := must(p.storage.records(launchpad.ProviderID).Record(p.Context(), launchpad.Subject(p.person(handle).IdentityID)))
	return record
}

func TestConnections_AreThoseOfTheCallerAlone(t *testing.T) {
	p := open(t, config.Config{})
	began := time.Now().Add(-time.Minute)
	first := p.LogIn("ines").Access
	second := p.LogIn("ines").Access
	other := p.LogIn("priya").Access
	p.sandbox.Inject(sandbox.Fault{Status: http.StatusServiceUnavailable}) // Basecamp is not asked
	for _, bearer := range []string{first, second} {
		got := p.connections(bearer)
		if len(got.Upstreams) != 2 || len(got.Clients) != 2 || got.AccountURL != p.URL+"/account" {
			t.Fatalf("got %+v", got)
		}
		up := got.Upstreams[0]
		if up.Provider != "Basecamp" || up.Status != tools.ConnectionActive || up.Person != "Ines Albrecht" || up.ConnectedAt.Before(began) ||
			!up.AccessUntil.Equal(p.record("ines").ExpiresAt) || up.ReconnectURL != "" || up.Account == nil || up.Account.ID != p.sandbox.Account() || up.Account.Name == "" {
			t.Errorf("the upstream is %+v", up)
		}
		for _, c := range got.Clients {
			if c.Name != "Plumcot" || c.Since.Before(began) || c.LastUsed.Before(c.Since) || len(c.Scopes) == 0 {
				t.Errorf("a client is %+v", c)
			}
		}
	}
	if got := p.connections(other); len(got.Clients) != 1 || got.Upstreams[0].Person != "Priya Raman" {
		t.Errorf("the other user has %+v", got)
	}
	families := must(p.storage.Auth.FamiliesOf(t.Context(), p.record("ines").Subject))
	if err := p.storage.Auth.Revoke(t.Context(), families[0].ID, "disconnected", time.Now()); err != nil {
		t.Fatal(err)
	}
	if got := p.connections(first); len(got.Clients) != 1 {
		t.Errorf("after one was disconnected: %+v", got)
	}
}

// The limits of another client name places that a client with limits may not know.
func TestConnections_OfAClientWithLimitsShowNoOtherLimits(t *testing.T) {
	s := inMemory("", "")
	p := openOn(t, config.Config{}, s, s)
	first := p.LogIn("ines").Access
	second := p.LogIn("ines").Access
	was := map[string]fence.Fence{}
	hold := func(bearer string, f fence.Fence) {
		if err := s.Auth.SetFence(t.Context(), strings.Split(bearer, "_")[2], was[bearer], f); err != nil {
			t.Fatal(err)
		}
		was[bearer] = f
	}
	shown := func(bearer string) (texts []string) {
		for _, c := range p.connections(bearer).Clients {
			if text := c.Fence.Text(); text != (fence.Fence{}).Text() {
				texts = append(texts, text)
			}
		}
		return texts
	}
	for _, f := range []fence.Fence{{Read: &fence.Places{Projects: []int64{7}}}, {Write: &fence.Places{}}, {NoPings: true}, {Lockdown: true}} {
		hold(first, f)
		hold(second, fence.Fence{})
		if own, all := shown(first), shown(second); !slices.Equal(own, []string{f.Text()}) || !slices.Equal(all, own) {
			t.Errorf("%s: of one with limits %q, of one without %q", f.Text(), own, all)
		}
		hold(second, fence.Fence{Read: &fence.Places{Projects: []int64{8}}})
		if own := shown(first); !slices.Equal(own, []string{f.Text()}) {
			t.Errorf("%s: beside another with limits, %q", f.Text(), own)
		}
	}
}

func TestConnections_SayWhenTheUserMustSignIn(t *testing.T) {
	p := open(t, config.Config{})
	access, records := p.LogIn("ines").Access, p.storage.records(launchpad.ProviderID)
	for _, test := range []struct {
		status  grant.Status // of the stored record; empty: there is none
		signIn  time.Duration
		want    string
		renewed bool // there is a link
	}{
		{grant.Active, 30 * 24 * time.Hour, tools.ConnectionActive, false},
		{grant.Active, 3 * 24 * time.Hour, tools.ConnectionActive, true},
		{grant.NeedsReauth, 0, tools.ConnectionExpired, true},
		{"", 0, tools.ConnectionMissing, true},
	} {
		r := p.record("ines")
		r.Status, r.SignInBy = test.status, time.Now().Add(test.signIn).Truncate(time.Second)
		if test.status != "" {
			must(records.SaveRecord(t.Context(), r))
		} else if err := records.DeleteRecord(t.Context(), r.Subject); err != nil {
			t.Fatal(err)
		}
		up := p.connections(access).Upstreams[0]
		known := test.status != ""
		if up.Status != test.want || strings.HasPrefix(up.ReconnectURL, p.URL+"/oauth/start?t=") != test.renewed || (up.Person == "Ines Albrecht") != known ||
			up.AccessUntil.IsZero() != (test.want != tools.ConnectionActive) || test.want == tools.ConnectionActive && !up.SignInBy.Equal(r.SignInBy) {
			t.Errorf("%s, in %s: %+v", test.status, test.signIn, up)
		}
	}
	_, page := p.Visit(p.connections(access).Upstreams[0].ReconnectURL, "ines")
	if up := p.connections(access).Upstreams[0]; up.Status != tools.ConnectionActive || !strings.Contains(page, "Ines Albrecht") {
		t.Errorf("after the link, which ends with %s: %+v", page, up)
	}
}

func TestConnections_OfAConfiguredTokenHaveNoClients(t *testing.T) {
	p := open(t, config.Config{})
	got := p.connections("sandbox-ines")
	if got.Clients == nil || len(got.Clients) > 0 || got.Upstreams[0].Status != tools.ConnectionFixed || !got.Upstreams[0].AccessUntil.IsZero() || got.Upstreams[0].Account == nil {
		t.Errorf("got %+v", got)
	}
}

// cutFamilies and cutRecords are stores whose table stops answering.
type (
	cutFamilies struct {
		authserver.Revocations
		cut *bool
	}
	cutRecords struct {
		grant.Records
		cut *bool
	}
)

func (c cutFamilies) FamiliesOf(ctx context.Context, subject string) ([]authserver.Family, error) {
	if *c.cut {
		return nil, errThrottled
	}
	return c.Revocations.FamiliesOf(ctx, subject)
}

func (c cutRecords) Record(ctx context.Context, subject string) (grant.Record, error) {
	if *c.cut {
		return grant.Record{}, errThrottled
	}
	return c.Records.Record(ctx, subject)
}

func TestConnections_SayWhatCannotBeRead(t *testing.T) {
	var families, records bool
	s := inMemory("", "")
	s.Auth.Revocations = cutFamilies{s.Auth.Revocations, &families}
	kept := s.records
	s.records = func(id string) grant.Records { return cutRecords{kept(id), &records} }
	p := openOn(t, config.Config{}, s)
	access := p.LogIn("ines").Access
	records = true
	if got := p.connections(access); got.Upstreams[0].Status != tools.ConnectionUnreadable || len(got.Clients) != 1 || got.Upstreams[0].ReconnectURL != "" {
		t.Errorf("without its record: %+v", got)
	}
	families = true
	a := p.with(access, handshake)
	r := a.refuses("connections", args{}, "UPSTREAM_ERROR", "could not read its stored connections")
	if a.saysNothingOf(r.text); r.at("retryable") != true {
		t.Errorf("it says %s", r.text)
	}
}
