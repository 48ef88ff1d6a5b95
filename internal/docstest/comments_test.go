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
	"sync"
	"testing"
	"unicode/utf8"
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

// goFiles returns all Go files of the repository.
func goFiles(t *testing.T) []goFile {
	t.Helper()
	files, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var parsed = sync.OnceValues(func() (files []goFile, err error) {
	root := os.DirFS(filepath.Join("..", ".."))
	err = fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") && path != "." || entry.Name() == "node_modules"):
			return fs.SkipDir
		case entry.IsDir() || filepath.Ext(path) != ".go":
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
	return files, err
})

func TestComments_AreWrapped(t *testing.T) {
	for _, f := range goFiles(t) {
		if ast.IsGenerated(f.File) {
			continue
		}
		for _, group := range f.Comments {
			for at := f.line(group.Pos()); at <= f.line(group.End()); at++ {
				if columns, most := f.columns(at); columns > most {
					t.Errorf("%s:%d: the line with a comment has %d columns; wrap it at %d", f.path, at, columns, most)
				}
			}
		}
	}
}

// columns returns how many columns a line with a comment has, and how many it may have. A tab is
// one. Directives and comments of one word, such as a URL, may have any number.
func (f goFile) columns(at int) (columns, most int) {
	line := f.lines[at-1]
	before, comment, _ := strings.Cut(line, "//")
	if strings.HasPrefix(comment, "go:") || strings.HasPrefix(comment, "nolint") || !strings.Contains(strings.TrimSpace(comment), " ") {
		return 0, 0
	}
	if strings.TrimSpace(before) == "" {
		return utf8.RuneCountInString(line), 100
	}
	return utf8.RuneCountInString(line), 120
}

// The comment of a test may be any sentence. One on two functions may say "Lock and Unlock guard".
var (
	isTest = regexp.MustCompile(`^(Test|Fuzz|Benchmark|Example)([^\p{Ll}]|$)`)
	verb   = regexp.MustCompile(`^(\w+),? ((always|never|only|then|also|itself|first|\w+ly) )*(and|or|must|can|cannot|may|\w+s)\b`)
	noVerb = []string{"is", "was", "as", "its", "this", "gives", "ours", "theirs"} // plural nouns pass
)

func TestComments_OfFunctionsStartWithTheNameAndAVerb(t *testing.T) {
	for _, f := range goFiles(t) {
		ast.Inspect(f.File, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.FuncDecl:
				f.checkFunction(t, node.Name, node.Doc)
			case *ast.InterfaceType:
				for _, method := range node.Methods.List {
					if len(method.Names) == 1 {
						f.checkFunction(t, method.Names[0], method.Doc)
					}
				}
			}
			return true
		})
	}
}

func (f goFile) checkFunction(t *testing.T, name *ast.Ident, doc *ast.CommentGroup) {
	t.Helper()
	said := verb.FindStringSubmatch(strings.Join(strings.Fields(doc.Text()), " "))
	if doc != nil && !isTest.MatchString(name.Name) && (len(said) < 5 || said[1] != name.Name || slices.Contains(noVerb, said[4])) {
		t.Errorf("%s:%d: the comment does not start with %q and a verb: returns, reports whether, writes", f.path, f.line(doc.Pos()), name.Name)
	}
}

// label matches what looks like a private label of a rule: one or two capitals, perhaps a hyphen,
// one or two digits, perhaps a letter. A byte of a URL, such as %C3, is not one.
var label = regexp.MustCompile(`%?\b[A-Z]{1,2}-?\d{1,2}[a-z]?\b`)

// publicNames are names of this form that every reader knows.
var publicNames = []string{"S3", "H1", "H2", "H3", "H4", "H5", "H6"}

func TestComments_HaveNoPrivateLabels(t *testing.T) {
	for _, f := range goFiles(t) {
		for _, comment := range f.Comments {
			for _, name := range label.FindAllString(comment.Text(), -1) {
				if !strings.HasPrefix(name, "%") && !slices.Contains(publicNames, name) {
					t.Errorf("%s: a comment names %s; name a public source or say the rule in words", f.path, name)
				}
			}
		}
	}
}
