package authserver_test

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestChoose_AUserWithSeveralAccountsChoosesOne(t *testing.T) {
	b := newSignInEnv(t).browser()
	page := b.logIn(bothAccounts)
	if page.status != http.StatusOK || !strings.Contains(page.text, "Fernhill Bikes") {
		t.Fatalf("HTTP %d to %q: %s", page.status, page.location(), page.text)
	}
	for what, got := range map[string]shown{
		"another account":    b.submit(page, "account", "1"),
		"no account":         b.submit(page),
		"in another browser": b.browser().submit(page, "account", account(b)),
		"without the token":  b.submit(page, "account", account(b), "csrf", ""),
	} {
		if got.status != http.StatusBadRequest || got.location() != "" {
			t.Errorf("%s: HTTP %d to %q", what, got.status, got.location())
		}
	}
	got := b.submit(page, "account", account(b))
	if _, tokens := b.redeem(got.answer(t).Get("code")); got.status != http.StatusSeeOther || tokens["access_token"] == nil {
		t.Errorf("HTTP %d %v", got.status, tokens)
	}
	if again := b.submit(page, "account", account(b)); again.status != http.StatusBadRequest {
		t.Errorf("chosen twice: HTTP %d to %q", again.status, again.location())
	}
}

func TestChoose_TheConnectionHasTheChosenAccount(t *testing.T) {
	var had []string
	for chosen := range 2 {
		b := newSignInEnv(t).browser()
		page := b.logIn(bothAccounts)
		offered := regexp.MustCompile(`name="account" value="(\d+)"`).FindAllStringSubmatch(page.text, -1)
		if len(offered) != 2 {
			t.Fatalf("offered %v", offered)
		}
		b.redeem(b.submit(page, "account", offered[chosen][1]).answer(t).Get("code"))
		families, err := b.store.FamiliesOf(t.Context(), b.subject("Aoife Brennan"))
		if err != nil || len(families) != 1 || strconv.FormatInt(families[0].Account, 10) != offered[chosen][1] {
			t.Errorf("chose %s: %+v, %v", offered[chosen][1], families, err)
		}
		had = append(had, offered[chosen][1])
	}
	if had[0] == had[1] {
		t.Errorf("the accounts are %v", had)
	}
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
