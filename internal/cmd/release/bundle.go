package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

const bundleExtension = ".mcpb"

// manifest describes a desktop bundle (MCPB manifest 0.3, github.com/modelcontextprotocol/mcpb).
type manifest struct {
	ManifestVersion  string              `json:"manifest_version"`
	Name             string              `json:"name"`
	DisplayName      string              `json:"display_name"`
	Version          string              `json:"version"`
	Description      string              `json:"description"`
	Author           map[string]string   `json:"author"`
	Repository       map[string]string   `json:"repository,omitempty"`
	License          string              `json:"license"`
	Keywords         []string            `json:"keywords"`
	Server           bundledServer       `json:"server"`
	ToolsGenerated   bool                `json:"tools_generated"`
	PromptsGenerated bool                `json:"prompts_generated"`
	Compatibility    map[string][]string `json:"compatibility"`
	UserConfig       map[string]setting  `json:"user_config"`
}

type bundledServer struct {
	Type       string `json:"type"`
	EntryPoint string `json:"entry_point"`
	Config     launch `json:"mcp_config"`
}

type launch struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
}

// platforms are the systems in the words of a manifest, which are Node's.
var platforms = map[string]string{"darwin": "darwin", "linux": "linux", "windows": "win32"}

// manifest returns the description of a program's bundle. The program serves one user over standard
// input and output: of an application, of an access token, or without both of the made-up company.
func (r release) manifest(p program) (manifest, error) {
	platform, ok := platforms[p.system]
	if !ok {
		return manifest{}, fmt.Errorf("there are no desktop bundles for %s", p.system)
	}
	m := manifest{
		ManifestVersion: "0.3",
		Name:            product,
		DisplayName:     "Basecamp",
		Version:         r.version,
		Description:     "Reads and updates your Basecamp: to-dos, messages, cards, documents, schedules and chats.",
		Author:          map[string]string{"name": "the " + product + " authors"},
		License:         "MIT",
		Keywords:        []string{"basecamp", "project management", "to-dos"},
		Server: bundledServer{
			Type:       "binary",
			EntryPoint: "server/" + p.file(),
			Config: launch{
				Command: "${__dirname}/server/" + p.file(),
				Args:    []string{"stdio", "-upstream", "auto"},
				Env:     map[string]string{},
			},
		},
		ToolsGenerated:   true,
		PromptsGenerated: true,
		Compatibility:    map[string][]string{"platforms": {platform}},
		UserConfig:       map[string]setting{},
	}
	for _, a := range asked {
		m.Server.Config.Env[a.variable] = "${user_config." + a.name + "}"
		m.UserConfig[a.name] = a.setting
	}
	if r.owner != "" {
		m.Repository = map[string]string{"type": "git", "url": r.home()}
	}
	return m, nil
}

// bundle returns the desktop bundle of a program: a zip with the manifest and the program.
func (r release) bundle(p program) ([]byte, error) {
	m, err := r.manifest(p)
	if err != nil {
		return nil, err
	}
	description, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, err
	}
	license, err := os.ReadFile(filepath.Join(r.source, "LICENSE"))
	if err != nil {
		return nil, err
	}
	return zipped([]entry{
		{"manifest.json", append(description, '\n'), readable},
		{m.Server.EntryPoint, p.content, executable},
		{"LICENSE", license, readable},
	})
}
