package pages

import (
	"encoding/base64"
	"encoding/json"
	"html/template"
	"net/url"
)

// cursorLink returns the link that adds a server to Cursor under a name. It asks its user first.
func cursorLink(name, address string) template.URL {
	settings := base64.StdEncoding.EncodeToString(settingsJSON(map[string]string{"url": address}))
	return template.URL("cursor://anysphere.cursor-deeplink/mcp/install?name=" + url.QueryEscape(name) + "&config=" + url.QueryEscape(settings))
}

// codeLink returns the link that adds a server to VS Code under a name. It asks its user first.
func codeLink(name, address string) template.URL {
	return template.URL("vscode:mcp/install?" + url.PathEscape(string(settingsJSON(map[string]string{"name": name, "type": "http", "url": address}))))
}

// settingsJSON returns a client's settings. Strings always encode.
func settingsJSON(settings map[string]string) []byte {
	encoded, err := json.Marshal(settings)
	if err != nil {
		panic(err)
	}
	return encoded
}
