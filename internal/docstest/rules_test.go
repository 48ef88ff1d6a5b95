package docstest

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// label matches a label of docs/rules.md, or one of another document.
var label = regexp.MustCompile(`\b[A-Z](?:\d{1,2}a?|-\d{2})\b`)

// labels are the labels in the comments of the Go code.
type labels struct {
	packages map[string][]string // directories that use a label
	tests    map[string][]string // tests whose comments use a label
	names    map[string]bool     // names of all tests
}

// readLabels reads the labels of all Go files of the repository.
func readLabels(t *testing.T) labels {
	t.Helper()
	found := labels{packages: map[string][]string{}, tests: map[string][]string{}, names: map[string]bool{}}
	root := os.DirFS(Root(t))
	err := fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") && path != "." || entry.Name() == "node_modules") {
			return fs.SkipDir
		}
		if filepath.Ext(path) != ".go" {
			return nil
		}
		src, err := fs.ReadFile(root, path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		found.read(filepath.ToSlash(filepath.Dir(path)), file)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// read adds the tests and the labels of a file.
func (l labels) read(dir string, file *ast.File) {
	var tests []*ast.FuncDecl
	for _, declared := range file.Decls {
		if f, ok := declared.(*ast.FuncDecl); ok && strings.HasPrefix(f.Name.Name, "Test") {
			tests = append(tests, f)
			l.names[f.Name.Name] = true
		}
	}
	for _, comment := range file.Comments {
		for _, name := range label.FindAllString(comment.Text(), -1) {
			l.packages[name] = append(l.packages[name], dir)
			for _, test := range tests {
				if comment == test.Doc || test.Pos() <= comment.Pos() && comment.End() <= test.End() {
					l.tests[name] = append(l.tests[name], test.Name.Name)
				}
			}
		}
	}
}

// testsOf returns at most two tests that use a label, those with the fewest other labels first.
func (l labels) testsOf(name string) []string {
	uses := map[string]int{}
	for _, tests := range l.tests {
		for _, test := range tests {
			uses[test]++
		}
	}
	tests := slices.Clone(l.tests[name])
	slices.SortFunc(tests, func(a, b string) int { return cmp.Or(cmp.Compare(uses[a], uses[b]), cmp.Compare(a, b)) })
	tests = slices.Compact(tests)
	return tests[:min(2, len(tests))]
}

const rules = "docs/rules.md"

// rule matches a row of docs/rules.md.
var rule = regexp.MustCompile("(?m)^(\\| `([A-Z]\\d+a?)` \\| [^|\n]+ \\| [^|\n]+ \\|)([^|\n]*)\\|$")

// The last column of a row is written by UPDATE_GOLDEN=1 if comments of tests use the label.
func TestRules_NameTheTestsThatHoldThem(t *testing.T) {
	found, before := readLabels(t), read(t, rules)
	after := rule.ReplaceAllStringFunc(before, func(row string) string {
		m := rule.FindStringSubmatch(row)
		if tests := found.testsOf(m[2]); len(tests) > 0 {
			return m[1] + " " + strings.Join(tests, ", ") + " |"
		}
		return row
	})
	switch {
	case before == after:
	case os.Getenv("UPDATE_GOLDEN") != "":
		write(t, filepath.Join(Root(t), rules), after)
	default:
		t.Errorf("the tests in %s differ from the code; run this test with UPDATE_GOLDEN=1 and review the difference", rules)
	}
	for _, row := range rule.FindAllStringSubmatch(after, -1) {
		for test := range strings.SplitSeq(row[3], ",") {
			if test = strings.TrimSpace(test); !found.names[test] {
				t.Errorf("%s: the rule %s names the test %q, which does not exist", rules, row[2], test)
			}
		}
	}
}

func TestRules_AreTheLabelsOfTheCode(t *testing.T) {
	found, listed := readLabels(t), map[string]bool{}
	for _, row := range rule.FindAllStringSubmatch(read(t, rules), -1) {
		if listed[row[2]] {
			t.Errorf("%s lists %s twice", rules, row[2])
		}
		listed[row[2]] = true
	}
	for _, name := range slices.Sorted(maps.Keys(listed)) {
		if len(found.packages[name]) == 0 {
			t.Errorf("no comment uses %s; remove it from %s", name, rules)
		}
	}
	pending := pendingDirectories(t)
	for _, name := range slices.Sorted(maps.Keys(found.packages)) {
		for _, dir := range slices.Compact(found.packages[name]) {
			if !listed[name] && !slices.Contains(pending, dir) {
				t.Errorf("%s uses %s, which %s does not list; name the public source instead, or list it", dir, name, rules)
			}
		}
	}
}

// pendingDirectories returns the directories whose comments are still to be rewritten.
func pendingDirectories(t *testing.T) []string {
	t.Helper()
	text := read(t, "internal/cmd/prose/pending.txt")
	return strings.FieldsFunc(text, func(r rune) bool { return r == '\n' })
}
