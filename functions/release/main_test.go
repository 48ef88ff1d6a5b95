package main

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func built(t *testing.T, ids ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, id := range ids {
		if err := os.MkdirAll(filepath.Join(dir, id), 0o755); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, id, "bootstrap")
		if err := os.WriteFile(path, []byte("program of "+id), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Now(), time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestPack_MakesTheSameBytesEachTimeAndATemplateThatDeploysThem(t *testing.T) {
	var releases [2]map[string]string
	for i := range releases {
		dist := t.TempDir()
		if err := pack(built(t, "McpFunction", "OAuthFunction"), "../../template.yaml", dist); err != nil {
			t.Fatal(err)
		}
		releases[i] = map[string]string{}
		files, _ := filepath.Glob(dist + "/*")
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			releases[i][filepath.Base(file)] = string(content)
		}
	}
	for name, content := range releases[0] {
		if content != releases[1][name] {
			t.Errorf("%s differs", name)
		}
	}
	made := releases[0]
	if len(made) != 4 || strings.Count(made["SHA256SUMS"], "\n") != 3 || !strings.Contains(made["SHA256SUMS"], "  McpFunction.zip\n") {
		t.Errorf("SHA256SUMS of %d files: %s", len(made), made["SHA256SUMS"])
	}
	template := made["template.yaml"]
	if !strings.Contains(template, "CodeUri: McpFunction.zip\n") || !strings.Contains(template, "CodeUri: OAuthFunction.zip\n") ||
		strings.Contains(template, "CodeUri: .\n") || strings.Contains(template, "BuildMethod") {
		t.Errorf("template: %s", template)
	}
	z, err := zip.NewReader(bytes.NewReader([]byte(made["McpFunction.zip"])), int64(len(made["McpFunction.zip"])))
	if err != nil || len(z.File) != 1 || z.File[0].Name != "bootstrap" || z.File[0].Mode().Perm() != 0o755 {
		t.Errorf("%+v, %v", z, err)
	}
}

func TestPack_RefusesWhatIsNotInTheTemplate(t *testing.T) {
	for _, dir := range []string{t.TempDir(), built(t, "OtherFunction")} {
		if err := pack(dir, "../../template.yaml", t.TempDir()); err == nil {
			t.Errorf("%s was packed", dir)
		}
	}
}
