package docstest

import (
	_ "embed"
	"maps"
	"path"
	"slices"
	"strconv"
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

// importRows returns the rows of imports.txt: those of this module's packages, and those of paths
// from outside.
func importRows(t *testing.T, packages map[string][]string) (own, outside []importRow) {
	t.Helper()
	n := 0
	for line := range strings.Lines(importTable) {
		n++
		name, list, found := strings.Cut(strings.TrimSpace(line), ":")
		if strings.HasPrefix(name, "#") || name == "" {
			continue
		}
		if !found {
			t.Fatalf("imports.txt:%d: no colon", n)
		}
		row := importRow{n, name, strings.Fields(list)}
		if _, known := packages[name]; known {
			own = append(own, row)
		} else {
			outside = append(outside, row)
		}
	}
	return own, outside
}

// packageImports returns the import paths of each package of this module, without those of its
// tests. The name of a package starts at internal, except those of functions.
func packageImports(t *testing.T) map[string][]string {
	t.Helper()
	packages := map[string][]string{}
	for _, f := range goFiles(t) {
		if strings.HasSuffix(f.path, "_test.go") || strings.Contains(f.path, "/testdata/") ||
			strings.HasPrefix(f.path, "internal/e2e/") {
			continue
		}
		name := shortName(path.Dir(f.path))
		packages[name] = append(packages[name], f.imports(t)...)
	}
	return packages
}

func (f goFile) imports(t *testing.T) []string {
	t.Helper()
	var paths []string
	for _, spec := range f.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, imported)
	}
	return paths
}

func shortName(dir string) string { return strings.TrimPrefix(dir, "internal/") }

func TestImports_AreThoseOfTheTable(t *testing.T) {
	packages := packageImports(t)
	own, outside := importRows(t, packages)
	for _, row := range own {
		var imported []string
		for _, p := range packages[row.name] {
			if short, found := strings.CutPrefix(p, "basecamp-mcp/"); found {
				imported = append(imported, shortName(short))
			}
		}
		slices.Sort(imported)
		compareRow(t, row, slices.Compact(imported))
		packages[row.name] = slices.DeleteFunc(packages[row.name], func(p string) bool { return strings.HasPrefix(p, "basecamp-mcp/") })
	}
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		if !slices.ContainsFunc(own, func(row importRow) bool { return row.name == name }) {
			t.Errorf("imports.txt has no line for %s", name)
		}
	}
	for _, row := range outside {
		for name, imported := range packages {
			if slices.ContainsFunc(imported, row.covers) && !row.allows(name) {
				t.Errorf("imports.txt:%d: %s may not import %s", row.line, name, row.name)
			}
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

// compareRow reports how the imports of a package differ from its row.
func compareRow(t *testing.T, row importRow, imported []string) {
	t.Helper()
	for _, name := range imported {
		if !slices.Contains(row.list, name) {
			t.Errorf("imports.txt:%d: %s imports %s, and the line does not have it", row.line, row.name, name)
		}
	}
	for _, name := range row.list {
		if !slices.Contains(imported, name) {
			t.Errorf("imports.txt:%d: %s no longer imports %s; remove it", row.line, row.name, name)
		}
	}
}
