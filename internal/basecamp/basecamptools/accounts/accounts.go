// Package accounts runs a call in the accounts that it names, and joins their answers.
package accounts

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/own/hub"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/text/lazyregexp"
	"basecamp-mcp/internal/text/naming"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolanswer"
	"basecamp-mcp/internal/tool/toolargs"
)

// Resolver is parts.Base with the methods of this package.
type Resolver struct {
	*parts.Base
}

// The argument that names accounts, and its word for all of them.
const (
	AccountArgument = "account"
	allAccounts     = "all"
)

// itemArguments are the arguments whose texts name items.
var itemArguments = []string{"item", "items"}

// Routed returns tools whose calls act in the account that they name, if the connection has
// several. A call without an item can be carried out in all of them.
func (rs *Resolver) Routed(tools []mcptool.Tool) []mcptool.Tool {
	for i, tool := range tools {
		tools[i] = tool.InAccounts(func(ctx context.Context, a toolargs.Accepted, run mcptool.Run) (toolanswer.Answer, error) {
			caller, _ := identity.From(ctx)
			asked := strings.TrimSpace(a.Text(AccountArgument))
			if len(caller.Fence.Accounts) < 2 {
				if err := rs.isOwnAccount(ctx, asked); err != nil {
					return toolanswer.Answer{}, err
				}
				return run(ctx, a)
			}
			c := AccountCall{tool: tool.Name, Caller: caller, asked: asked, run: run, merge: mergeOf(tool.Name, a)}
			return c.carryOut(ctx, a)
		})
	}
	return tools
}

// isOwnAccount returns an error unless the text names the only account of the connection, or all.
func (rs *Resolver) isOwnAccount(ctx context.Context, asked string) error {
	if asked == "" || strings.EqualFold(asked, allAccounts) {
		return nil
	}
	own, err := rs.BC.Account(ctx)
	if err != nil || asked == strconv.FormatInt(own, 10) {
		return err
	}
	account, err := basecamp.OwnAccount.Get(ctx, rs.BC)
	if err == nil && naming.Fold(account.Name) != naming.Fold(asked) {
		err = fault.Invalid(AccountArgument, "this connection has only the account %s (%d)", plaintext.Quote(account.Name), own)
	}
	return err
}

// AccountCall is a call of a connection with several accounts.
type AccountCall struct {
	tool   string
	Caller identity.Caller
	asked  string // the argument account
	run    mcptool.Run
	merge  *accountMerge // nil: the call acts in one account
}

// carryOut runs the tool in the account that the arguments name, in the default account, or in all.
func (c *AccountCall) carryOut(ctx context.Context, a toolargs.Accepted) (toolanswer.Answer, error) {
	refs, a, err := c.references(ctx, a)
	if err != nil {
		return toolanswer.Answer{}, err
	}
	parts, err := c.parts(ctx, a, refs)
	switch {
	case err != nil:
		return toolanswer.Answer{}, err
	case parts != nil:
		return c.together(ctx, a, parts)
	case strings.EqualFold(c.asked, allAccounts):
		return toolanswer.Answer{}, fault.Invalid(AccountArgument, "this call acts in one account; name one of %s", c.names())
	case c.asked != "":
		named, err := c.named(ctx, refs)
		if err != nil {
			return toolanswer.Answer{}, err
		}
		refs.account, refs.said = named, AccountArgument
	}
	return c.once(ctx, a, refs.account, refs.said)
}

// named returns the account that the argument names, which must be that of the references.
func (c *AccountCall) named(ctx context.Context, refs accountRefs) (fence.Account, error) {
	named, err := lookup.AccountNamed(ctx, AccountArgument, c.asked)
	if err == nil && refs.account.ID != 0 && refs.account.ID != named.ID {
		err = refs.conflict(AccountArgument, named)
	}
	return named, err
}

