package github

import (
	"cmp"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"basecamp-mcp/internal/github/schema"
)

// ofParts are the variables of documents that can have several parts.
var ofParts = []string{"$o", "$n", "$i", "$l", "$q", "$id", "$input"}

// allDocuments has every document, those with several parts in each number of them. A test that
// sends another one fails.
var allDocuments = sync.OnceValue(func() (all []document) {
	single := slices.Collect(maps.Values(documents()))
	undoing := []string{"deleteIssueComment", "deleteProjectV2StatusUpdate"}
	for _, d := range single {
		if d.mutates() { // what changes something can undo that
			undoing = append(undoing, d.thing[0])
		}
	}
	for _, field := range undoing {
		single = append(single, undoes(field))
	}
	for _, d := range single {
		all = append(all, d)
		head, _, _ := strings.Cut(d.operation, "{")
		more := strings.Contains(head, "(") && !slices.ContainsFunc(variable.FindAllString(head, -1), func(name string) bool { return !slices.Contains(ofParts, name) })
		for n := range maxLookups {
			if more && (!d.mutates() || n < maxMutations) {
				all = append(all, d.of(n+1))
			}
		}
	}
	return all
})

var allRules = rules.NewDefaultRules()

var facts = sync.OnceValues(func() (*ast.Schema, error) {
	return gqlparser.LoadSchema(&ast.Source{Name: "schema.graphql", Input: schema.SDL})
})

func loadedFacts(t testing.TB) *ast.Schema {
	t.Helper()
	s, err := facts()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestDocuments_AskOnlyForWhatGitHubAndEnterpriseServersHave(t *testing.T) {
	for _, d := range allDocuments() {
		s := loadedFacts(t)
		if strings.Contains(d.operation, "StatusUpdate") || strings.Contains(d.operation, "closedByPullRequestsReferences") || strings.Contains(d.operation, "statusUpdates") {
			s = newerFacts(t)
		}
		query, errs := gqlparser.LoadQueryWithRules(s, d.text(), allRules)
		if errs != nil {
			t.Errorf("%s\n%v", d.text(), errs)
			continue
		}
		operation := query.Operations[0]
		if len(query.Operations) != 1 || (operation.Operation == ast.Mutation) != d.mutates() {
			t.Errorf("%s is not one operation of its kind", operation.Name)
		}
		wantLimits(t, operation.Name, operation.SelectionSet)
		if operation.SelectionSet[0].(*ast.Field).Alias == d.thing[0] {
			wantThing(t, operation, d.thing)
		}
	}
}

// wantLimits reports connections whose entries are read without a limit of 1 to 100.
func wantLimits(t *testing.T, name string, selections ast.SelectionSet) {
	t.Helper()
	for _, selection := range selections {
		switch s := selection.(type) {
		case *ast.FragmentSpread:
			wantLimits(t, name, s.Definition.SelectionSet)
		case *ast.InlineFragment:
			wantLimits(t, name, s.SelectionSet)
		case *ast.Field:
			wantLimits(t, name, s.SelectionSet)
			if !strings.HasSuffix(s.Definition.Type.Name(), "Connection") || !readsEntries(s.SelectionSet) {
				continue
			}
			first := cmp.Or(s.Arguments.ForName("first"), s.Arguments.ForName("last"))
			if first == nil {
				t.Errorf("%s: %s has no first", name, s.Name)
				continue
			}
			if n, err := strconv.Atoi(first.Value.Raw); first.Value.Kind != ast.Variable && (err != nil || n < 1 || n > maxPage) {
				t.Errorf("%s: %s has first %s", name, s.Name, first.Value)
			}
		}
	}
}

func readsEntries(selections ast.SelectionSet) bool {
	for _, selection := range selections {
		switch s := selection.(type) {
		case *ast.FragmentSpread:
			return true
		case *ast.Field:
			if s.Name == "nodes" || s.Name == "edges" {
				return true
			}
		}
	}
	return false
}

// wantThing reports a thing that the document does not ask for.
func wantThing(t *testing.T, operation *ast.OperationDefinition, thing []string) {
	t.Helper()
	selections := operation.SelectionSet
	for _, key := range thing {
		var below ast.SelectionSet
		for _, selection := range selections {
			switch s := selection.(type) {
			case *ast.Field:
				if s.Alias == key {
					below = s.SelectionSet
				}
			case *ast.InlineFragment:
				selections = append(selections, s.SelectionSet...)
				for _, inner := range s.SelectionSet {
					if f, ok := inner.(*ast.Field); ok && f.Alias == key {
						below = f.SelectionSet
					}
				}
			}
		}
		if selections = below; below == nil {
			t.Errorf("%s does not ask for %s of %v", operation.Name, key, thing)
			return
		}
	}
}

// newerFacts returns the schema of GitHub, with what an Enterprise Server may lack.
func newerFacts(t testing.TB) *ast.Schema {
	t.Helper()
	s, err := gqlparser.LoadSchema(
		&ast.Source{Name: "schema.graphql", Input: schema.SDL}, &ast.Source{Name: "newer.graphql", Input: schema.Newer})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestFacts_HoldWithTheTypesThatEnterpriseServersLack(t *testing.T) {
	s := newerFacts(t)
	if s.Types["ProjectV2MultiSelectField"] == nil {
		t.Error("the newer types are missing")
	}
	if _, errs := gqlparser.LoadQueryWithRules(s, documents()["Items"].text(), allRules); errs != nil {
		t.Error(errs)
	}
}

// factual fails the test when a request to the GraphQL API is not one that GitHub accepts: its
// document must be one of the documents, with variables of the declared types.
func factual(t testing.TB, through http.RoundTripper) transport {
	return func(r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/graphql") && r.GetBody != nil {
			body, err := r.GetBody()
			if err != nil {
				return nil, err
			}
			raw, _ := io.ReadAll(body)
			wantFactual(t, raw)
		}
		return through.RoundTrip(r)
	}
}

func wantFactual(t testing.TB, raw []byte) {
	t.Helper()
	var sent struct {
		Query     string
		Variables map[string]any
	}
	if err := json.Unmarshal(raw, &sent); err != nil {
		t.Errorf("sent %s: %v", raw, err)
		return
	}
	known := false
	for _, d := range allDocuments() {
		known = known || d.text() == sent.Query
	}
	query, errs := gqlparser.LoadQueryWithRules(loadedFacts(t), sent.Query, allRules)
	if errs != nil || !known {
		t.Errorf("sent a document that the client does not have, or %v: %s", errs, sent.Query)
		return
	}
	if _, err := validator.VariableValues(loadedFacts(t), query.Operations[0], sent.Variables); err != nil {
		t.Errorf("%s: %v", query.Operations[0].Name, err)
	}
	for name := range sent.Variables {
		if query.Operations[0].VariableDefinitions.ForName(name) == nil {
			t.Errorf("%s declares no %s", query.Operations[0].Name, name)
		}
	}
	if first, ok := sent.Variables["first"].(float64); ok && (first < 1 || first > maxPage) {
		t.Errorf("first is %v", first)
	}
}

// A query that does not say it is closed to every client that is held to places.
func TestFence_EveryQuerySaysWhatItsVariablesName(t *testing.T) {
	for _, d := range allDocuments() {
		if !d.mutates() && !slices.Contains([]string{byName, itself, ofBoard, ofIssue}, d.reads) {
			t.Errorf("%s says %q", d.name, d.reads)
		}
	}
}
