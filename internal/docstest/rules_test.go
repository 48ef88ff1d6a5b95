package docstest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const rules = "docs/rules.md"

// goFile is a Go file of the repository.
type goFile struct {
	path string // from the root, with slashes
	*ast.File
	fset  *token.FileSet
	lines []string
}

// line returns the line of a position, counted from one.
func (f goFile) line(at token.Pos) int { return f.fset.Position(at).Line }

// goFiles parses all Go files of the repository.
func goFiles(t *testing.T) []goFile {
	t.Helper()
	var files []goFile
	root := os.DirFS(Root(t))
	err := fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") && path != "." || entry.Name() == "node_modules") {
			return fs.SkipDir
		}
		if entry.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		src, err := fs.ReadFile(root, path)
		if err != nil {
			return err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, src, parser.ParseComments|parser.SkipObjectResolution)
		files = append(files, goFile{path, file, fset, strings.Split(string(src), "\n")})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// comments returns the comments of a file, each in one line.
func (f goFile) comments() []string {
	var texts []string
	for _, comment := range f.Comments {
		texts = append(texts, strings.Join(strings.Fields(comment.Text()), " "))
	}
	return texts
}

// tests returns the names of the tests of a file.
func (f goFile) tests() []string {
	var names []string
	for _, declared := range f.Decls {
		if function, ok := declared.(*ast.FuncDecl); ok && function.Recv == nil && strings.HasPrefix(function.Name.Name, "Test") {
			names = append(names, function.Name.Name)
		}
	}
	return names
}

// rulesRows returns the cells of each row in the tables of docs/rules.md, without the heads.
func rulesRows(t *testing.T) [][]string {
	t.Helper()
	var rows [][]string
	head := true
	for line := range strings.Lines(read(t, rules)) {
		line = strings.TrimSpace(line)
		switch {
		case !strings.HasPrefix(line, "|"):
			head = true
		case strings.HasPrefix(line, "|--"):
			head = false
		case !head:
			rows = append(rows, strings.Split(strings.Trim(line, "| "), " | "))
		}
	}
	return rows
}

// allTests returns the tests of the repository, each by its name, and by its package and name with
// a blank between them.
func allTests(t *testing.T) map[string]bool {
	t.Helper()
	exist := map[string]bool{}
	for _, f := range goFiles(t) {
		for _, name := range f.tests() {
			exist[name] = true
			exist[filepath.ToSlash(filepath.Dir(f.path))+" "+name] = strings.HasSuffix(f.path, "_test.go")
		}
	}
	return exist
}

func TestArchitecture_NamesTestsThatExist(t *testing.T) {
	exist := allTests(t)
	named := 0
	for _, code := range (document{"", read(t, "docs/architecture.md")}).code() {
		if strings.HasPrefix(code, "Test") {
			named++
			if !exist[code] {
				t.Errorf("docs/architecture.md names the test %s, which does not exist", code)
			}
		}
	}
	if named < 4 {
		t.Errorf("found only %d tests in docs/architecture.md", named)
	}
}

func TestRules_NameTestsThatExist(t *testing.T) {
	exist := allTests(t)
	named := 0
	for _, row := range rulesRows(t) {
		held := row[len(row)-1]
		if !strings.HasPrefix(held, "internal/") {
			continue // a source that comments cite for a fact
		}
		for group := range strings.SplitSeq(held, "; ") {
			dir, tests, _ := strings.Cut(group, " ")
			for name := range strings.SplitSeq(tests, ", ") {
				named++
				if !exist[dir+" "+name] {
					t.Errorf("%s: %s has no test %q, which holds %q", rules, dir, name, row[len(row)-2])
				}
			}
		}
	}
	if named < 100 {
		t.Errorf("found only %d tests in %s", named, rules)
	}
}

// Every rule has a source, a sentence and a test; a rule of this server has no source.
func TestRules_AreSentencesWithATest(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range rulesRows(t) {
		if !strings.HasPrefix(row[len(row)-1], "internal/") && len(row) == 2 {
			continue
		}
		if len(row) > 3 || len(row) < 2 || !strings.HasSuffix(row[len(row)-2], ".") || !strings.Contains(row[len(row)-1], " Test") {
			t.Errorf("%s: the row %q is not source, sentence and tests", rules, row)
		}
		if line := strings.Join(row[:len(row)-1], " | "); seen[line] {
			t.Errorf("%s lists %q twice", rules, line)
		} else {
			seen[line] = true
		}
	}
}

var (
	// rfc matches an RFC and its sections: RFC 6749, 4.1.2; RFC 6749 sections 5.1 and 5.2.
	rfc     = regexp.MustCompile(`\bRFC (\d+)((?:(?:,|, and| and)? ?(?:sections? )?\b\d+(?:\.\d+)*\b)*)`)
	section = regexp.MustCompile(`\d+(?:\.\d+)*`)
	// cited matches the other sources that comments cite.
	cited = regexp.MustCompile(`\bdraft-[a-z]+(?:-[a-z]+)+\b|\bMCP \d{4}-\d\d-\d\d\b|\bMCP authorization\b|` +
		`\bMCP Security Best Practices\b|\bOpenID Connect Core\b|\bCSP Level \d\b|\bWCAG [\d.]+\d\b|\bFetch standard\b|` +
		`\bCVE-\d+-\d+\b|\bGHSA(?:-\w{4}){3}\b|\bbc3-api\b`)
)

// sources returns the sources that a text cites, such as RFC 6749 section 4.1.2.
func sources(text string) []string {
	found := cited.FindAllString(text, -1)
	for _, m := range rfc.FindAllStringSubmatch(text, -1) {
		sections := section.FindAllString(m[2], -1)
		for _, s := range sections {
			found = append(found, "RFC "+m[1]+" section "+s)
		}
		if len(sections) == 0 {
			found = append(found, "RFC "+m[1])
		}
	}
	return found
}

