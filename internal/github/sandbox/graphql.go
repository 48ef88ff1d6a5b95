package sandbox

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"basecamp-mcp/internal/github/schema"
	"basecamp-mcp/internal/wire/inprocess"
)

// maxTokens is the largest accepted document in lexical tokens.
const maxTokens = 10_000

func loadSchema(enterprise bool) *ast.Schema {
	sources := []*ast.Source{{Name: "schema.graphql", Input: schema.SDL}}
	if !enterprise {
		sources = append(sources, &ast.Source{Name: "newer.graphql", Input: schema.Newer})
	}
	return gqlparser.MustLoadSchema(sources...)
}

// graphQL answers a document. Refusals have status 200.
func (s *Server) graphQL(r *http.Request, t *token, body []byte) reply {
	refuse(r.Method != http.MethodPost, notFound(""))
	var in struct {
		Query     *string         `json:"query"`
		Variables json.RawMessage `json:"variables"`
		Operation string          `json:"operationName"`
	}
	refuse(json.Unmarshal(body, &in) != nil, refused(http.StatusBadRequest, "Problems parsing JSON", ""))
	refuse(in.Query == nil, failed(&problem{Message: "A query attribute must be specified and must be a string."}))
	x := &run{s: s, t: t, schema: s.schema, origin: inprocess.Origin(r)}
	op := x.prepare(*in.Query, in.Operation, in.Variables)
	x.check(op.SelectionSet)
	return x.execute(op)
}

func failed(problems ...*problem) reply {
	return replyWith(http.StatusOK, map[string]any{"errors": problems})
}

// prepare parses and validates a document, and reads its variables.
func (x *run) prepare(document, name string, variables json.RawMessage) *ast.OperationDefinition {
	parsed, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: document}, maxTokens)
	errs := asList(err)
	if err == nil {
		errs = validator.ValidateWithRules(x.schema, parsed, rules.NewDefaultRules())
	}
	refuse(len(errs) > 0, failed(invalidDocument(errs)...))
	op := parsed.Operations.ForName(name)
	refuse(op == nil, failed(&problem{Message: "No operation was named, or there is none with this name."}))
	values := map[string]any{}
	if len(variables) > 0 && string(variables) != "null" {
		decoder := json.NewDecoder(bytes.NewReader(variables))
		decoder.UseNumber()
		refuse(decoder.Decode(&values) != nil, failed(&problem{Message: "Variables must be an object."}))
	}
	x.variables, err = validator.VariableValues(x.schema, op, values)
	for _, e := range asList(err) {
		refuse(true, failed(&problem{Message: e.Message, Extensions: map[string]any{"problems": []string{e.Message}}}))
	}
	return op
}

func asList(err error) gqlerror.List {
	if one := (*gqlerror.Error)(nil); errors.As(err, &one) {
		return gqlerror.List{one}
	} else if err != nil {
		return gqlerror.List{{Message: err.Error()}}
	}
	return nil
}

// execute carries out an operation. An error does not remove the data of other fields.
func (x *run) execute(op *ast.OperationDefinition) reply {
	root := x.queryRoot()
	if op.Operation == ast.Mutation {
		root = x.mutationRoot()
	}
	data, ok := x.object(root, op.SelectionSet, nil)
	body := map[string]any{"data": data}
	if !ok {
		body["data"] = nil
	}
	if len(x.problems) > 0 {
		body["errors"] = x.problems
	}
	return replyWith(http.StatusOK, body)
}

// maxWeight limits the fields of a document, with fragments filled in.
const maxWeight = 20_000

// check refuses a document before it runs: a connection without its bounds (GitHub Docs, "Rate
// limits and query limits for the GraphQL API"), a field that the token's scopes do not cover, or
// too many fields.
func (x *run) check(set ast.SelectionSet) {
	for _, selection := range set {
		switch s := selection.(type) {
		case *ast.InlineFragment:
			x.check(s.SelectionSet)
		case *ast.FragmentSpread:
			x.check(s.Definition.SelectionSet)
		case *ast.Field:
			x.checkField(s)
		}
	}
}

func (x *run) checkField(f *ast.Field) {
	x.weight++
	refuse(x.weight > maxWeight, failed(problemf("RESOURCE_LIMITS_EXCEEDED", "Resource limits for this query exceeded.")))
	refusal := x.lacks(f)
	if refusal == nil && strings.HasSuffix(f.Definition.Type.Name(), "Connection") && readsEntries(f.SelectionSet) {
		refusal = x.unbounded(f)
	}
	if refusal != nil {
		panic(failed(refusal.located(f.Position)))
	}
	x.check(f.SelectionSet)
}

// readsEntries reports whether a connection is asked for more than its number of entries.
func readsEntries(set ast.SelectionSet) bool {
	return slices.ContainsFunc(set, func(selection ast.Selection) bool {
		switch s := selection.(type) {
		case *ast.Field:
			return s.Name == "nodes" || s.Name == "edges"
		case *ast.FragmentSpread:
			return readsEntries(s.Definition.SelectionSet)
		}
		return false
	})
}

// unbounded returns what is wrong with the number of entries of a connection that a document asks
// for, or nil.
func (x *run) unbounded(f *ast.Field) *problem {
	args, err := x.arguments(f)
	if err != nil {
		return &problem{Message: err.Error()}
	}
	for _, bound := range []string{"first", "last"} {
		switch n, ok := integer(args[bound]); {
		case args[bound] == nil:
			continue
		case !ok || n < 0:
			return problemf("INVALID_PAGINATION", "`%s` on the `%s` connection cannot be less than zero.", bound, f.Name)
		case n > largestPage:
			return problemf("EXCESSIVE_PAGINATION", "Requesting %d records on the `%s` connection exceeds the `%s` limit of %d records.", n, f.Name, bound, largestPage)
		}
		return nil
	}
	return problemf("MISSING_PAGINATION_BOUNDARIES", "You must provide a `first` or `last` value to properly paginate the `%s` connection.", f.Name)
}

