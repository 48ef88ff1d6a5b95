// Package docstest keeps the documents true to the code. Tests of other packages write what the
// code knows into marked sections of the documents; the tests of this package check every link and
// command in them.
//
// A section begins with a comment line such as <!-- tools: made by ... --> and ends with <!-- end
// of tools -->. One package writes all sections of a document, because go test runs packages at the
// same time.
package docstest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Section compares a section of a document with the text that the code makes for it. With
// UPDATE_GOLDEN=1 it writes the text instead. The document is named from the root of the
// repository: docs/tools.md.
func Section(t testing.TB, document, section, text string) {
	t.Helper()
	path := filepath.Join(Root(t), document)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	after, err := replace(string(before), section, text)
	if err != nil {
		t.Fatalf("%s: %v", document, err)
	}
	switch {
	case string(before) == after:
	case os.Getenv("UPDATE_GOLDEN") != "":
		if err := os.WriteFile(path, []byte(after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the section %[2]q of %[1]s differs from the code; run the test with UPDATE_GOLDEN=1 and review the difference", document, section)
	}
}

// replace returns the document with a new text in one section.
func replace(document, section, text string) (string, error) {
	begin := regexp.MustCompile(`(?m)^<!-- ` + regexp.QuoteMeta(section) + `: .*-->\n`)
	end := "<!-- end of " + section + " -->"
	marks := begin.FindAllStringIndex(document, -1)
	if len(marks) != 1 {
		return "", fmt.Errorf("want one line <!-- %s: ... -->, found %d", section, len(marks))
	}
	head, rest := document[:marks[0][1]], document[marks[0][1]:]
	_, tail, closed := strings.Cut(rest, end)
	if !closed {
		return "", fmt.Errorf("the section %q has no line %s", section, end)
	}
	return head + "\n" + strings.Trim(text, "\n") + "\n\n" + end + tail, nil
}

// Root returns the root of the repository: the nearest directory, from the working directory
// upwards, with a go.mod of the module basecamp-mcp.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		module, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		if strings.HasPrefix(string(module), "module basecamp-mcp\n") {
			return dir
		}
		above := filepath.Dir(dir)
		if above == dir {
			t.Fatal("no directory above has the go.mod of basecamp-mcp; run the test in the repository")
		}
		dir = above
	}
}
