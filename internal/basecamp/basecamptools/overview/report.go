package overview

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/calendar"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/text/when"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolanswer"
	"basecamp-mcp/internal/tool/toolargs"
)

// reportAhead is the number of days after today that the upcoming section covers, unless the period
// ends on a later day. That day is at most mostAhead days after today.
const (
	reportAhead = 7
	mostAhead   = 366
)

type getReportInput struct {
	Project  toolargs.Ref `json:"project,omitzero" jsonschema:"Only in it"`
	Person   toolargs.Ref `json:"person,omitzero" jsonschema:"Id, name or me"`
	From     string       `json:"from,omitzero" jsonschema:"As since"`
	To       string       `json:"to,omitzero" jsonschema:"Last day"`
	Audience toolargs.Ref `json:"audience,omitzero" jsonschema:"project: only what its members see"`
	Format   string       `json:"format,omitzero" jsonschema:"Form" limits:"enum=markdown|structured"`
	Detail   string       `json:"detail,omitzero" jsonschema:"No items" limits:"enum=counts|full"`
	parts.AccountInput
}

// Report is the answer of get_report: a page of Markdown, or the same by project as fields. The
// first and the last day of both windows belong to them.
type Report struct {
	From       string          `json:"from"`
	To         string          `json:"to"`
	UpcomingTo string          `json:"upcoming_to"`
	TimeZone   string          `json:"time_zone"`
	Counts     ReportCounts    `json:"counts"`
	ByPerson   []PersonCounts  `json:"by_person"`
	ByProject  []projectCounts `json:"by_project,omitzero"` // with detail counts, in place of the items
	Markdown   string          `json:"markdown,omitempty"`
	Projects   []ProjectReport `json:"projects,omitzero"`
	// MoreProjects is the number of projects that do not fit.
	MoreProjects int `json:"more_projects,omitempty"`
	listing.Gaps
}

// ReportCounts counts all items, also those that an answer does not show.
type ReportCounts struct {
	Completed int `json:"completed"`
	Overdue   int `json:"overdue"`
	Upcoming  int `json:"upcoming"`
	Messages  int `json:"messages"`
}

type projectCounts struct {
	Project lookup.ProjectRef `json:"project"`
	ReportCounts
}

// PersonCounts counts what a person completed, and which of the person's tasks are overdue, or due
// until upcoming_to. Tasks of several people count for each; those of no one have no ID.
type PersonCounts struct {
	ID      int64  `json:"id,omitzero"`
	Name    string `json:"name"`
	Done    int    `json:"done"`
	Overdue int    `json:"overdue"`
	Due     int    `json:"due"`
}

// ProjectReport is the report on a project.
type ProjectReport struct {
	Project   lookup.ProjectRef `json:"project"`
	SeenBy    string            `json:"seen_by,omitempty"`
	Completed *ReportSection    `json:"completed,omitempty"`
	Overdue   *ReportSection    `json:"overdue,omitempty"`
	Upcoming  *ReportSection    `json:"upcoming,omitempty"`
	Messages  *ReportSection    `json:"messages,omitempty"`
}

// ReportSection shows the first items of a kind. More counts the others.
type ReportSection struct {
	Items []ReportItem `json:"items"`
	More  int          `json:"more,omitempty"`
}

// ReportItem is a line of a report. Day is when it was completed or posted, is due, or begins.
type ReportItem struct {
	Item    string `json:"item"`
	Title   string `json:"title"`
	Day     string `json:"day"`
	At      string `json:"at,omitempty"` // the time of day of an event
	Who     string `json:"who,omitempty"`
	Excerpt string `json:"excerpt,omitempty"`
}

// GetReport returns the tool get_report.
func GetReport(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "get_report",
		Title:       "Weekly report",
		Description: "Reports by Basecamp project on the last 7 days, or other ones: what was completed, is overdue or upcoming, and messages.",
	}, func(ctx context.Context, in getReportInput) (Report, error) {
		rs.expectReported(ctx, in)
		asked, err := rs.reportAsked(ctx, in)
		if err != nil {
			return Report{}, err
		}
		if asked.project.ID != 0 {
			listing.Expect(ctx, asked.project.ID, rs.PeopleOn)
		}
		found, left, err := asked.read(ctx, rs)
		if err == nil {
			left, err = rs.toAudience(ctx, asked.audience, &found, left)
		}
		if err != nil {
			return Report{}, err
		}
		v := Report{
			From: asked.first.Format(time.DateOnly), To: asked.last.Format(time.DateOnly),
			UpcomingTo: asked.ahead.LastDay(),
			TimeZone:   asked.ahead.From.Location().String(), Gaps: left,
			Counts:   ReportCounts{len(found.Completed), len(found.Overdue), len(found.Upcoming), len(found.Messages)},
			ByPerson: found.byPerson(asked.person),
		}
		if in.Detail == "counts" {
			v.ByProject = lookup.Mapped(found.byProject(0), ProjectReport.counts)
			return v, nil
		}
		return v.Fitted(found, in.Format == "structured"), nil
	})
}

