package docstest

import (
	"go/ast"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// A tab counts as one column.
const (
	maxColumns  = 100 // of a comment line
	maxTrailing = 120 // of a line with a comment after its code
)

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

// columns returns how many columns a line with a comment has, and how many it may have. Directives
// and comments of one word, such as a URL, may have any number.
func (f goFile) columns(at int) (columns, most int) {
	line := f.lines[at-1]
	before, comment, found := strings.Cut(line, "//")
	directive := strings.HasPrefix(comment, "go:") || strings.HasPrefix(comment, "nolint")
	if !found || directive || !strings.Contains(strings.TrimSpace(comment), " ") {
		return 0, 0
	}
	if strings.TrimSpace(before) == "" {
		return utf8.RuneCountInString(line), maxColumns
	}
	return utf8.RuneCountInString(line), maxTrailing
}

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

// checkFunction checks the comment of a function or method. That of a test may be any sentence.
func (f goFile) checkFunction(t *testing.T, name *ast.Ident, doc *ast.CommentGroup) {
	t.Helper()
	words := strings.Fields(doc.Text())
	if len(words) == 0 || isTest(name.Name) {
		return
	}
	if strings.TrimSuffix(words[0], ",") != name.Name {
		t.Errorf("%s:%d: the comment does not start with %q and a verb", f.path, f.line(doc.Pos()), name.Name)
	} else if verb := firstVerb(words[1:]); !isVerb(verb) {
		t.Errorf("%s:%d: the comment continues with %q; use a verb: %s returns, reports whether, writes", f.path, f.line(doc.Pos()), verb, name.Name)
	}
}

// firstVerb returns the first word that is not an adverb. For a comment on several functions, such
// as "Lock and Unlock guard", it returns "".
func firstVerb(words []string) string {
	for _, word := range words {
		switch word {
		case "always", "never", "only", "then", "also", "itself", "first":
			continue
		case "and", "or":
			return ""
		}
		if !strings.HasSuffix(word, "ly") {
			return word
		}
	}
	return "nothing"
}

// isVerb reports whether a word can be a verb in the third person. A list cannot tell "tokens" from
// "writes", so plural nouns pass.
func isVerb(word string) bool {
	switch word {
	case "", "must", "can", "cannot", "may":
		return true
	case "is", "was", "as", "its", "this", "gives", "ours", "theirs":
		return false
	}
	return strings.HasSuffix(strings.TrimRight(word, ",.:;"), "s")
}

func isTest(name string) bool {
	for _, prefix := range []string{"Test", "Fuzz", "Benchmark", "Example"} {
		if rest, found := strings.CutPrefix(name, prefix); found && (rest == "" || !unicode.IsLower(rune(rest[0]))) {
			return true
		}
	}
	return false
}

func TestIsVerb_KnowsTheWordsOfComments(t *testing.T) {
	for comment, want := range map[string]bool{"returns a name": true, "then writes it": true, "is for callers": false, "the name": false, "": false} {
		if got := isVerb(firstVerb(strings.Fields(comment))); got != want {
			t.Errorf("%q: %v, want %v", comment, got, want)
		}
	}
}
