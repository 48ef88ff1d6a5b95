package basecamptools

import (
	"context"
	"fmt"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/fence"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
)

// copySource is the account of the original of a copy. Its zero value is that of the call.
type copySource struct{ caller identity.Caller }

// in returns the context of reads of the original.
func (s copySource) in(ctx context.Context) context.Context {
	if s.caller.Account == 0 {
		return ctx
	}
	return identity.With(ctx, s.caller)
}

// original finds the list to copy, which may be in another account of the connection than the copy:
// a URL or type:id@account names it, an ID is of the default account, and a name is looked for
// there first.
func (c *listCopy) original(ctx context.Context, ref toolargs.Ref) (basecamp.Todolist, error) {
	caller, _ := identity.From(ctx)
	wanted := listWanted{Kind: lookup.ListKind.WithArguments("copy_of", "project"), list: ref}
	if len(caller.Fence.Accounts) < 2 {
		return c.rs.oneList(ctx, wanted)
	}
	of := accountCall{caller: caller}
	there := of.home()
	bare, name, named := cutAccount(ref.String())
	wanted.list = lookup.URLs.ParseRef(bare)
	if named {
		var err error
		if there, err = lookup.AccountNamed(ctx, "copy_of", name); err != nil {
			return basecamp.Todolist{}, err
		}
	} else if at, ok := of.accountOf(ref.String()); ok {
		there = at
	}
	route := new(lookup.Route)
	list, err := c.listIn(lookup.WithRoute(ctx, route), caller, there, wanted)
	if next, ok := route.Wants(); err != nil && ok {
		there = next
		list, err = c.listIn(lookup.WithRoute(ctx, &lookup.Route{Bound: "copy_of"}), caller, there, wanted)
	}
	if err == nil && there.ID != caller.Account {
		c.lost.add(fmt.Sprintf("the original is in the account %s: people are those of the same name here, and files were attached anew", plaintext.Quote(there.Name)))
	}
	return list, err
}

// listIn finds a list in an account, which becomes that of the original.
func (c *listCopy) listIn(ctx context.Context, caller identity.Caller, account fence.Account, w listWanted) (basecamp.Todolist, error) {
	if account.ID != caller.Account {
		c.from.caller, _ = caller.In(account.ID)
	} else {
		c.from = copySource{}
	}
	return c.rs.oneList(c.from.in(ctx), w)
}

// here replaces the people of a to-do of another account with those of the same name on the project
// of the copy. The others stay, and count as absent.
func (c *listCopy) here(t *basecamp.Todo) {
	if c.from.caller.Account == 0 {
		return
	}
	t.Assignees, t.Subscribers = c.namesakes(t.Assignees), c.namesakes(t.Subscribers)
	steps := make([]basecamp.Subtask, len(t.Steps))
	for i, s := range t.Steps {
		s.Assignees = c.namesakes(s.Assignees)
		steps[i] = s
	}
	t.Steps = steps
}

func (c *listCopy) namesakes(people []basecamp.Person) []basecamp.Person {
	here := make([]basecamp.Person, len(people))
	for i, p := range people {
		here[i] = p
		if same := lookup.Exactly(c.people, p.Name, func(p basecamp.Person) string { return p.Name }); len(same) == 1 {
			here[i] = same[0]
		}
	}
	return here
}
