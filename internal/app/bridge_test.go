package app

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// ask sends a request to the bridge like a program without MCP.
func ask(t testing.TB, method, url, bearer, body string, header ...string) (int, http.Header, string) {
	t.Helper()
	r := must(http.NewRequest(method, url, strings.NewReader(body)))
	r.Header.Set("Authorization", "Bearer "+bearer)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response := must(http.DefaultClient.Do(r))
	defer response.Body.Close()
	text := must(io.ReadAll(response.Body))
	return response.StatusCode, response.Header, string(text)
}

type definition struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	InputSchema map[string]any `json:"input_schema"`
}

// The Messages API rejects a whole request because of one invalid tool.
var (
	toolName     = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	propertyName = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)
)

// TestBridge_ListsOnlyWhatTheMessagesAPITakes looks at the whole catalogue.
func TestBridge_ListsOnlyWhatTheMessagesAPITakes(t *testing.T) {
	url := serveMCP(t, sandboxed()).URL
	status, _, body := ask(t, http.MethodGet, url+"/tools", "sandbox-ines", "")
	var definitions []definition
	decoder := json.NewDecoder(strings.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&definitions); status != http.StatusOK || err != nil {
		t.Fatalf("HTTP %d %s: %v", status, body, err)
	}
	if len(definitions) == 0 {
		t.Error("there are no tools")
	}
	for _, d := range definitions {
		if !toolName.MatchString(d.Name) || d.Description == "" || d.InputSchema["type"] != "object" {
			t.Errorf("%+v", d)
		}
		for _, exotic := range []string{"oneOf", "anyOf", "allOf", "not", "$ref", "$defs", "if"} {
			if _, ok := d.InputSchema[exotic]; ok {
				t.Errorf("the schema of %s has %s on top", d.Name, exotic)
			}
		}
		properties, _ := d.InputSchema["properties"].(map[string]any)
		for name := range properties {
			if !propertyName.MatchString(name) || name == "user_id" {
				t.Errorf("%s has an argument %q", d.Name, name)
			}
		}
	}
}

func decoded(text []byte) (v any) {
	_ = json.Unmarshal(text, &v)
	return v
}