// reportAsked is what a report covers: the period that it looks back on, the days that it looks
// ahead to, and the project and person, or 0.
type reportAsked struct {
	back        lookup.Period
	first, last time.Time // days of back
	ahead       calendar.Window
	project     basecamp.Project
	person      int64
	audience    *reportAudience
}

func (rs *Resolver) reportAsked(ctx context.Context, in getReportInput) (asked reportAsked, err error) {
	err = listing.Together(ctx,
		func(ctx context.Context) (err error) {
			asked.back, err = rs.Period(ctx, "from", "to", in.From, in.To, lookup.UsualPeriod)
			if err != nil {
				return err
			}
			today, err := rs.Today(ctx)
			asked.ahead = calendar.Window{From: today, To: when.After(today, reportAhead+1)}
			return err
		},
		func(ctx context.Context) (err error) {
			if !in.Project.IsZero() {
				asked.project, err = rs.Project(ctx, "project", in.Project)
			}
			return err
		},
		func(ctx context.Context) (err error) { asked.audience, err = rs.readAudience(ctx, in); return err },
	)
	if err != nil {
		return asked, err
	}
	zone := asked.ahead.From.Location()
	if isSpan(in.From) { // whole days
		asked.back.From = when.Beginning(asked.back.From.In(zone), zone)
	}
	asked.first, asked.last = asked.back.From.In(zone), asked.back.LastDay(rs.Now()).In(zone)
	if asked.back.To.After(when.After(asked.ahead.From, 1)) {
		asked.ahead.To = when.After(when.Beginning(asked.back.To.Add(-time.Nanosecond).In(zone), zone), 1)
		if asked.ahead.To.After(when.After(asked.ahead.From, mostAhead)) {
			return asked, fault.Invalid("to", "must be within a year, got %s", plaintext.Quote(in.To))
		}
		mcptool.Understood(ctx, fmt.Sprintf("to: %s -> what was done until today, %s, and what is upcoming until %s",
			plaintext.Quote(in.To), asked.last.Format(time.DateOnly), asked.ahead.LastDay()))
	}
	asked.person, err = rs.FilterPerson(ctx, "person", in.Person, parts.ProjectFilter{ID: asked.project.ID})
	return asked, err
}

// ReportFound has the items of all projects, each section in its own order.
type ReportFound struct {
	Completed, Overdue, Upcoming, Messages []Found

	seenBy map[int64]string // by project
}

// Found is what a report found of a kind.
type Found struct {
	Project lookup.ProjectRef
	ReportItem

	is     basecamp.Recording // as far as Basecamp's report says
	people []lookup.Ref       // who completed it, or whose task it is
}

