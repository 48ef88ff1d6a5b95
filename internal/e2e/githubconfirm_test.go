package e2e

import (
	"maps"
	"strings"
	"testing"
)

const doomed = "Workshop backlog"

var deletion = with{"project": doomed, "owner": "fernhill-bikes"}

func TestGitHub_ABoardIsDeletedByAForm(t *testing.T) {
	t.Parallel()
	c := connectHub(t, start(t), ines, hubKind{modern, showsForms})
	fill := func(title string) with {
		return with{"action": "accept", "content": with{"confirm_title": title}}
	}
	asked := c.call("github_delete_project", deletion)
	if asked.asked != "confirm" || !strings.Contains(string(asked.form), `"confirm_title":{`) {
		t.Fatalf("the call asks %.600s", asked.body)
	}
	for _, words := range []string{`"` + doomed + `"`, "fernhill-bikes/", "items"} {
		if !strings.Contains(asked.words, words) {
			t.Errorf("the form does not say %q: %s", words, asked.words)
		}
	}

	for name, test := range map[string]struct {
		reply with
		code  string
	}{
		"another title": {fill("Workshop"), "confirmation_required"},
		"other case":    {fill(strings.ToLower(doomed)), "confirmation_required"},
		"no title":      {with{"action": "accept"}, "confirmation_required"},
		"declined":      {with{"action": "decline"}, "declined"},
		"closed":        {with{"action": "cancel"}, "declined"},
	} {
		refused := c.replies(asked, test.reply)
		refused.fails(t, "INVALID_INPUT")
		if v := refused.failure.Data.Validation; len(v) != 1 || v[0].Path != "confirm_title" || v[0].Code != test.code {
			t.Errorf("%s: %s", name, refused.body)
		}
	}
	c.call("github_get_project", deletion).succeeds(t)

	gone := c.replies(asked, fill(" "+doomed+" "))
	gone.succeeds(t)
	if !strings.Contains(gone.text(), `"deleted":true`) || !strings.Contains(gone.text(), doomed) {
		t.Errorf("the board is deleted with %s", gone.text())
	}
	c.replies(asked, fill(doomed)).fails(t, "NOT_FOUND")
	c.call("github_get_project", deletion).fails(t, "NOT_FOUND")
}

func TestGitHub_AClientWithoutFormsConfirmsWithAnArgument(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, kind := range map[string]hubKind{
		"2026-07-28":                     {modern, nil},
		"2026-07-28 with links only":     {modern, opensLinks},
		"2025-11-25 with forms":          {legacy, showsForms},
		"2025-11-25 without elicitation": {legacy, nil},
	} {
		refused := connectHub(t, s, ines, kind).call("github_delete_project", deletion)
		refused.fails(t, "INVALID_INPUT")
		if v := refused.failure.Data.Validation; len(v) != 1 || v[0].Code != "confirmation_required" || !strings.Contains(refused.text(), "ask the user") {
			t.Errorf("%s: %s", name, refused.body)
		}
	}
	c := connectHub(t, s, ines, hubKind{modern, nil})
	confirmed := with{"confirm_title": doomed}
	maps.Copy(confirmed, deletion)
	c.call("github_delete_project", confirmed).succeeds(t)
	c.call("github_delete_project", confirmed).fails(t, "NOT_FOUND")
}
