package github

import "testing"

func TestOutside_TellsWhoDoesNotBelongToTheRepository(t *testing.T) {
	for body, want := range map[string]bool{
		`{"title":"Bell","author_association":"MEMBER"}`:                                               false,
		`{"title":"Bell","author_association":"NONE"}`:                                                 true,
		`[{"author_association":"OWNER"},{"author_association":"CONTRIBUTOR"}]`:                        true,
		`{"data":{"node":{"__typename":"Issue","title":"Bell","authorAssociation":"COLLABORATOR"}}}`:   false,
		`{"data":{"node":{"__typename":"Issue","title":"Bell","authorAssociation":"FIRST_TIMER"}}}`:    true,
		`{"data":{"node":{"__typename":"Issue","title":"an author that the query does not ask for"}}}`: true,
		`{"data":{"viewer":{"login":"ines-albrecht"}}}`:                                                false,
		`not JSON`: true,
	} {
		if outside([]byte(body)) != want {
			t.Errorf("%s: %t", body, !want)
		}
	}
}
