package githubtools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/own/hub"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolanswer"
)

const (
	mostChangeRequests = 12          // that a reading sends to GitHub
	changeLag          = time.Minute // GitHub's search is late: what changed since then comes with the next reading
	boardPause         = 10 * time.Minute
	mostBoards         = 20 // that are read
	mostSearched       = 20 // repositories that one search names
	changeTitle        = 120
	changeExcerpt      = 200
)

// changePlace is where a reading of changes ended. Times are in seconds.
type changePlace struct {
	Issues map[string]*searched `json:"i,omitempty"` // by the names of the searches
	Owners []string             `json:"o,omitempty"` // whose repositories are the caller's
	Boards []*scanned           `json:"b,omitempty"`
	Listed int64                `json:"l,omitempty"` // when the boards were listed
}

// searched is where a search by the last change ended. All before Read was told, and of that second
// the issues with the IDs.
type searched struct {
	From int64   `json:"f"` // where this reading began: what was made later is new
	Read int64   `json:"r"`
	Told []int64 `json:"t,omitempty"`
}

// changeReader reads what changed on GitHub, for one call.
type changeReader struct {
	*kit
	hub.ChangesOf
	place  changePlace
	now    time.Time
	until  time.Time // what changed later comes with the next reading
	caller identity.Caller
	me     string
	wrote  []mcptool.Written // by the connection
	left   int               // requests
	size   int
	full   bool // the answer has no more room, or there are no more requests
	scans  bool // boards were read
	told   hub.Changes
}

// Changes returns the issues and pull requests, and the items of boards, that changed: those of the
// caller's repositories and organizations, and those that involve the caller. A client that is held
// to places sees what is there.
func (w *Wing) Changes(ctx context.Context, of hub.ChangesOf) hub.Changes {
	now := w.kit.Now()
	r := changeReader{kit: w.kit, ChangesOf: of, now: now, until: now.Add(-changeLag).Truncate(time.Second), left: mostChangeRequests}
	r.told.Place = of.Place
	r.caller, _ = identity.From(ctx)
	err := r.begin(ctx)
	if err == nil {
		r.part("github issues", r.issues(ctx))
		if !r.full {
			r.part("github boards", r.boards(ctx))
		}
		r.told.Place, err = json.Marshal(r.place)
	}
	r.part("github", err)
	r.told.More = r.full
	r.told.NotCovered = []string{"github_removal"} // what left a board, or is deleted
	if !r.scans {
		r.told.NotCovered = append(r.told.NotCovered, "github_board")
	}
	if r.ExcludePerson { // GitHub does not say who closed an issue or changed a board
		r.told.NotCovered = append(r.told.NotCovered, "github_who")
	}
	return r.told
}

// part notes that a part could not be read.
func (r *changeReader) part(name string, err error) {
	if err != nil {
		r.told.Failed = append(r.told.Failed, hub.FailedPart{Name: name, Err: err})
	}
}

// begin reads who the caller is, and what the connection wrote.
func (r *changeReader) begin(ctx context.Context) (err error) {
	if r.Place != nil {
		if err := json.Unmarshal(r.Place, &r.place); err != nil {
			return err
		}
	}
	if r.place.Issues == nil {
		r.place.Issues = map[string]*searched{}
	}
	if r.me, err = r.GitHub.Login(ctx); err != nil || r.IncludeMe {
		return err
	}
	first := r.earliest()
	for _, b := range r.place.Boards {
		first = min(first, b.Read)
	}
	r.wrote, err = mcptool.WrittenSince(ctx, time.Unix(first, 0).Add(-changeLag))
	return err
}

// earliest returns where the first of the searches goes on.
func (r *changeReader) earliest() int64 {
	first := r.Since.Unix()
	for _, s := range r.place.Issues {
		if first == r.Since.Unix() || s.Read < first {
			first = s.Read
		}
	}
	return first
}

// may takes one of the requests that are left. If there are none, the reading goes on later.
func (r *changeReader) may() bool {
	if r.left--; r.left < 0 {
		r.full = true
	}
	return !r.full
}

