package accounts

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"basecamp-mcp/internal/basecamp/operations"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/toolanswer"
	"basecamp-mcp/internal/tool/toolargs"
)

// accountMerge says how the answers of a tool in several accounts become one.
type accountMerge struct {
	groups string // the array whose elements are merged by their scope; "" for none
	cursor string // the field of the answer with the cursor; "" if it has none
	always bool   // the cursor is always there, and continues after everything
}

// accountMerges returns how the answers of the tools without an item are merged.
func accountMerges() map[string]accountMerge {
	return map[string]accountMerge{
		"get_my_work":       {groups: "groups", cursor: nextCursor},
		"get_notifications": {cursor: nextCursor},
		"search":            {cursor: nextCursor},
		"get_activity":      {cursor: nextCursor},
		"get_changes":       {cursor: "cursor", always: true},
		"get_report":        {},
		"get_upcoming":      {cursor: nextCursor},
		"list_projects":     {cursor: nextCursor},
		"list_people":       {cursor: nextCursor},
		"list_work":         {cursor: nextCursor},
		operations.Reader:   {cursor: nextCursor},
	}
}

const (
	nextCursor     = "next_cursor"
	cursorArgument = "cursor"
)

// mergeOf returns how the answers of a call are merged, or nil if it cannot have several.
func mergeOf(tool string, a toolargs.Accepted) *accountMerge {
	m, ok := accountMerges()[tool]
	if !ok || tool == operations.Reader && needsItem(a.Text("operation")) {
		return nil
	}
	return &m
}

// needsItem reports whether an operation is about an item, a project or a person.
func needsItem(name string) bool {
	row := operations.Find(name)
	return row == nil || slices.ContainsFunc(row.Args, func(a operations.Arg) bool { return a.Need && a.Kind.Refers() })
}

// accountPart is the part of a call in one account.
type accountPart struct {
	account fence.Account
	cursor  string // from which it goes on; "" at the beginning
	answer  toolanswer.Object
	next    string // the cursor of its answer; "" if nothing follows
	alone   bool   // no other part is read
	err     *fault.Error
}

// parts returns the parts of a call in the accounts that it names, in all if it names nothing, or
// nil for a call that acts in one account.
func (c *AccountCall) parts(ctx context.Context, a toolargs.Accepted, refs accountRefs) ([]*accountPart, error) {
	if c.merge == nil {
		return nil, nil
	}
	all := strings.EqualFold(c.asked, allAccounts) || c.asked == "" && !refs.any
	if all && refs.account.ID != 0 {
		return nil, fault.Invalid(AccountArgument, "%s names something in the account %s; leave account out", refs.said, plaintext.Quote(refs.account.Name))
	}
	cursors, ok := splitCursor(a.Text(cursorArgument))
	var asked []*accountPart
	switch {
	case all:
		for _, account := range c.Caller.Fence.Accounts {
			asked = append(asked, &accountPart{account: account})
		}
	case c.asked != "":
		named, err := c.named(ctx, refs)
		if err != nil {
			return nil, err
		}
		asked = []*accountPart{{account: named}}
	}
	if !ok {
		if a.Text(cursorArgument) != "" && len(asked) > 1 { // from a call in the default account
			asked = asked[:1]
			asked[0].cursor = a.Text(cursorArgument)
		}
		return asked, nil
	}
	return c.continued(cursors, asked)
}

