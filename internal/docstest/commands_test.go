package docstest

import (
	"encoding/base64"
	"encoding/json"
	"flag"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/fault"
)

// eachMatch calls f with the submatches of a pattern in the code of every document, and fails if
// there are fewer than want.
func eachMatch(t *testing.T, pattern string, want int, f func(d document, match []string)) {
	t.Helper()
	re := regexp.MustCompile(pattern)
	found := 0
	for _, d := range documents(t) {
		for _, code := range d.code() {
			for _, match := range re.FindAllStringSubmatch(code, -1) {
				found++
				f(d, match)
			}
		}
	}
	if found < want {
		t.Errorf("found only %d matches of %s; is the pattern still right?", found, pattern)
	}
}

func TestCommands_NameMakeTargetsThatExist(t *testing.T) {
	makefile := read(t, "Makefile")
	eachMatch(t, `(?:^|[;&|] *)make ([a-z][a-z-]*)((?: [A-Z]+=\S+)*)`, 10, func(d document, match []string) {
		if !regexp.MustCompile(`(?m)^` + match[1] + `:`).MatchString(makefile) {
			t.Errorf("%s: the Makefile has no target %s", d.name, match[1])
		}
		for setting := range strings.FieldsSeq(match[2]) {
			name, _, _ := strings.Cut(setting, "=")
			if !regexp.MustCompile(`\$\((filter 1,|patsubst )?` + name + `[,)]|\$\{` + name + `\b`).MatchString(makefile) {
				t.Errorf("%s: make %s does not read %s", d.name, match[1], name)
			}
		}
	})
}

func TestCommands_RunGoPackagesThatExist(t *testing.T) {
	flags := flag.NewFlagSet("local", flag.ContinueOnError)
	new(config.LocalFlags).Define(flags)
	eachMatch(t, `go (?:run|test) (\./[\w./]+)((?: +\S+)*)`, 8, func(d document, match []string) {
		if path := strings.TrimSuffix(match[1], "/..."); path != "." && !exists(t, path) {
			t.Errorf("%s: %s does not exist", d.name, match[1])
		}
		for argument := range strings.FieldsSeq(match[2]) {
			name, isFlag := strings.CutPrefix(argument, "-")
			if isFlag && match[1] == "./functions/local" && flags.Lookup(name) == nil {
				t.Errorf("%s: %s has no flag -%s", d.name, match[1], name)
			}
		}
	})
}

// examples are paths that a reader of CONTRIBUTING.md creates.
var examples = []string{
	"internal/forge", "internal/forge/forgeauth", "internal/forge/sandbox", "internal/forge/forgetools", "internal/note", "internal/storetest/notes.go",
}

func TestDocuments_CreateOnlyPathsThatAreFree(t *testing.T) {
	for _, path := range examples {
		if exists(t, path) {
			t.Errorf("%s exists: CONTRIBUTING.md needs another name for it, and so does examples in commands_test.go", path)
		}
	}
}

func TestDocuments_NamePathsThatExist(t *testing.T) {
	eachMatch(t, `^((?:internal|functions|docs|events|\.ci)/[\w./-]*|[\w.-]+\.(?:md|yaml|toml))$`, 30, func(d document, match []string) {
		path := match[1]
		if !exists(t, path) && !slices.Contains(examples, path) {
			t.Errorf("%s: %s does not exist", d.name, path)
		}
	})
}

// known returns the names in capitals that documents may use: codes of errors, and the variables
// that config reads.
func known() []string {
	names := []string{"UNKNOWN_LIST", "MULTIPLE_IN_PROGRESS"}
	for _, code := range []fault.Code{
		fault.InvalidInput, fault.TokenExpired, fault.PermissionDenied, fault.NotFound, fault.ToolNotEnabled, fault.Ambiguous,
		fault.Conflict, fault.RateLimited, fault.LimitReached, fault.UpstreamError, fault.InternalError, fault.NotLinked,
	} {
		names = append(names, string(code))
	}
	for _, group := range config.Variables() {
		for _, v := range group.Variables {
			names = append(names, v.Name)
		}
	}
	return names
}

// Documents may also name the variables that tests read, those of a program in the same document,
// and a constant of AWS.
func TestDocuments_NameVariablesThatExist(t *testing.T) {
	names := append(known(), "UPDATE_GOLDEN", "UPDATE_PICTURES", "CAPABILITY_IAM")
	eachMatch(t, `\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b`, 40, func(d document, match []string) {
		if !slices.Contains(names, match[0]) && !strings.Contains(d.text, `os.environ["`+match[0]+`"]`) {
			t.Errorf("%s: no program reads %s", d.name, match[0])
		}
	})
}

func TestDocuments_NameParametersThatTheTemplatesHave(t *testing.T) {
	templates := read(t, "template.yaml")
	templates += read(t, "internal/telemetry/metric.go") // names fields of log lines
	for _, name := range []string{"docs/deploy.md", "docs/operate.md", "SECURITY.md"} {
		d := document{name, read(t, name)}
		found := 0
		for _, code := range d.code() {
			word, _, _ := strings.Cut(code, "=")
			if !regexp.MustCompile(`^[A-Z][a-z]+([A-Z][a-z]+)+$`).MatchString(word) {
				continue
			}
			found++
			if !regexp.MustCompile(`\b` + word + `\b`).MatchString(templates) {
				t.Errorf("%s: no template has %s", d.name, word)
			}
		}
		if found == 0 {
			t.Errorf("%s names no parameter or output of template.yaml", name)
		}
	}
}

func TestOneClickLinks_AddTheLocalServer(t *testing.T) {
	flags := flag.NewFlagSet("local", flag.ContinueOnError)
	new(config.LocalFlags).Define(flags)
	want := "http://" + flags.Lookup("addr").DefValue + "/mcp"
	found := 0
	for _, d := range documents(t) {
		for _, link := range d.links() {
			target, err := url.Parse(link)
			if err != nil || !target.Query().Has("config") {
				continue
			}
			found++
			data := []byte(target.Query().Get("config"))
			if target.Host == "cursor.com" {
				if data, err = base64.StdEncoding.DecodeString(string(data)); err != nil {
					t.Fatalf("%s: %v", link, err)
				}
			}
			var server struct{ URL string }
			if err := json.Unmarshal(data, &server); err != nil || server.URL != want {
				t.Errorf("%s: %s adds %q, want %q (%v)", d.name, link, server.URL, want, err)
			}
		}
	}
	if found < 4 {
		t.Errorf("found only %d links", found)
	}
}

// A newcomer runs two commands, and .ci/run tests the second one.
func TestREADME_NamesTheCommandOfTheTests(t *testing.T) {
	readme, ci := read(t, "README.md"), read(t, ".ci/run")
	for _, command := range []string{"\ngo run ./functions/local ", "\ngo test ./... ", "\nsam build && sam local invoke McpFunction -e events/"} {
		if !strings.Contains(readme, command) {
			t.Errorf("README.md has no line %q", command)
		}
	}
	if !strings.Contains(ci, "go test -v ./...") || !strings.Contains(ci, "the command of README.md") {
		t.Error(".ci/run does not run the tests as README.md does")
	}
}
