package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/proof/docstest"
	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/tool/mcptool"
)

// updateGolden makes the tests rewrite the golden files instead of comparing:
// UPDATE_GOLDEN=1 go test ./internal/catalog/tools
var updateGolden = os.Getenv("UPDATE_GOLDEN") != ""

// definitionBudget is the maximum size of the default endpoint's tools, in bytes of names,
// descriptions and input schemas: about 10,500 tokens of every conversation.
const definitionBudget = 42_400

// listBudget is the maximum size of the list of these tools, with what they answer, in bytes.
const listBudget = 158 << 10

// complete returns every toolset, with those that a deployment must configure, and the server's own
// tools.
func complete() []mcptool.Toolset {
	all := Catalog(Sources{GitHub: new(github.Client)})
	builtIn := mcptool.NewServer(all, mcptool.Options{Calls: new(calls.Log)}).BuiltIn()
	builtIn.Name = "always, where a tool writes"
	return append(all, builtIn)
}

// catalog returns the tools of every toolset, sorted by name.
func catalog() []mcptool.Tool {
	var tools []mcptool.Tool
	for _, toolset := range complete() {
		tools = append(tools, toolset.Tools...)
	}
	slices.SortFunc(tools, func(a, b mcptool.Tool) int { return strings.Compare(a.Name, b.Name) })
	return tools
}

func TestToolsets_AreThoseOfTheCatalogue(t *testing.T) {
	var got []string
	for _, toolset := range Catalog(Sources{GitHub: new(github.Client)}) {
		got = append(got, toolset.Name)
	}
	if !slices.Equal(got, Toolsets()) {
		t.Errorf("the catalogue has %v", got)
	}
}

func TestCatalog_EveryToolIsDescribedAndScoped(t *testing.T) {
	seen := map[string]bool{}
	for _, tool := range catalog() {
		if seen[tool.Name] {
			t.Errorf("two tools are called %s", tool.Name)
		}
		seen[tool.Name] = true
		if !strings.HasSuffix(tool.Description, ".") || len(tool.Description) < 40 || len(tool.Description) > 400 {
			t.Errorf("%s: description of %d bytes: %s", tool.Name, len(tool.Description), tool.Description)
		}
		if tool.Scope != identity.Read && tool.Scope != identity.Write {
			t.Errorf("%s: scope %q", tool.Name, tool.Scope)
		}
		for _, schema := range []json.RawMessage{tool.InputSchema(), tool.OutputSchema()} {
			if !bytes.HasPrefix(schema, []byte(`{`)) || !bytes.Contains(schema, []byte(`"type":"object"`)) || bytes.Contains(schema, []byte(`$ref`)) {
				t.Errorf("%s: schema %s", tool.Name, schema)
			}
		}
	}
}

