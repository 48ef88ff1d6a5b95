package authserver_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/signin/fence"
)

// connectedTo returns the browser of a user who connected a client with choices on the page of
// accounts, and the client's access token.
func connectedTo(h *signInEnv, choices ...string) (b *browser, access string) {
	h.Helper()
	b = h.browser()
	_, tokens := b.redeem(b.submit(b.logIn(bothAccounts), choices...).answer(h.T).Get("code"))
	access, _ = tokens["access_token"].(string)
	return b, access
}

func TestChoose_TheConnectionKeepsAllChosenAccounts(t *testing.T) {
	h := newSignInEnv(t)
	main, books := strconv.FormatInt(h.sandbox.Account(), 10), strconv.FormatInt(h.sandbox.BooksAccount(), 10)
	both := []fence.Account{{ID: h.sandbox.BooksAccount(), Name: "Brennan Bookkeeping"}, {ID: h.sandbox.Account(), Name: "Fernhill Bikes"}}
	for name, test := range map[string]struct {
		choices []string
		want    []fence.Account
	}{
		"both":                      {[]string{"account", books, "use" + main, "on", "use" + books, "on"}, both},
		"the default is not ticked": {[]string{"account", books, "use" + main, "on"}, both},
		"one of two":                {[]string{"account", books}, both[:1]},
	} {
		_, access := connectedTo(h, test.choices...)
		if diff := cmp.Diff(test.want, h.fenceOf(access).Accounts); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		f := must(h.store.FamiliesOf(t.Context(), h.subject("Aoife Brennan")))[0]
		if f.ID != strings.Split(access, "_")[2] || f.Account != test.want[0].ID {
			t.Errorf("%s: stored %+v", name, f)
		}
		h.clock.pass(time.Second)
	}
}

func TestChoose_ASuspendedAccountIsShownAndCannotBeChosen(t *testing.T) {
	b := newSignInEnv(t).browser()
	page := b.logIn("samo")
	if !strings.Contains(page.text, "is suspended or has expired") || strings.Count(page.text, `name="account"`) != 1 {
		t.Fatalf("got %s", page.main())
	}
	suspended := strconv.FormatInt(b.sandbox.InactiveAccount(), 10)
	b.submit(page, "account", suspended).want(t, http.StatusBadRequest)
	b.submit(page, "account", strconv.FormatInt(b.sandbox.Account(), 10), "use"+suspended, "on").answer(t)
	families, err := b.store.FamiliesOf(t.Context(), b.subject("Sam Okafor"))
	if err != nil || len(families) > 0 && len(families[0].Fence.Accounts) != 1 {
		t.Errorf("got %+v, %v", families, err)
	}
}

func TestAccounts_ThePageOfAClientChangesItsAccounts(t *testing.T) {
	h := newSignInEnv(t)
	main, books := h.sandbox.Account(), h.sandbox.BooksAccount()
	b, access := connectedTo(h, "account", strconv.FormatInt(main, 10))
	b.start(bothAccounts)
	families, err := h.store.FamiliesOf(t.Context(), h.subject("Aoife Brennan"))
	if err != nil || len(families) != 1 {
		t.Fatalf("%+v, %v", families, err)
	}
	page := b.get(origin + "/account?app=" + families[0].ID)
	fields := successful(t, page, "")
	if fields.Get("account") != strconv.FormatInt(main, 10) || fields.Has("use"+strconv.FormatInt(books, 10)) {
		t.Fatalf("the form has %v", fields)
	}
	place := "p" + strconv.FormatInt(h.sandbox.ProjectID("Company HQ"), 10)
	for _, step := range []struct {
		name    string
		changes []string
		status  int
		want    fence.Fence
	}{
		{"another account is not the user's", []string{"account", "1"}, http.StatusOK, h.fenceOf(access)},
		{"a second account", []string{"use" + strconv.FormatInt(books, 10), "on", "places", "read", place, "write"}, http.StatusSeeOther, fence.Fence{
			Accounts: []fence.Account{{ID: main, Name: "Fernhill Bikes"}, {ID: books, Name: "Brennan Bookkeeping"}},
			Write:    &fence.Places{Account: main, Projects: []int64{h.sandbox.ProjectID("Company HQ")}},
		}},
		{"another default", []string{"account", strconv.FormatInt(books, 10), "use" + strconv.FormatInt(main, 10), "on"}, http.StatusSeeOther, fence.Fence{
			Accounts: []fence.Account{{ID: books, Name: "Brennan Bookkeeping"}, {ID: main, Name: "Fernhill Bikes"}},
			Write:    &fence.Places{Account: main, Projects: []int64{h.sandbox.ProjectID("Company HQ")}},
		}},
	} {
		fields := successful(t, b.get(origin+"/account?app="+families[0].ID), "")
		got := b.posts("/account", altered(fields, step.changes...))
		if got.status != step.status {
			t.Errorf("%s: HTTP %d: %s", step.name, got.status, got.main())
		}
		if diff := cmp.Diff(step.want, h.fenceOf(access)); diff != "" {
			t.Errorf("%s: %s", step.name, diff)
		}
	}
}

func TestChoose_AUserWithSeveralAccountsChoosesOne(t *testing.T) {
	b := newSignInEnv(t).browser()
	page := b.logIn(bothAccounts)
	page.want(t, http.StatusOK, "Fernhill Bikes")
	for what, got := range map[string]shown{
		"another account":    b.submit(page, "account", "1"),
		"no account":         b.submit(page),
		"in another browser": b.browser().submit(page, "account", account(b)),
		"without the token":  b.submit(page, "account", account(b), "csrf", ""),
	} {
		wantPage(t, what, got, http.StatusBadRequest)
	}
	got := b.submit(page, "account", account(b))
	if _, tokens := b.redeem(got.answer(t).Get("code")); got.status != http.StatusSeeOther || tokens["access_token"] == nil {
		t.Errorf("HTTP %d %v", got.status, tokens)
	}
	b.submit(page, "account", account(b)).want(t, http.StatusBadRequest)
}

func TestChoose_LoginsInOtherTabsContinue(t *testing.T) {
	b := newSignInEnv(t).browser()
	var tabs []shown
	for range 10 {
		tabs = append(tabs, b.get(b.asking()))
	}
	for i, tab := range tabs {
		page := b.signIn(b.approve(tab), bothAccounts)
		if i > 0 && b.submit(page, "account", account(b)).answer(t).Get("code") == "" {
			t.Errorf("login %d: no code", i)
		}
	}
}

func TestChoose_AnAccountThatIsNotAllowedIsNotOffered(t *testing.T) {
	h := newSignInEnv(t)
	h.AllowedAccounts = []int64{h.sandbox.Account()}
	h.browser().logIn(bothAccounts).answer(t)
}
