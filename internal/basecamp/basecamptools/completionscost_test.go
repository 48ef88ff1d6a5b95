package basecamptools

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/fault"
)

// fiftyTitles returns the titles of open to-dos of the launch project, no two the same.
func fiftyTitles(d *toolEnv) (titles []string) {
	d.Helper()
	known := map[string]bool{}
	for _, todo := range all[todoItem](d, "list_todos", args{"project_id": launch, "limit": 100}) {
		if !known[todo.Title] && len(titles) < 50 {
			titles = append(titles, "todo:"+todo.Title)
		}
		known[todo.Title] = true
	}
	time.Sleep(time.Hour) // synctest's clock, for the rate limit and the caches
	return titles
}

func fiftyUnknown(length int) (titles []string) {
	for i := range 50 {
		titles = append(titles, fmt.Sprintf("todo:%d %s", i, strings.Repeat("spoke wrench ", length/13)))
	}
	return titles
}

func TestSetCompleted_OfFiftyTitlesSendsAtMostTheRequestsOfABatch(t *testing.T) {
	at(t, func(d *toolEnv) {
		titles := fiftyTitles(d)
		var got completions
		asked := d.asked(func() {
			got = call[completions](d, "set_completed", args{"items": titles, "project": launch, "completed": true})
		})
		if len(titles) != 50 || got.Failed != 0 || got.Done != 50 || len(asked) != 107 {
			d.Errorf("%d titles: %d done, %d failed, %d requests", len(titles), got.Done, got.Failed, len(asked))
		}
	})
}

func TestSetCompleted_OfFiftyTitlesAnywhereIsRefusedBeforeTheFirstWrite(t *testing.T) {
	at(t, func(d *toolEnv) {
		titles := fiftyTitles(d)
		var written []string
		asked := d.asked(func() {
			written = d.written(func() {
				d.refuses(fault.InvalidInput, "set_completed", args{"items": titles, "completed": true}, "at most", "nothing was written")
			})
		})
		if len(written) > 0 || len(asked) > 110 {
			d.Errorf("%d requests, %d written", len(asked), len(written))
		}
	})
}

func TestSetCompleted_OfFiftyUnknownTitlesSendsAtMostTenRequestsMoreThanTitles(t *testing.T) {
	for _, length := range []int{20, 1900} {
		for project, want := range map[any]int{launch: 6, nil: 51} {
			at(t, func(d *toolEnv) {
				asked := d.asked(func() {
					d.refuses(fault.NotFound, "set_completed", args{"items": fiftyUnknown(length), "project": project, "completed": true}, "items[0]", "nothing was written")
				})
				if len(asked) != want {
					d.Errorf("%v, %d characters: %d requests", project, length, len(asked))
				}
			})
		}
	}
}
