package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func file(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// instructions returns the arguments of an instruction of the Dockerfile, without its options.
func instructions(t *testing.T, name string) (all [][]string) {
	t.Helper()
	for _, m := range regexp.MustCompile(`(?m)^`+name+` (.*)$`).FindAllStringSubmatch(file(t, "Dockerfile"), -1) {
		all = append(all, slices.DeleteFunc(strings.Fields(m[1]), func(word string) bool { return strings.HasPrefix(word, "--") }))
	}
	return all
}

func TestDockerfile_CopiesWhatMakeContainerPutsThere(t *testing.T) {
	script := file(t, ".ci/container")
	for _, arguments := range instructions(t, "COPY") {
		if len(arguments) != 2 || !strings.Contains(script, `"$context/`+arguments[0]+`"`) {
			t.Errorf(".ci/container makes nothing for COPY %v", arguments)
		}
	}
	if !strings.Contains(script, "--file Dockerfile") || !strings.Contains(script, "--read-only --cap-drop ALL --security-opt no-new-privileges") {
		t.Error(".ci/container does not run the image as the documents advise")
	}
}

// docs/install.md goes on with docker run.
func TestContainer_LeavesTheEngineRunningOutsideCI(t *testing.T) {
	script := file(t, ".ci/container")
	if !strings.Contains(script, "if [ -n \"${CI:-}\" ]; then\n    stop_engine\n  elif") || strings.Count(script, "stop_engine") != 1 {
		t.Error(".ci/container stops the engine that has the image")
	}
}

func TestMakefile_IsNeverSilentForTenSeconds(t *testing.T) {
	makefile := file(t, "Makefile")
	if !strings.Contains(makefile, "while sleep 8 ") {
		t.Error("quietly prints nothing while a command runs")
	}
	for _, target := range []string{"fmt", "systems", "lint", "race", "sam-local", "release"} {
		_, recipe, _ := strings.Cut(makefile, "\n"+target+": ")
		recipe, _, _ = strings.Cut(recipe, "\n\n")
		if !strings.Contains(recipe, "$(call quietly,") {
			t.Errorf("make %s does not use quietly", target)
		}
	}
}

func TestDockerfile_RunsWithoutRights(t *testing.T) {
	for name, want := range map[string]string{
		"FROM": "scratch", "USER": "65532:65532", "VOLUME": "/data", "ENV": "XDG_CONFIG_HOME=/data", "EXPOSE": "8787",
		"ENTRYPOINT": `["/basecamp-mcp"]`, "CMD": `["-addr", "0.0.0.0:8787"]`,
	} {
		if got := instructions(t, name); len(got) != 1 || strings.Join(got[0], " ") != want {
			t.Errorf("%s is %v, want %s", name, got, want)
		}
	}
	if got := instructions(t, "RUN"); got != nil {
		t.Errorf("the image has no shell for %v", got)
	}
	if !strings.Contains(file(t, "Dockerfile"), "COPY --chown=65532:65532 data /data\n") {
		t.Error("the user of the program does not own /data")
	}
}

func TestWorkflows_PinActionsAndMayOnlyRead(t *testing.T) {
	paths, _ := filepath.Glob(root + "/.github/workflows/*")
	if len(paths) != 2 {
		t.Errorf("the workflows are %v", paths)
	}
	pinned := regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)uses: (.*)$`).FindAllStringSubmatch(string(text), -1) {
			if !pinned.MatchString(m[1]) {
				t.Errorf("%s: %s is not pinned to a commit", path, m[1])
			}
		}
		if !strings.Contains(string(text), "\npermissions:\n  contents: read\njobs:") && !strings.Contains(string(text), "\npermissions:\n  contents: read\nconcurrency:") {
			t.Errorf("%s may do more than read", path)
		}
		if strings.Contains(string(text), "${{ github.event") || strings.Contains(string(text), "pull_request_target") {
			t.Errorf("%s runs what a stranger writes", path)
		}
		if strings.Count(string(text), "persist-credentials: false") != strings.Count(string(text), "actions/checkout@") {
			t.Errorf("%s leaves a token in the checkout", path)
		}
	}
	ci, release := file(t, ".github/workflows/ci.yml"), file(t, ".github/workflows/release.yml")
	if !strings.Contains(ci, " .ci/run\n") || strings.Contains(ci, "write") {
		t.Error("ci.yml does not run .ci/run, or may write")
	}
	if !strings.Contains(release, `make release OWNER="$GITHUB_REPOSITORY_OWNER"`) || !strings.Contains(release, "--notes-file .tools/release/notes.md") ||
		len(regexp.MustCompile(`: write`).FindAllString(release, -1)) != 1 {
		t.Error("release.yml does not run make release, or may write more than a release")
	}
}
