package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"unicode/utf8"
)

// A tab counts as one column.
const (
	maxColumns  = 100 // of a comment line
	maxTrailing = 120 // of a line with a comment behind its code
)

// finding is one thing to rewrite.
type finding struct {
	file    string
	line    int
	message string
}

func (f finding) String() string {
	return fmt.Sprintf("%s:%d: %s", f.file, f.line, f.message)
}

// kind is how a file is read.
type kind int

const (
	other kind = iota
	goSource
	markup // Markdown and HTML
	hashed // YAML, TOML, Makefile and shell: comments start with #
)

// kindOf returns the kind of a file by its name.
func kindOf(name string) kind {
	if name == "Makefile" {
		return hashed
	}
	switch filepath.Ext(name) {
	case ".go":
		return goSource
	case ".md", ".html":
		return markup
	case ".yaml", ".yml", ".toml", ".sh":
		return hashed
	}
	return other
}

// checkFile returns the findings of a file in the order of their lines.
func checkFile(name string, words dictionary) ([]finding, error) {
	src, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var found []finding
	report := func(line int, message string) {
		found = append(found, finding{file: name, line: line, message: message})
	}
	if kindOf(filepath.Base(name)) == goSource {
		err = checkGo(name, src, words, report)
	} else {
		checkDocument(string(src), kindOf(filepath.Base(name)), words, report)
	}
	slices.SortStableFunc(found, func(a, b finding) int { return cmp.Compare(a.line, b.line) })
	return found, err
}

// reporter takes a finding at a line, which counts from one.
type reporter func(line int, message string)

// checkColumns reports a comment line that is too long.
func checkColumns(text string, line, most int, report reporter) {
	if n := utf8.RuneCountInString(text); n > most {
		report(line, fmt.Sprintf("comment line has %d columns; wrap it at %d", n, most))
	}
}
