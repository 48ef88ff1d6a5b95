package githubtools

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/github/githubtools/boards"
	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/own/hub"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
)

// scanned is a board, and where its reading ended. GitHub cannot sort items by their change, so a
// reading goes through all of them, in several calls if there are many.
type scanned struct {
	ID    string `json:"i"`
	Name  string `json:"n"` // owner/number
	Read  int64  `json:"r"` // what changed before was told
	Until int64  `json:"u,omitempty"`
	After string `json:"a,omitempty"` // the item after which a reading that ends at Until goes on
}

func (r *changeReader) boardsAreDue() bool {
	return r.now.Sub(time.Unix(r.place.Listed, 0)) >= boardPause
}

// boards reads the boards that are due.
func (r *changeReader) boards(ctx context.Context) error {
	if r.boardsAreDue() {
		if err := r.listBoards(ctx); err != nil || r.full {
			return err
		}
	}
	for _, b := range slices.Clone(r.place.Boards) {
		if b.Until == 0 {
			continue
		}
		r.scans = true
		err := r.scan(ctx, b)
		if fault.Is(err, fault.NotFound) { // the user may no longer see it
			r.place.Boards = slices.DeleteFunc(r.place.Boards, func(o *scanned) bool { return o == b })
			continue
		}
		if err != nil || r.full {
			return err
		}
	}
	return nil
}

// listBoards lists the caller's open boards and begins to read them. A board that is new since the
// last time is read from then on.
func (r *changeReader) listBoards(ctx context.Context) error {
	if err := r.GitHub.Require(ctx, boards.ReadProjects); err != nil {
		return err
	}
	boards, err := r.openBoards(ctx)
	if err != nil || r.full {
		return err
	}
	if len(boards) > mostBoards {
		r.part("github boards", fault.New(fault.LimitReached, "only %d of %d boards are read", mostBoards, len(boards)))
		boards = boards[:mostBoards]
	}
	begins := r.Since.Unix()
	if r.place.Listed != 0 {
		begins = r.place.Listed
	}
	var all []*scanned
	for _, p := range boards {
		b := &scanned{ID: p.ID, Name: parts.NameOf(p), Read: begins}
		if i := slices.IndexFunc(r.place.Boards, func(o *scanned) bool { return o.ID == p.ID }); i >= 0 {
			b = r.place.Boards[i]
		}
		if b.Until == 0 {
			b.Until = r.until.Unix()
		}
		all = append(all, b)
	}
	r.place.Boards, r.place.Listed = all, r.now.Unix()
	return nil
}

// openBoards returns the boards to which the client is held, or those of the caller and of the
// caller's organizations.
func (r *changeReader) openBoards(ctx context.Context) (all []github.Project, err error) {
	places := r.caller.Fence.Read
	if places == nil {
		if !r.may() {
			return nil, nil
		}
		all, err := r.GitHub.ReachableProjects(ctx, "is:open", parts.PageSize)
		r.missing("github boards", all.Incomplete)
		return all.Items, err
	}
	for _, name := range places.Boards[:min(len(places.Boards), mostBoards)] {
		var ref github.ProjectRef
		ref.Owner, _, _ = strings.Cut(name, "/")
		if _, err := fmt.Sscan(name[len(ref.Owner)+1:], &ref.Number); err != nil || !r.may() {
			return nil, err
		}
		p, err := r.GitHub.Project(ctx, ref)
		switch {
		case fault.Is(err, fault.NotFound):
		case err != nil:
			return nil, err
		default:
			all = append(all, p.Project)
		}
	}
	return all, nil
}

// scan goes on to read a board.
func (r *changeReader) scan(ctx context.Context, b *scanned) error {
	for r.may() {
		page, err := r.GitHub.Items(ctx, b.ID, parts.PageSize, b.After)
		if err != nil {
			return err
		}
		for _, i := range page.Items {
			if r.tellItem(b, i); r.full {
				return nil
			}
			b.After = i.Cursor
		}
		if b.After = page.Next; page.Next == "" {
			b.Read, b.Until = b.Until, 0
			return nil
		}
	}
	return nil
}

// tellItem tells an item of a board if it changed in the time that is read.
func (r *changeReader) tellItem(b *scanned, i github.Item) {
	from, until := time.Unix(b.Read, 0), time.Unix(b.Until, 0)
	at := i.UpdatedAt
	var whats []string
	if !i.CreatedAt.Before(from) {
		whats = append(whats, "added")
	}
	for _, v := range i.Values {
		if v.UpdatedAt.After(at) {
			at = v.UpdatedAt
		}
		if !v.UpdatedAt.Before(from) && len(whats) < 4 {
			whats = append(whats, plaintext.Label(fmt.Sprintf("%s: %v", v.Field.Name, v.Value), 60))
		}
	}
	switch {
	case i.Type == github.RedactedItem, at.Before(from), !at.Before(until):
		return
	case r.Mine && !slices.ContainsFunc(i.Assignees, func(login string) bool { return strings.EqualFold(login, r.me) }):
		return
	}
	ref := parts.ItemRef(i.Repo, i.Number)
	if r.own(at, i.ID, i.ContentID, ref) {
		r.told.Excluded++
		return
	}
	n := hub.News{
		At: changedAt(at), Item: ref, Title: plaintext.Label(i.Title, changeTitle), What: changed, Board: b.Name,
		Assignees: i.Assignees[:min(len(i.Assignees), 3)], Outsider: i.Withheld,
	}
	if ref == "" { // a draft
		n.Item = i.ID
	}
	if len(whats) > 0 {
		n.What = strings.Join(whats, ", ")
	}
	switch {
	case i.Archived:
		n.Status = "archived"
	case i.State != "" && i.State != "open":
		n.Status = strings.ToLower(i.State)
	}
	r.tell(n)
}