// tell adds news to the answer, or to those of the same thing. It reports whether there was room.
func (r *changeReader) tell(n hub.News) bool {
	if i := slices.IndexFunc(r.told.News, func(o hub.News) bool { return o.Item == n.Item }); i >= 0 {
		o := &r.told.News[i]
		o.At, o.Board = max(o.At, n.At), n.Board
		if o.What == changed {
			o.What = n.What
		} else if n.What != changed {
			o.What += ", " + n.What
		}
		return true
	}
	size := toolanswer.Size(n) + 1
	if len(r.told.News) >= r.Items || r.size+size > r.Bytes {
		r.full = true
		return false
	}
	r.size += size
	r.told.News = append(r.told.News, n)
	return true
}

// own reports whether the connection made a change, and the answer leaves that out.
func (r *changeReader) own(at time.Time, ids ...string) bool {
	return slices.ContainsFunc(r.wrote, func(w mcptool.Written) bool { return w.Made(at, ids...) })
}

func changedAt(at time.Time) string { return at.UTC().Format("2006-01-02T15:04Z") }

// missing notes what GitHub left out.
func (r *changeReader) missing(part string, i *github.Incomplete) {
	if i != nil && i.Reason == github.SSO {
		r.part(part, fault.New(fault.PermissionDenied, "some organizations show theirs only after single sign-on"))
	}
}

const changed = "changed"

// changeSearch is a search that is read by the last change. No issue is in two of them.
type changeSearch struct{ name, words string }

// searches returns the searches that have the issues which the caller asks for.
func (r *changeReader) searches(ctx context.Context) (all []changeSearch, err error) {
	mine := ""
	if r.Mine {
		mine = " involves:" + r.me
	}
	if places := r.caller.Fence.Read; places != nil {
		for repos := range slices.Chunk(places.Repos, mostSearched) {
			all = append(all, changeSearch{"r" + strconv.Itoa(len(all)), "repo:" + strings.Join(repos, " repo:") + mine})
		}
		return all, nil
	}
	all = []changeSearch{{"involved", "involves:" + r.me}}
	if r.Mine {
		return all, nil
	}
	if r.place.Owners == nil || r.boardsAreDue() {
		if !r.may() {
			return all, nil
		}
		words, _, err := r.ownScope(ctx)
		if err != nil {
			return nil, err
		}
		r.place.Owners = slices.DeleteFunc(words, func(w string) bool { return strings.HasPrefix(w, "repo:") })
	}
	return append(all, changeSearch{"owned", strings.Join(r.place.Owners, " ") + " -involves:" + r.me}), nil
}

// issues reads the searches, each from where it ended.
func (r *changeReader) issues(ctx context.Context) error {
	all, err := r.searches(ctx)
	if err != nil {
		return err
	}
	begins := r.earliest()
	for _, s := range all {
		at := r.place.Issues[s.name]
		if at == nil {
			at = &searched{From: begins, Read: begins}
			r.place.Issues[s.name] = at
		}
		if err := r.search(ctx, s, at); err != nil || r.full {
			return err
		}
	}
	return nil
}

// search reads a search from the oldest change on. After each page, it asks for what changed since
// the last issue of that page, because pages move while issues change.
func (r *changeReader) search(ctx context.Context, s changeSearch, at *searched) error {
	for next := ""; at.Read < r.until.Unix() && r.may(); {
		from := *at
		query := s.words + " updated:>=" + time.Unix(at.Read, 0).UTC().Format(time.RFC3339)
		page, err := r.GitHub.SearchIssues(ctx, query, "updated", "asc", next)
		if err != nil {
			return err
		}
		if page.Incomplete != nil && page.Incomplete.Reason == github.Timeout {
			return fault.New(fault.UpstreamError, "GitHub's search ended before it had looked at everything; the next call asks again")
		}
		r.missing("github issues", page.Incomplete)
		ended, err := r.tellPage(ctx, page.Items, at)
		if err != nil || r.full {
			return err
		}
		switch {
		case ended || page.Next == "":
			*at = searched{From: r.until.Unix(), Read: r.until.Unix()}
		case at.Read == from.Read && len(at.Told) == len(from.Told): // all of it was told, or is fenced
			next = page.Next
		default:
			next = ""
		}
	}
	return nil
}

