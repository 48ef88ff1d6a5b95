package changes

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/richtext"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/mcptool"
)

const changeExcerpt = 200 // characters of new words

// ItemNews is an item in its newest state, with what happened to it. Of its state, it has what the
// changes are about.
type ItemNews struct {
	At        string   `json:"at"` // of the last change
	Item      string   `json:"item,omitempty"`
	Type      string   `json:"type,omitempty"` // if Item cannot name it
	Title     string   `json:"title"`
	What      string   `json:"what"`
	Who       string   `json:"who,omitempty"`
	Excerpt   string   `json:"excerpt,omitempty"`
	In        string   `json:"in,omitempty"`
	Assignees []string `json:"assignees,omitempty"`
	DueOn     string   `json:"due_on,omitempty"`
	Completed bool     `json:"completed,omitempty"`
	Status    string   `json:"status,omitempty"` // archived, trashed
	lookup.Seen
	URL string `json:"url,omitempty"` // if Item cannot name it
}

// projectNews is a project with what changed in it, the oldest change first.
type projectNews struct {
	Project lookup.ProjectRef `json:"project"`
	Items   []ItemNews        `json:"items"`
}

// changeNews is an entry of a list: an item that changed, with what happened to it.
type changeNews struct {
	at     time.Time
	kind   string // "" if it is not to be told: then only its time counts
	id     int64  // of the item that changed
	key    int64  // of the entry in its list
	bucket basecamp.Bucket
	item   basecamp.Changed // as it is now; zero if a list does not have it
	title  string           // without an item
	url    string           // without an item
	words  string           // without an item
	wrote  int64            // the ID of a chat line
	says   []deed
	page   int // of the list, where it stands
}

// deed is one thing that was done to an item.
type deed struct {
	what     string
	by       basecamp.Person
	when     time.Time
	excluded bool // because of who did it
}

// changeRow is an item with all that happened to it.
type changeRow struct {
	view   ItemNews
	bucket basecamp.Bucket
	last   time.Time
	who    []string
	whats  []string
	counts map[string]int
	words  time.Time // of the excerpt
}

// rows returns what happened by item, in the order of the first news of each.
func (r *changeReader) rows(ctx context.Context, news []changeNews) (rows []*changeRow) {
	byID := map[int64]*changeRow{}
	for _, n := range news {
		for _, s := range n.says {
			if s.excluded {
				continue
			}
			row := byID[n.subjectID()]
			if row == nil {
				row = &changeRow{view: r.subject(ctx, n), bucket: n.bucket, counts: map[string]int{}}
				byID[n.subjectID()] = row
				rows = append(rows, row)
			}
			row.add(n, s, r.excerpt(n, s.what))
		}
	}
	for _, row := range rows {
		row.finish()
	}
	return rows
}

func (row *changeRow) add(n changeNews, s deed, words string) {
	if row.counts[s.what]++; row.counts[s.what] == 1 {
		row.whats = append(row.whats, s.what)
	}
	if n.at.After(row.last) {
		row.last = n.at
	}
	if name := plaintext.Clean(s.by.Name); name != "" && !slices.Contains(row.who, name) {
		row.who = append(row.who, name)
	}
	if words != "" && !s.when.Before(row.words) {
		row.view.Excerpt, row.words = parts.LineOf(words, changeExcerpt), s.when
	}
}

// finish says in words what happened. That an item changed says nothing beside what did.
func (row *changeRow) finish() {
	if len(row.whats) > 1 {
		row.whats = slices.DeleteFunc(row.whats, func(what string) bool { return what == "changed" })
	}
	says := make([]string, len(row.whats))
	for i, what := range row.whats {
		says[i] = what
		if n := row.counts[what]; n > 1 {
			says[i] = fmt.Sprintf("%s %d times", what, n)
		}
	}
	row.view.What, row.view.Who = strings.Join(says, ", "), strings.Join(row.who, ", ")
	row.view.At = row.last.UTC().Format("2006-01-02T15:04Z")
	about := func(whats ...string) bool {
		return slices.ContainsFunc(whats, func(what string) bool { return row.counts[what] > 0 })
	}
	if !about("created", "changed") {
		row.view.In, row.view.Assignees, row.view.DueOn = "", nil, ""
	}
	row.view.Completed = row.view.Completed && row.counts["completed"] == 0
}

