package lookup

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/richtext"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/memo"
)

// pin notes that a name was found in the account of the call, so that the call stays there.
func pin(ctx context.Context, argument string) {
	if route := fence.RouteOf(ctx); route != nil && ctx.Value(elsewhereKey{}) == nil {
		route.Pin(argument)
	}
}

// findInAccounts finds what has a name: in the account of the call, where the call then stays, or
// in another one of the connection, to which the call must then go.
func findInAccounts[T any](ctx context.Context, argument, name string, find func(context.Context) (T, error)) (T, error) {
	found, err := find(ctx)
	if err == nil {
		pin(ctx, argument)
		return found, nil
	}
	return found, elsewhere(ctx, argument, name, false, err, func(ctx context.Context) error { _, err := find(ctx); return err })
}

type elsewhereKey struct{}

// sought is what one of the other accounts says about a name.
type sought struct {
	account fence.Account
	err     error
}

// elsewhere looks in the other accounts of the connection for a name that was not found in the
// account of the call. look returns nil or AMBIGUOUS in an account that has it. If one account has
// it and the call is free to go there, the route says so. If several have it, the name is
// AMBIGUOUS.
func elsewhere(ctx context.Context, argument, name string, stays bool, missing error, look func(context.Context) error) error {
	caller, _ := identity.From(ctx)
	others := caller.Others()
	route := fence.RouteOf(ctx)
	if !fault.Is(missing, fault.NotFound) || route != nil && route.Beside || len(others) == 0 || len(caller.Fence.Accounts) < 2 || ctx.Value(elsewhereKey{}) != nil {
		return missing
	}
	ctx = context.WithValue(fence.Aside(ctx), elsewhereKey{}, true)
	all, err := listing.InParallel(ctx, others, func(ctx context.Context, a fence.Account) (sought, error) {
		there, _ := caller.In(a.ID)
		err := look(identity.With(ctx, there))
		if _, ok := listing.Dispensable(err); err != nil && !ok {
			return sought{}, err
		}
		return sought{a, err}, nil
	})
	if err != nil {
		return err
	}
	route.Look()
	found := Matching(all, func(s sought) bool { return s.err == nil || fault.Is(s.err, fault.Ambiguous) })
	switch {
	case len(found) == 0:
		return nowhere(missing, caller, all)
	case len(found) > 1:
		return inSeveral(argument, name, found)
	case !stays && route.Want(found[0].account):
		return told(missing, "; it is in the account "+plaintext.Quote(found[0].account.Name))
	}
	return crosses(argument, plaintext.Quote(name), found[0].account, caller)
}

// nowhere returns the error for a name that no account of the connection has, with the accounts
// that could not be read.
func nowhere(missing error, caller identity.Caller, all []sought) error {
	names := []string{accountName(caller, caller.Account)}
	var unread strings.Builder
	for _, s := range all {
		if fault.Is(s.err, fault.NotFound) {
			names = append(names, s.account.Name)
		} else {
			unread.WriteString("; " + plaintext.Quote(s.account.Name) + " could not be read: " + fault.From(s.err).Message)
		}
	}
	return told(missing, "; looked for in the accounts "+plaintext.QuoteAll(names)+unread.String())
}

// inSeveral returns AMBIGUOUS for a name that several accounts have.
func inSeveral(argument, name string, found []sought) error {
	e := fault.New(fault.Ambiguous, "%s: %s is in %d accounts; give the URL or type:id@account of one", argument, plaintext.Quote(name), len(found))
	for _, s := range found {
		e.Candidates = append(e.Candidates, fault.Candidate{Name: ShortName(name), Where: s.account.Name})
	}
	return e
}

// crosses returns the error for something in another account than that of the call.
func crosses(argument, what string, there fence.Account, caller identity.Caller) *fault.Error {
	return fault.Invalid(argument, "%s is in the account %s, and this call acts in %s: people, mentions, files, moves and links do not cross accounts",
		what, plaintext.Quote(there.Name), plaintext.Quote(accountName(caller, caller.Account)))
}

// told returns an error with more in its message.
func told(err error, more string) error {
	f := *fault.From(err)
	f.Message += more
	if f.Told != nil {
		shown := *f.Told
		shown.Message += more
		f.Told = &shown
	}
	return &f
}

// accountName returns the name of an account of a connection with several.
func accountName(caller identity.Caller, id int64) string {
	for _, a := range caller.Fence.Accounts {
		if a.ID == id {
			return a.Name
		}
	}
	return ""
}

// notConnected returns the error for the URL of an account that the connection does not have. A
// user with several accounts can add it.
func notConnected(ctx context.Context, argument string, account, own int64) error {
	caller, _ := identity.From(ctx)
	uses := fmt.Sprintf("is for account %d", own)
	if names := Mapped(caller.Fence.Accounts, func(a fence.Account) string { return a.Name }); len(names) > 0 {
		uses = "uses " + plaintext.QuoteAll(names) + whereToAdd(ctx)
	}
	return fault.Invalid(argument, "the URL belongs to another Basecamp account (%d); this connection %s", account, uses)
}

// whereToAdd names the page on which the user can add an account, if it has an address.
func whereToAdd(ctx context.Context) string {
	origin := identity.Origin(ctx)
	if origin == "" {
		return ""
	}
	return "; the user can add accounts at " + origin + "/account"
}

// AccountNamed returns the account of the connection that an argument names: by its ID, its name,
// or a part of one name.
func AccountNamed(ctx context.Context, argument, text string) (fence.Account, error) {
	caller, _ := identity.From(ctx)
	id, _ := strconv.ParseInt(text, 10, 64) // 0 for a name
	for _, a := range caller.Fence.Accounts {
		if a.ID == id {
			return a, nil
		}
	}
	options := Choice[fence.Account]{
		Argument: argument, Noun: Noun{"account of this connection", "accounts", "account"}, Items: caller.Fence.Accounts, Few: true,
		Name: func(a fence.Account) string { return a.Name },
		ID:   func(a fence.Account) int64 { return a.ID },
	}
	found, err := Pick(options, text)
	if fault.Is(err, fault.NotFound) {
		err = told(err, whereToAdd(ctx))
	}
	return found, err
}

// calledElsewhere returns the error for a mention, or that of a person who is in another account of
// the connection: rest is the text behind the "@".
func (rs *Resolver) calledElsewhere(ctx context.Context, argument, rest string, unknown error) error {
	if fault.Is(unknown, fault.Ambiguous) {
		return unknown
	}
	rest = strings.TrimPrefix(rest, "[")
	missing := fault.New(fault.NotFound, "no person is called so")
	err := elsewhere(ctx, argument, "@"+richtext.FirstWord(rest), true, missing, func(ctx context.Context) error {
		people, err := rs.People(ctx, 0, memo.Life)
		if found, _ := namesOf(people).Begin(rest); err == nil && len(found) == 0 {
			return missing
		}
		return err
	})
	if fault.Is(err, fault.NotFound) {
		return unknown
	}
	return err
}

// withinFence returns an error if an address names a project that the client may not read, before
// any request about it.
func withinFence(ctx context.Context, link basecamp.Link) error {
	caller, _ := identity.From(ctx)
	if link.Project == 0 || caller.Fence.In(caller.Account).Read.HasProject(link.Project) {
		return nil
	}
	return fence.Hidden(identity.Origin(ctx))
}

// unfound returns the error of a search in all that the client may read.
func unfound(ctx context.Context, err error) error {
	caller, _ := identity.From(ctx)
	return caller.Fence.Unfound(err, identity.Origin(ctx))
}
