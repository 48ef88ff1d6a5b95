package basecamptools

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

// seenByName says who sees the projects of an answer, by name: "2 people" or "9 people, client:
// yes".
type seenByName struct {
	SeenBy map[string]string `json:"seen_by,omitempty"`
}

// readership finds out who sees the projects of an answer.
type readership struct {
	rs *resolver
}

// readership starts to read who sees the project that a call names, beside what the call reads.
func (rs *resolver) readership(ctx context.Context, named int64) readership {
	r := readership{rs}
	if named != 0 && r.readers(ctx, named) == "" {
		expect(ctx, named, rs.peopleOn)
	}
	return r
}

// readers returns who sees a project, or "" if that is not remembered.
func (r readership) readers(ctx context.Context, project int64) string {
	key, err := keyFor(ctx, r.rs, project)
	if err != nil {
		return ""
	}
	words, _, _ := r.rs.seenBy.get(key)
	return words
}

// reads starts to read who sees projects, for the first of those of which that is not remembered,
// all at once. It returns the extras that wait for it.
func (r readership) reads(ctx context.Context, projects []projectRef) (parts []extra) {
	for _, p := range distinctProjects(projects) {
		if len(parts) == maxSeenBy {
			break
		}
		if r.readers(ctx, p.ID) != "" {
			continue
		}
		expect(ctx, p.ID, r.rs.peopleOn)
		parts = append(parts, extra{"seen_by", func(ctx context.Context) error { _, err := r.rs.peopleOn(ctx, p.ID); return err }})
	}
	return parts
}

// read reads who sees projects, together with other extras of the answer.
func (r readership) read(ctx context.Context, projects []projectRef, others ...extra) (gaps, error) {
	left, err := extras(ctx, append(others, r.reads(ctx, projects)...)...)
	left.LeftOut = slices.Compact(left.LeftOut)
	return left, err
}

// byName returns who sees projects. The second of two projects of the same name has its ID there
// too.
func (r readership) byName(ctx context.Context, projects []projectRef) seenByName {
	v := seenByName{map[string]string{}}
	for _, p := range distinctProjects(projects) {
		name := p.Name
		if v.SeenBy[name] != "" {
			name = fmt.Sprintf("%s (%d)", p.Name, p.ID)
		}
		if words := r.readers(ctx, p.ID); words != "" {
			v.SeenBy[name] = words
		}
	}
	return v
}

// distinctProjects returns projects, each once, in their order.
func distinctProjects(projects []projectRef) (all []projectRef) {
	for _, p := range projects {
		if p.ID != 0 && !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all
}

// projectsIn returns the projects of items.
func projectsIn[T any](items []T, of func(T) basecamp.Bucket) []projectRef {
	all := make([]projectRef, len(items))
	for i, item := range items {
		all[i] = viewBucket(of(item))
	}
	return distinctProjects(all)
}

// seenByWords counts people, without integrations, and says whether some are of a client.
func seenByWords(people []basecamp.Person) string {
	readers := matching(people, func(p basecamp.Person) bool { return p.Type != "Integration" })
	words := fmt.Sprintf("%d people", len(readers))
	switch {
	case len(readers) == 0:
		return ""
	case len(readers) == 1:
		words = "1 person"
	}
	if slices.ContainsFunc(readers, isClient) {
		words += ", client: yes"
	}
	return words
}
