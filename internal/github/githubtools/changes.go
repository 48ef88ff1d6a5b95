package githubtools

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/hub"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/toolanswer"
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
	now := w.kit.now()
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
	if r.me, err = r.github.Login(ctx); err != nil || r.IncludeMe {
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
