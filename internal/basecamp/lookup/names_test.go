package lookup

import (
	"context"
	"fmt"
	"slices"
	"testing"

	requests "basecamp-mcp/internal/wire/upstream"
)

// manyNames returns a choice of many names.
func manyNames(look func(int) bool) Choice[string] {
	c := Choice[string]{Argument: "item", Noun: ListNoun, Name: func(s string) string { return s }, ID: func(string) int64 { return 1 }, look: look}
	for i := range 150 {
		c.Items = append(c.Items, fmt.Sprintf("Spoke %d for the front wheel", i))
	}
	c.Items = append(c.Items, "Brake lever")
	return c
}

func TestNearest_StopsWhenTheTimeOfTheCallIsOver(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	metered, _ := requests.Meter(ctx)
	work := func() int { _, work := requests.Spent(metered); return work }
	c := manyNames(looking(metered))
	if found := c.nearest("brake levers"); len(found) != 3 || found[0] != "Brake lever" {
		t.Errorf("got %v", found)
	}
	whole := work()
	c.look = func(n int) bool {
		if work() > whole+whole/2 {
			cancel()
		}
		return looking(metered)(n)
	}
	if found := c.nearest("brake levers"); slices.Contains(found, "Brake lever") || work() > whole+whole*6/10 {
		t.Errorf("found %v after the end, with %d units of work of %d", found, work()-whole, whole)
	}
	before := work()
	if found := c.nearest("brake levers"); found != nil || work() != before {
		t.Errorf("after the end: %v, %d units of work", found, work()-before)
	}
}
