package docstest

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// manifest is what a desktop program reads (MCPB manifest 0.3).
type manifest struct {
	Version string
	Server  struct {
		EntryPoint string `json:"entry_point"`
		Config     struct {
			Command string
			Env     map[string]string
		} `json:"mcp_config"`
	}
	Compatibility map[string][]string
	Settings      map[string]struct {
		Description string
		Sensitive   bool
		Default     any
	} `json:"user_config"`
}

// made returns a directory with what the hooks of .goreleaser.yaml make of these programs.
func made(t *testing.T, programs ...string) (dist string) {
	t.Helper()
	hooks, err := filepath.Abs(filepath.Join(Root(t), "release", "hooks.py"))
	if err != nil {
		t.Fatal(err)
	}
	dist = t.TempDir()
	for _, name := range programs {
		path := filepath.Join(dist, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("program of "+name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.CommandContext(t.Context(), "python3", hooks, "bundles", "0.1.0", "fernhill")
	command.Dir = dist
	if said, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	return dist
}

func written(t *testing.T, dist, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dist, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func content(t *testing.T, z *zip.ReadCloser, name string) []byte {
	t.Helper()
	f, err := z.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestRelease_BundlesAreValidAndInServerJSON(t *testing.T) {
	if os.Getenv("INTEGRATION") == "" {
		t.Skip("needs Python and node; run make integration, or set INTEGRATION=1")
	}
	bundler, err := filepath.Abs(Root(t) + "/internal/e2e/clients/node_modules/@anthropic-ai/mcpb/dist/cli/cli.js")
	if err != nil {
		t.Fatal(err)
	}
	dist := made(t, "basecamp-mcp_windows_arm64_v8.0/basecamp-mcp.exe", "basecamp-mcp_darwin_arm64_v8.0/basecamp-mcp")
	var server struct {
		Name, Description string
		Packages          []struct {
			Identifier, FileSHA256 string
			EnvironmentVariables   []struct{ Name string }
		}
	}
	if err := json.Unmarshal([]byte(written(t, dist, "server.json")), &server); err != nil {
		t.Fatal(err)
	}
	// The registry's schema of 2025-12-11 limits the description, its rules the name.
	if server.Name != "io.github.fernhill/basecamp-mcp" || len(server.Description) > 100 || len(server.Packages) != 2 {
		t.Errorf("server.json has %+v", server)
	}
	for i, want := range []struct{ file, platform, program string }{
		{"basecamp-mcp_0.1.0_darwin_arm64.mcpb", "darwin", "server/basecamp-mcp"},
		{"basecamp-mcp_0.1.0_windows_arm64.mcpb", "win32", "server/basecamp-mcp.exe"},
	} {
		z, err := zip.OpenReader(filepath.Join(dist, want.file))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = z.Close() })
		described := content(t, z, "manifest.json")
		var m manifest
		if err := json.Unmarshal(described, &m); err != nil {
			t.Fatal(err)
		}
		if m.Version != "0.1.0" || m.Server.EntryPoint != want.program || m.Server.Config.Command != "${__dirname}/"+want.program || fmt.Sprint(m.Compatibility["platforms"]) != "["+want.platform+"]" {
			t.Errorf("%s has %+v", want.file, m)
		}
		if program := z.File[1]; program.Name != want.program || program.Mode() != 0o755 {
			t.Errorf("%s: the program is %s, %v", want.file, program.Name, program.Mode())
		}
		p := server.Packages[i]
		if p.Identifier != "https://github.com/fernhill/basecamp-mcp/releases/download/v0.1.0/"+want.file || p.FileSHA256 != fmt.Sprintf("%x", sha256.Sum256([]byte(written(t, dist, want.file)))) ||
			len(p.EnvironmentVariables) != len(m.Settings) {
			t.Errorf("server.json has %+v", p)
		}
		for variable, value := range m.Server.Config.Env {
			// The desktop program leaves the name of a setting that has no value as it is.
			s, ok := m.Settings[strings.TrimSuffix(strings.TrimPrefix(value, "${user_config."), "}")]
			if !ok || s.Default == nil || s.Description == "" || !slices.Contains(known(), variable) || s.Sensitive != regexp.MustCompile("SECRET|TOKEN").MatchString(variable) {
				t.Errorf("%s is %s, %+v", variable, value, s)
			}
		}
		path := filepath.Join(dist, "manifest.json")
		if err := os.WriteFile(path, described, 0o600); err != nil {
			t.Fatal(err)
		}
		if said, err := exec.CommandContext(t.Context(), "node", bundler, "validate", path).CombinedOutput(); err != nil || !strings.Contains(string(said), "passes") {
			t.Errorf("%v\n%s", err, said)
		}
	}
	if template := written(t, dist, "template.yaml"); strings.Count(template, "Function.zip\n") != 3 || strings.Contains(template, "CodeUri: .\n") || strings.Contains(template, "BuildMethod") {
		t.Error("the template does not deploy the zips")
	}
}

// make sam and a release build the functions in the same way.
func TestRelease_BuildsTheFunctionsAsTheMakefile(t *testing.T) {
	config, makefile := read(t, ".goreleaser.yaml"), read(t, "Makefile")
	for _, m := range regexp.MustCompile(`(?m)^build-(\w+): ; \$\(for_lambda\) (\S+)$`).FindAllStringSubmatch(makefile, -1) {
		if !regexp.MustCompile(`id: `+m[1]+`\n    main: `+m[2]+`\n`).MatchString(config) || !strings.Contains(config, "ids: ["+m[1]+"]") {
			t.Errorf(".goreleaser.yaml does not build %s", m[1])
		}
	}
	if !strings.Contains(makefile, `LAMBDA_FLAGS := -trimpath -buildvcs=false -tags lambda.norpc -ldflags "-s -w $(STAMP)"`) ||
		strings.Count(config, "flags: [-trimpath, -buildvcs=false]\n") != 2 || !strings.Contains(config, "tags: [lambda.norpc]") ||
		strings.Count(config, `ldflags: ["-s -w -X basecamp-mcp/internal/version.tag={{ .Version }}"]`) != 2 {
		t.Error("the flags of .goreleaser.yaml are not those of the Makefile")
	}
}

func TestDockerfile_RunsWithoutRights(t *testing.T) {
	file, script := read(t, "Dockerfile"), read(t, ".ci/container")
	for _, line := range []string{"FROM scratch", "COPY --chown=65532:65532 .tools/image/data /data", "USER 65532:65532", "VOLUME /data", "ENV XDG_CONFIG_HOME=/data", `ENTRYPOINT ["/basecamp-mcp"]`} {
		if !strings.Contains(file, line+"\n") {
			t.Errorf("Dockerfile has no line %s", line)
		}
	}
	if !strings.Contains(script, "--read-only --cap-drop ALL --security-opt no-new-privileges") {
		t.Error(".ci/container does not run the image as the documents advise")
	}
}

func TestWorkflows_PinActionsAndMayOnlyRead(t *testing.T) {
	ci, release := read(t, ".github/workflows/ci.yml"), read(t, ".github/workflows/release.yml")
	pinned := regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	for name, text := range map[string]string{"ci.yml": ci, "release.yml": release} {
		for _, m := range regexp.MustCompile(`(?m)uses: (.*)$`).FindAllStringSubmatch(text, -1) {
			if !pinned.MatchString(m[1]) {
				t.Errorf("%s: %s is not pinned to a commit", name, m[1])
			}
		}
		if !strings.Contains(text, "\npermissions:\n  contents: read\n") || strings.Contains(text, "${{ github.event") || strings.Contains(text, "pull_request_target") {
			t.Errorf("%s may do more than read, or runs what a stranger writes", name)
		}
		if strings.Count(text, "persist-credentials: false") != strings.Count(text, "actions/checkout@") {
			t.Errorf("%s leaves a token in the checkout", name)
		}
	}
	if !strings.Contains(ci, " .ci/run\n") || strings.Contains(ci, "write") {
		t.Error("ci.yml does not run .ci/run, or may write")
	}
	// It writes the release and its image.
	if !strings.Contains(release, "run: make release\n") || strings.Count(release, ": write") != 2 {
		t.Error("release.yml does not run make release, or may write more than a release")
	}
}
