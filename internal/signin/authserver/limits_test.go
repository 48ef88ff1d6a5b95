package authserver_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"basecamp-mcp/internal/signin/authserver"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/signin/pages"
)

// successful returns the fields that a browser sends with a button of the page.
func successful(t *testing.T, page shown, button string) url.Values {
	t.Helper()
	document := must(html.Parse(strings.NewReader(page.text)))
	attribute := func(n *html.Node, name string) (string, bool) {
		i := slices.IndexFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
		if i < 0 {
			return "", false
		}
		return n.Attr[i].Val, true
	}
	fields := url.Values{}
	for n := range document.Descendants() {
		name, _ := attribute(n, "name")
		value, _ := attribute(n, "value")
		kind, _ := attribute(n, "type")
		_, checked := attribute(n, "checked")
		switch {
		case n.Data == "input" && name != "" && (kind != "radio" && kind != "checkbox" || checked):
			fields.Set(name, value)
		case n.Data == "textarea" && n.FirstChild != nil:
			fields.Set(name, strings.ReplaceAll(strings.TrimPrefix(n.FirstChild.Data, "\n"), "\n", "\r\n"))
		case n.Data == "option":
			if _, selected := attribute(n, "selected"); selected {
				of, _ := attribute(n.Parent, "name")
				fields.Set(of, value)
			}
		}
	}
	if fields.Get("csrf") == "" {
		t.Fatalf("HTTP %d leads to %q and has no form: %s", page.status, page.location(), page.text)
	}
	fields.Set("shown", pages.Watched)
	if button != "" {
		fields.Set("decision", button)
	}
	return fields
}