// byPerson returns the counts of each person, or of only one, those of the most tasks first.
func (f ReportFound) byPerson(only int64) []PersonCounts {
	all := []PersonCounts{}
	count := func(items []Found, field func(*PersonCounts) *int) {
		for _, item := range items {
			if len(item.people) == 0 {
				item.people = []lookup.Ref{{Name: "no one"}}
			}
			for _, p := range item.people {
				if only != 0 && p.ID != only {
					continue
				}
				i := slices.IndexFunc(all, func(c PersonCounts) bool { return c.ID == p.ID })
				if i < 0 {
					i, all = len(all), append(all, PersonCounts{ID: p.ID, Name: parts.OneLine(p.Name)})
				}
				*field(&all[i])++
			}
		}
	}
	count(f.Completed, func(c *PersonCounts) *int { return &c.Done })
	count(f.Overdue, func(c *PersonCounts) *int { return &c.Overdue })
	count(lookup.Matching(f.Upcoming, Found.isTask), func(c *PersonCounts) *int { return &c.Due })
	slices.SortFunc(all, func(a, b PersonCounts) int {
		return cmp.Or(cmp.Compare(b.Done+b.Overdue+b.Due, a.Done+a.Overdue+a.Due), cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	return all
}

// isTask reports whether an item is a to-do, a card or a part of one, and no event.
func (f Found) isTask() bool { return f.is.Type != lookup.EntryKind.Upstream }

// byProject returns the reports on the projects, each with at most limit items in a section. The
// projects with the most items come first.
func (f ReportFound) byProject(limit int) []ProjectReport {
	projects := []ProjectReport{}
	sizes := map[int64]int{}
	at := map[int64]int{}
	for n, section := range [][]Found{f.Completed, f.Overdue, f.Upcoming, f.Messages} {
		for _, item := range section {
			id := item.Project.ID
			if _, ok := at[id]; !ok {
				at[id] = len(projects)
				projects = append(projects, ProjectReport{Project: item.Project, SeenBy: f.seenBy[id]})
			}
			sizes[id]++
			projects[at[id]].section(n).add(item.ReportItem, limit)
		}
	}
	slices.SortStableFunc(projects, func(a, b ProjectReport) int {
		return cmp.Or(cmp.Compare(sizes[b.Project.ID], sizes[a.Project.ID]), cmp.Compare(a.Project.Name, b.Project.Name))
	})
	return projects
}

// section returns a section by its number, and makes it on first use.
func (p *ProjectReport) section(n int) *ReportSection {
	at := []**ReportSection{&p.Completed, &p.Overdue, &p.Upcoming, &p.Messages}[n]
	if *at == nil {
		*at = &ReportSection{Items: []ReportItem{}}
	}
	return *at
}

func (p ProjectReport) counts() projectCounts {
	of := func(s *ReportSection) int {
		if s == nil {
			return 0
		}
		return s.More
	}
	return projectCounts{p.Project, ReportCounts{of(p.Completed), of(p.Overdue), of(p.Upcoming), of(p.Messages)}}
}

func (s *ReportSection) add(item ReportItem, limit int) {
	if len(s.Items) == limit {
		s.More++
		return
	}
	s.Items = append(s.Items, item)
}

// MaxReport is the largest size of a report in bytes of JSON, about 10,000 tokens.
const MaxReport = 30_000

// reportLimits are numbers of items in a section of a project. A report uses the first with which
// it fits.
var reportLimits = []int{200, 100, 50, 25, 15, 10, 8, 6, 5, 4, 3, 2, 1, 0}

// Fitted returns the longest report that fits, with the projects as fields or as Markdown. If it is
// too long without a single item, it leaves out projects, and counts them.
func (v Report) Fitted(f ReportFound, structured bool) Report {
	with := func(v Report, projects []ProjectReport) Report {
		if structured {
			v.Projects = projects
		} else {
			v.Markdown = v.page(projects)
		}
		return v
	}
	var projects []ProjectReport
	for _, limit := range reportLimits {
		projects = f.byProject(limit)
		if full := with(v, projects); toolanswer.Size(full) <= MaxReport {
			return full
		}
	}
	for all := len(projects); ; {
		projects = projects[:len(projects)*3/4]
		v.MoreProjects = all - len(projects)
		if short := with(v, projects); len(projects) == 0 || toolanswer.Size(short) <= MaxReport {
			return short
		}
	}
}

// page writes the report as Markdown. Titles and names from Basecamp are kept within a line.
func (v Report) page(projects []ProjectReport) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Report %s to %s\n\n", v.From, v.To)
	fmt.Fprintf(&b, "%d completed, %d overdue now, %d upcoming until %s, %d messages posted.\n",
		v.Counts.Completed, v.Counts.Overdue, v.Counts.Upcoming, v.UpcomingTo, v.Counts.Messages)
	for _, part := range v.LeftOut { // before the projects, because its count above is 0
		fmt.Fprintf(&b, "\nNot in this report: %s\n", part)
	}
	for _, p := range projects {
		fmt.Fprintf(&b, "\n## %s\n", parts.OneLine(p.Project.Name))
		if p.SeenBy != "" {
			fmt.Fprintf(&b, "Seen by %s\n", p.SeenBy)
		}
		p.Completed.write(&b, "Completed")
		p.Overdue.write(&b, "Overdue")
		p.Upcoming.write(&b, "Upcoming")
		p.Messages.write(&b, "Messages")
	}
	if v.MoreProjects > 0 {
		fmt.Fprintf(&b, "\n%d more projects are not shown; report on one with project.\n", v.MoreProjects)
	}
	return b.String()
}

// write writes a section under its name. A section without items to show is only counted.
func (s *ReportSection) write(b *strings.Builder, name string) {
	switch {
	case s == nil:
		return
	case len(s.Items) == 0:
		fmt.Fprintf(b, "%s: %d\n", name, s.More)
		return
	}
	fmt.Fprintf(b, "%s:\n", name)
	for _, item := range s.Items {
		item.write(b)
	}
	if s.More > 0 {
		fmt.Fprintf(b, "- and %d more\n", s.More)
	}
}

func (i ReportItem) write(b *strings.Builder) {
	fmt.Fprintf(b, "- %s (%s) %s", i.Title, i.Item, shortDay(i.Day))
	if i.At != "" {
		b.WriteString(" " + i.At)
	}
	if i.Who != "" {
		b.WriteString(", " + i.Who)
	}
	if i.Excerpt != "" {
		b.WriteString(": " + i.Excerpt)
	}
	b.WriteByte('\n')
}

// shortDay returns a date with its weekday: Fri 2026-11-20.
func shortDay(date string) string {
	day, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return date
	}
	return day.Format("Mon " + time.DateOnly)
}

// isSpan reports whether a text names a number of days or months back, such as last_7_days. An
// empty text stands for such a span.
func isSpan(text string) bool {
	return text == "" || strings.HasPrefix(strings.ToLower(strings.TrimSpace(text)), "last_")
}
