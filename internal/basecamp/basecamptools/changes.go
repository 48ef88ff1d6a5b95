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

const (
	mostChangeBytes = 18_000 // of the items of an answer: 6,000 tokens
	spareRequests   = 2      // that are left for names after a reading
)

type getChangesInput struct {
	Cursor        string       `json:"cursor,omitzero" jsonschema:"" limits:"maxlen=8000"`
	Since         string       `json:"since,omitzero" jsonschema:"Default 1 day ago"`
	Project       toolargs.Ref `json:"project,omitzero" jsonschema:""`
	Kinds         []string     `json:"kinds,omitzero" jsonschema:"" limits:"enum=todo|card|comment|message|answer|document|upload|todolist|schedule_entry|subtask|folder|question|chat|ping|boost|forward|project"`
	Mine          bool         `json:"mine,omitzero" jsonschema:"Assigned to me, mentions me, or under what I wrote; also pings"`
	ExcludeMe     bool         `json:"exclude_me,omitzero" jsonschema:"Not what this connection wrote" limits:"default=true"`
	ExcludePerson bool         `json:"exclude_person,omitzero" jsonschema:"Not what I did"`
	Sources       []string     `json:"sources,omitzero" jsonschema:"" limits:"enum=github"`
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
	state := changeState{Filter: f, Told: told{}}
	if f.GitHub {
		state.Since = since.Unix()
	}
	state.Readings = [readings]window{
		eventReading: {Read: now.UnixMilli(), Ran: now.UnixMilli()},
		listReading:  {Read: since.UnixMilli(), All: true},
		trashReading: {Read: since.UnixMilli(), Ran: now.UnixMilli()},
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

// changes reads what is new, and moves the state on past what the answer has.
func (r *changeReader) changes(ctx context.Context, first bool) (a changesAnswer, err error) {
	fromFeed, more, err := r.fromFeed(ctx, first)
	if err != nil {
		return a, err
	}
	var byTime []changeNews
	if !more {
		byTime, more, err = r.byTime(ctx)
		if err != nil {
			return a, err
		}
	}
	if a.Gaps, err = r.name(ctx, slices.Concat(fromFeed, byTime)); err != nil {
		return a, err
	}
	if fromFeed, err = r.kept(ctx, fromFeed); err == nil {
		byTime, err = r.kept(ctx, byTime)
	}
	if err != nil {
		return a, err
	}
	rows, feed, times := r.fitting(ctx, fromFeed, byTime)
	if feed < len(fromFeed) { // the rest comes later, and before what is by time
		r.cutFeed(fromFeed[feed].event - 1)
		r.reading, r.covers, times, more = nil, [readings]bool{}, 0, true
	}
	more = r.settle(byTime[:times], times == len(byTime)) || more
	told := slices.Concat(fromFeed[:feed], byTime[:times])
	r.remember(told)
	for _, n := range told {
		if n.excluded {
			a.Excluded++
		}
	}
	a.Projects, a.HasMore = r.byProject(ctx, rows), more
	if a.NotCovered = r.notCovered(first); r.state.Feed == "" && r.state.Filter.hasFeed() {
		a.Source = "timeline"
	}
	return a, nil
}

// fromFeed returns what the feed says, as the items are now. A first call only enters the feed.
func (r *changeReader) fromFeed(ctx context.Context, first bool) (news []changeNews, more bool, err error) {
	if !r.state.Filter.hasFeed() || !first && r.state.Feed == "" {
		return nil, false, nil
	}
	hints, more, err := r.pollFeed(ctx)
	if noFeed(err) {
		if !first {
			r.state.Readings[eventReading] = window{Read: r.state.Polled, Ran: r.state.Polled}
		}
		r.state.Feed, r.state.After = "", 0
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	hints, cut := limited(hints)
	if err := r.again(ctx, hints); err != nil {
		return nil, false, err
	}
	for i, h := range hints {
		missing := r.unread[h.item] || h.boost != 0 && r.unread[h.boost]
		if missing && i > 0 { // the next call begins with it
			hints, cut = hints[:i], true
			break
		}
		if r.gone[h.item] && h.boost == 0 || r.gone[h.boost] {
			continue
		}
		news = append(news, changeNews{hint: h, item: r.items[h.item]})
		r.telling.note(h.item, h.at, true)
	}
	if cut {
		r.cutFeed(hints[len(hints)-1].event)
	}
	return news, more || cut, nil
}

// limited returns the first hints, about as many items as an answer has, and whether it left some
// out.
func limited(hints []hint) ([]hint, bool) {
	items := map[int64]bool{}
	for i, h := range hints {
		if items[h.item] = true; len(items) > mostChanged {
			return hints[:i], true
		}
	}
	return hints, false
}

// byTime does the readings that are due, as far as the requests go.
func (r *changeReader) byTime(ctx context.Context) (news []changeNews, more bool, err error) {
	for reading := range readings {
		switch needs := len(r.sources(reading)); {
		case !r.isDue(reading) || needs == 0:
			continue
		case int64(needs) > r.left.Load()-spareRequests:
			more = true
			continue
		}
		found, err := r.read(ctx, reading)
		if err != nil {
			return nil, false, err
		}
		if hints := r.newsOfTimeline(found); len(hints) > 0 {
			if err := r.again(ctx, hints); err != nil {
				return nil, false, err
			}
		}
		for _, n := range found {
			if n.item.ID == 0 {
				n.item = r.items[n.hint.item]
			}
			if !r.gone[n.hint.item] {
				news = append(news, n)
				r.telling.note(n.hint.item, n.at, false)
			}
		}
	}
	slices.SortStableFunc(news, func(a, b changeNews) int { return b.at.Compare(a.at) })
	return news, more, nil
}

// fitting returns the items that an answer has, and how many of the news are about them: first what
// the feed says, then what is by time, the last first.
func (r *changeReader) fitting(ctx context.Context, fromFeed, byTime []changeNews) (rows []*changeRow, feed, times int) {
	feed, times = len(fromFeed), len(byTime)
	for {
		rows = r.rows(ctx, slices.Concat(fromFeed[:feed], byTime[:times]))
		views := lookup.Mapped(rows, func(row *changeRow) itemNews { return row.view })
		fewer := atOneTime(byTime, times*3/4)
		switch {
		case len(rows) <= mostChanged && toolanswer.Size(views) <= mostChangeBytes:
			return rows, feed, times
		case fewer < times && (fewer > 0 || feed > 0):
			times = fewer
		case feed > 1:
			feed, times = feed*3/4, 0
		default:
			return rows, feed, times
		}
	}
}

// atOneTime returns about n of the news, at least one if there are any. It does not part what
// happened at one moment.
func atOneTime(news []changeNews, n int) int {
	begin := n
	for begin > 0 && begin < len(news) && news[begin].at.Equal(news[begin-1].at) {
		begin--
	}
	if begin > 0 || len(news) == 0 {
		return begin
	}
	end := 1
	for end < len(news) && news[end].at.Equal(news[0].at) {
		end++
	}
	return end
}

// remember notes what the answer tells, where a later reading could tell it again.
func (r *changeReader) remember(news []changeNews) {
	recent := r.now.Add(-2 * changeOverlap)
	for _, n := range news {
		// The lists of these say what the feed does not.
		read := n.kind == lookup.TodoKind.Kind || n.kind == lookup.CardKind.Kind
		fromFeed := n.entry == nil && n.event != 0
		if fromFeed && !read || !fromFeed && n.at.Before(recent) && r.state.Feed != "" {
			continue
		}
		if n.entry != nil {
			r.state.Told.note(-n.event, n.at, false)
		}
		if n.kind != chatWord && n.kind != projectWord {
			r.state.Told.note(n.hint.item, n.at, fromFeed)
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
func (r *changeReader) notCovered(first bool) (words []string) {
	for _, k := range r.state.Filter.wanted(func(changeKind) bool { return true }) {
		byFeed := k.feed != "" && r.state.Feed != "" && !first
		byTimeline := k.word == projectWord || k.word == lookup.ForwardKind.Kind || k.word == lookup.QuestionKind.Kind || k.word == chatWord
		switch {
		case byFeed:
		case r.covers[listReading] && (k.upstream != "" || byTimeline):
		case r.covers[eventReading] && k.word != boostWord && k.word != pingWord && k.word != lookup.ListKind.Kind && k.word != lookup.FolderKind.Kind && k.word != lookup.SubtaskKind.Kind:
		default:
			words = append(words, k.word)
		}
	}
	if !r.covers[trashReading] && len(r.sources(trashReading)) > 0 {
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
