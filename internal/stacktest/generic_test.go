package stacktest_test

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// generic are the packages below internal that serve all providers alike. A new provider must not
// change them, so they name no provider.
var generic = []string{
	"audit", "authserver", "checklist", "dynamo", "fault", "grant", "idempotency", "identity", "lambdahttp", "listing",
	"items", "mcphttp", "mcptool", "memory", "pages", "plaintext", "provider", "publichttp", "secrets", "storetest",
	"task", "telemetry", "upstream",
}

var (
	providerName = regexp.MustCompile(`(?i)basecamp|37signals|37s\b|launchpad`)
	// ourName is the name of this module and of the server, which is not a provider's.
	ourName = regexp.MustCompile(`basecamp-mcp`)
	// ourPath is the import path of a package.
	ourPath = regexp.MustCompile(`"basecamp-mcp/[^"]*"`)
)

func TestGenericPackages_NameNoProvider(t *testing.T) {
	for _, name := range generic {
		var found []string
		for _, file := range goFiles(t, filepath.Join("..", name)) {
			found = append(found, linesThatName(t, file)...)
		}
		if len(found) > 0 {
			t.Errorf("internal/%s names a provider in %d lines:\n%s", name, len(found), strings.Join(found, "\n"))
		}
	}
}

func TestLinesThatName_FindsNamesButNotThisModule(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.go")
	source := "import \"basecamp-mcp/internal/basecamp\"\n// Basecamp\nconst a = \"37s:\"\nconst b = \"basecamp-mcp\"\n"
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	if found := linesThatName(t, file); len(found) != 2 {
		t.Errorf("found %q, want the second and the third line", found)
	}
}

// goFiles returns the Go files of a package without its tests, or none if the package does not
// exist.
func goFiles(t *testing.T, directory string) (files []string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(directory, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range all {
		if !strings.HasSuffix(file, "_test.go") {
			files = append(files, file)
		}
	}
	return files
}

// linesThatName returns the lines of a file that name a provider.
func linesThatName(t *testing.T, file string) (found []string) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := ourName.ReplaceAllString(ourPath.ReplaceAllString(lines.Text(), ""), "")
		if providerName.MatchString(line) {
			found = append(found, filepath.Base(file)+": "+strings.TrimSpace(lines.Text()))
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return found
}
