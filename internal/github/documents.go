package github

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"

	"basecamp-mcp/internal/text/lazyregexp"
)

// documentsFile has the operations and fragments, a blank line between them.
//
//go:embed documents.graphql
var documentsFile string

// document is a query or a mutation. Its text is a constant: all values are in variables.
type document struct {
	name      string
	text      func() string // with its fragments
	operation string        // without them
	thing     []string      // path of what it asks for; for a mutation, that of its payload
	reads     string        // what its variables name, for a fence
	once      bool          // a mutation that makes two things when it is repeated
	// inRepository means that a private repository can be the reason for a NOT_FOUND.
	inRepository bool
}

func (d document) mutates() bool { return strings.HasPrefix(d.operation, "mutation ") }

// documents are those of the file, by their names.
var documents = sync.OnceValue(func() map[string]document {
	all, fragments := map[string]document{}, map[string]string{}
	for block := range strings.SplitSeq(strings.TrimSpace(documentsFile), "\n\n") {
		about := ""
		for strings.HasPrefix(block, "#") {
			about, block, _ = strings.Cut(block, "\n")
		}
		words := strings.FieldsFunc(block[:min(len(block), 100)], func(r rune) bool { return r == ' ' || r == '(' })
		switch said := strings.Fields(about); {
		case block == "":
		case words[0] == "fragment":
			fragments[words[1]] = block
		default:
			all[words[1]] = document{
				name: words[1], operation: block, thing: strings.Split(said[1], "."), reads: said[len(said)-1],
				once: slices.Contains(said, "once"), inRepository: slices.Contains(said, "private"),
			}
		}
	}
	for name, d := range all {
		d.text = sync.OnceValue(func() string { return d.operation + spreadIn(d.operation, fragments, map[string]bool{}) })
		all[name] = d
	}
	return all
})

var (
	spreads  = lazyregexp.New(`\.\.\.(\w+)`)
	variable = lazyregexp.New(`\$\w+`)
)

// spreadIn returns the fragments that a text spreads, and those that they spread, each once.
func spreadIn(text string, fragments map[string]string, had map[string]bool) (all string) {
	for _, found := range spreads.FindAllStringSubmatch(text, -1) {
		if name := found[1]; !had[name] {
			had[name] = true
			all += "\n" + fragments[name] + spreadIn(fragments[name], fragments, had)
		}
	}
	return all
}

// undoes returns the mutation that takes another one back. What it answers does not matter.
func undoes(field string) document {
	operation := "mutation Undo($input: " + strings.ToUpper(field[:1]) + field[1:] + "Input!) {\n  " + field + "(input: $input) { clientMutationId }\n}"
	return document{name: "Undo", text: func() string { return operation }, operation: operation, thing: []string{field}}
}

// of returns the document with n parts, each under an alias.
func (d document) of(n int) document {
	kind, rest, _ := strings.Cut(d.operation, "(")
	declares, rest, _ := strings.Cut(rest, ") {")
	part := strings.TrimSpace(strings.TrimSuffix(rest, "}"))
	all, parts := make([]string, n), make([]string, n)
	for k := range n {
		number := strconv.Itoa(k)
		all[k] = variable.ReplaceAllString(declares, "${0}"+number)
		parts[k] = "  m" + number + ": " + variable.ReplaceAllString(part, "${0}"+number)
	}
	several := kind + "(" + strings.Join(all, ", ") + ") {\n" + strings.Join(parts, "\n") + "\n}"
	fragments := strings.TrimPrefix(d.text(), d.operation)
	d.operation, d.text = several, func() string { return several + fragments }
	return d
}

// What GitHub's sentences about invalid input begin with, and the arguments of the tools.
var (
	ofProjects = map[string]string{"title": "title", "short description": "short_description", "readme": "readme", "owner": "owner"}
	ofValues   = map[string]string{
		"item": "item", "field": "field", "text": "value", "number": "value", "date": "value", "single select option": "value",
		"iteration": "value", "did not receive": "value",
	}
	ofStatus = map[string]string{"body": "status_update", "start date": "status_update", "target date": "status_update", "the date": "status_update"}

	// spoken has them by the mutations to which GitHub says such sentences.
	spoken = map[string]map[string]string{
		"createProjectV2": ofProjects, "updateProjectV2": ofProjects, "updateProjectV2ItemFieldValue": ofValues, "clearProjectV2ItemFieldValue": ofValues,
		"createProjectV2StatusUpdate": ofStatus,
	}
)
