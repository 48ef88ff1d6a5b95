package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"debug/buildinfo"
	"debug/elf"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const root = "../../.."

// built returns a directory with made-up programs, as make release builds them.
func built(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("program of "+name), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Now(), time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

var complete = []string{
	"McpFunction/bootstrap", "OAuthFunction/bootstrap", "SweepFunction/bootstrap", "local/linux_amd64/local", "local/darwin_arm64/local", "local/windows_amd64/local.exe",
}

// made returns the files of a release by name.
func made(t *testing.T, arguments ...string) map[string]string {
	t.Helper()
	dist := t.TempDir()
	if err := run(append(arguments, built(t, complete...), root, dist)); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	paths, _ := filepath.Glob(dist + "/*")
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(path)] = string(content)
	}
	return files
}

func TestRelease_ProducesTheSameBytesFromTheSamePrograms(t *testing.T) {
	first, second := made(t, "-version", "v0.1.0", "-owner", "fernhill"), made(t, "-version", "v0.1.0", "-owner", "fernhill")
	var names []string
	for name, content := range first {
		names = append(names, name)
		if content != second[name] {
			t.Errorf("%s differs", name)
		}
		if sum := "  " + name + "\n"; name != "checksums.txt" && !strings.Contains(first["checksums.txt"], sum) {
			t.Errorf("checksums.txt lacks %s", name)
		}
	}
	slices.Sort(names)
	if diff := cmp.Diff([]string{
		"McpFunction.zip", "OAuthFunction.zip", "SweepFunction.zip",
		"basecamp-mcp_0.1.0_darwin_arm64.mcpb", "basecamp-mcp_0.1.0_darwin_arm64.tar.gz",
		"basecamp-mcp_0.1.0_linux_amd64.mcpb", "basecamp-mcp_0.1.0_linux_amd64.tar.gz",
		"basecamp-mcp_0.1.0_windows_amd64.mcpb", "basecamp-mcp_0.1.0_windows_amd64.zip",
		"checksums.txt", "server.json", "template.yaml",
	}, names); diff != "" {
		t.Error(diff)
	}
}

func TestRelease_HasATemplateThatDeploysTheZips(t *testing.T) {
	files := made(t)
	template := files["template.yaml"]
	if !strings.Contains(template, "CodeUri: McpFunction.zip\n") || !strings.Contains(template, "CodeUri: OAuthFunction.zip\n") ||
		!strings.Contains(template, "CodeUri: SweepFunction.zip\n") ||
		strings.Contains(template, "CodeUri: .\n") || strings.Contains(template, "BuildMethod") {
		t.Errorf("template: %s", template)
	}
	if diff := cmp.Diff([]string{"bootstrap -rwxr-xr-x program of McpFunction/bootstrap"}, unzipped(t, files["McpFunction.zip"])); diff != "" {
		t.Error(diff)
	}
}

func TestArchives_HoldTheProgramAndItsDocuments(t *testing.T) {
	files := made(t)
	for name, entries := range map[string][]string{
		"basecamp-mcp_dev_darwin_arm64.tar.gz": untarred(t, files["basecamp-mcp_dev_darwin_arm64.tar.gz"]),
		"basecamp-mcp_dev_windows_amd64.zip":   unzipped(t, files["basecamp-mcp_dev_windows_amd64.zip"]),
	} {
		want := "basecamp-mcp -rwxr-xr-x program of local/darwin_arm64/local"
		if strings.Contains(name, "windows") {
			want = "basecamp-mcp.exe -rwxr-xr-x program of local/windows_amd64/local.exe"
		}
		if entries[0] != want || !strings.HasPrefix(entries[1], "LICENSE -rw-r--r-- MIT") {
			t.Errorf("%s has %.80q", name, entries[:2])
		}
		packed := map[string]string{}
		for _, e := range entries[1:] {
			name, content, _ := strings.Cut(e, " -rw-r--r-- ")
			packed[name] = content
		}
		for _, from := range []string{"README.md", "docs/install.md", "docs/clients.md", "docs/configuration.md"} {
			for _, m := range regexp.MustCompile(`(?:\]\(|src=")([\w./-]+)`).FindAllStringSubmatch(packed[from], -1) {
				if to := path.Join(path.Dir(from), m[1]); !strings.HasPrefix(m[1], "http") && packed[to] == "" {
					t.Errorf("%s lacks %s, to which %s refers", name, to, from)
				}
			}
		}
		if packed["CHANGELOG.md"] == "" || packed["docs/install.md"] == "" {
			t.Errorf("%s lacks documents", name)
		}
	}
}