// excerpt returns the new words of a change.
func (r *changeReader) excerpt(n changeNews, what string) string {
	if n.item.ID != 0 && slices.Contains([]string{"created", "commented", "comment edited", "answered"}, what) {
		return r.Markdown(n.item.Words())
	}
	return n.words
}

// subject returns the item that a change is shown on: of a comment or an answer what it is on.
func (r *changeReader) subject(ctx context.Context, n changeNews) ItemNews {
	switch id := n.subjectID(); {
	case id == n.id && n.item.ID == 0:
		return viewChanged(n.kind, id, n.title, n.url)
	case id == n.id:
		return r.viewItem(ctx, n.kind, n.item)
	default:
		on := n.item.Parent
		kind := lookup.KindOf(on.Type).Kind
		if item := r.items[id]; item.ID != 0 {
			return r.viewItem(ctx, kind, item)
		}
		return viewChanged(kind, id, on.Title, on.AppURL)
	}
}

func viewChanged(kind string, id int64, title, url string) ItemNews {
	v := ItemNews{Title: parts.LineOf(title, changeExcerpt)}
	if slices.ContainsFunc(lookup.ItemKinds, func(k lookup.Kind) bool { return k.Kind == kind }) {
		v.Item = kind + ":" + strconv.FormatInt(id, 10)
	} else {
		v.Type, v.URL = kind, url
	}
	return v
}

func (r *changeReader) viewItem(ctx context.Context, kind string, item basecamp.Changed) ItemNews {
	v := viewChanged(kind, item.ID, cmp.Or(item.Subject, item.Title), item.AppURL)
	v.DueOn, v.Completed = item.DueOn, item.Completed
	if item.Parent != nil {
		v.In = plaintext.Clean(item.Parent.Title)
	}
	if item.Status != lookup.Active {
		v.Status = item.Status
	}
	v.Assignees = lookup.PeopleNames(item.Assignees)
	item.ClientsSee = r.RememberedSeen(ctx, item.Recording)
	v.Seen = lookup.ViewSeen(item.Recording)
	return v
}

// filter takes out of news what is not asked for, and marks what is excluded because of who did it.
// It returns the news for which the requests sufficed.
func (r *changeReader) filter(ctx context.Context, news []changeNews) (_ []changeNews, err error) {
	f := r.state.Filter
	if len(news) == 0 {
		return nil, nil
	}
	var me basecamp.Person
	if f.Mine || f.ExcludePerson {
		r.left.Add(-1)
		if me, err = r.Me(ctx); err != nil {
			return nil, err
		}
	}
	var wrote []mcptool.Written
	if !f.IncludeMe {
		oldest := slices.MinFunc(news, func(a, b changeNews) int { return a.at.Compare(b.at) }).at
		if wrote, err = mcptool.WrittenSince(ctx, oldest.Add(-changeOverlap)); err != nil {
			return nil, err
		}
	}
	for i := range news {
		n := &news[i]
		if f.Mine {
			mine, known := r.isMine(ctx, *n, me)
			if !known && i > 0 {
				return news[:i], nil
			}
			if !mine {
				n.says = nil
			}
		}
		for j := range n.says {
			s := &n.says[j]
			s.excluded = f.ExcludePerson && s.by.ID == me.ID || slices.ContainsFunc(wrote, func(c mcptool.Written) bool {
				return c.Made(s.when, strconv.FormatInt(n.id, 10), strconv.FormatInt(n.wrote, 10))
			})
		}
	}
	return news, nil
}

// isMine reports whether news is about what is assigned to the user, mentions the user, or is on or
// under something that the user wrote, and whether that is known.
func (r *changeReader) isMine(ctx context.Context, n changeNews, me basecamp.Person) (mine, known bool) {
	switch {
	case n.kind == lookup.PingKind, lookup.IsAmong(n.item.Assignees, me.ID), n.item.Creator.ID == me.ID,
		me.AttachableSGID != "" && slices.Contains(richtext.Attached(string(n.item.Content+n.item.Description)), me.AttachableSGID):
		return true, true
	case n.item.Parent == nil:
		return false, true
	}
	on := n.item.Parent
	item, read := r.items[on.ID]
	if k := lookup.KindOf(on.Type); !read && k.Kind != "" {
		if !r.may() {
			return false, false
		}
		// What cannot be read is not shown as the user's.
		item, _ = basecamp.ItemAt[basecamp.Changed](k.Kind).Get(ctx, r.BC, on.ID)
		r.items[on.ID] = item
	}
	return item.Creator.ID == me.ID, true
}
