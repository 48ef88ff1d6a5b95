package pages

import (
	"encoding/base64"
	"encoding/json"
	"html/template"
	"net/url"
)

// entry is the name of this server in a client's settings.
const entry = "basecamp"

// cursorLink returns the link that adds a server to Cursor after a question to the user.
func cursorLink(address string) template.URL {
	settings := base64.StdEncoding.EncodeToString(settingsJSON(map[string]string{"url": address}))
	return template.URL("cursor://anysphere.cursor-deeplink/mcp/install?name=" + entry + "&config=" + url.QueryEscape(settings))
}

// codeLink returns the link that adds a server to VS Code after a question to the user.
func codeLink(address string) template.URL {
	return template.URL("vscode:mcp/install?" + url.PathEscape(string(settingsJSON(map[string]string{"name": entry, "type": "http", "url": address}))))
}

// settingsJSON returns a client's settings. Strings always encode.
func settingsJSON(settings map[string]string) []byte {
	encoded, err := json.Marshal(settings)
	if err != nil {
		panic(err)
	}
	return encoded
}
