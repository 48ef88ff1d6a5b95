package docstest

import (
	_ "embed"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

//go:embed imports.txt
var importTable string

// importRow is a line of imports.txt.
type importRow struct {
	line int
	name string
	list []string
}

// packageImports returns the import paths of each package of this module, without those of its
// tests. The name of a package starts at internal, except those of functions.
func packageImports(t *testing.T) map[string][]string {
	t.Helper()
	packages := map[string][]string{}
	for _, f := range goFiles(t) {
		if strings.HasSuffix(f.path, "_test.go") || strings.Contains(f.path, "/testdata/") || strings.HasPrefix(f.path, "internal/e2e/") {
			continue
		}
		name := shortName(path.Dir(f.path))
		packages[name] = append(packages[name], "")
		for _, spec := range f.Imports {
			packages[name] = append(packages[name], strings.Trim(spec.Path.Value, `"`))
		}
	}
	return packages
}

func shortName(dir string) string { return strings.TrimPrefix(dir, "internal/") }

func TestImports_AreThoseOfTheTable(t *testing.T) {
	packages := packageImports(t)
	told := map[string]bool{}
	n := 0
	for line := range strings.Lines(importTable) {
		n++
		name, list, found := strings.Cut(strings.TrimSpace(line), ":")
		if !found || strings.HasPrefix(name, "#") {
			continue
		}
		row := importRow{n, name, strings.Fields(list)}
		if imported, own := packages[name]; own {
			told[name] = true
			row.compare(t, imported)
			continue
		}
		for name, imported := range packages {
			if slices.ContainsFunc(imported, row.covers) && !row.allows(name) {
				t.Errorf("imports.txt:%d: %s may not import %s", row.line, name, row.name)
			}
		}
	}
	for name := range packages {
		if !told[name] {
			t.Errorf("imports.txt has no line for %s", name)
		}
	}
}

// covers reports whether a path is the row's own or, if the row ends with /..., below it.
func (row importRow) covers(imported string) bool {
	above, below := strings.CutSuffix(row.name, "/...")
	return imported == above || below && strings.HasPrefix(imported, above+"/")
}

// allows reports whether a package may import the path of the row.
func (row importRow) allows(name string) bool {
	if len(row.list) > 0 && strings.HasPrefix(row.list[0], "!") {
		return !slices.Contains(row.list, "!"+name)
	}
	return slices.Contains(row.list, name)
}

// compare reports how the imports of a package differ from its row.
func (row importRow) compare(t *testing.T, imported []string) {
	t.Helper()
	var own []string
	for _, p := range imported {
		if short, found := strings.CutPrefix(p, "basecamp-mcp/"); found {
			own = append(own, shortName(short))
		}
	}
	slices.Sort(own)
	if own = slices.Compact(own); !slices.Equal(own, row.list) {
		t.Errorf("imports.txt:%d: %s imports\n%s, and the line has\n%s", row.line, row.name, strings.Join(own, " "), strings.Join(row.list, " "))
	}
}

// generic are the packages below internal that serve all providers alike. A new provider must not
// change them, so they name no provider.
var generic = []string{
	"authserver", "calls", "checklist", "dynamo", "fault", "grant", "identity", "lambdahttp", "listing",
	"items", "mcphttp", "mcptool", "memory", "pages", "plaintext", "provider", "publichttp", "secrets", "storetest",
	"task", "telemetry", "upstream",
}

func TestGenericPackages_NameNoProvider(t *testing.T) {
	provider := regexp.MustCompile(`(?i)basecamp|37signals|37s\b|launchpad`)
	own := regexp.MustCompile(`"basecamp-mcp/[^"]*"|basecamp-mcp`) // import paths, and the name of the server
	found := map[string]bool{}
	for _, f := range goFiles(t) {
		name := shortName(path.Dir(f.path))
		if strings.HasSuffix(f.path, "_test.go") || !slices.Contains(generic, name) {
			continue
		}
		found[name] = true
		for _, line := range f.lines {
			if provider.MatchString(own.ReplaceAllString(line, "")) {
				t.Errorf("%s names a provider: %s", f.path, line)
			}
		}
	}
	if len(found) != len(generic) {
		t.Errorf("of the generic packages, only %v exist", found)
	}
}
