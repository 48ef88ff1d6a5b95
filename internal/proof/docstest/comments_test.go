package docstest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
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
	root := os.DirFS(filepath.Join("..", "..", ".."))
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

// A tab is one column. Directives and comments of one word, such as a URL, may have any number.
func TestComments_AreWrapped(t *testing.T) {
	for _, f := range goFiles(t) {
		for _, group := range f.Comments {
			for at := f.line(group.Pos()); at <= f.line(group.End()) && !ast.IsGenerated(f.File); at++ {
				before, comment, _ := strings.Cut(f.lines[at-1], "//")
				most := 120
				if strings.TrimSpace(before) == "" {
					most = 100
				}
				if columns := utf8.RuneCountInString(f.lines[at-1]); columns > most && strings.Contains(strings.TrimSpace(comment), " ") && !strings.HasPrefix(comment, "nolint") {
					t.Errorf("%s:%d: the line with a comment has %d columns; wrap it at %d", f.path, at, columns, most)
				}
			}
		}
	}
}
