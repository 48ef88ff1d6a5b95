package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// selections are the paths below the endpoint whose lists of tools are compared.
var selections = []string{
	"", "/readonly", "/x/basecamp", "/x/basecamp_admin", "/x/github", "/x/todolist", "/x/tasks", "/x/hub", "/x/account", "/x/basecamp,github,hub",
}

// everyToolset is what the operator must list so that all of them are served.
const everyToolset = "basecamp,basecamp_admin,github,todolist,tasks,hub,account"

// lists are definitions: by the selection and the era, and by the names of the tools.
type lists map[string]map[string]string

// TestLists_DifferFromTheLastReleaseOnlyAsTheChangelogSays compares the tools of this code with
// those of the newest tag, or of the commit in PREVIOUS: what the users' models see must not change
// unnoticed.
func TestLists_DifferFromTheLastReleaseOnlyAsTheChangelogSays(t *testing.T) {
	t.Parallel()
	ref := os.Getenv("PREVIOUS")
	if ref == "" {
		ref = git(t, "describe", "--tags", "--abbrev=0", "--match", "v[0-9]*.[0-9]*.[0-9]*", "--exclude", "*-*", "HEAD^")
	}
	if ref == "" {
		t.Log("there is no release before the last commit, so there is nothing to differ from")
		return
	}
	changelog, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, difference := range unsaid(listsOf(t, released(t, ref)), listsOf(t, program), since(string(changelog), ref)) {
		t.Errorf("since %s, %s; name the tool in CHANGELOG.md", ref, difference)
	}
}

func TestLists_NameWhatTheChangelogDoesNot(t *testing.T) {
	before := lists{"/x/tasks, 2026-07-28": {"add_task": "1", "list_tasks": "1", "old_task": "1"}}
	now := lists{"/x/tasks, 2026-07-28": {"add_task": "2", "list_tasks": "1", "new_task": "1"}}
	for changelog, want := range map[string]string{
		"## Unreleased\n\n* `add_task` and `new_task`.\n\n## 1.0.0\n\n* `old_task`.\n":    "old_task is gone from /x/tasks, 2026-07-28",
		"## Unreleased\n\n* `add_tasks`.\n\n## 0.9.0\n":                                   "add_task differs in /x/tasks, 2026-07-28; new_task is new in /x/tasks, 2026-07-28; old_task is gone from /x/tasks, 2026-07-28",
		"## 1.1.0\n\n* `add_task`, `new_task`.\n\n## 1.0.1\n\n* `old_task`\n\n## 1.0.0\n": "",
	} {
		if got := strings.Join(unsaid(before, now, since(changelog, "v1.0.0")), "; "); got != want {
			t.Errorf("%q: %q, want %q", changelog, got, want)
		}
	}
}

// since returns the part of a changelog about what follows a release. Of another commit, that is
// its first section.
func since(changelog, ref string) string {
	first := strings.Index(changelog, "\n## ") + 1
	if of := strings.Index(changelog, "## "+strings.TrimPrefix(ref, "v")+"\n"); of >= 0 {
		return changelog[:of]
	}
	if second := strings.Index(changelog[first+1:], "\n## "); second >= 0 {
		return changelog[:first+1+second]
	}
	return changelog
}

// unsaid returns the differences between lists of tools that a text does not name, each tool once.
func unsaid(before, now lists, changelog string) (all []string) {
	told := map[string]bool{}
	for _, where := range slices.Sorted(maps.Keys(now)) {
		was, is := before[where], now[where]
		both := maps.Clone(is)
		maps.Copy(both, was)
		for _, tool := range slices.Sorted(maps.Keys(both)) {
			var how string
			switch {
			case was[tool] == is[tool] || told[tool] || strings.Contains(changelog, "`"+tool+"`"):
				continue
			case was[tool] == "":
				how = " is new in "
			case is[tool] == "":
				how = " is gone from "
			default:
				how = " differs in "
			}
			told[tool] = true
			all = append(all, tool+how+where)
		}
	}
	return all
}

// git returns the output of a git command, or "" if it fails.
func git(t *testing.T, arguments ...string) string {
	t.Helper()
	out, _ := exec.CommandContext(t.Context(), "git", arguments...).Output()
	return strings.TrimSpace(string(out))
}

// released builds the program of a commit.
func released(t *testing.T, ref string) string {
	t.Helper()
	dir := t.TempDir()
	into := filepath.Join(dir, "local")
	script := `git -C ../.. archive --format=tar "$REF" | tar -xf - -C "$DIR" && cd "$DIR" && go build -trimpath -o "$INTO" ./functions/local`
	building := exec.CommandContext(t.Context(), "sh", "-ec", script)
	building.Env = append(os.Environ(), "REF="+ref, "DIR="+dir, "INTO="+into)
	if said, err := building.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", ref, err, said)
	}
	return into
}

// listsOf returns the lists of a program: over HTTP in all selections and eras, and over stdio.
func listsOf(t *testing.T, program string) lists {
	t.Helper()
	all := lists{}
	usual, s := startProgram(t, program, nil), startProgram(t, program, nil, "TOOLSETS="+everyToolset)
	for _, version := range []string{older, legacy, modern} {
		all["/mcp by default, "+version] = listed(t, usual, "", version)
		for _, path := range selections {
			all["/mcp"+path+", "+version] = listed(t, s, path, version)
		}
		all["stdio, "+version] = definitions(t, overStdio(t, program, version))
	}
	return all
}

// listed returns a list of a server.
func listed(t *testing.T, s *server, path, version string) map[string]string {
	t.Helper()
	m := message{method: "tools/list", version: version, path: path}
	if version < modern {
		begun := message{method: "initialize", version: version, path: path, params: opening(version)}.post(t, s)
		m.header = map[string]string{"Mcp-Session-Id": begun.header.Get("Mcp-Session-Id")}
	}
	return definitions(t, m.post(t, s).Result)
}

func opening(version string) map[string]any {
	return map[string]any{"protocolVersion": version, "capabilities": map[string]any{}, "clientInfo": map[string]string{"name": "e2e", "version": "1"}}
}

// definitions returns the definitions in a list, by name. A selection that a release does not have
// has none.
func definitions(t *testing.T, list json.RawMessage) map[string]string {
	t.Helper()
	var found struct{ Tools []map[string]any }
	if list != nil {
		if err := json.Unmarshal(list, &found); err != nil {
			t.Fatalf("%v: %.300s", err, list)
		}
	}
	all := map[string]string{}
	for _, tool := range found.Tools {
		text, err := json.Marshal(tool) // with sorted keys
		if err != nil {
			t.Fatal(err)
		}
		all[fmt.Sprint(tool["name"])] = string(text)
	}
	return all
}

// overStdio returns the list of a program that a client starts.
func overStdio(t *testing.T, program, version string) json.RawMessage {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, "stdio", "-store", "memory")
	cmd.Env = []string{"HOME=" + t.TempDir(), "TOOLSETS=" + everyToolset}
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close(); _ = cmd.Wait() }()
	send := func(m message) {
		m.version = version
		line, _ := json.Marshal(m.envelope()) // it can be encoded
		_, _ = fmt.Fprintf(in, "%s\n", line)
	}
	lines := bufio.NewReader(out)
	var a answer
	receive := func() {
		line, err := lines.ReadBytes('\n')
		if err != nil || json.Unmarshal(line, &a) != nil {
			t.Fatalf("%v: %.300s%s", err, line, &complaints)
		}
	}
	if version < modern {
		send(message{method: "initialize", params: opening(version)})
		receive()
	}
	send(message{method: "tools/list"})
	receive()
	return a.Result
}
