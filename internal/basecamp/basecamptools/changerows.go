package basecamptools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/richtext"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/memo"
	"basecamp-mcp/internal/plaintext"
)

const changeExcerpt = 200 // characters of new words

// itemNews is an item in its newest state, with what happened to it. Of its state, it has what the
// changes are about.
type itemNews struct {
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
	Unread bool   `json:"unread,omitempty"` // it could not be read again
	URL    string `json:"url,omitempty"`    // if Item cannot name it
}

// projectNews is a project with what changed in it, the oldest change first.
type projectNews struct {
	Project lookup.ProjectRef `json:"project"`
	Items   []itemNews        `json:"items"`
}

// changeNews is one thing that happened to an item: from a hint, or from a list.
type changeNews struct {
	hint
	item     basecamp.Changed // as it is now; zero if it is not known
	trashed  bool
	when     time.Time // of a list: when it happened; the item may have changed since
	since    int64     // of a list: how far back the walk goes, in milliseconds
	page     int       // of a list: where it stands
	nth      int       // of a list: the entry that says it
	excluded bool      // because of who made it
}

// changeRow is an item with all that happened to it.
type changeRow struct {
	view   itemNews
	bucket basecamp.Bucket
	last   time.Time
	who    []string
	whats  []string
	counts map[string]int
	words  time.Time // of the excerpt
}

type rowKey struct {
	kind string
	id   int64
}

// rows returns what happened by item, in the order of the first news of each.
func (r *changeReader) rows(ctx context.Context, news []changeNews) (rows []*changeRow) {
	byKey := map[rowKey]*changeRow{}
	for _, n := range news {
		if n.excluded {
			continue
		}
		key, view, bucket := r.subject(ctx, n)
		row := byKey[key]
		if row == nil {
			row = &changeRow{view: view, bucket: bucket, counts: map[string]int{}}
			byKey[key] = row
			rows = append(rows, row)
		}
		row.add(r, n)
	}
	for _, row := range rows {
		row.finish()
	}
	return rows
}

