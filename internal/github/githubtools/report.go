package githubtools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/github/githubtools/boards"
	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/naming"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/toolargs"
)

type reportInput struct {
	Project   toolargs.Ref `json:"project,omitzero" jsonschema:"This or repo: owner/5, URL or title"`
	Repo      string       `json:"repo,omitzero" jsonschema:"Name or owner/name, instead of project" limits:"maxlen=1000"`
	Since     string       `json:"since,omitzero" jsonschema:"Default last_7_days" limits:"maxlen=40"`
	alsoOwner `limits:"unlisted"`
	Stuck     int `json:"stuck_days,omitzero" jsonschema:"Default 14" limits:"min=1 max=365"`
}

// alsoOwner is the owner of a project, which its reference can have.
type alsoOwner struct {
	Owner string `json:"owner,omitzero" jsonschema:"Owner" limits:"maxlen=40"`
}

// report says what happened since a time. The counts are exact; the lists are short.
type report struct {
	Of         string             `json:"of"`
	Title      string             `json:"title,omitempty"`
	Since      time.Time          `json:"since"`
	Total      int                `json:"total"` // items, or open issues
	New        *happening         `json:"new"`
	Started    *happening         `json:"started,omitempty"`
	Done       *happening         `json:"done"`
	Stuck      *happening         `json:"stuck"`
	Scope      *happening         `json:"added_to_iteration,omitempty"`
	ByStatus   []counted          `json:"by_status,omitempty"`
	ByPerson   []personCount      `json:"by_person"`
	Hidden     int                `json:"hidden,omitempty"` // items that the user may not see
	Incomplete *github.Incomplete `json:"incomplete,omitempty"`
	Partial    string             `json:"partial,omitempty"`
	Withheld   int                `json:"withheld,omitempty"` // titles that are left out, because outsiders wrote them
}

// happening counts things and lists the first of them.
type happening struct {
	Count int        `json:"count"`
	Items []reported `json:"items,omitempty"`
}

type reported struct {
	Ref    string `json:"ref,omitempty"`
	Title  string `json:"title"`
	Status string `json:"status,omitempty"`
	Since  string `json:"since,omitempty"` // a date
}

type counted struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

type personCount struct {
	Login   string `json:"login"`
	Done    int    `json:"done"`
	Started int    `json:"started,omitempty"`
	Stuck   int    `json:"stuck,omitempty"`
}

const (
	maxReported    = 8  // things of a list in a report
	maxReportPages = 20 // pages of 100 items
	stuckDays      = 14
	reportTitle    = 60 // characters
)

func (k *kit) getReport(ctx context.Context, in reportInput) (report, error) {
	if in.Project.IsZero() == (in.Repo == "") {
		return report{}, fault.Invalid("project", "give either project or repo")
	}
	since, err := k.Since("since", cmp.Or(in.Since, "last_7_days"))
	if err != nil {
		return report{}, err
	}
	stuck := k.Now().UTC().AddDate(0, 0, -cmp.Or(in.Stuck, stuckDays))
	if in.Repo != "" {
		repo, err := k.InRepo(ctx, in.Repo, nil)
		if err != nil {
			return report{}, err
		}
		return k.reportOn(ctx, repo, since, stuck)
	}
	p, err := k.Project(ctx, in.Project, in.Owner, boards.ReadProjects)
	if err != nil {
		return report{}, err
	}
	return k.projectReport(ctx, p, since, stuck)
}

// stages are the options of a project's status: what comes before the work, and what ends it.
type stages struct {
	field       github.Field
	first, last string // IDs of options
}

// stagesOf returns the stages of a project. The last one is the option that says so, or the last.
func stagesOf(p github.ProjectDetails) (s stages) {
	at := slices.IndexFunc(p.Fields.Items, func(f github.Field) bool { return naming.Fold(parts.Bare(f.Name)) == "status" && len(f.Options) > 0 })
	if at < 0 {
		return s
	}
	s.field = p.Fields.Items[at]
	s.first, s.last = s.field.Options[0].ID, s.field.Options[len(s.field.Options)-1].ID
	for _, o := range s.field.Options {
		if slices.Contains([]string{"done", "completed", "complete", "closed", "shipped"}, naming.Fold(parts.Bare(o.Name))) {
			s.last = o.ID
		}
	}
	return s
}

func (k *kit) projectReport(ctx context.Context, p github.ProjectDetails, since, stuck time.Time) (report, error) {
	r := newReport(parts.NameOf(p.Project), since)
	r.Title, r.Incomplete, r.Started, r.Scope = plaintext.Clean(p.Title), p.Incomplete, &happening{}, &happening{}
	s, current := stagesOf(p), currentIteration(p, k.Now())
	counts := map[string]int{}
	items, err := github.Pages(maxReportPages, func(next string) (github.Page[github.Item], error) {
		return k.GitHub.Items(ctx, p.ID, parts.PageSize, next)
	})
	if err != nil {
		return r, err
	}
	r.Incomplete = r.Incomplete.And(items.Incomplete)
	for _, i := range items.Items {
		switch {
		case i.Archived:
		case i.Type == github.RedactedItem:
			r.Hidden++
		default:
			r.count(i, s, current, since, stuck, counts)
		}
	}
	if items.Next != "" {
		r.Partial = fmt.Sprintf("only the first %d items were read", maxReportPages*parts.PageSize)
	}
	for _, o := range s.field.Options {
		r.ByStatus = append(r.ByStatus, counted{plaintext.Clean(o.Name), counts[o.ID]})
	}
	if counts[""] > 0 {
		r.ByStatus = append(r.ByStatus, counted{"none", counts[""]})
	}
	return r.sorted(), nil
}

