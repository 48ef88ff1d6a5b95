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

func shortName(dir string) string { return strings.TrimPrefix(dir, "internal/") }

// packageImports returns the import paths of each package of this module, without those of its
// tests. The name of a package starts at internal, except those of functions.
func packageImports(t *testing.T) map[string][]string {
	t.Helper()
	packages := map[string][]string{}
	for _, f := range goFiles(t) {
		if strings.HasSuffix(f.path, "_test.go") || strings.Contains(f.path, "/testdata/") || strings.HasPrefix(f.path, "internal/proof/e2e/") {
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

func TestImports_AreThoseOfTheTable(t *testing.T) {
	packages := packageImports(t)
	told := map[string]bool{}
	for line := range strings.Lines(importTable) {
		name, list, found := strings.Cut(strings.TrimSpace(line), ":")
		if !found || strings.HasPrefix(name, "#") {
			continue
		}
		told[name] = true
		if imported, own := packages[name]; own {
			if got := ownImports(imported); !slices.Equal(got, strings.Fields(list)) {
				t.Errorf("%s imports\n%s, and imports.txt has\n%s", name, strings.Join(got, " "), list)
			}
			continue
		}
		for importer, imported := range packages {
			if slices.ContainsFunc(imported, func(p string) bool { return covers(name, p) }) && !allows(strings.Fields(list), importer) {
				t.Errorf("%s may not import %s", importer, name)
			}
		}
	}
	for name := range packages {
		if !told[name] {
			t.Errorf("imports.txt has no line for %s", name)
		}
	}
}

// ownImports returns the imports that are packages of this module, sorted.
func ownImports(imported []string) []string {
	var own []string
	for _, p := range imported {
		if short, found := strings.CutPrefix(p, "basecamp-mcp/"); found {
			own = append(own, shortName(short))
		}
	}
	slices.Sort(own)
	return slices.Compact(own)
}

// covers reports whether a path is that of a row or, if the row ends with /..., below it.
func covers(row, imported string) bool {
	above, below := strings.CutSuffix(row, "/...")
	return imported == above || below && strings.HasPrefix(imported, above+"/")
}

// allows reports whether a list names a package, or forbids others with an exclamation mark.
func allows(list []string, name string) bool {
	if len(list) > 0 && strings.HasPrefix(list[0], "!") {
		return !slices.Contains(list, "!"+name)
	}
	return slices.Contains(list, name)
}

// generic are the packages below internal that serve all providers alike. A new provider must not
// change them, so they name no provider.
var generic = regexp.MustCompile(`^internal/(own/calls|own/checklist|own/task|proof/storetest|report/fault|report/telemetry|serve/lambdahttp|serve/mcphttp|signin/authserver|signin/grant|signin/identity|signin/pages|signin/provider|store/dynamo|store/items|store/memory|store/secrets|text/plaintext|tool/listing|tool/mcptool|wire/publichttp|wire/upstream)/[^/]*\.go$`)

func TestGenericPackages_NameNoProvider(t *testing.T) {
	provider := regexp.MustCompile(`(?i)basecamp|37signals|37s\b|launchpad`)
	own := regexp.MustCompile(`"basecamp-mcp/[^"]*"|basecamp-mcp`) // import paths, and the name of the server
	for _, f := range goFiles(t) {
		if strings.HasSuffix(f.path, "_test.go") || !generic.MatchString(f.path) {
			continue
		}
		for _, line := range f.lines {
			if provider.MatchString(own.ReplaceAllString(line, "")) {
				t.Errorf("%s names a provider: %s", f.path, line)
			}
		}
	}
}
