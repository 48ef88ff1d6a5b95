package basecamptools

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/memo"
	"basecamp-mcp/internal/plaintext"
)

type getHistoryInput struct {
	lookup.ItemInput
	listing.ScrollInput
}

// change is one entry of an item's history.
type change struct {
	At        time.Time  `json:"at"`
	Who       lookup.Ref `json:"who"`
	What      string     `json:"what"`
	Truncated bool       `json:"truncated,omitempty"`
}

func (c *change) Trim(characters int) { listing.Excerpt(&c.What, characters, &c.Truncated) }

type itemHistory struct {
	listing.Scroll[change]
	lookup.Gaps
}

func getHistory(rs *resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "get_history",
		Title:       "Who changed an item",
		Description: "Lists who changed what in a Basecamp to-do, card or other item, and when, newest first.",
	}, func(ctx context.Context, in getHistoryInput) (itemHistory, error) {
		t, err := rs.Thing(ctx, "item", in.ItemInput, historyKinds...)
		if err != nil {
			return itemHistory{}, rs.unlessProject(ctx, in.Item, err)
		}
		l := &listing.List[basecamp.Event]{
			Of: listing.Digest("history", t.ID),
			ID: func(e basecamp.Event) int64 { return e.ID },
			Sources: []listing.Source[basecamp.Event]{func(ctx context.Context, page int) (basecamp.Page[basecamp.Event], error) {
				return rs.BC.Events(ctx, t.In.ID, t.ID, page)
			}},
		}
		var found listing.Collected[basecamp.Event]
		var item basecamp.Recording
		err = listing.Together(ctx,
			func(ctx context.Context) (err error) { item, err = rs.ofItsKind(ctx, t); return err },
			func(ctx context.Context) (err error) { found, err = l.Collect(ctx, in.Paging()); return err },
		)
		if err != nil {
			return itemHistory{}, err
		}
		var people, holders map[int64]string
		left, err := lookup.Extras(ctx,
			lookup.Into("names of assignees", &people, func(ctx context.Context) (map[int64]string, error) { return rs.namesIn(ctx, found.Items) }),
			lookup.Into("names of where it was", &holders, func(ctx context.Context) (map[int64]string, error) {
				return rs.holders(ctx, t.Kind, item, found.Items)
			}),
		)
		if err != nil {
			return itemHistory{}, err
		}
		return itemHistory{listing.Scrolled(listing.Answer(l, found, func(e basecamp.Event) change {
			return change{At: e.CreatedAt.UTC(), Who: lookup.ViewName(e.Creator), What: whatHappened(e, people, holders)}
		})), left}, nil
	})
}

// unlessProject returns the error of an item that was not resolved. If it is a project, the error
// names the tool that shows what happened there.
func (rs *resolver) unlessProject(ctx context.Context, item string, err error) error {
	given := lookup.URLs.ParseRef(strings.TrimSpace(item))
	link, noLink := basecamp.ParseLink(given.URL)
	word, _ := lookup.CutType(given.Name)
	isProject := word == lookup.ProjectKind.Kind || noLink == nil && link.Type == "projects"
	switch {
	case isProject || !fault.Is(err, fault.NotFound):
	case given.ID > 0:
		_, missing := rs.BC.Project(ctx, given.ID)
		isProject = missing == nil
	case given.Name != "":
		projects, _ := rs.projectsNamed(ctx, lookup.ProjectKind, given.Name)
		isProject = len(projects) > 0
	}
	if !isProject {
		return err
	}
	return fault.Invalid("item", "must be an item such as todo:123; %s is a project: use get_activity with project", plaintext.Quote(item)).Because(err)
}

// ofItsKind reads the item, and returns an error if it is of another kind than the call says. It
// does not read a chat line without its chat, because it cannot.
func (rs *resolver) ofItsKind(ctx context.Context, t lookup.Thing) (basecamp.Recording, error) {
	if t.Kind.Kind == lookup.LineKind.Kind && t.Link.Within == 0 {
		return basecamp.Recording{ID: t.ID}, nil
	}
	return rs.Verified(ctx, t)
}

// historyKinds are the kinds with a history: all kinds except projects.
var historyKinds = lookup.Matching(lookup.ItemKinds, func(k lookup.Kind) bool { return k.Kind != lookup.ProjectKind.Kind })