func newReport(of string, since time.Time) report {
	return report{Of: of, Since: since, New: &happening{}, Done: &happening{}, Stuck: &happening{}, ByPerson: []personCount{}}
}

// currentIteration returns the ID of the iteration of today; empty for none.
func currentIteration(p github.ProjectDetails, now time.Time) string {
	for _, f := range p.Fields.Items {
		open, completed := f.Iterations()
		if found, _ := boards.IterationAt(slices.Concat(open, completed), "@current", now.UTC().Format(time.DateOnly)); found != nil {
			return found.ID
		}
	}
	return ""
}

// count adds an item of a project to the report.
func (r *report) count(i github.Item, s stages, current string, since, stuck time.Time, counts map[string]int) {
	r.Total++
	if i.Withheld {
		r.Withheld++
	}
	one := reported{Ref: parts.ItemRef(i.Repo, i.Number), Title: plaintext.Label(i.Title, reportTitle)}
	var status github.FieldValue
	for _, v := range i.Values {
		if v.Field.ID == s.field.ID {
			status, one.Status = v, plaintext.Clean(fmt.Sprint(v.Value))
		}
		if v.Iteration != nil && v.Iteration.ID == current && current != "" && !v.UpdatedAt.Before(since) {
			r.Scope.add(one)
		}
	}
	counts[status.OptionID]++
	if !i.CreatedAt.Before(since) {
		r.New.add(one)
	}
	one.Since = status.UpdatedAt.UTC().Format(time.DateOnly)
	recent := !status.UpdatedAt.Before(since)
	switch working := status.OptionID != "" && status.OptionID != s.first; {
	case !working:
	case status.OptionID == s.last && recent:
		r.Done.add(one)
		r.each(i.Assignees, func(p *personCount) { p.Done++ })
	case status.OptionID == s.last:
	case recent:
		r.Started.add(one)
		r.each(i.Assignees, func(p *personCount) { p.Started++ })
	case status.UpdatedAt.Before(stuck):
		r.Stuck.add(one)
		r.each(i.Assignees, func(p *personCount) { p.Stuck++ })
	}
}

func (h *happening) add(one reported) {
	if h.Count++; len(h.Items) < maxReported {
		h.Items = append(h.Items, one)
	}
}

// each counts something for people.
func (r *report) each(logins []string, count func(*personCount)) {
	for _, login := range logins {
		at := slices.IndexFunc(r.ByPerson, func(p personCount) bool { return p.Login == login })
		if at < 0 {
			at, r.ByPerson = len(r.ByPerson), append(r.ByPerson, personCount{Login: login})
		}
		count(&r.ByPerson[at])
	}
}

// sorted returns the report with the people who did most first.
func (r report) sorted() report {
	slices.SortStableFunc(r.ByPerson, func(a, b personCount) int {
		return cmp.Or(cmp.Compare(b.Done, a.Done), cmp.Compare(b.Started, a.Started), cmp.Compare(b.Stuck, a.Stuck), strings.Compare(a.Login, b.Login))
	})
	r.ByPerson = r.ByPerson[:min(len(r.ByPerson), 20)]
	return r
}

// reportOn reports on the issues of a repository by GitHub's search, whose totals are exact.
func (k *kit) reportOn(ctx context.Context, repo github.Repo, since, stuck time.Time) (report, error) {
	r := newReport(repo.String(), since)
	at, before := since.UTC().Format(time.RFC3339), stuck.UTC().Format(time.RFC3339)
	open := &happening{}
	all := search{asked: "repo:" + repo.String() + " is:issue"}
	for _, part := range []struct {
		words string
		to    *happening
		count func(*personCount)
	}{
		{"state:open", open, nil},
		{"created:>=" + at, r.New, nil},
		{"state:closed reason:completed closed:>=" + at, r.Done, func(p *personCount) { p.Done++ }},
		{"state:open -no:assignee updated:<" + before, r.Stuck, func(p *personCount) { p.Stuck++ }},
	} {
		found, err := k.GitHub.SearchIssues(ctx, all.asked+" "+part.words, "updated", "desc", "")
		if err != nil {
			if now := k.renamed(ctx, repo, err); now != repo {
				return k.reportOn(ctx, now, since, stuck)
			}
			return r, k.unknownInSearch(ctx, all, github.IssueFilter{}, err)
		}
		for _, i := range found.Items {
			part.to.add(reported{Ref: parts.ItemRef(i.Repo, i.Number), Title: plaintext.Label(i.Title, reportTitle), Since: i.UpdatedAt.UTC().Format(time.DateOnly)})
			if part.count != nil {
				r.each(i.Assignees, part.count)
			}
			if i.Withheld {
				r.Withheld++
			}
		}
		part.to.Count = found.Total
		if found.Total > len(found.Items) && part.count != nil {
			r.Partial = "by_person counts only the latest 100 of each"
		}
		r.Incomplete = r.Incomplete.And(found.Incomplete)
	}
	if r.Total = open.Count; r.Total+r.New.Count+r.Done.Count == 0 {
		if _, _, err := k.checkNames(ctx, all, github.IssueFilter{}); err != nil {
			return r, err
		}
	}
	return r.sorted(), nil
}