func TestSources_ReadsTheFormsOfComments(t *testing.T) {
	for text, want := range map[string][]string{
		"is a client (RFC 7591).":                     {"RFC 7591"},
		"(RFC 6749, 4.1.2.1; RFC 9700, 2.1). A":       {"RFC 6749 section 4.1.2.1", "RFC 9700 section 2.1"},
		"RFC 6749 sections 5.1 and 5.2.":              {"RFC 6749 section 5.1", "RFC 6749 section 5.2"},
		"(RFC 7009, 2.1 and 2.2), RFC 7636 4.3 means": {"RFC 7009 section 2.1", "RFC 7009 section 2.2", "RFC 7636 section 4.3"},
		"RFC 6749, section 5.2":                       {"RFC 6749 section 5.2"},
		"of RFC 6749, RFC 7591 and RFC 8707 that":     {"RFC 6749", "RFC 7591", "RFC 8707"},
		`MCP authorization, "Token Theft"; CVE-2025-4143; WCAG 2.2, 1.4.3`: {
			"MCP authorization", "CVE-2025-4143", "WCAG 2.2",
		},
	} {
		if got := sources(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A source that is listed without a section stands for all its sections.
func TestRules_ListEverySourceOfAComment(t *testing.T) {
	listed, documents := map[string]bool{}, map[string]bool{}
	for _, row := range rulesRows(t) {
		for _, source := range sources(row[0]) {
			listed[source] = true
			document, _, _ := strings.Cut(source, " section ")
			documents[document] = true
		}
	}
	found := 0
	for _, f := range goFiles(t) {
		for _, text := range f.comments() {
			for _, source := range sources(text) {
				found++
				document, _, _ := strings.Cut(source, " section ")
				if !listed[source] && !listed[document] && (source != document || !documents[document]) {
					t.Errorf("%s cites %s, which %s does not list", f.path, source, rules)
				}
			}
		}
	}
	if found < 150 {
		t.Errorf("found only %d sources in comments", found)
	}
}

// label matches what looks like a private label of a rule: one or two capitals, perhaps a hyphen,
// one or two digits, perhaps a letter.
var label = regexp.MustCompile(`%?\b[A-Z]{1,2}-?\d{1,2}[a-z]?\b`)

// publicNames are names of this form that every reader knows.
var publicNames = []string{"S3", "H1", "H2", "H3", "H4", "H5", "H6"}

// labels returns the private labels in a text. A byte of a URL, such as %C3, is not one.
func labels(text string) []string {
	var found []string
	for _, name := range label.FindAllString(text, -1) {
		if !strings.HasPrefix(name, "%") && !slices.Contains(publicNames, name) {
			found = append(found, name)
		}
	}
	return found
}

func TestLabels_AreToldFromPublicNames(t *testing.T) {
	for text, want := range map[string][]string{
		"R14":                           {"R14"},
		"K-17: the bridge":              {"K-17"},
		"(A26a), T13; B-59.":            {"A26a", "T13", "B-59"},
		"SHA-256, UTF-8, HTTP/2, S256":  nil,
		"an object in S3, a line of H1": nil,
		"TLS 1.3, IPv4, ES256, %2F%C3":  nil,
	} {
		if got := labels(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestComments_HaveNoPrivateLabels(t *testing.T) {
	for _, f := range goFiles(t) {
		for _, text := range f.comments() {
			for _, name := range labels(text) {
				t.Errorf("%s: a comment names %s; name a public source or say the rule in words", f.path, name)
			}
		}
	}
}

func TestReplace_ChangesOnlyOneSection(t *testing.T) {
	const document = "# A\n<!-- one: made -->\nold\n<!-- end of one -->\nrest\n<!-- two: made -->\nstays\n<!-- end of two -->\n"
	got, err := replace(document, "one", "new $1\n")
	want := "# A\n<!-- one: made -->\n\nnew $1\n\n<!-- end of one -->\nrest\n<!-- two: made -->\nstays\n<!-- end of two -->\n"
	if err != nil || got != want {
		t.Errorf("got %q, %v", got, err)
	}
	again, err := replace(got, "one", "new $1\n")
	if err != nil || again != got {
		t.Errorf("a second time: %q, %v", again, err)
	}
}

func TestReplace_NamesTheMissingMark(t *testing.T) {
	for document, want := range map[string]string{
		"nothing":                          "found 0",
		"<!-- one: made -->\nno end\n":     "has no line <!-- end of one -->",
		"<!-- one: -->\n<!-- one: -->\n\n": "found 2",
	} {
		if _, err := replace(document, "one", ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", document, err)
		}
	}
}

// A shell keeps its command lines in a history, where a secret would stay.
func TestCommands_ContainNoSecret(t *testing.T) {
	assigned := regexp.MustCompile(`\b(?:BASECAMP|GITHUB)_(?:CLIENT_SECRET|ACCESS_TOKEN)=(\S*)`)
	all := documents(t)
	all = append(all, document{"functions/local/help.go", "```\n" + read(t, "functions/local/help.go") + "\n```\n"})
	looked := 0
	for _, d := range all {
		for _, code := range d.code() {
			for _, match := range assigned.FindAllStringSubmatch(code, -1) {
				if looked++; !strings.HasPrefix(match[1], `"$`) {
					t.Errorf("%s shows a command with a secret: %s; read -rs asks for one", d.name, match[0])
				}
			}
		}
	}
	if looked == 0 {
		t.Error("no document passes a secret any more; is the pattern still right?")
	}
}
