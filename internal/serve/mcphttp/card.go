package mcphttp

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// The draft of server cards (SEP-2127, its repository experimental-ext-server-card of 2026-07-24)
// puts the card below the endpoint, and a catalog that names it at a well-known path. All of the
// draft is in this file.
const (
	cardPath    = "/mcp/server-card"
	CatalogPath = "/.well-known/ai-catalog.json"
	cardType    = "application/mcp-server-card+json"
	cardSchema  = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"
	digestKey   = "basecamp-mcp/tools"
)

// About describes the server in its card.
type About struct{ Name, Title, Description, Version string }

type card struct {
	Schema      string         `json:"$schema"`
	Name        string         `json:"name"`
	Title       string         `json:"title"`
	Description string         `json:"description"`
	Version     string         `json:"version"`
	Website     string         `json:"websiteUrl"`
	Remotes     []remote       `json:"remotes"`
	Meta        map[string]any `json:"_meta"`
}

type remote struct {
	Type     string   `json:"type"`
	URL      string   `json:"url"`
	Versions []string `json:"supportedProtocolVersions"`
}

// Card adds the server card, which everyone may read. digest returns that of the list of tools, by
// which a client or a monitor sees that the list has changed.
func Card(mux *http.ServeMux, about About, origin func(*http.Request) string, digest func() string) {
	mux.HandleFunc("GET "+cardPath, func(w http.ResponseWriter, r *http.Request) {
		at := origin(r)
		public(w, cardType)
		JSON(w, http.StatusOK, card{
			Schema: cardSchema, Name: reversed(at) + "/" + about.Name, Title: about.Title, Description: about.Description,
			Version: about.Version, Website: at + "/", Remotes: []remote{{"streamable-http", at + "/mcp", Versions()}},
			Meta: map[string]any{digestKey: digest()},
		})
	})
}

// CatalogOfCard answers with the catalog that names the card.
func CatalogOfCard(w http.ResponseWriter, origin string) {
	public(w, "application/ai-catalog+json")
	JSON(w, http.StatusOK, map[string]any{"specVersion": "1.0", "entries": []map[string]string{{
		"identifier": "urn:air:" + hostOf(origin) + ":mcp:basecamp-mcp", "type": cardType, "url": origin + cardPath,
	}}})
}

// public allows every web page to read an answer, and clients to keep it for a while.
func public(w http.ResponseWriter, contentType string) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.Header().Set("Cache-Control", "public, max-age=300")
}

// reversed returns the host of an origin with its labels in reverse: com.example.mcp.
func reversed(origin string) string {
	labels := strings.Split(hostOf(origin), ".")
	slices.Reverse(labels)
	return strings.Join(labels, ".")
}

func hostOf(origin string) string {
	u, err := url.Parse(origin)
	if err != nil {
		return ""
	}
	return u.Hostname()
}
