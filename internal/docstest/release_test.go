package docstest

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The registry's schema of server.json (2025-12-11) limits the description, its rules the name. The
// manifest is that of MCPB 0.3.
func TestRelease_BundlesAreValidAndInServerJSON(t *testing.T) {
	if os.Getenv("INTEGRATION") == "" {
		t.Skip("needs Python and node; run make integration, or set INTEGRATION=1")
	}
	root, err := filepath.Abs(Root(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	dist := os.DirFS(".")
	must := func(said []byte, err error) []byte {
		t.Helper()
		if err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		return said
	}
	for _, program := range []string{"basecamp-mcp_windows_arm64_v8.0/basecamp-mcp.exe", "basecamp-mcp_darwin_arm64_v8.0/basecamp-mcp"} {
		must(nil, os.Mkdir(filepath.Dir(program), 0o755))
		must(nil, os.WriteFile(program, []byte("program"), 0o600))
	}
	must(exec.CommandContext(t.Context(), "python3", root+"/release/hooks.py", "bundles", "0.1.0", "fernhill").CombinedOutput())
	var server struct {
		Name, Description string
		Packages          []struct {
			Identifier, FileSHA256 string
			EnvironmentVariables   []struct{ Name string }
		}
	}
	must(nil, json.Unmarshal(must(fs.ReadFile(dist, "server.json")), &server))
	if server.Name != "io.github.fernhill/basecamp-mcp" || len(server.Description) > 100 || len(server.Packages) != 2 {
		t.Errorf("server.json has %+v", server)
	}
	for i, want := range []struct{ file, platform, program string }{
		{"basecamp-mcp_0.1.0_darwin_arm64.mcpb", "darwin", "server/basecamp-mcp"},
		{"basecamp-mcp_0.1.0_windows_arm64.mcpb", "win32", "server/basecamp-mcp.exe"},
	} {
		z, err := zip.OpenReader(want.file)
		must(nil, err)
		t.Cleanup(func() { _ = z.Close() })
		described := must(fs.ReadFile(z, "manifest.json"))
		var m struct {
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
		must(nil, json.Unmarshal(described, &m))
		p, program := server.Packages[i], z.File[1]
		if m.Version != "0.1.0" || m.Server.EntryPoint != want.program || m.Server.Config.Command != "${__dirname}/"+want.program ||
			fmt.Sprint(m.Compatibility["platforms"]) != "["+want.platform+"]" || program.Name != want.program || program.Mode() != 0o755 ||
			p.Identifier != "https://github.com/fernhill/basecamp-mcp/releases/download/v0.1.0/"+want.file ||
			p.FileSHA256 != fmt.Sprintf("%x", sha256.Sum256(must(os.ReadFile(want.file)))) || len(p.EnvironmentVariables) != len(m.Settings) {
			t.Errorf("%s has %+v and the program %s, %v, server.json has %+v", want.file, m, program.Name, program.Mode(), p)
		}
		for variable, value := range m.Server.Config.Env {
			// The desktop program leaves the name of a setting that has no value as it is.
			s, ok := m.Settings[strings.TrimSuffix(strings.TrimPrefix(value, "${user_config."), "}")]
			if !ok || s.Default == nil || s.Description == "" || !slices.Contains(known(), variable) || s.Sensitive != regexp.MustCompile("SECRET|TOKEN").MatchString(variable) {
				t.Errorf("%s is %s, %+v", variable, value, s)
			}
		}
		must(nil, os.WriteFile("manifest.json", described, 0o600))
		validated := must(exec.CommandContext(t.Context(), "node", root+"/internal/e2e/clients/node_modules/@anthropic-ai/mcpb/dist/cli/cli.js", "validate", "manifest.json").CombinedOutput())
		if !bytes.Contains(validated, []byte("passes")) {
			t.Errorf("%s", validated)
		}
	}
	if template := must(fs.ReadFile(dist, "template.yaml")); bytes.Count(template, []byte("Function.zip\n")) != 2 || bytes.Contains(template, []byte("CodeUri: .\n")) || bytes.Contains(template, []byte("BuildMethod")) {
		t.Error("the template does not deploy the zips")
	}
}

// These files must agree, or hold rights that nothing else would miss.
func TestRelease_BuildsAndRunsAsItPromises(t *testing.T) {
	builds := read(t, ".goreleaser.yaml")
	for _, m := range regexp.MustCompile(`(?m)^build-(\w+): ; \$\(for_lambda\) (\S+)$`).FindAllStringSubmatch(read(t, "Makefile"), -1) {
		if !strings.Contains(builds, "id: "+m[1]+"\n    main: "+m[2]+"\n") || !strings.Contains(builds, "ids: ["+m[1]+"]") {
			t.Errorf(".goreleaser.yaml does not build %s", m[1])
		}
	}
	for file, lines := range map[string]map[string]int{
		"README.md":        {"\ngo run ./functions/local ": 1, "\ngo test ./... ": 1, "\nsam build && sam local invoke McpFunction -e events/": 1},
		"samconfig.toml":   {"stack_name": 0, "region =": 0, "s3_bucket": 0, "profile": 0},
		".ci/run":          {"go test -v ./...": 1},
		"Makefile":         {`LAMBDA_FLAGS := -trimpath -buildvcs=false -tags lambda.norpc -ldflags "-s -w $(STAMP)"`: 1},
		".goreleaser.yaml": {"flags: [-trimpath, -buildvcs=false]\n": 2, "tags: [lambda.norpc]": 1, `ldflags: ["-s -w -X basecamp-mcp/internal/version.tag={{ .Version }}"]` + "\n": 2},
		"Dockerfile":       {"FROM scratch\n": 1, "COPY --chown=65532:65532 .tools/image/data /data\n": 1, "USER 65532:65532\n": 1, "VOLUME /data\n": 1, "ENV XDG_CONFIG_HOME=/data\n": 1, "ENTRYPOINT [\"/basecamp-mcp\"]\n": 1},
		".ci/container":    {"--read-only --cap-drop ALL --security-opt no-new-privileges": 1},
		ci:                 {"\npermissions:\n  contents: read\n": 1, " .ci/run\n": 1, "write": 0},
		release:            {"\npermissions:\n  contents: read\n": 1, "run: make release\n": 1, ": write": 2},
	} {
		text := read(t, file)
		for line, want := range lines {
			if got := strings.Count(text, line); got != want {
				t.Errorf("%s has %q %d times, want %d", file, line, got, want)
			}
		}
	}
}

const ci, release = ".github/workflows/ci.yml", ".github/workflows/release.yml"

func TestWorkflows_PinActionsAndRunNothingOfStrangers(t *testing.T) {
	pinned := regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	for _, f := range files(t, ci, release) {
		for _, m := range regexp.MustCompile(`(?m)uses: (.*)$`).FindAllStringSubmatch(f.text, -1) {
			if !pinned.MatchString(m[1]) {
				t.Errorf("%s: %s is not pinned to a commit", f.name, m[1])
			}
		}
		if strings.Contains(f.text, "${{ github.event") || strings.Contains(f.text, "pull_request_target") || strings.Count(f.text, "persist-credentials: false") != strings.Count(f.text, "actions/checkout@") {
			t.Errorf("%s runs what a stranger writes, or leaves a token in the checkout", f.name)
		}
	}
}