func TestRelease_IsRefusedIfItWouldBeWrong(t *testing.T) {
	for name, test := range map[string]struct {
		built     []string
		arguments []string
		want      string
	}{
		"nothing built":                    {nil, nil, "no built function"},
		"no local program":                 {[]string{"McpFunction/bootstrap"}, nil, "no built program"},
		"a function without a resource":    {[]string{"OtherFunction/bootstrap"}, nil, "no function OtherFunction"},
		"a platform without a processor":   {[]string{"McpFunction/bootstrap", "local/linux/local"}, nil, "<os>_<arch>"},
		"a system without bundles":         {[]string{"McpFunction/bootstrap", "local/plan9_amd64/local"}, nil, "no desktop bundles for plan9"},
		"a registration without a version": {complete, []string{"-owner", "fernhill"}, "check out a tag such as v1.2.3"},
		"a registration between two tags":  {complete, []string{"-owner", "fernhill", "-version", "v0.1.0-4-gabcdef0"}, "check out a tag"},
		"a version without notes":          {complete, []string{"-version", "v9.9.9"}, "CHANGELOG.md has no section 9.9.9"},
		"an owner with a path":             {complete, []string{"-owner", "fernhill/bikes", "-version", "v0.1.0"}, "must be the name of an account at GitHub"},
	} {
		t.Run(name, func(t *testing.T) {
			dist := t.TempDir()
			if err := run(append(test.arguments, built(t, test.built...), root, dist)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v, want %s", err, test.want)
			}
			if files, _ := filepath.Glob(dist + "/*"); len(files) > 0 {
				t.Errorf("it wrote %v", files)
			}
		})
	}
}

func TestCheck_NeedsNoProgramAndWritesNothing(t *testing.T) {
	for want, arguments := range map[string][]string{
		"CHANGELOG.md has no section 9.9.9": {"-version", "v9.9.9"}, "check out a tag": {"-owner", "fernhill"},
		"must be the name of an account": {"-owner", "a/b", "-version", "v0.1.0"},
	} {
		if err := run(append(append([]string{"-check"}, arguments...), root)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", arguments, err)
		}
	}
	if err := run([]string{"-check", "-owner", "fernhill", "-version", "v0.1.0", root}); err != nil {
		t.Error(err)
	}
}

// A release that fails leaves the one before in dist/.
func TestMakefile_ChecksFirstAndReplacesDistLast(t *testing.T) {
	makefile, err := os.ReadFile(root + "/Makefile")
	if err != nil {
		t.Fatal(err)
	}
	_, recipe, _ := strings.Cut(string(makefile), "\nrelease: ")
	recipe, _, _ = strings.Cut(recipe, "\n\n")
	lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(recipe, "\\\n", "")), "\n")[1:]
	if !strings.Contains(lines[0], "release -check") || strings.Contains(strings.Join(lines[:len(lines)-2], ""), "$(DIST)") {
		t.Errorf("the steps are %q", lines)
	}
	for _, line := range lines[:len(lines)-1] {
		if !strings.Contains(line, "quietly") {
			t.Errorf("this step prints no line: %s", line)
		}
	}
}

// The notes of a release are on its page. A build between two tags has none, and a candidate has
// those of the next version.
func TestNotes_AreTheSectionOfTheChangelog(t *testing.T) {
	source := t.TempDir()
	changelog := "# Changelog\n\nWords.\n\n## Unreleased\n\n### Added\n\n* New.\n\n## 1.10.0 (2026-12-01)\n\n* Tenth.\n\n## 1.1.0\n\n* First.\n"
	if err := os.WriteFile(filepath.Join(source, "CHANGELOG.md"), []byte(changelog), 0o600); err != nil {
		t.Fatal(err)
	}
	for version, want := range map[string]string{
		"1.10.0": "* Tenth.\n", "1.1.0": "* First.\n", "2.0.0-rc.1": "### Added\n\n* New.\n", "dev": "", "1.10.0-4-gabcdef0": "",
	} {
		if got, err := (release{version: version, source: source}).notes(); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", version, got, err, want)
		}
	}
	for _, version := range []string{"1.1", "1.0.0"} {
		if got, err := (release{version: version, source: source}).notes(); got != "" || number.MatchString(version) && err == nil {
			t.Errorf("%s has the notes %q, %v", version, got, err)
		}
	}
}

func TestMakefile_ReleasesThreeSystemsOnTwoProcessors(t *testing.T) {
	makefile, err := os.ReadFile(root + "/Makefile")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(makefile), "\nPLATFORMS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64\n") {
		t.Error("the Makefile lists other PLATFORMS")
	}
}

// mostBytes are the largest sizes of the functions' binaries, a few percent above their present
// ones. A larger binary starts later. Raise a size only for code that the function needs.
var mostBytes = map[string]int{"McpFunction": 28_000_000, "OAuthFunction": 20_000_000, "SweepFunction": 9_000_000}

