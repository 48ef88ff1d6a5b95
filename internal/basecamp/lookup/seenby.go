package lookup

import (
	"context"
	"fmt"
	"slices"

	"basecamp-mcp/internal/basecamp"
)

// maxSeenBy is the number of projects whose people one call reads to say who sees them: each costs
// a request. An answer does not say it of further projects. What was read is remembered, so that
// the next call reads those.
const maxSeenBy = 4

// SeenByName says who sees the projects of an answer, by name: "2 people" or "9 people, client:
// yes".
type SeenByName struct {
	SeenBy map[string]string `json:"seen_by,omitempty"`
}

// ExpectReadership starts to read who sees the project that a call names, beside what the call
// reads.
func (rs *Resolver) ExpectReadership(ctx context.Context, named int64) {
	if named != 0 && rs.Readership(ctx, named) == "" {
		Expect(ctx, named, rs.peopleOn)
	}
}

// Readership returns who sees a project, or "" if that is not remembered.
func (rs *Resolver) Readership(ctx context.Context, project int64) string {
	words, _, _ := rs.seenBy.get(ctx, project)
	return words
}

// ReadReadership reads who sees projects, together with other extras of the answer: of the first of
// those of which that is not remembered, all at once.
func (rs *Resolver) ReadReadership(ctx context.Context, projects []ProjectRef, parts ...Extra) (Gaps, error) {
	most := len(parts) + maxSeenBy
	for _, p := range DistinctProjects(projects) {
		if len(parts) == most {
			break
		}
		if rs.Readership(ctx, p.ID) != "" {
			continue
		}
		Expect(ctx, p.ID, rs.peopleOn)
		parts = append(parts, Extra{"seen_by", func(ctx context.Context) error { _, err := rs.peopleOn(ctx, p.ID); return err }})
	}
	left, err := Extras(ctx, parts...)
	left.LeftOut = slices.Compact(left.LeftOut)
	return left, err
}

// ReadershipByName returns who sees projects, as far as that is remembered. The second of two
// projects of the same name has its ID there too.
func (rs *Resolver) ReadershipByName(ctx context.Context, projects []ProjectRef) SeenByName {
	v := SeenByName{map[string]string{}}
	for _, p := range DistinctProjects(projects) {
		name := p.Name
		if v.SeenBy[name] != "" {
			name = fmt.Sprintf("%s (%d)", p.Name, p.ID)
		}
		if words := rs.Readership(ctx, p.ID); words != "" {
			v.SeenBy[name] = words
		}
	}
	return v
}

// ReadershipByID does the same by the IDs of projects.
func (rs *Resolver) ReadershipByID(ctx context.Context, projects []ProjectRef) map[int64]string {
	seen := map[int64]string{}
	for _, p := range projects {
		if words := rs.Readership(ctx, p.ID); words != "" {
			seen[p.ID] = words
		}
	}
	return seen
}

// DistinctProjects returns projects, each once, in their order.
func DistinctProjects(projects []ProjectRef) (all []ProjectRef) {
	for _, p := range projects {
		if p.ID != 0 && !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all
}

// ProjectsIn returns the projects of items.
func ProjectsIn[T any](items []T, of func(T) basecamp.Bucket) []ProjectRef {
	all := make([]ProjectRef, len(items))
	for i, item := range items {
		all[i] = ViewBucket(of(item))
	}
	return DistinctProjects(all)
}

// SeenByWords counts people, without integrations, and says whether some are of a client.
func SeenByWords(people []basecamp.Person) string {
	readers := Matching(people, func(p basecamp.Person) bool { return p.Type != "Integration" })
	words := fmt.Sprintf("%d people", len(readers))
	switch {
	case len(readers) == 0:
		return ""
	case len(readers) == 1:
		words = "1 person"
	}
	if slices.ContainsFunc(readers, IsClient) {
		words += ", client: yes"
	}
	return words
}
