package basecamptools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/memo"
	"basecamp-mcp/internal/plaintext"
)

// reportAudience are the members of the project to whom a report is read; nil for the caller alone.
type reportAudience struct {
	project lookup.ProjectRef
	members []basecamp.Person
}

// readAudience reads the members of the project that the call names as its audience. The word
// project means the report's own.
func (rs *resolver) readAudience(ctx context.Context, in getReportInput) (*reportAudience, error) {
	named := in.Audience
	if strings.EqualFold(named.Name, "project") {
		named = in.Project
	}
	switch {
	case in.Audience.IsZero():
		return nil, nil
	case named.IsZero():
		return nil, fault.Invalid("audience", `"project" means the project of the report; give project too, or name another project here`)
	}
	project, err := rs.Project(ctx, "audience", named)
	if err != nil {
		return nil, err
	}
	members, err := rs.People(ctx, project.ID, memo.Life)
	return &reportAudience{lookup.ProjectRef{ID: project.ID, Name: lookup.ProjectName(project)}, members}, err
}

// withhold leaves out what a member of the audience's project cannot see: everything in a project
// on which one of them is not, and what its clients do not see if clients are among them.
func (to *reportAudience) withhold(ctx context.Context, rs *resolver, f *reportFound) (lookup.Gaps, error) {
	members, err := rs.membersOf(ctx, f.projects())
	if err != nil {
		return lookup.Gaps{}, err
	}
	clients := slices.ContainsFunc(to.members, lookup.IsClient)
	a := rs.Audience(ctx)
	hidden := 0
	for _, section := range []*[]found{&f.completed, &f.overdue, &f.upcoming, &f.messages} {
		shows, err := listing.InParallel(ctx, *section, func(_ context.Context, item found) (bool, error) {
			if item.project.ID != to.project.ID && !to.within(members[item.project.ID]) {
				return false, nil
			}
			return !clients || a.Shows(item.is), nil
		})
		if err != nil {
			return lookup.Gaps{}, err
		}
		var kept []found
		for i, item := range *section {
			if shows[i] {
				kept = append(kept, item)
			}
		}
		hidden += len(*section) - len(kept)
		*section = kept
	}
	if hidden == 0 {
		return lookup.Gaps{}, nil
	}
	return lookup.Gaps{LeftOut: []string{fmt.Sprintf("%d items that not all members of %s can see, as audience asks", hidden, plaintext.Quote(to.project.Name))}}, nil
}

// toAudience leaves out what the audience cannot see, and reads who sees each project.
func (rs *resolver) toAudience(ctx context.Context, to *reportAudience, f *reportFound, left lookup.Gaps) (lookup.Gaps, error) {
	if to != nil {
		withheld, err := to.withhold(ctx, rs, f)
		if err != nil {
			return left, err
		}
		left.LeftOut = append(left.LeftOut, withheld.LeftOut...)
	}
	unseen, err := rs.ReadReadership(ctx, f.projects())
	left.LeftOut = append(left.LeftOut, unseen.LeftOut...)
	f.seenBy = rs.ReadershipByID(ctx, f.projects())
	return left, err
}

// within reports whether all members of the audience's project are among people.
func (to *reportAudience) within(people []basecamp.Person) bool {
	return !slices.ContainsFunc(to.members, func(p basecamp.Person) bool { return !lookup.IsAmong(people, p.ID) })
}

// membersOf reads the people on projects, by project.
func (rs *resolver) membersOf(ctx context.Context, projects []lookup.ProjectRef) (map[int64][]basecamp.Person, error) {
	read, err := listing.InParallel(ctx, projects, func(ctx context.Context, p lookup.ProjectRef) ([]basecamp.Person, error) {
		return rs.People(ctx, p.ID, memo.Life)
	})
	members := map[int64][]basecamp.Person{}
	for i, p := range projects {
		members[p.ID] = read[i]
	}
	return members, err
}

// projects returns the projects of a report, each once.
func (f reportFound) projects() []lookup.ProjectRef {
	var all []lookup.ProjectRef
	for _, item := range slices.Concat(f.completed, f.overdue, f.upcoming, f.messages) {
		all = append(all, item.project)
	}
	return lookup.DistinctProjects(all)
}
