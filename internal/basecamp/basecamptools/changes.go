package basecamptools

import (
	"context"
	"slices"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/hub"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/toolanswer"
	"basecamp-mcp/internal/toolargs"
)

const mostChangeBytes = 18_000 // of the items of an answer: 6,000 tokens

type getChangesInput struct {
	Cursor        string       `json:"cursor,omitzero" jsonschema:"next_cursor" limits:"maxlen=8000"`
	Since         string       `json:"since,omitzero" jsonschema:"Default 1 day ago"`
	Project       toolargs.Ref `json:"project,omitzero" jsonschema:"Only in it"`
	Kinds         []string     `json:"kinds,omitzero" jsonschema:"Default all" limits:"enum=todo|card|comment|message|answer|document|upload|todolist|schedule_entry|subtask|folder|question|chat|ping|boost|forward|project"`
	Mine          bool         `json:"mine,omitzero" jsonschema:"Assigned to me, mentions me, or under what I wrote; also pings"`
	ExcludeMe     bool         `json:"exclude_me,omitzero" jsonschema:"Not what this connection wrote" limits:"default=true"`
	ExcludePerson bool         `json:"exclude_person,omitzero" jsonschema:"Not what I did"`
	Sources       []string     `json:"sources,omitzero" jsonschema:"Also there" limits:"enum=github"`
	accountInput
}

// changesAnswer is what changed. It always has a cursor.
type changesAnswer struct {
	Source     string        `json:"source,omitempty"` // timeline: this account or connection has no event feed
	Since      string        `json:"since,omitempty"`
	Projects   []projectNews `json:"projects"`
	GitHub     []hub.News    `json:"github,omitempty"`
	Excluded   int           `json:"excluded,omitempty"`
	NotCovered []string      `json:"not_covered,omitempty"`
	lookup.Gaps
	HasMore bool   `json:"has_more"`
	Cursor  string `json:"cursor"`
}

func getChanges(rs *resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "get_changes",
		Title:       "What is new",
		Description: "Lists what changed since the last call, each item once as it is now. Go on with its cursor; what is in not_covered comes within 10 minutes.",
	}, func(ctx context.Context, in getChangesInput) (changesAnswer, error) {
		state, project, begin, err := rs.changesAsked(ctx, in)
		if err != nil {
			return changesAnswer{}, err
		}
		r := rs.newChangeReader(ctx, state)
		answer, err := r.changes(ctx, begin != nil)
		if err := rs.verifyProject(ctx, project, err); err != nil {
			return changesAnswer{}, err
		}
		if err := rs.addGitHub(ctx, &r.state, &answer); err != nil {
			return changesAnswer{}, err
		}
		if begin != nil {
			answer.Since = lookup.Understood(*begin)
		}
		answer.Cursor, err = r.state.seal(ctx, r.now)
		return answer, err
	})
}

