package github

import "testing"

// A query without a row is closed to every client that is held to places.
func TestFence_EveryQueryHasARow(t *testing.T) {
	for _, d := range documents {
		name := documentName.FindStringSubmatch(d.text)[1]
		if !d.mutation && queries[name] == closed {
			t.Errorf("queries lacks %s", name)
		}
	}
}
