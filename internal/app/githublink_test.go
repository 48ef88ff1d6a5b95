package app

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"basecamp-mcp/internal/fault"
)

func TestGitHubLink_OfAUserWhoNeverLinkedNamesTheScopesOfTheCall(t *testing.T) {
	server := serveMCP(t, sandboxed())
	first := []string{"read:project", "read:org"}
	project, repo := `"project":"fernhill-bikes/1"`, `"repo":"fernhill-bikes/configurator"`
	issue := `"issue":"fernhill-bikes/configurator#12"`
	for tool, test := range map[string]struct {
		arguments string
		scopes    []string
	}{
		"list_projects":       {"", first[:1]},
		"get_project":         {project, first[:1]},
		"list_project_items":  {project, first[:1]},
		"get_field_value":     {project + `,"item":"Tour","field":"Status"`, first[:1]},
		"create_project":      {`"title":"Tour"`, []string{"project"}},
		"update_project":      {project + `,"title":"Tour"`, []string{"project"}},
		"delete_project":      {project + `,"confirm_title":"Tour"`, []string{"project"}},
		"add_project_item":    {project + `,"item":"fernhill-bikes/configurator#12"`, []string{"project"}},
		"remove_project_item": {project + `,"item":"fernhill-bikes/configurator#12"`, []string{"project"}},
		"set_field_value":     {project + `,"item":"Tour","field":"Status","value":"Done"`, []string{"project"}},
		"list_issues":         {repo, first},
		"get_issue":           {issue, first},
		"create_issue":        {repo + `,"title":"Bell","assignees":["me","sam-lindqvist"]`, []string{"repo"}},
		"update_issue":        {issue + `,"title":"Bell"`, []string{"repo"}},
		"add_issue_comment":   {issue + `,"body":"Bell"`, []string{"repo"}},
		"create_milestone":    {repo + `,"title":"Bell"`, []string{"repo"}},
	} {
		_, _, text := ask(t, http.MethodPost, server.URL+"/tools/github_"+tool+"?toolsets=github", "sandbox-samo", "{"+test.arguments+"}")
		var got struct {
			ErrorCode fault.Code `json:"error_code"`
			Data      struct{ Link *fault.Link }
		}
		if err := json.Unmarshal([]byte(text), &got); err != nil || got.ErrorCode != fault.NotLinked || got.Data.Link == nil || !slices.Equal(got.Data.Link.Scopes, test.scopes) {
			t.Errorf("%s: %s, %v", tool, text, err)
		}
	}
}
