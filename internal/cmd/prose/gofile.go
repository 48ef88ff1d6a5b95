package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"unicode"
)

// checkGo reports the findings of a Go file: the words of comments, strings and test names, the
// first words of function comments, and long comment lines. Generated files are not checked.
func checkGo(name string, src []byte, words dictionary, report reporter) error {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	if ast.IsGenerated(file) {
		return nil
	}
	lines := strings.Split(string(src), "\n")
	c := goChecker{
		fset: fset, words: words, report: report, functions: map[*ast.CommentGroup]bool{},
		fiction: strings.HasPrefix(name, fictionFiles),
	}
	ast.Inspect(file, c.visit)
	for _, group := range file.Comments {
		c.comment(group, lines)
	}
	return nil
}

// fictionFiles is how the names of the files begin whose strings are what made-up people write.
const fictionFiles = "internal/basecamp/sandbox/seed"

// goChecker checks one file. functions holds the comments of functions and methods.
type goChecker struct {
	fiction   bool // the strings are not checked
	fset      *token.FileSet
	words     dictionary
	report    reporter
	functions map[*ast.CommentGroup]bool
}

func (c goChecker) line(pos token.Pos) int { return c.fset.Position(pos).Line }

// visit checks a node and reports whether to visit its children.
func (c goChecker) visit(node ast.Node) bool {
	switch node := node.(type) {
	case *ast.ImportSpec:
		return false
	case *ast.FuncDecl:
		c.function(node.Name, node.Doc)
		c.testName(node.Name)
	case *ast.InterfaceType:
		for _, method := range node.Methods.List {
			if len(method.Names) == 1 {
				c.function(method.Names[0], method.Doc)
			}
		}
	case *ast.BasicLit:
		c.literal(node)
	}
	return true
}

// literal checks a string. In a raw string, each line counts.
func (c goChecker) literal(lit *ast.BasicLit) {
	if lit.Kind != token.STRING || c.fiction {
		return
	}
	if text, err := strconv.Unquote(lit.Value); err == nil {
		if !strings.HasPrefix(lit.Value, "`") {
			text = strings.ReplaceAll(text, "\n", ". ")
		}
		c.words.check(tokenize(text, c.line(lit.Pos())), inString, c.report)
	}
}

// testName checks the words that the name of a test consists of.
func (c goChecker) testName(name *ast.Ident) {
	if isTest(name.Name) {
		c.words.check(tokenize(splitName(name.Name), c.line(name.Pos())), inString, c.report)
	}
}

// comment checks the words and the length of a comment's lines.
func (c goChecker) comment(group *ast.CommentGroup, lines []string) {
	first := c.line(group.Pos())
	var text strings.Builder
	for at := first; at <= c.line(group.End()); at++ {
		before, content, found := strings.Cut(lines[at-1], "//")
		most := maxColumns
		if strings.TrimSpace(before) != "" {
			most = maxTrailing
		}
		if found && !isDirective(content) {
			if strings.Contains(strings.TrimSpace(content), " ") {
				checkColumns(lines[at-1], at, most, c.report)
			}
			if !strings.HasPrefix(content, "\t") {
				text.WriteString(content)
			}
		}
		text.WriteByte('\n')
	}
	scope := inComment
	if c.functions[group] {
		scope = inFunctionComment
	}
	c.words.check(tokenize(unquote(unquote(text.String(), '`'), '"'), first), scope, c.report)
}

func isDirective(content string) bool {
	return strings.HasPrefix(content, "go:") || strings.HasPrefix(content, "nolint")
}

// function checks that a function's comment starts with its name and a verb. The comment of a test
// may be any sentence.
func (c goChecker) function(name *ast.Ident, doc *ast.CommentGroup) {
	if doc == nil {
		return
	}
	c.functions[doc] = true
	said := strings.Fields(doc.Text())
	if len(said) == 0 || isTest(name.Name) {
		return
	}
	if said[0] != name.Name && said[0] != name.Name+"," {
		c.report(c.line(doc.Pos()), fmt.Sprintf("function comment does not start with %q and a verb", name.Name))
		return
	}
	if verb := firstVerb(said[1:]); !isVerb(verb) {
		c.report(c.line(doc.Pos()), fmt.Sprintf("function comment continues with %q; use a verb: %s returns, reports whether, writes", verb, name.Name))
	}
}

// firstVerb returns the first word that is not an adverb. For a comment on several functions, such
// as "Lock and Unlock guard", it returns "".
func firstVerb(said []string) string {
	for _, word := range said {
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

// splitName returns the words of a camel-case name, separated by spaces.
func splitName(name string) string {
	var out strings.Builder
	for i, r := range name {
		switch {
		case r == '_':
			r = ' '
		case i > 0 && unicode.IsUpper(r):
			out.WriteByte(' ')
		}
		out.WriteRune(r)
	}
	return out.String()
}
