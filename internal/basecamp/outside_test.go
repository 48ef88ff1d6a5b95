package basecamp

import "testing"

func TestOutside_TellsWhoDoesNotBelongToTheCompany(t *testing.T) {
	for body, want := range map[string]bool{
		`{"title":"Bell","creator":{"employee":true,"personable_type":"User"}}`:                      false,
		`{"title":"Bell","creator":{"employee":false,"personable_type":"User"}}`:                     true,
		`{"title":"Bell","creator":{"employee":false,"personable_type":"Integration"}}`:              false,
		`{"title":"Bell","creator":{"client":true,"employee":false,"personable_type":"Client"}}`:     true,
		`[{"title":"Bell"},{"boosts":[{"booster":{"employee":false,"personable_type":"User"}}]}]`:    true,
		`{"title":"Bell","assignees":[{"client":true,"employee":false,"personable_type":"Client"}]}`: false,
		`{"parent":{"type":"Inbox::Forward"}}`:                                                       true,
		`{"parent":{"type":"Client::Approval"}}`:                                                     true,
		`not JSON`:                                                                                   true,
	} {
		if outside([]byte(body)) != want {
			t.Errorf("%s: %t", body, !want)
		}
	}
}
