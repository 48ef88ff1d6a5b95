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
