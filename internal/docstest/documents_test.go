package docstest

import (
	"encoding/xml"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// document is a Markdown file, named from the root of the repository.
type document struct {
	name, text string
}

// documents returns all documents.
func documents(t *testing.T) []document {
	t.Helper()
	root := Root(t)
	var all []document
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			name, err := filepath.Rel(root, path)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, document{filepath.ToSlash(name), read(t, name)})
		}
	}
	if len(all) < 10 {
		t.Fatalf("found only %d documents", len(all))
	}
	return all
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(Root(t), name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func exists(t *testing.T, name string) bool {
	t.Helper()
	_, err := os.Stat(filepath.Join(Root(t), name))
	return err == nil
}

var (
	fence  = regexp.MustCompile("(?s)\n *```[a-z]*\n(.*?)\n *```")
	inline = regexp.MustCompile("`([^`\n]+)`")
	link   = regexp.MustCompile(`\]\(([^)\s]+)\)|src="([^"]+)"`)
	title  = regexp.MustCompile(`(?m)^#+ (.*)$`)
)

// prose returns the document without its code.
func (d document) prose() string {
	return inline.ReplaceAllString(fence.ReplaceAllString(d.text, ""), "")
}

// code returns the code of the document: the lines of its blocks, with continued lines joined, and
// its code spans.
func (d document) code() []string {
	var code []string
	for _, block := range fence.FindAllStringSubmatch(d.text, -1) {
		for line := range strings.Lines(strings.ReplaceAll(block[1], "\\\n", "")) {
			code = append(code, strings.TrimSpace(line))
		}
	}
	for _, span := range inline.FindAllStringSubmatch(fence.ReplaceAllString(d.text, ""), -1) {
		code = append(code, span[1])
	}
	return code
}

// links returns the targets of the document's links and pictures.
func (d document) links() []string {
	var targets []string
	for _, found := range link.FindAllStringSubmatch(d.prose(), -1) {
		targets = append(targets, found[1]+found[2])
	}
	return targets
}

// anchors returns the fragments that lead to the document's headings.
func (d document) anchors() []string {
	var anchors []string
	for _, heading := range title.FindAllStringSubmatch(fence.ReplaceAllString(d.text, ""), -1) {
		anchors = append(anchors, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, heading[1]))
	}
	return anchors
}

// target resolves a relative link of the document.
func (d document) target(link string) (name, anchor string) {
	name, anchor, _ = strings.Cut(link, "#")
	if name == "" {
		return d.name, anchor
	}
	return filepath.ToSlash(filepath.Join(filepath.Dir(d.name), name)), anchor
}

func isExternal(link string) bool { return strings.Contains(link, "://") }

func TestDocuments_HaveNoBrokenLinks(t *testing.T) {
	all := documents(t)
	checked := 0
	for _, d := range all {
		for _, link := range d.links() {
			if isExternal(link) {
				if !strings.HasPrefix(link, "https://") {
					t.Errorf("%s: %s is not https", d.name, link)
				}
				continue
			}
			checked++
			name, anchor := d.target(link)
			if !exists(t, name) {
				t.Errorf("%s: %s does not exist", d.name, link)
				continue
			}
			if anchor == "" {
				continue
			}
			i := slices.IndexFunc(all, func(other document) bool { return other.name == name })
			if i < 0 || !slices.Contains(all[i].anchors(), anchor) {
				t.Errorf("%s: %s leads to a heading that does not exist", d.name, link)
			}
		}
	}
	if checked < 30 {
		t.Errorf("checked only %d links; is the pattern of links still right?", checked)
	}
}

func TestDocuments_AreReachedFromTheREADME(t *testing.T) {
	all := documents(t)
	reached := map[string]bool{}
	next := []string{"README.md"}
	for len(next) > 0 {
		name := next[0]
		next = next[1:]
		i := slices.IndexFunc(all, func(d document) bool { return d.name == name })
		if i < 0 || reached[name] {
			continue
		}
		reached[name] = true
		for _, link := range all[i].links() {
			if !isExternal(link) {
				target, _ := all[i].target(link)
				next = append(next, target)
			}
		}
	}
	for _, d := range all {
		if !reached[d.name] {
			t.Errorf("%s cannot be reached from README.md; add a link", d.name)
		}
	}
}

