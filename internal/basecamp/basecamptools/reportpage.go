package basecamptools

import (
	"fmt"
	"strings"
	"time"

	"basecamp-mcp/internal/toolanswer"
)

// maxReport is the largest size of a report in bytes of JSON, about 10,000 tokens.
const maxReport = 30_000

// reportLimits are numbers of items in a section of a project. A report uses the first with which
// it fits.
var reportLimits = []int{200, 100, 50, 25, 15, 10, 8, 6, 5, 4, 3, 2, 1, 0}

// fitted returns the longest report that fits, with the projects as fields or as Markdown. If it is
// too long without a single item, it leaves out projects, and counts them.
func (v report) fitted(f reportFound, structured bool) report {
	with := func(v report, projects []projectReport) report {
		if structured {
			v.Projects = projects
		} else {
			v.Markdown = v.page(projects)
		}
		return v
	}
	var projects []projectReport
	for _, limit := range reportLimits {
		projects = f.byProject(limit)
		if projects == nil {
			projects = []projectReport{}
		}
		if full := with(v, projects); toolanswer.Size(full) <= maxReport {
			return full
		}
	}
	for all := len(projects); ; {
		projects = projects[:len(projects)*3/4]
		v.MoreProjects = all - len(projects)
		if short := with(v, projects); len(projects) == 0 || toolanswer.Size(short) <= maxReport {
			return short
		}
	}
}

// page writes the report as Markdown. Titles and names from Basecamp are kept within a line.
func (v report) page(projects []projectReport) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Report %s to %s\n\n", v.From, v.To)
	fmt.Fprintf(&b, "%d completed, %d overdue now, %d upcoming until %s, %d messages posted.\n",
		v.Counts.Completed, v.Counts.Overdue, v.Counts.Upcoming, v.UpcomingTo, v.Counts.Messages)
	for _, part := range v.LeftOut { // before the projects, because its count above is 0
		fmt.Fprintf(&b, "\nNot in this report: %s\n", part)
	}
	for _, p := range projects {
		fmt.Fprintf(&b, "\n## %s\n", oneLine(p.Project.Name))
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
func (s *reportSection) write(b *strings.Builder, name string) {
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

// write writes an item: its title, reference, day, people and excerpt.
func (i reportItem) write(b *strings.Builder) {
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
