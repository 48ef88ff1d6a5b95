package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// object is a JSON object.
type object map[string]any

func parsed(t *testing.T, text string) object {
	t.Helper()
	var o object
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return o
}

// text returns a string of an object, or fails.
func (o object) text(t *testing.T, name string) string {
	t.Helper()
	s, ok := o[name].(string)
	if !ok || s == "" {
		t.Errorf("%s is %v", name, o[name])
	}
	return s
}

func (o object) object(t *testing.T, name string) object {
	t.Helper()
	inner, ok := o[name].(map[string]any)
	if !ok {
		t.Fatalf("%s is %v", name, o[name])
	}
	return inner
}

func (o object) objects(t *testing.T, name string) (all []object) {
	t.Helper()
	list, ok := o[name].([]any)
	if !ok || len(list) == 0 {
		t.Fatalf("%s is %v", name, o[name])
	}
	for _, item := range list {
		all = append(all, item.(map[string]any))
	}
	return all
}

// only fails if the object has another member: neither schema of this file allows one that it does
// not know, or reads it.
func (o object) only(t *testing.T, where string, names ...string) {
	t.Helper()
	for name := range o {
		if !slices.Contains(names, name) {
			t.Errorf("%s has %s, which the schema does not know", where, name)
		}
	}
}

func matches(t *testing.T, value, pattern string) {
	t.Helper()
	if !regexp.MustCompile(pattern).MatchString(value) {
		t.Errorf("%q does not match %s", value, pattern)
	}
}

func httpsURL(t *testing.T, value string) {
	t.Helper()
	if u, err := url.Parse(value); err != nil || u.Scheme != "https" || u.Host == "" {
		t.Errorf("%q is not an https URL, %v", value, err)
	}
}

// The registry's schema of 2025-12-11 has these patterns and lengths. Its publishing rules add the
// owner's namespace, and bundles on GitHub with their checksum.
func TestServerJSON_FollowsTheSchemaOfTheRegistry(t *testing.T) {
	files := made(t, "-version", "v0.1.0", "-owner", "fernhill")
	server := parsed(t, files["server.json"])
	server.only(t, "server.json", "$schema", "name", "title", "description", "version", "websiteUrl", "repository", "packages", "remotes", "icons", "_meta")
	if got := server.text(t, "$schema"); got != "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json" {
		t.Errorf("the schema is %s", got)
	}
	matches(t, server.text(t, "name"), `^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`)
	matches(t, server.text(t, "name"), `^io\.github\.fernhill/.{3,180}$`)
	matches(t, server.text(t, "title"), `^.{1,100}$`)
	matches(t, server.text(t, "description"), `^.{1,100}$`)
	matches(t, server.text(t, "version"), `^0\.1\.0$`)
	httpsURL(t, server.text(t, "websiteUrl"))
	source := server.object(t, "repository")
	source.only(t, "repository", "url", "source", "id", "subfolder")
	if source.text(t, "source") != "github" || source.text(t, "url") != "https://github.com/fernhill/basecamp-mcp" {
		t.Errorf("the repository is %v", source)
	}
	packages := server.objects(t, "packages")
	if len(packages) != 3 {
		t.Errorf("%d packages", len(packages))
	}
	for _, p := range packages {
		p.only(t, "a package", "registryType", "identifier", "version", "fileSha256", "transport", "registryBaseUrl", "runtimeHint",
			"runtimeArguments", "packageArguments", "environmentVariables")
		manifest := parsed(t, string(contentOf(t, unzip(t, files[filepath.Base(p.text(t, "identifier"))]), "manifest.json")))
		environment := manifest.object(t, "server").object(t, "mcp_config").object(t, "env")
		for _, v := range p.objects(t, "environmentVariables") {
			v.only(t, "a variable", "name", "description", "isRequired", "format", "value", "isSecret", "default", "placeholder", "choices")
			if v.text(t, "description"); environment[v.text(t, "name")] == nil || v["isRequired"] != false {
				t.Errorf("the bundle does not ask for %v", v)
			}
		}
		name, found := strings.CutPrefix(p.text(t, "identifier"), "https://github.com/fernhill/basecamp-mcp/releases/download/v0.1.0/")
		content, exists := files[name]
		if !found || !exists || p.text(t, "registryType") != "mcpb" || p.text(t, "version") != "0.1.0" || p.object(t, "transport").text(t, "type") != "stdio" {
			t.Errorf("a package is %v", p)
		}
		if sum := p.text(t, "fileSha256"); sum != fmt.Sprintf("%x", sha256.Sum256([]byte(content))) {
			t.Errorf("%s has the checksum %s", name, sum)
		}
	}
	for _, r := range server.objects(t, "remotes") {
		r.only(t, "a remote", "type", "url", "headers", "variables")
		matches(t, r.text(t, "type"), `^(streamable-http|sse)$`)
		matches(t, r.text(t, "url"), `^(https?://[^\s]+|\{[a-zA-Z_][a-zA-Z0-9_]*\}[^\s]*)$`)
		variables := r.object(t, "variables")
		for _, m := range regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(r.text(t, "url"), -1) {
			v := variables.object(t, m[1])
			v.only(t, "a variable", "description", "isRequired", "format", "value", "isSecret", "default", "placeholder", "choices")
			if v.text(t, "description"); v["isRequired"] != true {
				t.Errorf("%s is %v", m[1], v)
			}
		}
		if len(variables) != 1 || variables["host"] == nil {
			t.Errorf("the variables are %v", variables)
		}
	}
}

