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

// allTests returns the names of all tests of the repository.
func allTests(t *testing.T) map[string]bool {
	t.Helper()
	exist := map[string]bool{}
	for _, f := range goFiles(t) {
		for _, name := range f.tests() {
			exist[name] = true
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
