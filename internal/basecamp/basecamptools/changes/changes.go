// Package changes holds get_changes: what is new since a cursor.
package changes

import (
	"context"
	"slices"
	"time"

	"basecamp-mcp/internal/basecamp/basecamptools/overview"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/own/hub"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolanswer"
	"basecamp-mcp/internal/tool/toolargs"
)

// Resolver is parts.Base with the methods of this package.
type Resolver struct {
	*parts.Base
	Overview *overview.Resolver
	GitHub   hub.ReadChanges // what changed on GitHub; nil: the server has no GitHub
}

const mostChangeBytes = 18_000 // of the items of an answer: 6,000 tokens

type getChangesInput struct {
	Cursor        string       `json:"cursor,omitzero" jsonschema:"next_cursor" limits:"maxlen=8000"`
	Since         string       `json:"since,omitzero" jsonschema:"Default 1 day ago"`
	Project       toolargs.Ref `json:"project,omitzero" jsonschema:"Only in it"`
	Kinds         []string     `json:"kinds,omitzero" jsonschema:"Default all" limits:"enum=todo|card|comment|message|answer|document|upload|todolist|schedule_entry|subtask|folder|question|chat|ping|forward|project"`
	Mine          bool         `json:"mine,omitzero" jsonschema:"Assigned to me, mentions me, or under what I wrote; also pings"`
	ExcludeMe     bool         `json:"exclude_me,omitzero" jsonschema:"Not what this connection wrote" limits:"default=true"`
	ExcludePerson bool         `json:"exclude_person,omitzero" jsonschema:"Not what I did"`
	Sources       []string     `json:"sources,omitzero" jsonschema:"Also there" limits:"enum=github"`
	parts.AccountInput
}

// Answer is what changed. It always has a cursor.
type Answer struct {
	Since      string        `json:"since,omitempty"`
	Projects   []projectNews `json:"projects"`
	GitHub     []hub.News    `json:"github,omitempty"`
	Excluded   int           `json:"excluded,omitempty"`
	NotCovered []string      `json:"not_covered,omitempty"`
	listing.Gaps
	HasMore bool   `json:"has_more"`
	Cursor  string `json:"cursor"`
}

// GetChanges returns the tool get_changes.
func GetChanges(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "get_changes",
		Title:       "What is new",
		Description: "Lists what changed since the last call, each item once as it is now. Go on with its cursor; what is in not_covered comes within 10 minutes.",
		Words:       "what changed since",
	}, func(ctx context.Context, in getChangesInput) (Answer, error) {
		state, project, begin, err := rs.changesAsked(ctx, in)
		if err != nil {
			return Answer{}, err
		}
		r := rs.newChangeReader(ctx, state)
		answer, err := r.changes(ctx)
		if err := rs.VerifyProject(ctx, project, err); err != nil {
			return Answer{}, err
		}
		if err := rs.addGitHub(ctx, &r.state, &answer); err != nil {
			return Answer{}, err
		}
		if begin != nil {
			answer.Since = listing.Understood(*begin)
		}
		answer.Cursor, err = r.state.seal(ctx, r.now)
		return answer, err
	})
}

// changesAsked returns where a call stands: at its cursor or, with its beginning, at since.
func (rs *Resolver) changesAsked(ctx context.Context, in getChangesInput) (state changeState, project parts.ProjectFilter, begin *time.Time, err error) {
	slices.Sort(in.Kinds)
	f := changeFilter{Kinds: slices.Compact(in.Kinds), Mine: in.Mine, IncludeMe: !in.ExcludeMe, ExcludePerson: in.ExcludePerson, GitHub: len(in.Sources) > 0}
	if f.GitHub && (len(in.Kinds) > 0 || !in.Project.IsZero()) {
		return state, project, nil, fault.Invalid("sources", "GitHub has no kinds and projects of Basecamp; leave kinds and project out, or ask for GitHub in a call of its own")
	}
	if in.Cursor != "" {
		state, err = openCursor(ctx, in.Cursor, rs.Now())
		if err == nil && !in.Project.IsZero() {
			f.Project, err = rs.ProjectID(ctx, "project", in.Project)
		}
		if err == nil {
			err = state.Filter.repeated(f, in.Since)
		}
		return state, project, nil, err
	}
	now := rs.Now()
	since := now.AddDate(0, 0, -1)
	if project, err = rs.FilterProject(ctx, in.Project); err == nil && in.Since != "" {
		since, err = rs.Since(ctx, "since", in.Since)
	}
	f.Project = project.ID
	low := since.UnixMilli()
	state = changeState{Filter: f, Told: told{}, Listed: low, Trashed: low, Walk: &changeWalk{Low: low, Until: now.UnixMilli()}}
	if f.GitHub {
		state.Since = since.Unix()
	}
	return state, project, &since, err
}

// repeated returns an error if the arguments that a call repeats beside its cursor are not those of
// the cursor.
func (f changeFilter) repeated(asked changeFilter, since string) error {
	differs := asked.Project != 0 && asked.Project != f.Project || asked.Kinds != nil && !slices.Equal(asked.Kinds, f.Kinds) ||
		asked.GitHub && !f.GitHub || asked.Mine && !f.Mine || asked.IncludeMe && !f.IncludeMe || asked.ExcludePerson && !f.ExcludePerson
	if differs || since != "" {
		return badChangeCursor("this cursor belongs to other arguments, which it keeps: leave them out")
	}
	return nil
}