func TestArchitecture_ListsEveryPackage(t *testing.T) {
	code := document{"", read(t, "docs/architecture.md")}.code()
	root := Root(t)
	for _, dir := range []string{"functions", "internal"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.IsDir() {
				return err
			}
			if entry.Name() == "node_modules" || entry.Name() == "testdata" {
				return fs.SkipDir
			}
			sources, err := filepath.Glob(filepath.Join(path, "*.go"))
			name, _ := filepath.Rel(root, path)
			if name = filepath.ToSlash(name); len(sources) > 0 && !slices.Contains(code, name) {
				t.Errorf("docs/architecture.md does not list the package %s", name)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func TestREADME_StaysBelowTenKilobytes(t *testing.T) {
	if size := len(read(t, "README.md")); size > 10_000 {
		t.Errorf("README.md has %d bytes, want at most 10,000", size)
	}
}

func TestPictures_StayBelowSixtyKilobytes(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(Root(t), "docs", "pictures", "*.png"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("found %d pictures, %v", len(paths), err)
	}
	for _, path := range paths {
		picture, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(picture) > 60_000 {
			t.Errorf("%s has %d bytes, want at most 60,000", filepath.Base(path), len(picture))
		}
	}
}

func TestDocuments_HaveWholeTables(t *testing.T) {
	for _, d := range documents(t) {
		if row := strayRow(d.text); row != "" {
			t.Errorf("%s: this row has no header above it; is there a blank line in the table? %s", d.name, row)
		}
	}
}

// strayRow returns the first row that follows no header, or an empty string.
func strayRow(text string) string {
	lines := strings.Split(fence.ReplaceAllString(text, ""), "\n")
	for i, line := range lines {
		starts := strings.HasPrefix(line, "|") && (i == 0 || !strings.HasPrefix(lines[i-1], "|"))
		if starts && (i+1 == len(lines) || !strings.HasPrefix(lines[i+1], "|---")) {
			return line
		}
	}
	return ""
}

func TestStrayRow_FollowsABlankLine(t *testing.T) {
	const table = "# Alarms\n\n| alarm | meaning |\n|---|---|\n| a | b |\n"
	if row := strayRow(table + "\ntext\n" + table); row != "" {
		t.Errorf("a whole table has the stray row %s", row)
	}
	if row := strayRow(table + "\n| c | d |\n"); row != "| c | d |" {
		t.Errorf("the stray row is %q", row)
	}
}

// Drawings are read aloud by their title and description, and have colors for dark pages.
func TestDrawings_HaveATitleADescriptionAndDarkColors(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(Root(t), "docs", "pictures", "*.svg"))
	if err != nil || len(paths) != 2 {
		t.Fatalf("found %v, %v", paths, err)
	}
	shown := ""
	for _, d := range documents(t) {
		shown += d.text
	}
	for _, path := range paths {
		text := read(t, "docs/pictures/"+filepath.Base(path))
		var drawing struct {
			Role  string `xml:"role,attr"`
			Title string `xml:"title"`
			Desc  string `xml:"desc"`
		}
		if err := xml.Unmarshal([]byte(text), &drawing); err != nil || drawing.Role != "img" || drawing.Title == "" || len(drawing.Desc) < 100 {
			t.Errorf("%s: %v, %+v", path, err, drawing)
		}
		if !strings.Contains(text, "prefers-color-scheme: dark") || !strings.Contains(text, `class="page"`) || len(text) > 10_000 {
			t.Errorf("%s has %d bytes, and must have colors for dark pages and a background", path, len(text))
		}
		if !strings.Contains(shown, "pictures/"+filepath.Base(path)) {
			t.Errorf("no document shows %s", path)
		}
	}
}
