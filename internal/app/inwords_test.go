package app

import "testing"

func TestInWords_NamesWhatAToolDoes(t *testing.T) {
	for tool, want := range map[string]string{
		"list_projects": "List projects", "get_message": "Read message", "github_list_issues": "List issues on GitHub",
		"github_get_issue": "Read issue on GitHub", "get_me": "Read your name and access", "": "",
	} {
		if got := inWords(tool); got != want {
			t.Errorf("%s: %q", tool, got)
		}
	}
}

func TestWhyFailed_SaysTheReasonInWords(t *testing.T) {
	for outcome, want := range map[string]string{
		"ok": "", "NOT_FOUND": "nothing was found", "INTERNAL_ERROR": "of an error in this server", "NEW_CODE": "new code",
	} {
		if got := whyFailed(outcome); got != want {
			t.Errorf("%s: %q", outcome, got)
		}
	}
}
