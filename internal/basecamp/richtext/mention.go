package richtext

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"

	"basecamp-mcp/internal/text/lazyregexp"
	"basecamp-mcp/internal/text/plaintext"
)

// mention is a reference of the form "@[Name](person:ID)" or "[Name](mention:ID)". Both forms may
// have an "@" inside or before the brackets, or none, and either word.
type mention struct {
	own
	name string
	id   int64
}

var personTarget = lazyregexp.New(`^\((?:person|mention):([0-9]{1,19})\)`)

// targeted returns the mention of a name if a target such as "(person:ID)" follows, and the length
// of the target. Otherwise it returns nil and 0.
func targeted(name string, rest []byte) (m *mention, length int) {
	target := personTarget.FindSubmatch(rest)
	if target == nil {
		return nil, 0
	}
	id, err := strconv.ParseInt(string(target[1]), 10, 64)
	if err != nil {
		return nil, 0
	}
	return &mention{name: strings.TrimPrefix(name, "@"), id: id}, len(target[0])
}

// bracketed reads the "[...]" at the start of line. It returns the text inside without escapes, and
// the length including the brackets. The length is 0 if there are no brackets.
func bracketed(line []byte) (inside string, size int) {
	if len(line) == 0 || line[0] != '[' {
		return "", 0
	}
	for i := 1; i < min(len(line), maxTarget); i++ {
		switch line[i] {
		case '\\':
			i++
		case '[', '\n':
			return "", 0
		case ']':
			return squeeze(unescape(line[1:i])), i + 1
		}
	}
	return "", 0
}

// Refs are what a Markdown text refers to, each once, outside code.
type Refs struct {
	People []int64    // the IDs in "@[Name](person:ID)" and "[Name](mention:ID)", in order
	Called []string   // the names in "[@Name]" and "@[Name]", sorted; not mentions of the old field
	Links  []string   // the targets of the form type:ID in links, in order
	Files  []FileLine // the lines of files that the old field lacks, sorted
}

// ReadRefs returns what a Markdown text refers to. Old is the field that the text replaces. Of a
// text that takes too long to parse, it returns only the files.
func ReadRefs(markdown, old string) (r Refs) {
	if !strings.Contains(markdown, "[") {
		return r
	}
	k := keep(old)
	k.unknown, k.foreign = &r.Called, &r.Files
	markdown = strings.Trim(plaintext.Clean(markdown), "\n")
	doc, err := parse(k.markPreviews(markdown), k)
	if err != nil { // as plain text, the lines of files would be lost
		doc = ast.NewDocument()
		for _, line := range fileLine.FindAllStringSubmatch(markdown, -1) {
			label := squeeze(unescape([]byte(line[1])))
			if _, own := k.take(label); !own {
				k.newFile(label, nil)
			}
		}
	}
	walk(doc, func(n ast.Node) bool {
		switch n := n.(type) {
		case *mention:
			if !slices.Contains(r.People, n.id) {
				r.People = append(r.People, n.id)
			}
		case *ast.Link:
			target := unescape(n.Destination)
			if _, id, _ := strings.Cut(target, ":"); id != "" && strings.Trim(id, "0123456789") == "" && !slices.Contains(r.Links, target) {
				r.Links = append(r.Links, target)
			}
		}
		return true
	})
	slices.Sort(r.Called)
	slices.SortFunc(r.Files, func(a, b FileLine) int {
		return cmp.Or(cmp.Compare(a.Label, b.Label), cmp.Compare(a.Address, b.Address))
	})
	r.Called, r.Files = slices.Compact(r.Called), slices.Compact(r.Files)
	return r
}

// walk calls visit for a node and those below it, until visit returns false. It reports whether it
// visited all of them.
func walk(n ast.Node, visit func(ast.Node) bool) (all bool) {
	all = true
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering && !visit(n) {
			all = false
			return ast.WalkStop, nil
		}
		return ast.WalkContinue, nil
	})
	return all
}