// posts sends fields to a path, as a page of this server does.
func (b *browser) posts(path string, fields url.Values) shown {
	r := httptest.NewRequest(http.MethodPost, origin+path, strings.NewReader(fields.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return b.send(r)
}

// altered returns fields with others in their place.
func altered(fields url.Values, changes ...string) url.Values {
	fields = maps.Clone(fields)
	for i := 0; i < len(changes); i += 2 {
		fields.Set(changes[i], changes[i+1])
	}
	return fields
}

// fenceOf returns the fence of the caller of an access token, as the MCP endpoint sees it.
func (h *signInEnv) fenceOf(access string) fence.Fence {
	h.Helper()
	caller, _, err := authserver.NewVerifier(h.store, h.clock.Now).Authenticate(identity.WithOrigin(h.Context(), origin), access, "")
	if err != nil {
		h.Fatal(err)
	}
	return caller.Fence
}

// seen returns the projects of a user, by name.
func (h *signInEnv) seen(handle string) map[string]int64 {
	h.Helper()
	token := must(h.keeper().AccessToken(h.Context(), h.subject(handle), ""))
	all := must(h.Projects(h.Context(), token, h.sandbox.Account()))
	ids := map[string]int64{}
	for _, p := range all {
		ids[p.Name] = p.ID
	}
	return ids
}

const cargo, website = "Cargo Bike Launch", "Web Shop Rebuild"

// withRepositories adds a provider that has them.
func withRepositories(c *authserver.Config) {
	further := c.Upstreams[0]
	further.ID, further.Name = "github", "GitHub"
	c.Upstreams = append(c.Upstreams, further)
}

// choices are the choices of a user, as fields, and what they mean. The names of projects stand for
// their IDs.
var choices = map[string]struct {
	fields map[string]string
	want   func(cargo, website int64) fence.Fence
}{
	"none": {nil, func(int64, int64) fence.Fence { return fence.Fence{} }},
	"places that do not count": {map[string]string{"places": "all", cargo: "write", "repos-read": "fernhill/docs"}, func(int64, int64) fence.Fence {
		return fence.Fence{}
	}},
	"only two projects, one to write": {map[string]string{"places": "named", cargo: "read", website: "write"}, func(c, w int64) fence.Fence {
		return fence.Fence{Read: &fence.Places{Projects: []int64{w, c}}, Write: &fence.Places{Projects: []int64{w}}}
	}},
	"only one project": {map[string]string{"places": "named", cargo: "write"}, func(c, _ int64) fence.Fence {
		return fence.Fence{Read: &fence.Places{Projects: []int64{c}}}
	}},
	"nothing": {map[string]string{"places": "named"}, func(int64, int64) fence.Fence { return fence.Fence{Read: &fence.Places{}} }},
	"reads all and writes one": {map[string]string{"places": "read", cargo: "write"}, func(c, _ int64) fence.Fence {
		return fence.Fence{Write: &fence.Places{Projects: []int64{c}}}
	}},
	"reads all and writes nothing": {map[string]string{"places": "read"}, func(int64, int64) fence.Fence { return fence.Fence{Write: &fence.Places{}} }},
	"repositories and boards": {
		map[string]string{
			"places": "named", "repos-read": "fernhill/docs\r\n\r\n https://github.com/Fernhill/Site/issues/3 ", "repos-write": "fernhill/shop",
			"boards-read": "https://github.com/orgs/fernhill/projects/7/views/1", "boards-write": "fernhill/3",
		},
		func(int64, int64) fence.Fence {
			return fence.Fence{
				Read:  &fence.Places{Repos: []string{"fernhill/shop", "fernhill/docs", "Fernhill/Site"}, Boards: []string{"fernhill/3", "fernhill/7"}},
				Write: &fence.Places{Repos: []string{"fernhill/shop"}, Boards: []string{"fernhill/3"}},
			}
		},
	},
	"pings":    {map[string]string{"no_pings": "on"}, func(int64, int64) fence.Fence { return fence.Fence{NoPings: true} }},
	"lockdown": {map[string]string{"lockdown": "on"}, func(int64, int64) fence.Fence { return fence.Fence{Lockdown: true} }},
}

func TestLimits_EveryChoiceIsStoredShownAndHoldsAtTheNextCall(t *testing.T) {
	h := newSignInEnv(t, withRepositories)
	b := h.browser()
	access, _ := b.connected("ines")
	b.start("ines")
	ids := h.seen("Ines Albrecht")
	c, w := ids[cargo], ids[website]
	if c == 0 || w == 0 {
		t.Fatalf("the projects are %v", ids)
	}
	page := origin + "/account?app=" + strings.Split(access, "_")[2]
	for _, name := range slices.Sorted(maps.Keys(choices)) {
		test := choices[name]
		fields := altered(successful(t, b.get(page), ""), "places", "all")
		for field := range fields { // nothing is chosen
			if !slices.Contains([]string{"step", "csrf", "shown", "was", "listed", "places"}, field) {
				fields.Del(field)
			}
		}
		for field, value := range test.fields {
			if id := ids[field]; id != 0 {
				field = fmt.Sprint("p", id)
			}
			fields.Set(field, value)
		}
		if got := b.posts("/account", fields); got.location() != "/account" {
			t.Errorf("%s: HTTP %d %s", name, got.status, got.text)
			continue
		}
		want := test.want(c, w)
		if diff := cmp.Diff(want.Text(), h.fenceOf(access).Text()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if got := b.posts("/account", successful(t, b.get(page), "")); got.location() != "/account" || h.fenceOf(access).Text() != want.Text() {
			t.Errorf("%s: the page as it is shown makes it %s, HTTP %d %s", name, h.fenceOf(access).Text(), got.status, got.text)
		}
		shown := b.get(origin + "/account").text
		for _, sentence := range want.Words() {
			if !strings.Contains(html.UnescapeString(shown), sentence) {
				t.Errorf("%s: the account page does not say %q", name, sentence)
			}
		}
	}
}

func TestLimits_OfAnAppThatOnlyReadsStayAsTheyAreShown(t *testing.T) {
	h := newSignInEnv(t)
	b := h.browser()
	code := b.signIn(b.submit(b.get(b.asking("scope", "read")), "decision", "approve"), "ines").answer(t).Get("code")
	_, tokens := b.redeem(code)
	access := tokens["access_token"].(string)
	b.start("ines")
	at := origin + "/account?app=" + strings.Split(access, "_")[2]
	id := fmt.Sprint(h.seen("Ines Albrecht")[cargo])
	b.posts("/account", altered(successful(t, b.get(at), ""), "places", "named", "p"+id, "read"))
	want := `{"read":{"projects":[` + id + `]}}`
	for range 2 { // as it was chosen, and as it was shown
		if got := h.fenceOf(access).Text(); got != want {
			t.Errorf("stored as %s", got)
		}
		b.posts("/account", successful(t, b.get(at), ""))
	}
}

func TestLimits_RefusesWhatItCannotSaveAndKeepsWhatWasTyped(t *testing.T) {
	h := newSignInEnv(t, withRepositories)
	b := h.browser()
	access, _ := b.connected("ines")
	b.start("ines")
	fields := successful(t, b.get(origin+"/account?app="+strings.Split(access, "_")[2]), "")
	for name, test := range map[string]struct {
		changes []string
		want    string
	}{
		"a repository without owner": {[]string{"places", "named", "repos-read", "shop"}, "‘shop’ is not owner/name of a repository."},
		"a board without number":     {[]string{"places", "named", "boards-write", "fernhill/shop"}, "‘fernhill/shop’ is not owner/number of a board."},
		"an unknown choice":          {[]string{"places", "none"}, "Choose one of these lines."},
		"a project not seen":         {[]string{"places", "named", "p99", "write"}, "You do not see the project 99,"},
		"another project's address":  {[]string{"places", "named", "projects-write", "https://3.basecamp.com/1/projects/98"}, "You do not see the project 98,"},
		"more than can be stored":    {[]string{"places", "named", "repos-read", strings.Repeat("o", 90) + "/" + strings.Join(repositories(40), "\n"+strings.Repeat("o", 90)+"/")}, "These limits are too long to be stored."},
	} {
		got := b.posts("/account", altered(fields, test.changes...))
		if got.status != http.StatusOK || !strings.Contains(got.text, test.want) || !strings.Contains(got.text, "Nothing was saved.") {
			t.Errorf("%s: HTTP %d to %q: %s", name, got.status, got.location(), got.text)
			continue
		}
		again := successful(t, got, "")
		for i := 0; i < len(test.changes); i += 2 {
			field, typed := test.changes[i], strings.ReplaceAll(test.changes[i+1], "\n", "\r\n")
			if kept := again.Get(field); kept != typed && !strings.HasPrefix(field, "projects-") && typed != "none" {
				t.Errorf("%s: the field %s has %q", name, field, kept)
			}
		}
	}
	if got := h.fenceOf(access); got.Text() != "{}" {
		t.Errorf("it was saved: %s", got.Text())
	}
}

func repositories(n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprint("repo", i))
	}
	return names
}

func TestLimits_ChangeOnlyByTheUsersOwnPage(t *testing.T) {
	h := newSignInEnv(t, withRepositories)
	b, other := h.browser(), h.browser()
	access, _ := b.connected("ines")
	theirs, _ := other.connected("priya")
	b.start("ines")
	other.start("priya")
	page := b.get(origin + "/account?app=" + strings.Split(access, "_")[2])
	fields := altered(successful(t, page, ""), "no_pings", "on")
	foreign := httptest.NewRequest(http.MethodPost, origin+"/account", strings.NewReader(fields.Encode()))
	foreign.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	foreign.Header.Set("Sec-Fetch-Site", "cross-site")
	for name, got := range map[string]shown{
		"without a session":         h.browser().posts("/account", fields),
		"without the token":         b.posts("/account", altered(fields, "csrf", "")),
		"with another's token":      b.posts("/account", altered(fields, "csrf", successful(t, other.get(origin+"/account"), "").Get("csrf"))),
		"by another user":           other.posts("/account", altered(fields, "csrf", successful(t, other.get(origin+"/account"), "").Get("csrf"))),
		"of another user's app":     b.posts("/account", altered(fields, "step", "limit:"+strings.Split(theirs, "_")[2])),
		"of no app":                 b.posts("/account", altered(fields, "step", "limit:")),
		"from another site":         b.send(foreign),
		"by GET":                    b.get(origin + "/account?" + fields.Encode()),
		"the page of another's app": b.get(origin + "/account?app=" + strings.Split(theirs, "_")[2]),
		"without what was shown":    b.posts("/account", altered(fields, "was", "")),
		"pressed without a look":    b.posts("/account", altered(fields, "shown", "")),
	} {
		if got.location() == "/account" || h.fenceOf(access).Text() != "{}" || h.fenceOf(theirs).Text() != "{}" {
			t.Fatalf("%s: HTTP %d to %q, and %s", name, got.status, got.location(), h.fenceOf(access).Text())
		}
	}
	if got := b.posts("/account", fields); got.location() != "/account" || !h.fenceOf(access).NoPings {
		t.Fatalf("HTTP %d %s", got.status, got.text)
	}
	b.get(origin+"/account").want(t, http.StatusOK, "Saved. The limits hold")
	if got := b.posts("/account", fields); got.location() != "/account" {
		t.Errorf("the same form again: HTTP %d %s", got.status, got.text)
	}
	replayed := altered(fields, "lockdown", "on") // from before the change: another tab
	replayed.Del("no_pings")
	got := b.posts("/account", replayed)
	if !strings.Contains(got.text, "The limits were changed meanwhile") || !h.fenceOf(access).NoPings {
		t.Fatalf("a form of an old page: HTTP %d %s", got.status, got.text)
	}
	if got = b.posts("/account", successful(t, got, "")); got.location() != "/account" || h.fenceOf(access).Text() != `{"lockdown":true}` {
		t.Errorf("saved after a look: HTTP %d, %s", got.status, h.fenceOf(access).Text())
	}
	h.store.before = map[string]func(){"SetFence": func() { // another instance is faster
		_ = h.store.Store.SetFence(t.Context(), strings.Split(access, "_")[2], fence.Fence{Lockdown: true}, fence.Fence{NoPings: true, Lockdown: true})
	}}
	fields = altered(successful(t, b.get(page.at.String()), ""), "places", "read")
	if got := b.posts("/account", fields); got.status != http.StatusConflict || !h.fenceOf(access).NoPings {
		t.Errorf("a race: HTTP %d, %s", got.status, h.fenceOf(access).Text())
	}
}

// The user can also limit an app whose projects cannot be listed, or that is held to one in the
// trash.
func TestLimits_TakeProjectsAsTextWhereTheyCannotBeListed(t *testing.T) {
	h := newSignInEnv(t)
	b := h.browser()
	access, _ := b.connected("ines")
	b.start("ines")
	id := h.seen("Ines Albrecht")[cargo]
	at := origin + "/account?app=" + strings.Split(access, "_")[2]
	listed := altered(successful(t, b.get(at), ""), "places", "named", fmt.Sprint("p", id), "read")
	h.sandbox.Inject(faultOf("/projects.json", http.StatusServiceUnavailable))
	if got := b.posts("/account", altered(listed, "places", "x")); successful(t, got, "").Get(fmt.Sprint("p", id)) != "read" {
		t.Errorf("a list that was sent before: %s", got.text)
	}
	fields := successful(t, b.get(at), "")
	if fields.Has("listed") {
		t.Fatal("it lists projects that it cannot know")
	}
	wrong := b.posts("/account", altered(fields, "places", "named", "projects-read", "77\r\nCargo"))
	if !strings.Contains(wrong.text, "‘Cargo’ is not the ID or the URL of a project.") || successful(t, wrong, "").Get("projects-read") != "77\r\nCargo" {
		t.Errorf("a project in words: HTTP %d %s", wrong.status, wrong.text)
	}
	url := fmt.Sprintf("https://3.basecamp.com/%d/buckets/%d/messages/1", h.sandbox.Account(), id)
	if got := b.posts("/account", altered(fields, "places", "named", "projects-read", url+"\r\n77", "projects-write", "78")); got.location() != "/account" {
		t.Fatalf("HTTP %d %s", got.status, got.text)
	}
	want := fmt.Sprintf(`{"read":{"projects":[78,%d,77]},"write":{"projects":[78]}}`, id)
	if got := h.fenceOf(access).Text(); got != want {
		t.Errorf("stored as %s", got)
	}
	if got := successful(t, b.get(at), ""); got.Get("projects-read") != fmt.Sprintf("%d\r\n77", id) || got.Get("projects-write") != "78" {
		t.Errorf("shown as %v", got)
	}
	h.sandbox.ClearFaults()
	page := b.get(at)
	fields = successful(t, page, "")
	if fields.Get("p77") != "read" || fields.Get("p78") != "write" || !strings.Contains(page.text, "Project 77, which you do not see") {
		t.Errorf("listed as %v", fields)
	}
	if got := b.posts("/account", fields); got.location() != "/account" || h.fenceOf(access).Text() == "{}" {
		t.Errorf("a project that went to the trash: HTTP %d %s", got.status, got.text)
	}
}