// The Messages API rejects a whole request because of one invalid tool.
func TestCatalog_IsWhatTheMessagesAPITakes(t *testing.T) {
	toolName, propertyName := regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`), regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)
	for _, tool := range catalog() {
		if !toolName.MatchString(tool.Name) {
			t.Errorf("a tool is called %q", tool.Name)
		}
		var top map[string]json.RawMessage
		if err := json.Unmarshal(tool.InputSchema(), &top); err != nil || string(top["type"]) != `"object"` {
			t.Errorf("%s: schema of %s, %v", tool.Name, top["type"], err)
		}
		for _, exotic := range []string{"oneOf", "anyOf", "allOf", "not", "$ref", "$defs", "if"} {
			if top[exotic] != nil {
				t.Errorf("the schema of %s has %s on top", tool.Name, exotic)
			}
		}
		for name := range parseSchema(t, tool.InputSchema()).Properties {
			if !propertyName.MatchString(name) {
				t.Errorf("%s has an argument %q", tool.Name, name)
			}
		}
	}
}

// The caller's token says who the caller is; no argument can say anything else.
func TestCatalog_TakesNoIdentityOfAUser(t *testing.T) {
	for _, tool := range catalog() {
		schema := parseSchema(t, tool.InputSchema())
		for _, never := range []string{"account_id", "user_id", "token", "person_id"} {
			if _, takes := schema.Properties[never]; takes {
				t.Errorf("%s takes %s", tool.Name, never)
			}
		}
	}
}

func TestCatalog_StaysWithinItsBudget(t *testing.T) {
	largest, total := definitionWeights()
	t.Logf("%d bytes in all; the largest: %v", total, largest[:5])
	if total > definitionBudget {
		t.Errorf("the definitions take %d bytes, more than %d", total, definitionBudget)
	}
	w := mcptest.Post(t.Context(), newServer(Catalog(Sources{})...).Handler(mcptool.Selection{}), identity.Caller{}, mcptest.Message("tools/list", ""), nil)
	if size := w.Body.Len(); size > listBudget {
		t.Errorf("the list takes %d bytes, more than %d", size, listBudget)
	}
}

// definition is the size of a tool's definition.
type definition struct {
	tool  string
	bytes int
}

// definitionWeights returns the sizes of the definitions at the default endpoint, largest first.
func definitionWeights() (all []definition, total int) {
	for _, toolset := range complete() {
		if toolset.Optional {
			continue
		}
		for _, tool := range toolset.Tools {
			size := len(tool.Name) + len(tool.Description) + len(tool.InputSchema())
			all = append(all, definition{tool.Name, size})
			total += size
		}
	}
	slices.SortFunc(all, func(a, b definition) int { return b.bytes - a.bytes })
	return all, total
}

// The golden files also say which tools there are, what each requires, its effect and its scope.
func TestCatalog_MatchesItsGoldenFiles(t *testing.T) {
	files := map[string]bool{}
	for name, definition := range listed(t) {
		path := filepath.Join("testdata", "golden", name+".json")
		files[path] = true
		got, err := json.MarshalIndent(definition, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		compareGolden(t, path, append(got, '\n'))
	}
	found, _ := filepath.Glob(filepath.Join("testdata", "golden", "*.json"))
	for _, path := range found {
		if !files[path] {
			t.Errorf("%s is the file of a tool that does not exist; delete it", path)
		}
	}
}

// What the users' models see must not change unnoticed: a tool whose golden file differs from the
// newest tag is named in what CHANGELOG.md says since then. Without a tag, there is nothing to
// differ from.
func TestCatalog_DiffersFromTheLastReleaseOnlyAsTheChangelogSays(t *testing.T) {
	git := func(arguments ...string) string {
		out, _ := exec.CommandContext(t.Context(), "git", arguments...).Output()
		return strings.TrimSpace(string(out))
	}
	tag := git("describe", "--tags", "--abbrev=0", "--match", "v[0-9]*.[0-9]*.[0-9]*", "--exclude", "*-*", "HEAD^")
	changelog, err := os.ReadFile(filepath.Join(docstest.Root(t), "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	since, _, _ := strings.Cut(string(changelog), "## "+strings.TrimPrefix(tag, "v")+"\n")
	for file := range strings.FieldsSeq(git("diff", "--name-only", tag, "--", "testdata/golden")) {
		if tool := strings.TrimSuffix(filepath.Base(file), ".json"); tag != "" && !strings.Contains(since, "`"+tool+"`") {
			t.Errorf("%s differs since %s; name it in CHANGELOG.md", tool, tag)
		}
	}
}

// listed returns what tools/list says about each tool, and its scope, by name.
func listed(t *testing.T) map[string]any {
	t.Helper()
	server := newServer(Catalog(Sources{})...)
	w := mcptest.Post(t.Context(), server.Handler(mcptool.Selection{Toolsets: Toolsets()}), identity.Caller{}, mcptest.Message("tools/list", ""), nil)
	list := mcptest.Result[struct{ Tools []map[string]any }](t, w.Body.Bytes())
	definitions := map[string]any{}
	for _, tool := range list.Tools {
		name := tool["name"].(string)
		scope, _ := server.Scope(mcptool.Selection{Toolsets: Toolsets()}, name)
		tool["scope, not shown"] = scope
		definitions[name] = tool
	}
	return definitions
}

func compareGolden(t *testing.T, path string, got []byte) {
	t.Helper()
	if updateGolden {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; create it with UPDATE_GOLDEN=1", err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("%s differs from the code; read the change, and accept it with UPDATE_GOLDEN=1", path)
	}
}

func TestDocument_ListsTheTools(t *testing.T) {
	var b strings.Builder
	for _, toolset := range complete() {
		fmt.Fprintf(&b, "### %s\n\n| tool | scope | what it does |\n|---|---|---|\n", toolset.Name)
		tools := slices.SortedFunc(slices.Values(toolset.Tools), func(a, b mcptool.Tool) int { return strings.Compare(a.Name, b.Name) })
		for _, tool := range tools {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", tool.Name, tool.Scope, strings.ReplaceAll(tool.Description, "|", `\|`))
		}
		b.WriteByte('\n')
	}
	docstest.Section(t, "docs/tools.md", "tools", b.String())
}

func TestREADME_CountsTheTools(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(docstest.Root(t), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, toolset := range complete() {
		name := "daily"
		if toolset.Optional {
			name = toolset.Name
		}
		counts[name] += len(toolset.Tools)
	}
	for _, want := range []string{
		fmt.Sprintf("%d tools for daily work", counts["daily"]),
		fmt.Sprintf("on request %d for GitHub", counts["github"]),
	} {
		if !strings.Contains(string(readme), want) {
			t.Errorf("README.md does not say: %s", want)
		}
	}
}

// Configuring GitHub changes no conversation that does not use it.
func TestCatalog_ListsTheSameToolsByDefaultWithGitHub(t *testing.T) {
	list := func(toolsets []mcptool.Toolset) string {
		return mcptest.Post(t.Context(), newServer(toolsets...).Handler(mcptool.Selection{}), identity.Caller{}, mcptest.Message("tools/list", ""), nil).Body.String()
	}
	got, want := list(Catalog(Sources{GitHub: new(github.Client)})), list(Catalog(Sources{}))
	if got != want || strings.Contains(got, "github_") || !strings.Contains(got, "list_projects") {
		t.Errorf("%d bytes with GitHub, %d without", len(got), len(want))
	}
}

// node is the part of a JSON Schema that strict clients look at.
type node struct {
	Type       string
	AnyOf      []node
	Items      *node
	Properties map[string]node
	Required   []string
	Enum       []string

	Description string
	Closed      any `json:"additionalProperties"`
}

// problems returns what a strict client warns about.
func (n node) problems(path string) (all []string) {
	if n.Type == "" && n.AnyOf == nil {
		all = append(all, path+" has no type")
	}
	if n.Type == "array" && n.Items == nil {
		all = append(all, path+" does not say what it lists")
	}
	for _, name := range n.Required {
		if _, listed := n.Properties[name]; !listed {
			all = append(all, path+" requires "+name+", which it does not list")
		}
	}
	for i, name := range n.Required {
		if slices.Contains(n.Required[:i], name) {
			all = append(all, path+" requires "+name+" twice")
		}
	}
	for name, property := range n.Properties {
		all = append(all, property.problems(path+"."+name)...)
	}
	for _, choice := range n.AnyOf {
		all = append(all, choice.problems(path+"|")...)
	}
	if n.Items != nil {
		all = append(all, n.Items.problems(path+"[]")...)
	}
	return all
}

func parseSchema(t *testing.T, raw json.RawMessage) (n node) {
	t.Helper()
	if err := json.Unmarshal(raw, &n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestCatalog_EverySchemaSaysTheTypeOfEveryProperty(t *testing.T) {
	for _, tool := range catalog() {
		for _, problem := range slices.Concat(
			parseSchema(t, tool.InputSchema()).problems(tool.Name+" input"), parseSchema(t, tool.OutputSchema()).problems(tool.Name+" output"),
		) {
			t.Error(problem)
		}
	}
}

// Models read a name alone in many ways, and a strict client closes an object that says nothing.
func TestCatalog_EveryArgumentIsDescribed(t *testing.T) {
	for _, tool := range catalog() {
		for _, problem := range parseSchema(t, tool.InputSchema()).bare(tool.Name) {
			t.Error(problem)
		}
	}
}

// bare returns the arguments without a description, and the objects that do not say what they take.
func (n node) bare(path string) (all []string) {
	if n.Type == "object" && n.Properties == nil && n.Closed == nil {
		all = append(all, path+" says neither its properties nor that it takes any")
	}
	for name, property := range n.Properties {
		if property.Description == "" {
			all = append(all, path+"."+name+" has no description")
		}
		all = append(all, property.bare(path+"."+name)...)
	}
	if n.Items != nil {
		all = append(all, n.Items.bare(path+"[]")...)
	}
	return all
}

// A call may use another name for many arguments, such as project_id for project. A schema that
// listed both names would make a strict client send both.
func TestCatalog_ListsEachArgumentUnderOneName(t *testing.T) {
	for _, tool := range catalog() {
		names := map[string]string{}
		for name := range parseSchema(t, tool.InputSchema()).Properties {
			plain := strings.TrimSuffix(strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name)), "id")
			if other, twice := names[plain]; twice {
				t.Errorf("%s lists %s and %s", tool.Name, name, other)
			}
			names[plain] = name
		}
	}
}
