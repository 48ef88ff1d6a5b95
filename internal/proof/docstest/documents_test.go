package docstest

import (
	"encoding/base64"
	"encoding/json"
	"flag"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/report/fault"
)

// document is a Markdown file, named from the root of the repository.
type document struct {
	name, text string
}

// files returns the texts of all files of the repository that match one of the patterns.
func files(t *testing.T, patterns ...string) []document {
	t.Helper()
	var all []document
	for _, pattern := range patterns {
		paths, err := filepath.Glob(filepath.Join(Root(t), pattern))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: no file, %v", pattern, err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			name, _ := filepath.Rel(Root(t), path)
			all = append(all, document{filepath.ToSlash(name), string(text)})
		}
	}
	return all
}

func documents(t *testing.T) []document     { t.Helper(); return files(t, "*.md", "docs/*.md") }
func read(t *testing.T, name string) string { t.Helper(); return files(t, name)[0].text }

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
	for _, found := range link.FindAllStringSubmatch(inline.ReplaceAllString(fence.ReplaceAllString(d.text, ""), ""), -1) {
		targets = append(targets, found[1]+found[2])
	}
	return targets
}

// anchors returns the fragments that lead to the document's headings, and an empty one.
func (d document) anchors() []string {
	anchors := []string{""}
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

func TestDocuments_AreReachedFromTheREADMEByLinksThatWork(t *testing.T) {
	all := map[string]document{}
	for _, d := range documents(t) {
		all[d.name] = d
	}
	reached := map[string]bool{}
	for next := []string{"README.md"}; len(next) > 0; next = next[1:] {
		d, known := all[next[0]]
		if !known || reached[d.name] {
			continue
		}
		reached[d.name] = true
		for _, link := range d.links() {
			if strings.Contains(link, "://") {
				if !strings.HasPrefix(link, "https://") {
					t.Errorf("%s: %s is not https", d.name, link)
				}
				continue
			}
			name, anchor, _ := strings.Cut(link, "#")
			if name = filepath.ToSlash(filepath.Join(filepath.Dir(d.name), name)); strings.HasPrefix(link, "#") {
				name = d.name
			}
			if other := all[name]; !exists(t, name) || !slices.Contains(other.anchors(), anchor) {
				t.Errorf("%s: %s does not exist, or has no such heading", d.name, link)
			}
			next = append(next, name)
		}
	}
	if len(reached) != len(all) || len(all) < 10 {
		t.Errorf("README.md leads only to %v", reached)
	}
}

// eachMatch calls f with the submatches of a pattern in the code of these documents, and fails if
// there are fewer than want.
func eachMatch(t *testing.T, all []document, pattern string, want int, f func(d document, match []string)) {
	t.Helper()
	re := regexp.MustCompile(pattern)
	found := 0
	for _, d := range all {
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

// localFlags returns the flags of functions/local.
func localFlags() *flag.FlagSet {
	flags := flag.NewFlagSet("local", flag.ContinueOnError)
	new(config.LocalFlags).Define(flags)
	return flags
}

func TestCommands_NameTargetsAndPackagesThatExist(t *testing.T) {
	makefile := read(t, "Makefile")
	eachMatch(t, documents(t), `(?:^|[;&|] *)make ([a-z][a-z-]*)((?: [A-Z]+=\S+)*)`, 10, func(d document, match []string) {
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
	eachMatch(t, documents(t), `go (?:run|test) (\./[\w./]+)((?: +\S+)*)`, 8, func(d document, match []string) {
		if !exists(t, strings.TrimSuffix(match[1], "/...")) {
			t.Errorf("%s: %s does not exist", d.name, match[1])
		}
		for argument := range strings.FieldsSeq(match[2]) {
			name, isFlag := strings.CutPrefix(argument, "-")
			if isFlag && match[1] == "./functions/local" && localFlags().Lookup(name) == nil {
				t.Errorf("%s: %s has no flag -%s", d.name, match[1], name)
			}
		}
	})
}

// A shell keeps its command lines in a history, where a secret would stay.
func TestCommands_ContainNoSecret(t *testing.T) {
	all := append(documents(t), document{"functions/local/help.go", "\n```\n" + read(t, "functions/local/help.go") + "\n```\n"})
	eachMatch(t, all, `\b(?:BASECAMP|GITHUB)_(?:CLIENT_SECRET|ACCESS_TOKEN)=(\S*)`, 1, func(d document, match []string) {
		if !strings.HasPrefix(match[1], `"$`) {
			t.Errorf("%s shows a command with a secret: %s; read -rs asks for one", d.name, match[0])
		}
	})
}

// examples are paths that a reader of CONTRIBUTING.md creates.
var examples = []string{
	"internal/forge", "internal/forge/forgeauth", "internal/forge/sandbox", "internal/forge/forgetools", "internal/own/note", "internal/proof/storetest/notes.go",
}

func TestDocuments_NamePathsThatExist(t *testing.T) {
	eachMatch(t, documents(t), `^((?:internal|functions|docs|events|\.ci)/[\w./-]*|[\w.-]+\.(?:md|yaml|toml))$`, 30, func(d document, match []string) {
		if exists(t, match[1]) == slices.Contains(examples, match[1]) {
			t.Errorf("%s: %s does not exist, or a reader is to create it and it does", d.name, match[1])
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
	eachMatch(t, documents(t), `\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b`, 40, func(d document, match []string) {
		if !slices.Contains(names, match[0]) && !strings.Contains(d.text, `os.environ["`+match[0]+`"]`) {
			t.Errorf("%s: no program reads %s", d.name, match[0])
		}
	})
}

func TestDocuments_NameParametersThatTheTemplatesHave(t *testing.T) {
	templates := read(t, "template.yaml") + read(t, "internal/report/telemetry/metric.go") // names fields of log lines
	for _, d := range files(t, "docs/deploy.md", "docs/operate.md", "SECURITY.md") {
		eachMatch(t, []document{d}, `^([A-Z][a-z]+([A-Z][a-z]+)+)(=.*)?$`, 1, func(_ document, match []string) {
			if !regexp.MustCompile(`\b` + match[1] + `\b`).MatchString(templates) {
				t.Errorf("%s: no template has %s", d.name, match[1])
			}
		})
	}
}

func TestOneClickLinks_AddTheLocalServer(t *testing.T) {
	want := "http://" + localFlags().Lookup("addr").DefValue + "/mcp"
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

func TestArchitecture_ListsEveryPackageAndNamesTestsThatExist(t *testing.T) {
	d := document{"", read(t, "docs/architecture.md")}
	exist := map[string]bool{}
	for _, f := range goFiles(t) {
		for _, line := range f.lines {
			if name, isTest := strings.CutPrefix(line, "func Test"); isTest {
				name, _, _ = strings.Cut(name, "(")
				exist["Test"+name] = true
			}
		}
		if dir := filepath.Dir(f.path); !strings.Contains(dir, "testdata") && dir != "docs/pictures" && !exist[dir] {
			if exist[dir] = true; !slices.Contains(d.code(), dir) {
				t.Errorf("docs/architecture.md does not list the package %s", dir)
			}
		}
	}
	eachMatch(t, []document{d}, `^Test\w+`, 4, func(_ document, match []string) {
		if !exist[match[0]] {
			t.Errorf("docs/architecture.md names the test %s, which does not exist", match[0])
		}
	})
}

func TestSection_ReplacesOnlyItsOwnText(t *testing.T) {
	const document = "# A\n<!-- one: made -->\nold\n<!-- end of one -->\nrest\n<!-- two: made -->\nstays\n<!-- end of two -->\n"
	want := strings.Replace(document, "old", "\nnew $1\n", 1)
	if got, err := replace(document, "one", "new $1\n"); err != nil || got != want {
		t.Errorf("got %q, %v", got, err)
	}
	for _, wrong := range []string{"nothing", "<!-- one: made -->\nno end\n", "<!-- one: -->\n<!-- one: -->\n\n"} {
		if _, err := replace(wrong, "one", ""); err == nil {
			t.Errorf("%q has a section", wrong)
		}
	}
}
