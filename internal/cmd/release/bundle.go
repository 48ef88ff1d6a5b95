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
	ManifestVersion  string             `json:"manifest_version"`
	Name             string             `json:"name"`
	DisplayName      string             `json:"display_name"`
	Version          string             `json:"version"`
	Description      string             `json:"description"`
	Author           author             `json:"author"`
	Repository       *repository        `json:"repository,omitempty"`
	License          string             `json:"license"`
	Keywords         []string           `json:"keywords"`
	Server           bundledServer      `json:"server"`
	ToolsGenerated   bool               `json:"tools_generated"`
	PromptsGenerated bool               `json:"prompts_generated"`
	Compatibility    compatibility      `json:"compatibility"`
	UserConfig       map[string]setting `json:"user_config"`
}

type author struct {
	Name string `json:"name"`
}

type repository struct {
	Type string `json:"type"`
	URL  string `json:"url"`
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

type compatibility struct {
	Platforms []string `json:"platforms"`
}

// setting is what the desktop program asks its user for.
type setting struct {
	Type        string `json:"type"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
	Sensitive   bool   `json:"sensitive,omitempty"`
	Default     any    `json:"default,omitempty"`
}

// platforms are the systems in the words of a manifest, which are Node's.
var platforms = map[string]string{"darwin": "darwin", "linux": "linux", "windows": "win32"}

// manifest returns the description of a program's bundle. The program serves the user of a personal
// access token over standard input and output.
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
		Author:          author{"the " + product + " authors"},
		License:         "MIT",
		Keywords:        []string{"basecamp", "project management", "to-dos"},
		Server: bundledServer{
			Type:       "binary",
			EntryPoint: "server/" + p.file(),
			Config: launch{
				Command: "${__dirname}/server/" + p.file(),
				Args:    []string{"stdio", "-upstream", "live"},
				Env: map[string]string{
					"BASECAMP_ACCESS_TOKEN": "${user_config.access_token}",
					"BASECAMP_ACCOUNT_ID":   "${user_config.account_id}",
					"READ_ONLY":             "${user_config.read_only}",
				},
			},
		},
		ToolsGenerated:   true,
		PromptsGenerated: true,
		Compatibility:    compatibility{[]string{platform}},
		UserConfig: map[string]setting{
			"access_token": {Type: "string", Title: "Personal access token", Description: "A token of your own Basecamp account. It is kept in the keychain of this computer.", Required: true, Sensitive: true},
			"account_id":   {Type: "string", Title: "Account ID", Description: "The number after basecamp.com/ in your browser. Only needed if the token opens several accounts.", Default: ""},
			"read_only":    {Type: "boolean", Title: "Read only", Description: "Offers no tool that changes anything in Basecamp.", Default: false},
		},
	}
	if r.owner != "" {
		m.Repository = &repository{"git", r.home()}
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
