package docstest

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The registry's schema of server.json (2025-12-11) limits the description. The bundle's own
// program checks the manifest.
func TestRelease_BundlesAreValidAndInServerJSON(t *testing.T) {
	if os.Getenv("INTEGRATION") == "" {
		t.Skip("needs Python and node; run make integration, or set INTEGRATION=1")
	}
	root, err := filepath.Abs(Root(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
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
	server := must(os.ReadFile("server.json"))
	var described struct{ Name, Description string }
	must(nil, json.Unmarshal(server, &described))
	if described.Name != "io.github.fernhill/basecamp-mcp" || len(described.Description) > 100 {
		t.Errorf("server.json has %+v", described)
	}
	for file, platform := range map[string]string{"basecamp-mcp_0.1.0_darwin_arm64.mcpb": "darwin", "basecamp-mcp_0.1.0_windows_arm64.mcpb": "win32"} {
		bundle, err := zip.OpenReader(file)
		must(nil, err)
		t.Cleanup(func() { _ = bundle.Close() })
		manifest := must(fs.ReadFile(bundle, "manifest.json"))
		entry := bundle.File[1]
		if !bytes.Contains(manifest, []byte(`"`+platform+`"`)) || !bytes.Contains(manifest, []byte(`"entry_point": "`+entry.Name+`"`)) || entry.Mode() != 0o755 ||
			!bytes.Contains(server, []byte("/fernhill/basecamp-mcp/releases/download/v0.1.0/"+file)) {
			t.Errorf("%s starts %s, %v: %s", file, entry.Name, entry.Mode(), manifest)
		}
		var m struct {
			Settings map[string]map[string]any `json:"user_config"`
			Server   struct {
				Config struct{ Env map[string]string } `json:"mcp_config"`
			}
		}
		must(nil, json.Unmarshal(manifest, &m))
		for variable, value := range m.Server.Config.Env {
			// The desktop program leaves the name of a setting that has no value as it is.
			s := m.Settings[strings.TrimSuffix(strings.TrimPrefix(value, "${user_config."), "}")]
			if secret, _ := s["sensitive"].(bool); s["default"] == nil || !slices.Contains(known(), variable) || secret != regexp.MustCompile("SECRET|TOKEN").MatchString(variable) {
				t.Errorf("%s is %s, %+v", variable, value, s)
			}
		}
		must(nil, os.WriteFile("manifest.json", manifest, 0o600))
		must(nil, os.WriteFile("icon.png", must(fs.ReadFile(bundle, "icon.png")), 0o600))
		must(exec.CommandContext(t.Context(), "node", root+"/internal/proof/e2e/clients/node_modules/@anthropic-ai/mcpb/dist/cli/cli.js", "validate", "manifest.json").CombinedOutput())
	}
	if template := must(os.ReadFile("template.yaml")); bytes.Count(template, []byte("Function.zip\n")) != 2 || bytes.Contains(template, []byte("BuildMethod")) {
		t.Error("the template does not deploy the zips")
	}
}

const ci, release = ".github/workflows/ci.yml", ".github/workflows/release.yml"

// These files must agree, or hold rights that nothing else would miss.
func TestRelease_BuildsAndRunsAsItPromises(t *testing.T) {
	for file, lines := range map[string]map[string]int{
		"README.md":        {"\ngo run ./functions/local ": 1, "\ngo test ./... ": 1, "\nsam build && sam local invoke McpFunction -e events/": 1},
		"samconfig.toml":   {"stack_name": 0, "region =": 0, "s3_bucket": 0, "profile": 0},
		".ci/run":          {"go test -v ./...": 1},
		"Makefile":         {`LAMBDA_FLAGS := -trimpath -buildvcs=false -tags lambda.norpc -ldflags "-s -w $(STAMP)"`: 1},
		".goreleaser.yaml": {"flags: [-trimpath, -buildvcs=false]\n": 2, "tags: [lambda.norpc]": 1, `ldflags: ["-s -w -X basecamp-mcp/internal/config/version.tag={{ .Version }}"]` + "\n": 2},
		"Dockerfile":       {` go build -trimpath -buildvcs=false -ldflags "-s -w -X basecamp-mcp/internal/config/version.tag=$VERSION"`: 1, "FROM scratch\n": 1, "USER 65532:65532\n": 1, "VOLUME /data\n": 1, "ENTRYPOINT [\"/basecamp-mcp\"]\n": 1},
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
