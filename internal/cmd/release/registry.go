package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
)

// registrySchema is the version of the registry's schema that a registration follows.
const registrySchema = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"

// registration describes the server for the MCP registry.
type registration struct {
	Schema      string       `json:"$schema"`
	Name        string       `json:"name"`
	Title       string       `json:"title"`
	Description string       `json:"description"`
	Version     string       `json:"version"`
	WebsiteURL  string       `json:"websiteUrl"`
	Repository  sourceCode   `json:"repository"`
	Packages    []registered `json:"packages"`
	Remotes     []remote     `json:"remotes"`
}

type sourceCode struct {
	URL    string `json:"url"`
	Source string `json:"source"`
}

// registered is a desktop bundle that clients download and check.
type registered struct {
	RegistryType string            `json:"registryType"`
	Identifier   string            `json:"identifier"`
	Version      string            `json:"version"`
	FileSHA256   string            `json:"fileSha256"`
	Transport    map[string]string `json:"transport"`
	// Environment has what the program reads. A bundle asks for the same.
	Environment []variable `json:"environmentVariables"`
}

// remote is a deployment. The client asks its user for the variables of the URL.
type remote struct {
	Type      string              `json:"type"`
	URL       string              `json:"url"`
	Variables map[string]variable `json:"variables"`
}

// home returns the URL of the repository.
func (r release) home() string { return "https://github.com/" + r.owner + "/" + product }

// registration returns the server.json of the release. It has the checksums of the bundles,
// which are on the page of the release at GitHub.
func (r release) registration(programs []program, files map[string][]byte) ([]byte, error) {
	described := registration{
		Schema:      registrySchema,
		Name:        "io.github." + r.owner + "/" + product,
		Title:       "Basecamp",
		Description: "Reads and updates your Basecamp, on your machine or from a deployment of your own.",
		Version:     r.version,
		WebsiteURL:  r.home(),
		Repository:  sourceCode{r.home(), "github"},
		Remotes: []remote{{"streamable-http", "https://{host}/mcp", map[string]variable{"host": {
			Description: "Host name of your own deployment: what make deploy printed as McpUrl, between https:// and /mcp",
			Placeholder: "mcp.example.com",
			IsRequired:  true,
		}}}},
	}
	var environment []variable
	for _, a := range asked {
		environment = append(environment, variable{Name: a.variable, Description: a.Description, IsSecret: a.Sensitive, Format: a.Type})
	}
	for _, p := range programs {
		name := r.name(p, bundleExtension)
		described.Packages = append(described.Packages, registered{
			RegistryType: "mcpb",
			Identifier:   fmt.Sprintf("%s/releases/download/v%s/%s", r.home(), r.version, name),
			Version:      r.version,
			FileSHA256:   fmt.Sprintf("%x", sha256.Sum256(files[name])),
			Transport:    map[string]string{"type": "stdio"},
			Environment:  environment,
		})
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(described)
	return b.Bytes(), err
}