// tellPage tells the issues of a page that were not told yet. It returns whether the page reaches
// the end of the reading.
func (r *changeReader) tellPage(ctx context.Context, issues []github.Issue, at *searched) (ended bool, err error) {
	for _, i := range issues {
		second := i.UpdatedAt.Unix()
		switch {
		case !i.UpdatedAt.Before(r.until):
			return true, nil
		case second < at.Read, second == at.Read && slices.Contains(at.Told, i.DatabaseID):
			continue
		}
		if err := r.tellIssue(ctx, i, time.Unix(at.From, 0)); err != nil || r.full {
			return false, err
		}
		if second > at.Read {
			at.Read, at.Told = second, nil
		}
		at.Told = append(at.Told, i.DatabaseID)
	}
	return false, nil
}

// happened is something that is known to have happened to an issue.
type happened struct {
	what, by, words string
	at              time.Time
	outsider        bool
}

// tellIssue tells what happened to an issue, unless the caller did all of it and wants that left
// out.
func (r *changeReader) tellIssue(ctx context.Context, i github.Issue, since time.Time) error {
	all, whole, err := r.happenedTo(ctx, i, since)
	if err != nil {
		return err
	}
	ref := parts.ItemRef(i.Repo, i.Number)
	// GitHub says when an issue changed last, but not what that was.
	known := r.own(i.UpdatedAt, ref, i.ID)
	kept := slices.DeleteFunc(slices.Clone(all), func(h happened) bool {
		known = known || i.UpdatedAt.Sub(h.at).Abs() <= time.Second
		mine := strings.EqualFold(h.by, r.me)
		return mine && r.ExcludePerson || (mine || h.by == "") && r.own(h.at, ref, i.ID)
	})
	switch {
	case !whole && (known || r.ExcludePerson): // what others said may be among it
		r.full = true
		return nil
	case len(kept) == 0 && known:
		r.told.Excluded++
		return nil
	}
	n := hub.News{
		At: changedAt(i.UpdatedAt), Item: ref, Title: plaintext.Label(i.Title, changeTitle), What: changed,
		Assignees: i.Assignees[:min(len(i.Assignees), 3)], Outsider: github.Outsider(i.Association),
	}
	if i.State != "open" {
		n.Status = i.State
	}
	say(&n, kept)
	r.tell(n)
	return nil
}

// say puts what happened into news.
func say(n *hub.News, all []happened) {
	var whats, who []string
	counts := map[string]int{}
	for _, h := range all {
		if counts[h.what]++; counts[h.what] == 1 {
			whats = append(whats, h.what)
		}
		if h.by != "" && !slices.Contains(who, h.by) && len(who) < 5 {
			who = append(who, h.by)
		}
		if h.words != "" {
			n.Excerpt, _ = plaintext.Excerpt(strings.Join(strings.Fields(parts.Shown(h.words)), " "), changeExcerpt)
			n.Outsider = n.Outsider || h.outsider
		}
	}
	for i, what := range whats {
		if counts[what] > 1 {
			whats[i] = fmt.Sprintf("%s %d times", what, counts[what])
		}
	}
	if len(whats) > 0 {
		n.What, n.Who = strings.Join(whats, ", "), strings.Join(who, ", ")
	}
}

// happenedTo returns what is known to have happened to an issue since a time, and whether its
// comments were read.
func (r *changeReader) happenedTo(ctx context.Context, i github.Issue, since time.Time) (all []happened, whole bool, err error) {
	if !i.CreatedAt.Before(since) {
		all = append(all, happened{what: "created", by: i.Author, words: i.Body, at: i.CreatedAt})
	}
	if i.ClosedAt != nil && !i.ClosedAt.Before(since) {
		all = append(all, happened{what: "closed", at: *i.ClosedAt})
	}
	if i.Comments == 0 {
		return all, true, nil
	}
	if r.left < 4 { // the rest is for the searches and the boards
		return all, false, nil
	}
	r.left--
	comments, err := r.GitHub.CommentsSince(ctx, i.Repo, i.Number, since)
	for _, c := range comments {
		h := happened{what: "commented", by: string(c.Author), words: c.Body, at: c.CreatedAt, outsider: github.Outsider(c.Association)}
		if c.CreatedAt.Before(since) {
			h.what, h.at = "comment edited", c.UpdatedAt
		}
		all = append(all, h)
	}
	return all, err == nil, err
}