// lacks returns the refusal of a field that needs a scope that the token lacks.
func (x *run) lacks(f *ast.Field) *problem {
	needs := ""
	switch kind := f.ObjectDefinition.Name; {
	case kind == "Mutation" && !strings.Contains(f.Name, "ProjectV2"):
	case kind == "Mutation":
		needs = "project"
	case kind == "Organization" && (f.Name == "login" || f.Name == "membersWithRole" || f.Name == "teams"):
		needs = "read:org"
	case f.Name != "__typename" && (kind == "ProjectV2" || kind == "ProjectV2Item"),
		f.Name == "projectV2" || f.Name == "projectsV2" || f.Name == "projectItems":
		needs = "read:project"
	}
	if needs == "" || x.t.has(needs) {
		return nil
	}
	return problemf("INSUFFICIENT_SCOPES", "Your token lacks a scope for this query: the '%s' field requires one of the following scopes: ['%s'], but the token has only: ['%s'].",
		f.Name, needs, strings.Join(x.t.scopes, "', '"))
}

// A problem is an entry of errors in an answer of the GraphQL API.
type problem struct {
	Type       string              `json:"type,omitempty"`
	Path       []any               `json:"path,omitempty"`
	Extensions map[string]any      `json:"extensions,omitempty"`
	Locations  []gqlerror.Location `json:"locations,omitempty"`
	Message    string              `json:"message"`
}

func (p *problem) Error() string { return p.Message }

func problemf(kind, format string, args ...any) *problem {
	return &problem{Type: kind, Message: fmt.Sprintf(format, args...)}
}

func unresolved(id string) *problem {
	return problemf("NOT_FOUND", "Could not resolve to a node with the global id of '%s'", id)
}

func (p *problem) located(position *ast.Position) *problem {
	if position != nil {
		p.Locations = []gqlerror.Location{{Line: position.Line, Column: position.Column}}
	}
	return p
}

// codes has the extensions.code of an invalid document by the rule that it breaks, as far as a
// client may depend on it.
var codes = map[string]string{
	"FieldsOnCorrectType": "undefinedField", "KnownArgumentNames": "argumentNotAccepted", "ProvidedRequiredArguments": "missingRequiredArguments",
	"VariablesInAllowedPosition": "variableMismatch", "KnownTypeNames": "undefinedType", "": "parseError",
}

// invalidDocument returns what is wrong with a document.
func invalidDocument(errs gqlerror.List) []*problem {
	return apply(errs, func(e *gqlerror.Error) *problem {
		code := cmp.Or(codes[e.Rule], "invalidDocument")
		return &problem{Message: strings.TrimSpace(e.Message), Locations: e.Locations, Extensions: map[string]any{"code": code}}
	})
}

// node returns what an ID belongs to, if the person may see it.
func (x *run) node(id string) (any, error) {
	if a := withKey(x.s.accounts, id); a != nil {
		return x.account(a), nil
	}
	for _, p := range x.allProjects() {
		if shown := x.inProject(p, id); shown != nil && x.t.person.sees(p) {
			return shown, nil
		}
	}
	for _, r := range x.s.repos {
		if shown := x.insideRepository(r, id); shown != nil && x.sees(r) {
			return shown, nil
		}
	}
	return nil, unresolved(id)
}

// inProject returns what an ID belongs to in a project, or nil.
func (x *run) inProject(p *project, id string) *object {
	if p.node == id {
		return x.project(p)
	}
	if u := withKey(p.updates, id); u != nil {
		return x.statusUpdate(u)
	}
	if i := withKey(p.items, id); i != nil {
		return x.item(i)
	}
	return nil
}

// insideRepository returns what an ID belongs to in a repository, or nil.
func (x *run) insideRepository(r *repository, id string) *object {
	if r.node == id {
		return x.repository(r)
	}
	for _, i := range r.issues {
		if i.node == id {
			return x.issue(i)
		}
		if m := withKey(i.comments, id); m != nil {
			return x.comment(m)
		}
	}
	return x.milestone(withKey(r.milestones, id))
}

// mustWrite refuses writes to a repository that the token or its state does not allow.
func (x *run) mustWrite(r *repository) {
	refuse(!x.t.has("public_repo", "repo"), problemf("INSUFFICIENT_SCOPES", "Your token lacks a scope for this query: the field requires one of the following scopes: ['public_repo']."))
	refuse(r.archived, problemf("FORBIDDEN", "%s", archived))
}

// issueToEdit returns the issue with a node ID, if the person may change it.
func (x *run) issueToEdit(id string) *issue {
	i := x.issueSeen(id)
	refuse(i.pull, unresolved(id))
	x.mustWrite(i.repository)
	refuse(i.author != x.t.person && x.t.inRepository(i.repository) < mayPush, x.forbids())
	return i
}

// issueSeen returns the issue or pull request with a node ID, if the person sees it.
func (x *run) issueSeen(id string) *issue {
	for _, r := range filter(x.s.repos, x.sees) {
		if i := withKey(r.issues, id); i != nil {
			return i
		}
	}
	panic(unresolved(id))
}
