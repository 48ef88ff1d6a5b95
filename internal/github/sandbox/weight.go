package sandbox

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

const (
	maxNodes  = 500_000 // GitHub Docs, "Rate limits and query limits for the GraphQL API"
	maxWeight = 20_000  // fields of a document, with fragments filled in
)

// A weight is what a document costs before it runs: the nodes that it can return, and the requests
// that its connections take.
type weight struct {
	nodes    int
	requests int
	fields   int
	refusal  *problem
}

// points returns the cost: one hundredth of the requests, at least 1.
func (w weight) points() int { return max(1, (w.requests+50)/100) }

// weigh walks through an operation. It refuses connections without a limit, documents that ask for
// too much, and fields that the token's scopes do not cover.
func (x *run) weigh(op *ast.OperationDefinition) weight {
	w := weight{}
	x.weighSet(&w, op.SelectionSet, 1)
	return w
}

func (x *run) weighSet(w *weight, set ast.SelectionSet, times int) {
	for _, selection := range set {
		if w.refusal != nil {
			return
		}
		switch s := selection.(type) {
		case *ast.InlineFragment:
			x.weighSet(w, s.SelectionSet, times)
		case *ast.FragmentSpread:
			x.weighSet(w, s.Definition.SelectionSet, times)
		case *ast.Field:
			x.weighField(w, s, times)
		}
	}
}

func (x *run) weighField(w *weight, f *ast.Field, times int) {
	if w.fields++; w.fields > maxWeight {
		w.refusal = problemf("RESOURCE_LIMITS_EXCEEDED", "Resource limits for this query exceeded.")
		return
	}
	if p := x.lacks(f); p != nil {
		w.refusal = p
		return
	}
	if strings.HasSuffix(f.Definition.Type.Name(), "Connection") && readsEntries(f.SelectionSet) {
		size, p := x.size(f)
		if p != nil {
			w.refusal = p
			return
		}
		w.requests += times
		times *= size
		if w.nodes += times; w.nodes > maxNodes {
			w.refusal = problemf("MAX_NODE_LIMIT_EXCEEDED", "This query requests up to %d possible nodes which exceeds the maximum limit of %d.", w.nodes, maxNodes)
			return
		}
	}
	x.weighSet(w, f.SelectionSet, times)
}

// readsEntries reports whether a connection is asked for more than its number of entries.
func readsEntries(set ast.SelectionSet) bool {
	return slices.ContainsFunc(set, func(selection ast.Selection) bool {
		switch s := selection.(type) {
		case *ast.Field:
			return s.Name == "nodes" || s.Name == "edges"
		case *ast.InlineFragment:
			return readsEntries(s.SelectionSet)
		case *ast.FragmentSpread:
			return readsEntries(s.Definition.SelectionSet)
		}
		return false
	})
}

// size returns how many entries of a connection a document asks for.
func (x *run) size(f *ast.Field) (int, *problem) {
	args, err := x.arguments(f)
	if err != nil {
		return 0, (&problem{Message: err.Error()}).located(f.Position)
	}
	for _, bound := range []string{"first", "last"} {
		if args[bound] == nil {
			continue
		}
		n, ok := integer(args[bound])
		switch {
		case !ok || n < 0:
			return 0, problemf("INVALID_PAGINATION", "`%s` on the `%s` connection cannot be less than zero.", bound, f.Name).located(f.Position)
		case n > largestPage:
			return 0, problemf("EXCESSIVE_PAGINATION", "Requesting %d records on the `%s` connection exceeds the `%s` limit of %d records.",
				n, f.Name, bound, largestPage).located(f.Position)
		}
		return n, nil
	}
	return 0, problemf("MISSING_PAGINATION_BOUNDARIES", "You must provide a `first` or `last` value to properly paginate the `%s` connection.", f.Name).
		located(f.Position)
}

// lacks returns the refusal of a field that needs a scope that the token lacks.
func (x *run) lacks(f *ast.Field) *problem {
	needs, names := "", ""
	switch kind := f.ObjectDefinition.Name; {
	case kind == "Mutation" && !strings.Contains(f.Name, "ProjectV2"):
	case kind == "Mutation":
		needs, names = "project", "'project'"
	case kind == "Organization" && (f.Name == "login" || f.Name == "membersWithRole" || f.Name == "teams"):
		needs, names = "read:org", "'read:org'"
	case f.Name != "__typename" && (kind == "ProjectV2" || kind == "ProjectV2Item"),
		f.Name == "projectV2" || f.Name == "projectsV2" || f.Name == "projectItems":
		needs, names = "read:project", "'read:project'"
	}
	if needs == "" || x.t.has(needs) {
		return nil
	}
	granted := strings.Join(apply(x.t.scopes, func(s string) string { return "'" + s + "'" }), ", ")
	return problemf("INSUFFICIENT_SCOPES", "%s", fmt.Sprintf(
		"Your token lacks a scope for this query: the '%s' field requires one of the following scopes: [%s], but the token has only: [%s].",
		f.Name, names, granted)).located(f.Position)
}