// continued returns the parts that cursors go on with. Asked are those that the call names, if any.
func (c *AccountCall) continued(cursors map[int64]string, asked []*accountPart) (parts []*accountPart, err error) {
	for _, account := range c.Caller.Fence.Accounts {
		if cursor, ok := cursors[account.ID]; ok {
			parts = append(parts, &accountPart{account: account, cursor: cursor})
			delete(cursors, account.ID)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(cursors)) {
		if len(parts) == 0 {
			return nil, listing.BadCursor("this connection no longer uses the account " + strconv.FormatInt(id, 10) + " of this cursor")
		}
		gone := fault.New(fault.NotFound, "this connection no longer uses it")
		parts = append(parts, &accountPart{account: fence.Account{Name: "account " + strconv.FormatInt(id, 10)}, err: gone})
	}
	for _, p := range parts {
		among := slices.ContainsFunc(asked, func(a *accountPart) bool { return a.account.ID == p.account.ID })
		if asked != nil && !among && p.err == nil {
			return nil, listing.BadCursor("this cursor belongs to a call in the account " + plaintext.Quote(p.account.Name))
		}
	}
	return parts, nil
}

// together runs the parts at once and merges their answers. A part that cannot be read is left out.
func (c *AccountCall) together(ctx context.Context, a toolargs.Accepted, parts []*accountPart) (toolanswer.Answer, error) {
	ctx, cancel := listing.WithTimeToAnswer(ctx)
	defer cancel()
	a = a.With(AccountArgument, "")
	parts[0].alone = len(parts) == 1
	var reads []func(context.Context) error
	for _, p := range parts {
		if p.err == nil {
			reads = append(reads, func(ctx context.Context) error { return c.read(ctx, a, p) })
		}
	}
	if err := listing.Together(ctx, reads...); err != nil {
		return toolanswer.Answer{}, err
	}
	if !slices.ContainsFunc(parts, func(p *accountPart) bool { return p.err == nil }) {
		return toolanswer.Answer{}, parts[0].err
	}
	for shown := len(parts); ; shown-- {
		answer := c.merged(parts, shown)
		if shown == 1 || len(answer.JSON) <= listing.MaxAnswer && len(c.cursor(parts, shown)) <= mostCursor {
			return answer, nil
		}
	}
}

// mostCursor is the length of the longest cursor that a list accepts.
const mostCursor = 2000

func (c *AccountCall) read(ctx context.Context, a toolargs.Accepted, p *accountPart) error {
	there, ok := c.Caller.In(p.account.ID)
	if !ok {
		return fault.New(fault.InternalError, "a part in an account that its connection does not have")
	}
	route := &fence.Route{Bound: AccountArgument, Beside: !p.alone}
	ctx = fence.WithRoute(identity.With(ctx, there), route)
	if p.account.ID != c.Home().ID { // what is not in Basecamp is read once
		a = a.With("sources", "")
	}
	answer, err := c.run(ctx, a.With(cursorArgument, p.cursor))
	if f, ok := listing.Dispensable(err); ok && f.Code != fault.InvalidInput {
		p.err = f
		return nil
	}
	if err != nil {
		return err
	}
	p.answer, _ = toolanswer.Decode(answer.JSON).(toolanswer.Object)
	p.takeCursor(c.merge)
	if !p.alone {
		p.answer = spread(p.answer)
	}
	return nil
}

func (p *accountPart) takeCursor(m *accountMerge) {
	p.next, _ = p.answer.Get(m.cursor).(string)
	p.answer = slices.DeleteFunc(p.answer, func(f toolanswer.Member) bool { return f.Name == m.cursor && p.next != "" })
}

// cursor returns the cursor behind the first parts that an answer shows, or "" if nothing follows.
func (c *AccountCall) cursor(parts []*accountPart, shown int) string {
	fields := []string{CursorPrefix}
	for i, p := range parts {
		next := p.next
		switch {
		case p.err == nil && i < shown && next == "":
			continue
		case p.err != nil && !c.merge.always && p.cursor == "", p.account.ID == 0:
			continue
		case p.err != nil, i >= shown:
			next = p.cursor
		}
		fields = append(fields, strconv.FormatInt(p.account.ID, 10), next)
	}
	if len(fields) == 1 {
		return ""
	}
	return strings.Join(fields, cursorMark)
}

// A cursor of several accounts has their IDs and their own cursors, which have no mark.
const (
	CursorPrefix = "accounts"
	cursorMark   = "~"
)

// splitCursor returns the cursors of the accounts in a cursor of several, or false for another one.
func splitCursor(text string) (map[int64]string, bool) {
	rest, ok := strings.CutPrefix(text, CursorPrefix+cursorMark)
	fields := strings.Split(rest, cursorMark)
	if !ok || len(fields)%2 != 0 {
		return nil, false
	}
	cursors := map[int64]string{}
	for i := 0; i < len(fields); i += 2 {
		id, err := strconv.ParseInt(fields[i], 10, 64)
		if err != nil || id <= 0 {
			return nil, false
		}
		cursors[id] = fields[i+1]
	}
	return cursors, true
}

// merged returns one answer of the first parts that it shows.
func (c *AccountCall) merged(parts []*accountPart, shown int) (answer toolanswer.Answer) {
	m := answerMerge{accountMerge: *c.merge, alone: len(parts) == 1}
	away := false
	for i, p := range parts {
		switch {
		case p.err != nil:
			m.leaveOut(p.account.Name + ": " + p.err.Message)
		case i < shown:
			m.add(p.account, p.answer)
			away = away || p.account.ID != c.Home().ID
		case c.merge.cursor == "":
			m.leaveOut(p.account.Name + ": it does not fit beside the others; ask again with account")
		}
	}
	if c.merge.cursor != "" {
		m.setCursor(c.cursor(parts, shown))
	}
	if m.totals < len(parts) { // a sum of some would say less than it seems to
		m.all = slices.DeleteFunc(m.all, func(f toolanswer.Member) bool { return f.Name == "total" })
	}
	answer.JSON = toolanswer.MustEncode(m.all)
	if away {
		answer.Add(toolanswer.ReferenceField, ReferenceForm)
	}
	if len(parts) == 1 {
		answer.Add(toolanswer.AccountField, parts[0].account.Name)
	}
	return answer
}