// changes reads what is new, and moves the state on past what the answer has.
func (r *changeReader) changes(ctx context.Context) (a Answer, err error) {
	if r.state.Walk == nil {
		err = r.beginDue(ctx)
	}
	if err == nil && r.state.Walk != nil {
		err = r.read(ctx)
	}
	var news []changeNews
	for _, s := range r.stages {
		news = append(news, s.news...)
	}
	for _, n := range news {
		if n.item.ID != 0 {
			r.items[n.id] = n.item
		}
	}
	if err == nil {
		news, err = r.filter(ctx, news)
	}
	if err != nil {
		return a, err
	}
	rows, news := r.fitting(ctx, news)
	r.remember(news)
	var givenUp bool
	a.HasMore, givenUp = r.settle(len(news), len(rows) == 0)
	if low := r.state.Told.forget(r.state.Listed - changeOverlap.Milliseconds()); low != 0 {
		r.state.Listed = max(r.state.Listed, low+1+changeOverlap.Milliseconds())
	}
	if givenUp {
		a.LeaveOut("older changes", fault.New(fault.LimitReached, "two calls found none among what they read; ask with kinds or a project for them"))
	}
	for _, n := range news {
		for _, s := range n.says {
			if s.excluded {
				a.Excluded++
			}
		}
	}
	a.Projects, a.NotCovered = byProject(rows), r.notCovered()
	return a, nil
}

// fitting returns the items that an answer has, and the news about them.
func (r *changeReader) fitting(ctx context.Context, news []changeNews) ([]*changeRow, []changeNews) {
	for {
		rows := r.rows(ctx, news)
		views := lookup.Mapped(rows, func(row *changeRow) ItemNews { return row.view })
		if len(news) < 2 || len(rows) <= mostChanged && toolanswer.Size(views) <= mostChangeBytes {
			return rows, news
		}
		news = news[:len(news)*3/4]
	}
}

// remember notes what the answer tells, where the next walk reads it again.
func (r *changeReader) remember(news []changeNews) {
	for _, n := range news {
		if n.at.UnixMilli() >= r.walked.Until-changeOverlap.Milliseconds() {
			r.state.Told[n.key] = n.at.UnixMilli()
		}
	}
}

// byProject groups rows, the oldest change first.
func byProject(rows []*changeRow) []projectNews {
	slices.SortStableFunc(rows, func(a, b *changeRow) int { return a.last.Compare(b.last) })
	projects := []projectNews{}
	for _, row := range rows {
		i := slices.IndexFunc(projects, func(p projectNews) bool { return p.Project.ID == row.bucket.ID })
		if i < 0 {
			i = len(projects)
			projects = append(projects, projectNews{Project: lookup.ViewBucket(row.bucket)})
		}
		projects[i].Items = append(projects[i].Items, row.view)
	}
	return projects
}

// notCovered returns what is asked for and this answer cannot see.
func (r *changeReader) notCovered() (words []string) {
	for _, k := range r.state.Filter.wanted(func(Kind) bool { return true }) {
		inTimeline := !slices.Contains([]string{lookup.ListKind.Kind, lookup.FolderKind.Kind, lookup.SubtaskKind.Kind, lookup.PingKind}, k.Word)
		if r.walked == nil && !(r.glanced && inTimeline) {
			words = append(words, k.Word)
		}
	}
	if (r.walked == nil || !r.walked.Trash) && len(r.state.Filter.wanted(func(k Kind) bool { return k.trashed })) > 0 {
		words = append(words, "trash")
	}
	if r.state.Filter.ExcludePerson {
		words = append(words, "edits_who")
	}
	return words
}

// gitHubTime is how long an answer waits for GitHub.
const gitHubTime = 12 * time.Second

// addGitHub adds what changed on GitHub, as far as the answer has room beside Basecamp's. What
// cannot be read is named, and comes later.
func (rs *Resolver) addGitHub(ctx context.Context, s *changeState, a *Answer) error {
	switch {
	case !s.Filter.GitHub:
		return nil
	case rs.GitHub == nil:
		a.LeaveOut("github", fault.New(fault.ToolNotEnabled, "the operator of this server has not configured GitHub"))
		return nil
	}
	of := hub.ChangesOf{
		Since: time.Unix(s.Since, 0), Place: s.GitHub, Mine: s.Filter.Mine, IncludeMe: s.Filter.IncludeMe, ExcludePerson: s.Filter.ExcludePerson,
		Items: mostChanged, Bytes: mostChangeBytes - toolanswer.Size(a.Projects),
	}
	for _, p := range a.Projects {
		of.Items -= len(p.Items)
	}
	waits, cancel := context.WithTimeout(ctx, gitHubTime)
	defer cancel()
	got := rs.GitHub(waits, of)
	s.GitHub = got.Place
	a.GitHub, a.Excluded, a.HasMore = got.News, a.Excluded+got.Excluded, a.HasMore || got.More
	a.NotCovered = append(a.NotCovered, got.NotCovered...)
	for _, part := range got.Failed {
		f := fault.From(part.Err)
		if f.Code == fault.InternalError {
			return part.Err
		}
		a.LeaveOut(part.Name, f)
	}
	return nil
}