// changesAsked returns where a call stands: at its cursor or, with its beginning, at since.
func (rs *resolver) changesAsked(ctx context.Context, in getChangesInput) (state changeState, project projectFilter, begin *time.Time, err error) {
	if in.Kinds != nil && len(in.Kinds) == 0 {
		return state, project, nil, fault.Invalid("kinds", "must name a kind; leave it out for all kinds")
	}
	slices.Sort(in.Kinds)
	f := changeFilter{Kinds: slices.Compact(in.Kinds), Mine: in.Mine, IncludeMe: !in.ExcludeMe, ExcludePerson: in.ExcludePerson, GitHub: len(in.Sources) > 0}
	if f.GitHub && (in.Kinds != nil || !in.Project.IsZero()) {
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
	if project, err = rs.filterProject(ctx, in.Project); err == nil && in.Since != "" {
		since, err = rs.Since(ctx, "since", in.Since)
	}
	f.Project = project.id
	return startChanges(f, since, now), project, &since, err
}

// startChanges returns the state of a first call.
func startChanges(f changeFilter, since, now time.Time) changeState {
	low := since.UnixMilli()
	state := changeState{Filter: f, Told: told{}, Listed: low, Trashed: low, Walk: &changeWalk{All: true, Low: low, Until: now.UnixMilli()}}
	if f.GitHub {
		state.Since = since.Unix()
	}
	return state
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

// changes reads what is new, and moves the state on past what the answer has. A walk that goes on
// comes before what the feed says.
func (r *changeReader) changes(ctx context.Context, first bool) (a changesAnswer, err error) {
	var fed, listed []changeNews
	more, goesOn := false, !first && r.state.Walk != nil
	if !goesOn {
		if fed, more, err = r.fromFeed(ctx, first); err == nil && !more && r.state.Walk == nil {
			err = r.beginDue(ctx)
		}
	}
	if err == nil && !more && r.state.Walk != nil {
		err = r.read(ctx)
	}
	if err != nil {
		return a, err
	}
	var walked []changeNews
	for _, s := range r.stages {
		walked = append(walked, s.news...)
	}
	for i, n := range walked {
		if n.item.ID != 0 {
			r.items[n.item.ID] = n.item
		}
		for _, what := range n.happened() {
			what.nth = i
			listed = append(listed, what)
		}
	}
	if a.Gaps, err = r.name(ctx, slices.Concat(fed, listed)); err != nil {
		return a, err
	}
	keptFed, whole, err := r.kept(ctx, fed)
	if err != nil {
		return a, err
	}
	if whole < len(fed) {
		listed = nil
	}
	keptListed, passed, err := r.kept(ctx, listed)
	if err != nil {
		return a, err
	}
	rows, f, l := r.fitting(ctx, keptFed, keptListed)
	if f < len(keptFed) {
		whole = slices.IndexFunc(fed, func(n changeNews) bool { return n.event == keptFed[f].event })
	}
	switch {
	case whole < len(fed): // the rest comes with the next call, and before what the lists say
		r.cutFeed(fed[whole].event - 1)
		if r.stages, more = nil, true; !r.lost {
			r.state.Walk = nil
		}
	case l < len(keptListed):
		walked = walked[:keptListed[l].nth]
	case passed < len(listed):
		walked = walked[:listed[passed].nth]
	}
	r.remember(keptFed[:f], keptListed[:l])
	follows, givenUp := r.settle(len(walked), len(rows) == 0)
	if low := r.state.Told.forget(r.state.Listed - changeOverlap.Milliseconds()); low != 0 {
		r.state.Listed = max(r.state.Listed, low+1+changeOverlap.Milliseconds())
	}
	if givenUp {
		a.LeaveOut("older changes", fault.New(fault.LimitReached, "two calls found none among what they read; ask with kinds or a project for them"))
	}
	for _, n := range slices.Concat(keptFed[:f], keptListed[:l]) {
		if n.excluded {
			a.Excluded++
		}
	}
	a.Projects, a.HasMore = r.byProject(ctx, rows), more || follows || goesOn && len(rows) > 0 // the feed follows
	if a.NotCovered = r.notCovered(); r.state.Feed == "" && r.state.Filter.hasFeed() {
		a.Source = "timeline"
	}
	return a, nil
}

// fitting returns the items that an answer has, and how many of the news are about them: first what
// the feed says, then what the lists say, the last first.
func (r *changeReader) fitting(ctx context.Context, fed, listed []changeNews) (rows []*changeRow, f, l int) {
	f, l = len(fed), len(listed)
	for {
		rows = r.rows(ctx, slices.Concat(fed[:f], listed[:l]))
		views := lookup.Mapped(rows, func(row *changeRow) itemNews { return row.view })
		fewer := l * 3 / 4
		for fewer > 0 && listed[fewer].nth == listed[fewer-1].nth { // of one entry
			fewer--
		}
		switch {
		case len(rows) <= mostChanged && toolanswer.Size(views) <= mostChangeBytes:
			return rows, f, l
		case fewer < l && (fewer > 0 || f > 0):
			l = fewer
		case f > 1:
			f, l = f*3/4, 0
		default:
			return rows, f, l
		}
	}
}

// remember notes what the answer tells, where a later reading could tell it again. A comment
// changes what it is on, too.
func (r *changeReader) remember(fed, listed []changeNews) {
	recent := r.now.Add(-2 * changeOverlap)
	for _, n := range fed {
		if kindNamed(n.kind).reopens() || r.lost || n.at.After(recent) {
			r.state.Told.note(n.hint.item, n.at, true)
		}
		if p := n.item.Parent; p != nil && (kindNamed(lookup.KindOf(p.Type).Kind).reopens() || r.lost) {
			r.state.Told.note(p.ID, n.at, true)
		}
	}
	if r.walked != nil {
		recent = time.UnixMilli(r.walked.Until).Add(-changeOverlap)
	}
	for _, n := range listed {
		switch {
		case n.at.Before(recent):
		case n.entry != nil:
			r.state.Told.note(-n.event, n.at, false)
		default:
			r.state.Told.note(n.item.ID, n.at, false)
		}
	}
}

// byProject groups rows, the oldest change first.
func (r *changeReader) byProject(ctx context.Context, rows []*changeRow) []projectNews {
	slices.SortStableFunc(rows, func(a, b *changeRow) int { return a.last.Compare(b.last) })
	projects := []projectNews{}
	for _, row := range rows {
		i := slices.IndexFunc(projects, func(p projectNews) bool { return p.Project.ID == row.bucket.ID })
		if i < 0 {
			i = len(projects)
			projects = append(projects, projectNews{Project: lookup.ViewBucket(row.bucket)})
		}
		if p := &projects[i]; p.Project.Name == "" {
			p.Project = lookup.ViewBucket(r.bucketOf(ctx, row.bucket))
		}
		projects[i].Items = append(projects[i].Items, row.view)
	}
	return projects
}

// bucketOf returns a project with its name, if that can be known.
func (r *changeReader) bucketOf(ctx context.Context, b basecamp.Bucket) basecamp.Bucket {
	if b.Name == "" && !b.IsPing() && r.may() {
		if p, err := r.ProjectByID(ctx, b.ID); err == nil { // the answer is complete without the name
			b.Name = p.Name
		}
	}
	return b
}

// notCovered returns the kinds that are asked for and that this answer cannot see.
func (r *changeReader) notCovered() (words []string) {
	w := r.walked
	for _, k := range r.state.Filter.wanted(func(changeKind) bool { return true }) {
		listed := k.upstream != "" || k.timeline != ""
		inTimeline := listed && !slices.Contains([]string{lookup.ListKind.Kind, lookup.FolderKind.Kind, lookup.SubtaskKind.Kind}, k.word)
		if !(k.feed != "" && r.polled || w != nil && listed && (w.All || !k.isFed()) || r.glanced && inTimeline) {
			words = append(words, k.word)
		}
	}
	if (w == nil || !w.Trash) && len(r.state.Filter.wanted(func(k changeKind) bool { return k.trashed })) > 0 {
		words = append(words, "trash")
	}
	return words
}

// gitHubTime is how long an answer waits for GitHub.
const gitHubTime = 12 * time.Second

// addGitHub adds what changed on GitHub, as far as the answer has room beside Basecamp's. What
// cannot be read is named, and comes later.
func (rs *resolver) addGitHub(ctx context.Context, s *changeState, a *changesAnswer) error {
	switch {
	case !s.Filter.GitHub:
		return nil
	case rs.github == nil:
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
	got := rs.github(waits, of)
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