// once runs the tool in an account: in the default one if it is zero. A call that named nothing of
// that account goes to the account that has what it names.
func (c *AccountCall) once(ctx context.Context, a toolargs.Accepted, in fence.Account, said string) (toolanswer.Answer, error) {
	if in.ID == 0 {
		in = c.Home()
	}
	there, ok := c.Caller.In(in.ID)
	if !ok {
		return toolanswer.Answer{}, errors.New("a call in an account that its connection does not have")
	}
	route := &fence.Route{Bound: said}
	inside, wrote := basecamp.WatchWrites(fence.WithRoute(identity.With(ctx, there), route))
	answer, err := c.run(inside, a)
	if err != nil {
		if next, ok := route.Wants(); ok && !wrote.Load() {
			return c.once(ctx, a, next, "the name that is only there")
		}
		return answer, c.notFoundIn(err, route, in)
	}
	if c.merge != nil && c.asked == "" {
		c.nameOthers(&answer, in)
	}
	if !slices.Contains(accountless, c.tool) {
		if in.ID != c.Home().ID {
			answer.Add(toolanswer.ReferenceField, ReferenceForm)
		}
		answer.Add(toolanswer.AccountField, in.Name)
	}
	return answer, nil
}

// nameOthers adds to an answer that has nothing which accounts it did not look in.
func (c *AccountCall) nameOthers(answer *toolanswer.Answer, in fence.Account) {
	object, _ := toolanswer.Decode(answer.JSON).(toolanswer.Object)
	lists := 0
	for _, f := range object {
		if list, ok := f.Value.([]any); ok {
			if lists++; len(list) > 0 {
				return
			}
		}
	}
	if lists == 0 {
		return
	}
	var others []string
	for _, a := range c.Caller.Fence.Accounts {
		if a.ID != in.ID {
			others = append(others, a.Name)
		}
	}
	m := answerMerge{all: object}
	m.leaveOut(strings.Join(others, ", ") + `: not looked in; ask with account, or "` + allAccounts + `"`)
	answer.JSON = toolanswer.MustEncode(m.all)
}

// accountless are the tools whose answers are about no account, or say themselves which.
var accountless = []string{"find_operation", "get_me"}

// notFoundIn adds to NOT_FOUND in which account it was looked for.
func (c *AccountCall) notFoundIn(err error, route *fence.Route, in fence.Account) error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Code != fault.NotFound || route.Looked() {
		return err
	}
	told := *f
	told.Message += "; looked for in the account " + plaintext.Quote(in.Name) + " only: a URL or type:id@account names an item of another one of " + c.names()
	return &told
}

// Home returns the account in which the connection is at home.
func (c *AccountCall) Home() fence.Account { return c.Caller.Fence.Accounts[0] }

func (c *AccountCall) names() string {
	return plaintext.QuoteAll(lookup.Mapped(c.Caller.Fence.Accounts, func(a fence.Account) string { return a.Name }))
}

// accountRefs is what the references of a call say about its account.
type accountRefs struct {
	account fence.Account // which they name; zero if they name none
	said    string        // the path of the argument that says so, or that has an ID of the default account
	any     bool          // whether there is a reference
}

func (r accountRefs) conflict(path string, other fence.Account) error {
	return fault.Invalid(path, "is in the account %s, and %s is in %s: one call acts in one account, and people, files, moves and links do not cross accounts",
		plaintext.Quote(other.Name), r.said, plaintext.Quote(r.account.Name))
}

// ReferenceForm says how to name an item of another account than the default one.
const ReferenceForm = "type:id@account"

// elsewhere matches the reference of an item of a named account: type:id@account.
var elsewhere = lazyregexp.New(`^((?:[a-z_-]+:)?[0-9]{1,19})@(.+)$`)

// references returns which account the references of a call name, and the arguments without these
// names: a URL and type:id@account name one, and an ID alone is of the default account.
func (c *AccountCall) references(ctx context.Context, a toolargs.Accepted) (refs accountRefs, _ toolargs.Accepted, err error) {
	note := func(path string, in fence.Account) {
		switch {
		case refs.said == "":
			refs.account, refs.said = in, path
		case in.ID != refs.account.ID && err == nil:
			err = refs.conflict(path, in)
		}
	}
	a = a.WithReferences(itemArguments, func(path, text string) string {
		if strings.EqualFold(strings.TrimSpace(text), "me") { // the user is in all of them
			return text
		}
		refs.any = true
		if c.tool == "create_todolist" && path == "copy_of" { // it may be in another account than the others
			return text
		}
		if bare, named, ok := CutAccount(text); ok {
			in, unknown := lookup.AccountNamed(ctx, path, named)
			if unknown != nil && err == nil {
				err = unknown
			}
			note(path, in)
			return bare
		}
		if in, ok := c.AccountOf(text); ok {
			note(path, in)
		}
		return text
	})
	return refs, a, err
}

