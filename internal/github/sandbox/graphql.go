package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"basecamp-mcp/internal/github/schema"
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

// graphQL answers a document and returns its cost in points. Refusals have status 200.
func (s *Server) graphQL(r *http.Request, t *token, body []byte) (answer reply, cost int) {
	if r.Method != http.MethodPost {
		return notFound(""), 1
	}
	var in struct {
		Query     *string         `json:"query"`
		Variables json.RawMessage `json:"variables"`
		Operation string          `json:"operationName"`
	}
	if json.Unmarshal(body, &in) != nil {
		return refused(http.StatusBadRequest, "Problems parsing JSON", ""), 1
	}
	if in.Query == nil {
		return failed(&problem{Message: "A query attribute must be specified and must be a string."}), 1
	}
	x := &run{s: s, t: t, schema: s.schema, origin: origin(r)}
	op, problems := x.prepare(*in.Query, in.Operation, in.Variables)
	if len(problems) > 0 {
		return failed(problems...), 1
	}
	w := x.weigh(op)
	if w.refusal != nil {
		return failed(w.refusal), w.points()
	}
	x.weight = w
	answer = x.execute(op)
	return answer, w.points()
}

// failed returns an answer without data.
func failed(problems ...*problem) reply {
	return replyWith(http.StatusOK, map[string]any{"errors": problems})
}

// prepare parses and validates a document, and reads its variables.
func (x *run) prepare(document, name string, variables json.RawMessage) (op *ast.OperationDefinition, problems []*problem) {
	parsed, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: document}, maxTokens)
	if err != nil {
		return nil, invalidDocument(asList(err))
	}
	if errs := validator.ValidateWithRules(x.schema, parsed, rules.NewDefaultRules()); len(errs) > 0 {
		return nil, invalidDocument(errs)
	}
	op = parsed.Operations.ForName(name)
	if op == nil {
		return nil, []*problem{{Message: "No operation was named, or there is none with this name."}}
	}
	values := map[string]any{}
	if len(variables) > 0 && string(variables) != "null" {
		decoder := json.NewDecoder(bytes.NewReader(variables))
		decoder.UseNumber()
		if err := decoder.Decode(&values); err != nil {
			return nil, []*problem{{Message: "Variables must be an object."}}
		}
	}
	if x.variables, err = validator.VariableValues(x.schema, op, values); err != nil {
		list := asList(err)
		return nil, []*problem{{Message: list[0].Message, Extensions: map[string]any{"problems": []string{list[0].Message}}}}
	}
	return op, nil
}

func asList(err error) gqlerror.List {
	if one := (*gqlerror.Error)(nil); errors.As(err, &one) {
		return gqlerror.List{one}
	}
	return gqlerror.List{{Message: err.Error()}}
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
	r := replyWith(http.StatusOK, body)
	switch {
	case x.ssoURL != "":
		r.header.Set("X-Github-Sso", "required; url="+x.ssoURL)
	case len(x.leftOut) > 0:
		ids := apply(x.leftOut, func(a *account) string { return strconv.FormatInt(a.id, 10) })
		r.header.Set("X-Github-Sso", "partial-results; organizations="+strings.Join(ids, ","))
	}
	return r
}

// admit refuses what belongs to an owner whose single sign-on the token lacks.
func (x *run) admit(owner *account) error {
	if !x.t.lacksSSO(owner) {
		return nil
	}
	x.ssoURL = ssoURL(x.origin, owner, x.t)
	p := problemf("FORBIDDEN", "%s", samlRefusal)
	p.Extensions = map[string]any{"saml_failure": true}
	return p
}

// leaveOut notes an organization whose part is missing from a list.
func (x *run) leaveOut(owner *account) {
	if !slices.Contains(x.leftOut, owner) {
		x.leftOut = append(x.leftOut, owner)
	}
}

func (x *run) url(format string, args ...any) string { return x.origin + fmt.Sprintf(format, args...) }