func (row *changeRow) add(r *changeReader, n changeNews) {
	if row.counts[n.what]++; row.counts[n.what] == 1 {
		row.whats = append(row.whats, n.what)
	}
	if n.at.After(row.last) {
		row.last = n.at
	}
	if name := r.people[n.by]; name != "" && !slices.Contains(row.who, name) {
		row.who = append(row.who, name)
	}
	if words := r.words(n); words != "" && !n.happenedAt().Before(row.words) {
		row.view.Excerpt, row.words = words, n.happenedAt()
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
	if !about("created", "moved", "changed") {
		row.view.In = ""
	}
	if !about("created", "assigned", "changed") {
		row.view.Assignees = nil
	}
	if !about("created", "dated", "changed") {
		row.view.DueOn = ""
	}
	row.view.Completed = row.view.Completed && row.counts["completed"] == 0
}

// words returns the new words of a change, at most changeExcerpt characters.
func (r *changeReader) words(n changeNews) string {
	switch line := r.lines[n.hint.item]; {
	case n.boost != 0:
		return richtext.Plain(r.boosts[n.boost].Content)
	case line.ID != 0 && line.IsHTML():
		return lineOf(r.Markdown(basecamp.HTML(line.Content)), changeExcerpt)
	case line.ID != 0:
		return lineOf(richtext.Plain(line.Content), changeExcerpt)
	case n.item.ID != 0 && slices.Contains([]string{"created", "edited", "commented", "comment edited", "answered"}, n.what):
		return lineOf(r.Markdown(n.item.Words()), changeExcerpt)
	case n.item.ID == 0 && n.entry != nil && n.kind != projectWord:
		return lineOf(richtext.Plain(n.entry.Excerpt), changeExcerpt)
	}
	return ""
}

// subject returns the item that a change is shown on: of a comment or an answer what it is on, of a
// line its chat.
func (r *changeReader) subject(ctx context.Context, n changeNews) (rowKey, itemNews, basecamp.Bucket) {
	on := func(p basecamp.Parent, bucket basecamp.Bucket) (rowKey, itemNews, basecamp.Bucket) {
		kind := cmp.Or(lookup.KindOf(p.Type).Kind, chatWord)
		if item := r.items[p.ID]; item.ID != 0 && item.Bucket.ID != 0 {
			return rowKey{kind, p.ID}, r.viewItem(ctx, kind, item), item.Bucket
		}
		return rowKey{kind, p.ID}, viewChanged(kind, p.ID, p.Title, p.AppURL), bucket
	}
	line := r.lines[n.hint.item]
	switch {
	case n.boost != 0 && r.boosts[n.boost].ID != 0:
		return on(r.boosts[n.boost].Recording, basecamp.Bucket{ID: n.bucket})
	case line.ID != 0 && line.Parent != nil && !line.Bucket.IsPing():
		return on(*line.Parent, line.Bucket)
	case n.kind == chatWord && n.entry == nil && len(r.chats[n.bucket]) > 0:
		chat := r.chats[n.bucket][0]
		kind := chatWord
		if chat.Bucket.IsPing() {
			kind = pingWord
		}
		return rowKey{kind, chat.ID}, viewChanged(kind, chat.ID, chat.Title, chat.AppURL), chat.Bucket
	case n.item.Parent != nil && (n.kind == lookup.CommentKind.Kind || n.kind == lookup.AnswerKind.Kind):
		return on(*n.item.Parent, n.item.Bucket)
	case n.item.ID != 0:
		return rowKey{n.kind, n.item.ID}, r.viewItem(ctx, n.kind, n.item), n.item.Bucket
	case n.entry != nil:
		return rowKey{n.kind, n.hint.item}, viewChanged(n.kind, n.hint.item, n.entry.Target, cmp.Or(n.entry.AppURL, n.entry.Bucket.AppURL)), n.entry.Bucket
	}
	v := viewChanged(n.kind, n.hint.item, "", "")
	v.Unread = true
	return rowKey{n.kind, n.hint.item}, v, basecamp.Bucket{ID: n.bucket}
}

func viewChanged(kind string, id int64, title, url string) itemNews {
	v := itemNews{Title: lineOf(title, changeExcerpt)}
	if slices.ContainsFunc(lookup.ItemKinds, func(k lookup.Kind) bool { return k.Kind == kind }) {
		v.Item = kind + ":" + strconv.FormatInt(id, 10)
	} else {
		v.Type, v.URL = kind, url
	}
	return v
}

func (r *changeReader) viewItem(ctx context.Context, kind string, item basecamp.Changed) itemNews {
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

// kept returns the news that the filter keeps, and how many news it looked at: it stops where the
// requests do not suffice. It marks those that it excludes because of who made them: they are
// counted.
func (r *changeReader) kept(ctx context.Context, news []changeNews) (kept []changeNews, looked int, err error) {
	f := r.state.Filter
	if len(news) == 0 {
		return nil, 0, nil
	}
	if (f.Mine || f.ExcludePerson) && r.me.ID == 0 {
		r.left.Add(-1)
		if r.me, err = r.Me(ctx); err != nil {
			return nil, 0, err
		}
	}
	var wrote []mcptool.Written
	if !f.IncludeMe {
		oldest := slices.MinFunc(news, func(a, b changeNews) int { return a.at.Compare(b.at) }).at
		if wrote, err = mcptool.WrittenSince(ctx, oldest.Add(-changeOverlap)); err != nil {
			return nil, 0, err
		}
	}
	for i, n := range news {
		if !r.isOf(n) {
			continue
		}
		if f.Mine {
			mine, known := r.isMine(ctx, n)
			if !known && i > 0 {
				return kept, i, nil
			}
			if !mine {
				continue
			}
		}
		n.excluded = f.ExcludePerson && n.by == r.me.ID || n.wasBy(wrote)
		kept = append(kept, n)
	}
	return kept, len(news), nil
}

// isOf reports whether news is of a kind that is asked for: only now it is known which lines are in
// pings.
func (r *changeReader) isOf(n changeNews) bool {
	if n.kind != chatWord || n.entry != nil {
		return true
	}
	chats := r.chats[n.bucket]
	if len(chats) > 0 && chats[0].Bucket.IsPing() {
		return r.state.Filter.wants(pingWord)
	}
	return r.state.Filter.wants(chatWord)
}

func (n changeNews) happenedAt() time.Time {
	if n.when.IsZero() {
		return n.at
	}
	return n.when
}

func (n changeNews) wasBy(calls []mcptool.Written) bool {
	return slices.ContainsFunc(calls, func(c mcptool.Written) bool {
		at := n.happenedAt()
		return c.Made(at, strconv.FormatInt(n.hint.item, 10)) || n.boost != 0 && c.Made(at, strconv.FormatInt(n.boost, 10))
	})
}

// isMine reports whether news is about what is assigned to the user, mentions the user, or is on or
// under something that the user wrote, and whether that is known.
func (r *changeReader) isMine(ctx context.Context, n changeNews) (mine, known bool) {
	line := r.lines[n.hint.item]
	words := string(n.item.Content + n.item.Description)
	if line.ID != 0 {
		words = line.Content
	}
	chats := r.chats[n.bucket]
	switch {
	case n.kind == chatWord && len(chats) > 0 && chats[0].Bucket.IsPing():
		return true, true
	case lookup.IsAmong(n.item.Assignees, r.me.ID), n.item.Creator.ID == r.me.ID:
		return true, true
	case r.me.AttachableSGID != "" && slices.Contains(richtext.Attached(words), r.me.AttachableSGID):
		return true, true
	}
	parent := n.item.Parent
	if n.boost != 0 {
		on := r.boosts[n.boost].Recording
		parent = &on
	}
	if parent == nil {
		return false, true
	}
	return r.wroteIt(ctx, *parent)
}

// wroteIt reports whether the user wrote what a comment, an answer or a boost is on, and whether
// that is known.
func (r *changeReader) wroteIt(ctx context.Context, p basecamp.Parent) (wrote, known bool) {
	k := lookup.KindOf(p.Type)
	item, read := r.items[p.ID]
	if !read && k.Kind != "" {
		if !r.may() {
			return false, false
		}
		item, _ = r.BC.Changed(ctx, k.Kind, p.ID) // what cannot be read is not shown as the user's
		r.items[p.ID] = item
	}
	return item.Creator.ID == r.me.ID && item.ID != 0, true
}

// name finds the names of the people in news. Basecamp's feed has only their IDs.
func (r *changeReader) name(ctx context.Context, news []changeNews) (lookup.Gaps, error) {
	know := func(people ...basecamp.Person) {
		for _, p := range people {
			r.people[p.ID] = plaintext.Clean(p.Name)
		}
	}
	missing := false
	for _, item := range r.items {
		know(item.Creator)
		know(item.Assignees...)
		if item.Completion != nil {
			know(item.Completion.Creator)
		}
	}
	for _, line := range r.lines {
		know(line.Creator)
	}
	for _, b := range r.boosts {
		know(b.Booster)
	}
	for _, n := range news {
		if n.entry != nil {
			know(n.entry.Creator)
		}
	}
	for _, n := range news {
		missing = missing || n.by != 0 && r.people[n.by] == ""
	}
	if !missing || !r.may() {
		return lookup.Gaps{}, nil
	}
	return lookup.Extras(ctx, lookup.Extra{Name: "names", Read: func(ctx context.Context) error {
		people, err := r.People(ctx, 0, memo.Life)
		know(people...)
		return err
	}})
}