// checkManifest holds a manifest to the schema of version 0.3.
func checkManifest(t *testing.T, m object, platform, program string) {
	t.Helper()
	m.only(t, "the manifest", "manifest_version", "name", "display_name", "version", "description", "author", "repository", "license", "keywords",
		"server", "tools_generated", "prompts_generated", "compatibility", "user_config")
	if m.text(t, "manifest_version") != "0.3" || m.text(t, "name") != "basecamp-mcp" || m.text(t, "version") != "0.1.0" || m.object(t, "author").text(t, "name") == "" {
		t.Errorf("the manifest is %v", m)
	}
	m.text(t, "description")
	server := m.object(t, "server")
	server.only(t, "the server", "type", "entry_point", "mcp_config")
	if server.text(t, "type") != "binary" || server.text(t, "entry_point") != program {
		t.Errorf("the server is %v", server)
	}
	launch := server.object(t, "mcp_config")
	launch.only(t, "the command", "command", "args", "env", "platform_overrides")
	if launch.text(t, "command") != "${__dirname}/"+program || fmt.Sprint(launch["args"]) != "[stdio -upstream auto]" {
		t.Errorf("the command is %v", launch)
	}
	settings := m.object(t, "user_config")
	for name := range settings {
		s := settings.object(t, name)
		s.only(t, name, "type", "title", "description", "required", "default", "multiple", "sensitive", "min", "max")
		matches(t, s.text(t, "type"), `^(string|number|boolean|directory|file)$`)
		s.text(t, "title")
		s.text(t, "description")
		// The desktop program leaves the name of a setting that has no value as it is.
		if _, ok := s["default"]; !ok && s["required"] != true {
			t.Errorf("%s has no value if the user sets none", name)
		}
	}
	for variable, value := range launch.object(t, "env") {
		name := regexp.MustCompile(`^\$\{user_config\.(\w+)\}$`).FindStringSubmatch(value.(string))
		if len(name) != 2 || settings[name[1]] == nil {
			t.Errorf("%s is %v, which no setting has", variable, value)
		}
	}
	for _, name := range []string{"client_id", "client_secret", "access_token"} {
		s := settings.object(t, name)
		if s["required"] != false || (s["sensitive"] == true) == (name == "client_id") {
			t.Errorf("%s is %v", name, s)
		}
		if said := s.text(t, "description"); !strings.Contains(said, "https://launchpad.37signals.com/integrations") && !strings.Contains(said, "no page that makes one") {
			t.Errorf("%s does not say where it comes from: %s", name, said)
		}
	}
	if got := fmt.Sprint(m.object(t, "compatibility")["platforms"]); got != "["+platform+"]" {
		t.Errorf("the platforms are %s", got)
	}
}

func TestBundles_FollowTheSchemaOfManifests(t *testing.T) {
	files := made(t, "-version", "v0.1.0", "-owner", "fernhill")
	for name, want := range map[string]struct{ platform, program, built string }{
		"basecamp-mcp_0.1.0_darwin_arm64.mcpb":  {"darwin", "server/basecamp-mcp", "program of local/darwin_arm64/local"},
		"basecamp-mcp_0.1.0_linux_amd64.mcpb":   {"linux", "server/basecamp-mcp", "program of local/linux_amd64/local"},
		"basecamp-mcp_0.1.0_windows_amd64.mcpb": {"win32", "server/basecamp-mcp.exe", "program of local/windows_amd64/local.exe"},
	} {
		t.Run(name, func(t *testing.T) {
			z := unzip(t, files[name])
			if entries := unzipped(t, files[name]); len(entries) != 3 || entries[1] != want.program+" -rwxr-xr-x "+want.built {
				t.Errorf("the bundle has %.80q", entries)
			}
			checkManifest(t, parsed(t, string(contentOf(t, z, "manifest.json"))), want.platform, want.program)
		})
	}
}

// The publisher's own program accepts the manifests.
func TestBundles_AreValidForTheBundler(t *testing.T) {
	if os.Getenv("INTEGRATION") == "" {
		t.Skip("needs node; run make integration, or set INTEGRATION=1")
	}
	bundler, err := filepath.Abs(root + "/internal/e2e/clients/node_modules/@anthropic-ai/mcpb/dist/cli/cli.js")
	if err != nil {
		t.Fatal(err)
	}
	for name, owner := range map[string]string{"with an owner": "fernhill", "without": ""} {
		t.Run(name, func(t *testing.T) {
			manifest := contentOf(t, unzip(t, made(t, "-version", "v0.1.0", "-owner", owner)["basecamp-mcp_0.1.0_darwin_arm64.mcpb"]), "manifest.json")
			path := filepath.Join(t.TempDir(), "manifest.json")
			if err := os.WriteFile(path, manifest, 0o600); err != nil {
				t.Fatal(err)
			}
			if said, err := exec.CommandContext(t.Context(), "node", bundler, "validate", path).CombinedOutput(); err != nil || !strings.Contains(string(said), "passes") {
				t.Errorf("%v\n%s", err, said)
			}
		})
	}
}
