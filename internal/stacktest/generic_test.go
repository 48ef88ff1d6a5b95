package stacktest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// generic are the packages below internal that serve all providers alike. A new provider must not
// change them, so they name no provider.
var generic = []string{
	"authserver", "calls", "checklist", "dynamo", "fault", "grant", "identity", "lambdahttp", "listing",
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
		files, err := filepath.Glob(filepath.Join("..", name, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s has %d files, %v", name, len(files), err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(source)) {
				if providerName.MatchString(ourName.ReplaceAllString(ourPath.ReplaceAllString(line, ""), "")) {
					t.Errorf("%s names a provider: %s", file, line)
				}
			}
		}
	}
}
