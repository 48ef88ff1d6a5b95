package authserver

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"

	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/signin/pages"
)

// grantedAccount is an account of a user at the first provider.
type grantedAccount struct {
	ID        int64  `json:"id"`
	Name      string `json:"name"`
	Suspended bool   `json:"suspended,omitempty"` // the provider refuses every request to it
}

// The fields of a form with accounts: one for the default, and one for each account that is used.
const (
	defaultField = "account"
	usedField    = "use"
)

func used(account int64) string { return usedField + strconv.FormatInt(account, 10) }

// markSuspended asks the provider which of a user's accounts are suspended. An account about which
// it does not say so in time counts as active.
func (s *Server) markSuspended(ctx context.Context, token string, accounts []grantedAccount) {
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	var all sync.WaitGroup
	for i := range accounts {
		all.Go(func() { accounts[i].Suspended = s.Suspended(ctx, token, accounts[i].ID) })
	}
	all.Wait()
}

// chosenAccounts returns the accounts that a form chooses, the default first, or nil if it names no
// default that can be used.
func chosenAccounts(form params, all []grantedAccount) []fence.Account {
	var chosen []fence.Account
	for _, a := range all {
		switch id := strconv.FormatInt(a.ID, 10); {
		case a.Suspended:
		case form.get(defaultField) == id:
			chosen = slices.Insert(chosen, 0, fence.Account{ID: a.ID, Name: a.Name})
		case form.get(used(a.ID)) != "":
			chosen = append(chosen, fence.Account{ID: a.ID, Name: a.Name})
		}
	}
	if len(chosen) == 0 || strconv.FormatInt(chosen[0].ID, 10) != form.get(defaultField) {
		return nil
	}
	return chosen
}

// accounts returns the accounts of a family, the default first.
func (f Family) accounts() []fence.Account {
	if len(f.Fence.Accounts) > 0 {
		return f.Fence.Accounts
	}
	return []fence.Account{{ID: f.Account, Name: f.AccountName}}
}

// Home returns the default account of a family.
func (f Family) Home() fence.Account { return f.accounts()[0] }

// placesIn returns the account of the projects that the fence of a family names.
func (f Family) placesIn() int64 { return cmp.Or(f.Fence.PlacesIn(), f.Home().ID) }

// accountName returns the name of an account of a family, or its ID.
func (f Family) accountName(id int64) string {
	for _, a := range f.accounts() {
		if a.ID == id {
			return a.Name
		}
	}
	return strconv.FormatInt(id, 10)
}

// accountWords names the accounts of a family.
func (f Family) accountWords() string {
	all := f.accounts()
	names := make([]string, len(all))
	for i, a := range all {
		names[i] = a.Name
	}
	if len(names) > 1 {
		names[0] += " (default)"
	}
	return strings.Join(names, ", ")
}

// accountChoices returns the accounts of a user as a form shows them. Chosen are those that are
// ticked, the default first; nil ticks all, with the first that can be used as the default.
func accountChoices(all []grantedAccount, chosen []fence.Account) (shown []pages.Account) {
	ticked := func(id int64) int {
		return slices.IndexFunc(chosen, func(a fence.Account) bool { return a.ID == id })
	}
	hasDefault := false
	for _, a := range all {
		v := pages.Account{ID: a.ID, Name: a.Name, Suspended: a.Suspended}
		if !a.Suspended {
			v.Used = chosen == nil || ticked(a.ID) >= 0
			v.Default = !hasDefault && (chosen == nil || ticked(a.ID) == 0)
			hasDefault = hasDefault || v.Default
		}
		shown = append(shown, v)
	}
	return shown
}

// accountsOf returns the accounts of the user of a session as the page of a client shows them, or
// nil if the user has only one.
func (s *Server) accountsOf(ctx context.Context, of session, chosen []fence.Account) []pages.Account {
	all := s.granted(ctx, of)
	if len(all) < 2 {
		return nil
	}
	return accountChoices(all, chosen)
}

// granted returns the accounts of the user of a session. Of several it says which are suspended.
func (s *Server) granted(ctx context.Context, of session) []grantedAccount {
	all := slices.Clone(of.Accounts)
	if len(all) < 2 {
		return all
	}
	token, err := s.first().Keeper.AccessToken(ctx, of.Subject, "")
	if err != nil {
		s.note(ctx, slog.LevelWarn, fmt.Errorf("read a user's accounts: %w", err))
		return all
	}
	s.markSuspended(ctx, token, all)
	return all
}

// readAccounts returns the next fence of a client with the accounts that a form chooses, and these
// accounts for the page. It notes in wrong that the form chooses none.
func (s *Server) readAccounts(ctx context.Context, of session, f Family, next fence.Fence, form params, wrong map[string]string) (fence.Fence, []pages.Account) {
	next.Accounts = f.Fence.Accounts
	if at := f.Fence.PlacesIn(); at != 0 {
		next = next.PlacedIn(at)
	}
	if form.get("accounts") == "" {
		return next, s.accountsOf(ctx, of, f.accounts())
	}
	all := s.granted(ctx, of)
	chosen := chosenAccounts(form, all)
	if chosen == nil {
		wrong["accounts"] = "Choose a default account that you can use."
		return next, accountChoices(all, f.accounts())
	}
	next = next.PlacedIn(f.placesIn())
	next.Accounts = chosen
	return next, accountChoices(all, chosen)
}
