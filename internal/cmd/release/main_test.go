package main

import (
	"archive/zip"
	"bytes"
	"debug/buildinfo"
	"debug/elf"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
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

func TestPack_ProducesTheSameBytesAndATemplateThatDeploysThem(t *testing.T) {
	var releases [2]map[string]string
	for i := range releases {
		dist := t.TempDir()
		if err := pack(built(t, "McpFunction", "OAuthFunction"), "../../../template.yaml", dist); err != nil {
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

func TestPack_RefusesAFunctionThatIsNotInTheTemplate(t *testing.T) {
	for _, dir := range []string{t.TempDir(), built(t, "OtherFunction")} {
		if err := pack(dir, "../../../template.yaml", t.TempDir()); err == nil {
			t.Errorf("%s was packed, but it is not in the template", dir)
		}
	}
}

// mostBytes are the largest sizes of the functions' binaries, a few percent above their present
// ones. A larger binary starts later. Raise a size only for code that the function needs.
var mostBytes = map[string]int{"McpFunction": 21_500_000, "OAuthFunction": 18_200_000}

// The zip files are complete and run on Lambda. They do not contain the place of the build, which
// would change their bytes.
func TestRelease_IsTheSameWhereverItIsBuilt(t *testing.T) {
	if os.Getenv("INTEGRATION") == "" {
		t.Skip("run make integration, or set INTEGRATION=1")
	}
	dist := t.TempDir()
	for _, command := range [][]string{
		{"make", "--directory", "../../..", "release", "DIST=" + dist},
		{"sh", "-c", `cd "$0" && sha256sum --check SHA256SUMS`, dist},
	} {
		c := exec.CommandContext(t.Context(), command[0], command[1:]...)
		c.Env = append(os.Environ(), "GOFLAGS=-buildvcs=auto") // the default
		if said, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", command, err, said)
		}
	}
	for _, id := range []string{"McpFunction", "OAuthFunction"} {
		program := unpacked(t, filepath.Join(dist, id+".zip"))
		info, err := buildinfo.Read(bytes.NewReader(program))
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, setting := range info.Settings {
			got[setting.Key] = setting.Value
		}
		if diff := cmp.Diff(map[string]string{
			"-buildmode": "exe", "-compiler": "gc", "-tags": "lambda.norpc", "-trimpath": "true", "CGO_ENABLED": "0",
			"GOOS": "linux", "GOARCH": "arm64", "GOARM64": "v8.0",
		}, got); diff != "" {
			t.Errorf("%s: %s", id, diff)
		}
		if binary, err := elf.NewFile(bytes.NewReader(program)); err != nil || binary.Section(".symtab") != nil {
			t.Errorf("%s contains its symbols, %v", id, err)
		}
		if most := mostBytes[id]; len(program) > most {
			t.Errorf("%s has %d bytes, at most %d are allowed; go version -m lists its modules", id, len(program), most)
		}
	}
}

// unpacked returns the only file of a zip.
func unpacked(t *testing.T, path string) []byte {
	t.Helper()
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	f, err := z.File[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