// CutAccount returns a reference without the account that it names, and that account.
func CutAccount(text string) (bare, account string, ok bool) {
	found := elsewhere.FindStringSubmatch(strings.TrimSpace(text))
	if found == nil {
		return text, "", false
	}
	return found[1], found[2], true
}

// AccountOf returns the account that a URL names, or the default one for an ID.
func (c *AccountCall) AccountOf(text string) (fence.Account, bool) {
	_, rest := lookup.CutType(strings.TrimSpace(text))
	ref := lookup.URLs.ParseRef(rest)
	switch {
	case ref.ID > 0:
		return c.Home(), c.asked == "" || strings.EqualFold(c.asked, allAccounts)
	case ref.URL == "":
		return fence.Account{}, false
	}
	id := basecamp.FileAccount(ref.URL)
	if link, err := basecamp.ParseLink(ref.URL); err == nil {
		id = link.Account
	}
	i := slices.IndexFunc(c.Caller.Fence.Accounts, func(a fence.Account) bool { return a.ID == id })
	if i < 0 { // the tool refuses it
		return fence.Account{}, false
	}
	return c.Caller.Fence.Accounts[i], true
}

// DayAccounts returns the accounts of a connection with several that a call names, or nil for the
// only one.
func (rs *Resolver) DayAccounts(ctx context.Context, asked string) ([]fence.Account, error) {
	caller, _ := identity.From(ctx)
	switch asked = strings.TrimSpace(asked); {
	case len(caller.Fence.Accounts) < 2:
		return nil, rs.isOwnAccount(ctx, asked)
	case asked == "" || strings.EqualFold(asked, allAccounts):
		return caller.Fence.Accounts, nil
	}
	one, err := lookup.AccountNamed(ctx, AccountArgument, asked)
	return []fence.Account{one}, err
}

// InAccount returns a source of a day that reads in an account. Its items say which, and what is
// not in the default account cannot be linked.
func InAccount(in fence.Account, read func(context.Context) (map[string][]hub.Item, error)) func(context.Context) (map[string][]hub.Item, error) {
	return func(ctx context.Context) (map[string][]hub.Item, error) {
		caller, _ := identity.From(ctx)
		there, ok := caller.In(in.ID)
		if !ok {
			return nil, errors.New("a day in an account that its connection does not have")
		}
		found, err := read(identity.With(ctx, there))
		for _, items := range found {
			LabelItems(items, in, caller)
		}
		return found, err
	}
}

// LabelItems says in items which account they are in. What names an item of another account than
// the caller's names that account too, and such items are not linked.
func LabelItems(items []hub.Item, in fence.Account, caller identity.Caller) {
	for i := range items {
		item := &items[i]
		item.Account = in.Name
		if in.ID == caller.Account {
			continue
		}
		item.Ref, item.Key = withAccount(item.Ref, in).(string), hub.Ref{}
		if item.Answer == nil {
			continue
		}
		answer := hub.Call{Tool: item.Answer.Tool, Arguments: map[string]any{}}
		for name, value := range item.Answer.Arguments {
			answer.Arguments[name] = withAccount(value, in)
		}
		item.Answer = &answer
	}
}

// withAccount returns an ID or type:id with its account, and any other value as it is.
func withAccount(value any, in fence.Account) any {
	switch v := value.(type) {
	case int64:
		return strconv.FormatInt(v, 10) + "@" + in.Name
	case string:
		if named := v + "@" + in.Name; strings.Contains(v, ":") && elsewhere.FindStringSubmatch(named) != nil {
			return named
		}
	}
	return value
}

// InHome returns a reference without the default account that it may name, or an error if it names
// another one, whose items are not linked.
func InHome(ctx context.Context, argument, text string) (string, error) {
	caller, _ := identity.From(ctx)
	bare, name, named := CutAccount(text)
	if !named || len(caller.Fence.Accounts) < 2 {
		return text, nil
	}
	in, err := lookup.AccountNamed(ctx, argument, name)
	if err == nil && in.ID != caller.Account {
		err = fault.Invalid(argument, "this is in the account %s, and links are those of the default account; they do not cross accounts", plaintext.Quote(in.Name))
	}
	return bare, err
}