// namesIn returns the names of the people that events assign and unassign. People who have left the
// account have no name. It reads people only if an event names some.
func (rs *resolver) namesIn(ctx context.Context, events []basecamp.Event) (map[int64]string, error) {
	names := map[int64]string{}
	if !slices.ContainsFunc(events, func(e basecamp.Event) bool { return len(e.Details.Added)+len(e.Details.Removed) > 0 }) {
		return names, nil
	}
	people, err := rs.People(ctx, 0, memo.Life)
	for _, p := range people {
		names[p.ID] = plaintext.Clean(p.Name)
	}
	return names, err
}

// maxHolders is the number of columns, lists or folders that one call reads to find their names.
const maxHolders = 10

// holders returns the names of the columns, lists or folders that an item was moved from and to.
// Events have only their ids. A deleted holder has no name. The item's present parent needs no
// request.
func (rs *resolver) holders(ctx context.Context, k lookup.Kind, item basecamp.Recording, events []basecamp.Event) (map[int64]string, error) {
	names := map[int64]string{0: ""}
	if item.Parent != nil {
		names[item.Parent.ID] = plaintext.Clean(item.Parent.Title)
	}
	var unread []int64
	for _, e := range events {
		for _, id := range []int64{e.Details.From, e.Details.To} {
			if _, known := names[id]; !known && len(unread) < maxHolders {
				names[id], unread = "", append(unread, id)
			}
		}
	}
	titles, err := listing.InParallel(ctx, unread, func(ctx context.Context, id int64) (string, error) {
		title, err := rs.holderTitle(ctx, k, id)
		if fault.Is(err, fault.NotFound) {
			return "", nil
		}
		return title, err
	})
	for i, id := range unread {
		names[id] = plaintext.Clean(titles[i])
	}
	return names, err
}

// holderTitle reads the title of a column, list or folder that holds items of a kind. It returns ""
// for kinds that cannot be moved.
func (rs *resolver) holderTitle(ctx context.Context, k lookup.Kind, id int64) (string, error) {
	switch k.Kind {
	case lookup.CardKind.Kind:
		column, err := rs.BC.Column(ctx, id)
		return column.Title, err
	case lookup.TodoKind.Kind:
		list, err := rs.BC.Todolist(ctx, id)
		return list.Name, err
	case lookup.DocumentKind.Kind, lookup.UploadKind.Kind, lookup.FolderKind.Kind:
		folder, err := rs.BC.Vault(ctx, id)
		return folder.Title, err
	}
	return "", nil
}

// actionWords describes Basecamp's actions. Basecamp may add others.
var actionWords = map[string]string{
	"created":            "created it",
	"completed":          "completed it",
	"uncompleted":        "reopened it",
	"content_changed":    "changed the text",
	"title_changed":      "renamed it",
	"due_date_changed":   "changed the dates",
	"due_on_changed":     "changed the dates",
	"assignment_changed": "changed who is assigned",
	"rescheduled":        "rescheduled it",
	"adopted":            "moved it",
	"position_changed":   "changed its place in the list",
	"blob_changed":       "replaced the file",
	"archived":           "archived it",
	"trashed":            "put it in the trash",
	"active":             "restored it",
}

// whatHappened describes an event, with the names of people and of columns, lists or folders.
func whatHappened(e basecamp.Event, people, holders map[int64]string) string {
	d := e.Details
	switch from, to := holders[d.From], holders[d.To]; {
	case from != "" && to != "":
		return fmt.Sprintf("moved it from %s to %s", plaintext.Quote(from), plaintext.Quote(to))
	case to != "":
		return fmt.Sprintf("moved it to %s", plaintext.Quote(to))
	case len(d.Added)+len(d.Removed) > 0:
		return reassignment(d, people)
	}
	if words, ok := actionWords[e.Action]; ok {
		return words
	}
	return strings.ReplaceAll(plaintext.Clean(e.Action), "_", " ")
}

func reassignment(d basecamp.EventDetails, names map[int64]string) string {
	var parts []string
	if len(d.Added) > 0 {
		parts = append(parts, "assigned "+allNames(d.Added, names))
	}
	if len(d.Removed) > 0 {
		parts = append(parts, "unassigned "+allNames(d.Removed, names))
	}
	return strings.Join(parts, ", ")
}

// allNames joins the names of people. A person without a name is shown by id.
func allNames(ids []int64, names map[int64]string) string {
	all := make([]string, len(ids))
	for i, id := range ids {
		if all[i] = names[id]; all[i] == "" {
			all[i] = fmt.Sprintf("a person (id %d)", id)
		}
	}
	return strings.Join(all, " and ")
}
