package todos

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"slices"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/accounts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/richtext"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/text/naming"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/toolargs"
)

const (
	maxCopiedFile  = 10 << 20 // the size of a file that is copied, in bytes
	maxCopiedFiles = 10       // files of one text that are copied
)

// text returns a text for the copy: its files are downloaded and attached anew, and a mention
// becomes the name, because a copy tells no one.
func (c *listCopy) text(ctx context.Context, body basecamp.HTML, files []basecamp.Attachment) (string, error) {
	var failed error
	count := 0
	text := richtext.Transplant(string(body), func(e richtext.Embedded) string {
		if !e.File {
			return html.EscapeString(e.Name)
		}
		count++
		sgid, why, err := c.file(ctx, e, files, count)
		switch failed = cmp.Or(failed, err); {
		case failed != nil:
			return ""
		case why != "":
			c.lost.add(fmt.Sprintf("the file %s: %s", plaintext.Quote(lookup.Shorten(e.Name)), why))
			return html.EscapeString(e.Name)
		}
		return richtext.Attach(sgid, e.Caption)
	})
	return text, failed
}

// file attaches a file anew. Why says why that is not possible.
func (c *listCopy) file(ctx context.Context, e richtext.Embedded, files []basecamp.Attachment, number int) (sgid, why string, err error) {
	f := basecamp.Attachment{Filename: e.Name, DownloadURL: e.URL}
	if i := slices.IndexFunc(files, func(f basecamp.Attachment) bool { return f.SGID == e.SGID }); i >= 0 {
		f = files[i]
	}
	switch {
	case number > maxCopiedFiles:
		return "", fmt.Sprintf("only %d files of a text are copied", maxCopiedFiles), nil
	case f.DownloadURL == "" || f.Filename == "":
		return "", "it has no address", nil
	case f.ByteSize > maxCopiedFile:
		return "", fmt.Sprintf("it is larger than %d MB", maxCopiedFile>>20), nil
	}
	if err := listing.MayGoOn(ctx); err != nil {
		return "", "", err
	}
	content, err := c.rs.BC.Download(c.there(ctx), f.DownloadURL, maxCopiedFile)
	if err == nil {
		sgid, err = c.rs.BC.CreateAttachment(ctx, f.Filename, content.Content)
	}
	if f := fault.From(err); err != nil && !f.Retryable && !listing.Hopeless(err) && f.Code != fault.InternalError {
		return "", f.Message, nil
	}
	return sgid, "", err
}

// losses is what a copy does not take along.
type losses struct {
	completed, commented, mentions, previews int
	absent                                   map[string]int // to-dos by the name of a person who is not on the project
	single                                   []string
}

func (l *losses) add(what string) { l.single = append(l.single, what) }

// of adds what the copy of a to-do lacks.
func (l *losses) of(t basecamp.Todo, members []basecamp.Person) {
	if t.Completed {
		l.completed++
	}
	l.commented += t.CommentsCount
	people := slices.Concat(t.Assignees, t.Subscribers)
	for _, s := range t.Steps {
		people = append(people, s.Assignees...)
	}
	named := map[int64]bool{}
	for _, p := range people {
		if !lookup.IsAmong(members, p.ID) && !named[p.ID] {
			l.absent[plaintext.Clean(p.Name)]++
			named[p.ID] = true
		}
	}
	richtext.Transplant(string(t.Description), func(e richtext.Embedded) string {
		switch {
		case e.Mention:
			l.mentions++
		case !e.File:
			l.previews++
		}
		return ""
	})
}

// list returns the losses in words, after those of earlier calls.
func (l *losses) list(earlier []string) []string {
	var now []string
	for words, n := range map[string]int{
		"%d completed to-dos are open in the copy": l.completed, "%d comments": l.commented, "%d mentions became names": l.mentions,
		"%d previews of pages became their titles": l.previews,
	} {
		if n > 0 {
			now = append(now, fmt.Sprintf(words, n))
		}
	}
	for name, n := range l.absent {
		now = append(now, fmt.Sprintf("%s is not on the project (%d to-dos)", name, n))
	}
	slices.Sort(now)
	for _, what := range slices.Concat(now, l.single) {
		if !slices.Contains(earlier, what) {
			earlier = append(earlier, what)
		}
	}
	return earlier
}

// there returns the context of reads of the original.
func (c *listCopy) there(ctx context.Context) context.Context {
	if c.from.Account == 0 {
		return ctx
	}
	return identity.With(ctx, c.from)
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
	of := accounts.AccountCall{Caller: caller}
	there := of.Home()
	bare, name, named := accounts.CutAccount(ref.String())
	wanted.list = lookup.URLs.ParseRef(bare)
	if named {
		var err error
		if there, err = lookup.AccountNamed(ctx, "copy_of", name); err != nil {
			return basecamp.Todolist{}, err
		}
	} else if at, ok := of.AccountOf(ref.String()); ok {
		there = at
	}
	route := new(fence.Route)
	list, err := c.listIn(fence.WithRoute(ctx, route), caller, there, wanted)
	if next, ok := route.Wants(); err != nil && ok {
		there = next
		list, err = c.listIn(fence.WithRoute(ctx, &fence.Route{Bound: "copy_of"}), caller, there, wanted)
	}
	if err == nil && there.ID != caller.Account {
		c.lost.add(fmt.Sprintf("the original is in the account %s: people are those of the same name here, and files were attached anew", plaintext.Quote(there.Name)))
	}
	return list, err
}

// listIn finds a list in an account, which becomes that of the original.
func (c *listCopy) listIn(ctx context.Context, caller identity.Caller, account fence.Account, w listWanted) (basecamp.Todolist, error) {
	c.from = identity.Caller{}
	if account.ID != caller.Account {
		c.from, _ = caller.In(account.ID)
	}
	return c.rs.oneList(c.there(ctx), w)
}

// here replaces the people of a to-do of another account with those of the same name on the project
// of the copy. The others stay, and count as absent.
func (c *listCopy) here(t *basecamp.Todo) {
	if c.from.Account == 0 {
		return
	}
	t.Assignees, t.Subscribers = c.namesakes(t.Assignees), c.namesakes(t.Subscribers)
	t.Steps = lookup.Mapped(t.Steps, func(s basecamp.Subtask) basecamp.Subtask {
		s.Assignees = c.namesakes(s.Assignees)
		return s
	})
}

func (c *listCopy) namesakes(people []basecamp.Person) []basecamp.Person {
	return lookup.Mapped(people, func(p basecamp.Person) basecamp.Person {
		if same := naming.Exactly(c.people, p.Name, func(p basecamp.Person) string { return p.Name }); len(same) == 1 {
			return same[0]
		}
		return p
	})
}
