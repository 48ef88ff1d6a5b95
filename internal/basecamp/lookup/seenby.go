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

// Readership finds out who sees the projects of an answer.
type Readership struct {
	rs *Resolver
}

// Readership starts to read who sees the project that a call names, beside what the call reads.
func (rs *Resolver) Readership(ctx context.Context, named int64) Readership {
	r := Readership{rs}
	if named != 0 && r.Readers(ctx, named) == "" {
		Expect(ctx, named, rs.peopleOn)
	}
	return r
}

// Readers returns who sees a project, or "" if that is not remembered.
func (r Readership) Readers(ctx context.Context, project int64) string {
	words, _, _ := r.rs.seenBy.get(ctx, project)
	return words
}

// reads starts to read who sees projects, for the first of those of which that is not remembered,
// all at once. It returns the extras that wait for it.
func (r Readership) reads(ctx context.Context, projects []ProjectRef) (parts []Extra) {
	for _, p := range DistinctProjects(projects) {
		if len(parts) == maxSeenBy {
			break
		}
		if r.Readers(ctx, p.ID) != "" {
			continue
		}
		Expect(ctx, p.ID, r.rs.peopleOn)
		parts = append(parts, Extra{"seen_by", func(ctx context.Context) error { _, err := r.rs.peopleOn(ctx, p.ID); return err }})
	}
	return parts
}

// Read reads who sees projects, together with other extras of the answer.
func (r Readership) Read(ctx context.Context, projects []ProjectRef, others ...Extra) (Gaps, error) {
	left, err := Extras(ctx, append(others, r.reads(ctx, projects)...)...)
	left.LeftOut = slices.Compact(left.LeftOut)
	return left, err
}

// ByName returns who sees projects. The second of two projects of the same name has its ID there
// too.
func (r Readership) ByName(ctx context.Context, projects []ProjectRef) SeenByName {
	v := SeenByName{map[string]string{}}
	for _, p := range DistinctProjects(projects) {
		name := p.Name
		if v.SeenBy[name] != "" {
			name = fmt.Sprintf("%s (%d)", p.Name, p.ID)
		}
		if words := r.Readers(ctx, p.ID); words != "" {
			v.SeenBy[name] = words
		}
	}
	return v
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