// The files are complete. The programs run where they are meant to, and do not contain the place of
// the build, which would change their bytes.
func TestRelease_IsTheSameWhereverItIsBuilt(t *testing.T) {
	if os.Getenv("INTEGRATION") == "" {
		t.Skip("run make integration, or set INTEGRATION=1")
	}
	dist := t.TempDir()
	here := runtime.GOOS + "/" + runtime.GOARCH
	for _, command := range [][]string{
		{"make", "--directory", root, "release", "DIST=" + dist, "VERSION=v0.1.0", "OWNER=fernhill", "PLATFORMS=" + here + " linux/arm64", "BUILT=" + t.TempDir()},
		{"sh", "-c", `cd "$0" && sha256sum --check checksums.txt`, dist},
	} {
		c := exec.CommandContext(t.Context(), command[0], command[1:]...)
		c.Env = append(os.Environ(), "GOFLAGS=-buildvcs=auto") // the default
		if said, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", command, err, said)
		}
	}
	for _, id := range []string{"McpFunction", "OAuthFunction", "SweepFunction"} {
		program := contentOf(t, unzippedFile(t, filepath.Join(dist, id+".zip")), "bootstrap")
		if diff := cmp.Diff(map[string]string{
			"-buildmode": "exe", "-compiler": "gc", "-tags": "lambda.norpc", "-trimpath": "true", "CGO_ENABLED": "0",
			"GOOS": "linux", "GOARCH": "arm64", "GOARM64": "v8.0",
		}, buildSettings(t, program)); diff != "" {
			t.Errorf("%s: %s", id, diff)
		}
		if binary, err := elf.NewFile(bytes.NewReader(program)); err != nil || binary.Section(".symtab") != nil {
			t.Errorf("%s contains its symbols, %v", id, err)
		}
		if most := mostBytes[id]; len(program) > most {
			t.Errorf("%s has %d bytes, at most %d are allowed; go version -m lists its modules", id, len(program), most)
		}
	}
	archive, err := os.ReadFile(filepath.Join(dist, "basecamp-mcp_0.1.0_linux_arm64.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	_, foreign, _ := strings.Cut(untarred(t, string(archive))[0], " -rwxr-xr-x ")
	if got := buildSettings(t, []byte(foreign)); got["GOOS"] != "linux" || got["GOARCH"] != "arm64" || got["-trimpath"] != "true" || got["CGO_ENABLED"] != "0" {
		t.Errorf("the program for linux/arm64 is %v", got)
	}
	startsAndKnowsItsVersion(t, dist, "basecamp-mcp_0.1.0_"+strings.ReplaceAll(here, "/", "_"))
}

// buildSettings returns how a program was built.
func buildSettings(t *testing.T, program []byte) map[string]string {
	t.Helper()
	info, err := buildinfo.Read(bytes.NewReader(program))
	if err != nil {
		t.Fatal(err)
	}
	settings := map[string]string{}
	for _, setting := range info.Settings {
		settings[setting.Key] = setting.Value
	}
	return settings
}

func unzippedFile(t *testing.T, path string) *zip.Reader {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return unzip(t, string(content))
}

func unzip(t *testing.T, content string) *zip.Reader {
	t.Helper()
	z, err := zip.NewReader(strings.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// contentOf returns a file of a zip.
func contentOf(t *testing.T, z *zip.Reader, name string) []byte {
	t.Helper()
	f, err := z.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	content, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// unzipped returns a line for each file of a zip: name, mode, content.
func unzipped(t *testing.T, content string) (lines []string) {
	t.Helper()
	z := unzip(t, content)
	for _, f := range z.File {
		if !f.Modified.Equal(epoch) {
			t.Errorf("%s was modified %v", f.Name, f.Modified)
		}
		lines = append(lines, f.Name+" "+f.Mode().String()+" "+string(contentOf(t, z, f.Name)))
	}
	return lines
}

// untarred does the same for a compressed tar file.
func untarred(t *testing.T, content string) (lines []string) {
	t.Helper()
	decompressed, err := gzip.NewReader(strings.NewReader(content))
	if err != nil || !decompressed.ModTime.IsZero() {
		t.Fatalf("compressed at %v, %v", decompressed, err)
	}
	reader := tar.NewReader(decompressed)
	for range 100 {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(reader)
		if err != nil || !header.ModTime.Equal(epoch) || header.Uid != 0 || header.Uname != "" {
			t.Errorf("%+v, %v", header, err)
		}
		lines = append(lines, header.Name+" "+header.FileInfo().Mode().String()+" "+string(text))
	}
	return lines
}
