package basecamptools

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp/basecamptools/todos"
	"basecamp-mcp/internal/basecamp/basecamptools/work"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/listing"
)

// openTodos returns references to open to-dos of the launch project.
func openTodos(d *toolEnv, count int) []string {
	d.Helper()
	todos := all[todos.TodoItem](d, "list_todos", args{"project_id": launch, "limit": 100})
	time.Sleep(time.Minute) // synctest's clock, for the rate limit
	refs := make([]string, count)
	for i := range refs {
		refs[i] = fmt.Sprintf("todo:%d", todos[i].ID)
	}
	return refs
}

// idIn returns the id in a reference such as todo:123.
func idIn(d *toolEnv, reference string) (id int64) {
	d.Helper()
	if _, err := fmt.Sscanf(reference[strings.Index(reference, ":")+1:], "%d", &id); err != nil {
		d.Fatal(err)
	}
	return id
}

func TestSetCompleted_OfSeveralItems(t *testing.T) {
	const away, good = "{Todo:Call the insurer about demo rides}", "todo:" + photoID
	items := says{"todo:" + photographer, launchURL + "/card_tables/cards/" + kickstandID, "subtask:{Kanban::Step:Drawing}", "todo:Order cartons"}
	all := func(completed bool, column string, writes []string, changed ...bool) row {
		return row{fact: fmt.Sprint(completed), in: args{"items": items, "project": launch, "completed": completed}, writes: writes, holds: holds{
			"done": 4, "failed": nil, "not_attempted": nil, "how_to_go_on": nil, "results.*.ok": true, "results.*.item.completed": completed, "results.*.item.changed": changed,
			"results.*.item.title": some, "results.0.item.list": some, "results.1.item.column.name": column, "results.2.item.parent.id": kickstandID,
		}}
	}
	once := all(true, "Done", nil, true, true, true, false)
	once.fact = "of every kind, they are completed and reopened"
	reopened := all(false, "In progress", nil, true, true, true, true)
	reopened.then = []row{{tool: photoNow, holds: holds{"completed": false}}}
	once.then = []row{{tool: photoNow, holds: holds{"completed": true}}, all(true, "Done", says{}, false, false, false, false), reopened}
	cases(t, "set_completed", args{"completed": true}, once,
		row{fact: "one that is wrong means that none is changed", before: says{"PUT /recordings/" + away + "/status/trashed.json"}, fails: fault.InvalidInput,
			in:    args{"items": says{good, "todo:17", "todo:" + away, "message:1", "todo:Book the brass band", "todo:the", "todo:Order cartons"}, "project": launch},
			says:  says{"nothing was written", "trashed", "restore it first", "matches 84 to-dos"},
			holds: holds{"data.validation.*.path": says{"items[1]", "items[2]", "items[3]", "items[4]", "items[5]"}},
			then:  []row{{in: args{"item": "todo:" + away}, fails: fault.InvalidInput, says: says{"item: ", "trashed"}}}},
		row{fact: "each exists", in: args{"items": says{good, "todo:17"}}, fails: fault.NotFound, says: says{"items[1]: ", "17"}, holds: holds{"retryable": false}},
		row{fact: "each is named once", in: args{"items": says{good, "todo:Print the serial number plates", launchURL + "/todos/" + photoID, "todo:" + photographer}, "project": launch}, fails: fault.InvalidInput,
			says: says{"same item as items[0]", "nothing was written"}, holds: holds{"data.validation.*.path": says{"items[2]", "items[3]"}}},
		row{fact: "one or several are named", fails: fault.InvalidInput, says: says{"item", "items"}},
		row{fact: "there is one", in: args{"items": []string{}}, fails: fault.InvalidInput, says: says{"items", "at least one"}},
		row{fact: "there is no other", in: args{"items": says{good}, "item": good}, fails: fault.InvalidInput, says: says{"items", "not both"}},
		row{fact: "there are at most 50", in: args{"items": slices.Repeat(says{"todo:17"}, 51)}, fails: fault.InvalidInput, says: says{"items", "at most 50"}},
	)
}

func TestSetCompleted_SaysIfTheTimeEndsBeforeTheFirstWrite(t *testing.T) {
	at(t, func(d *toolEnv) {
		items := openTodos(d, 30)
		d.sandbox.Inject(sandbox.Fault{Method: "GET", Delay: 4 * time.Second})
		d.refuses(fault.UpstreamError, "set_completed", args{"items": items, "completed": true}, "nothing was written", "less at once")
	})
	at(t, func(d *toolEnv) {
		items := openTodos(d, 9)[2:] // one read, then five at once, then one
		d.sandbox.Inject(sandbox.Fault{Method: "GET", Delay: 7900 * time.Millisecond})
		d.refuses(fault.UpstreamError, "set_completed", args{"items": items, "completed": true}, "nothing was written", "fewer")
	})
}

func TestSetCompleted_FailsIfEveryItemFails(t *testing.T) {
	at(t, func(d *toolEnv) {
		items := openTodos(d, 3)
		d.sandbox.Inject(sandbox.Fault{Method: "POST", Status: http.StatusForbidden})
		d.fails(fault.PermissionDenied, "set_completed", args{"items": items, "completed": true}, "none of the 3")
		d.sandbox.ClearFaults()
		d.sandbox.Inject(sandbox.Fault{Method: "POST", Hang: true})
		d.fails(fault.UpstreamError, "set_completed", args{"items": items, "completed": true}, "more were not tried")
	})
}

func TestSetCompleted_OfManyCardsReadsTheirTablesOnce(t *testing.T) {
	at(t, func(d *toolEnv) {
		var items []string
		for _, column := range columnsOf(d, frame).Columns {
			for _, c := range column.Cards {
				if len(items) < 4 && column.Type != "done" {
					items = append(items, fmt.Sprintf("card:%d", c.ID))
				}
			}
		}
		time.Sleep(time.Minute) // synctest's clock, for the rate limit
		asked := d.asked(func() { call[work.Completions](d, "set_completed", args{"items": items, "completed": true}) })
		if len(asked) > 4+2+1+4 { // the cards, two card tables, the caller, the moves
			d.Errorf("%d requests: %v", len(asked), asked)
		}
	})
}

func TestSetCompleted_SaysWhomACompletionNotifies(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := richTodo(d) // its completion notifies the caller and Noémie
		item, other := fmt.Sprintf("todo:%d", id), fmt.Sprintf("card:%d", d.sandbox.Find("Kanban::Card", kickstand))
		watched := fmt.Sprintf("card:%d", d.sandbox.Find("Kanban::Card", "Second position for the kickstand spring"))
		noemie := []string{"Noémie Laurent"}
		for _, x := range []struct {
			in   args
			want []string
		}{
			{args{"item": item, "completed": true}, noemie},
			{args{"item": item, "completed": true}, []string{}}, // nothing changed
			{args{"item": item, "completed": false}, []string{}},
			{args{"items": []string{other, item}, "completed": true}, noemie},
			{args{"items": []string{item}, "completed": true}, []string{}},
			{args{"items": []string{other, item}, "completed": false}, []string{}},
			{args{"item": other, "completed": true}, []string{}},
			{args{"item": watched, "completed": true}, noemie},
			{args{"item": watched, "completed": false}, []string{}},
			{args{"items": []args{{"item": watched, "column": "Done"}}}, noemie},
			{args{"items": []args{{"item": watched, "position": 2}}}, []string{}},
		} {
			var got []string
			tool := "set_completed"
			if x.in["completed"] == nil {
				tool = "update_work"
			}
			now := d.newlyNotified(func() { got = call[lookup.Reach](d, tool, x.in).Notified })
			if diff := cmp.Diff(x.want, got); diff != "" || !slices.Equal(got, now) {
				d.Errorf("%v: %s, in Basecamp %v", x.in, diff, now)
			}
			time.Sleep(time.Minute) // synctest's clock, for the rate limit
		}
		d.sandbox.Inject(sandbox.Fault{Method: "POST", Status: http.StatusForbidden, PathPrefix: fmt.Sprintf("/todos/%d", id)})
		if mixed := call[lookup.Reach](d, "set_completed", args{"items": []string{fmt.Sprintf("todo:%d", d.sandbox.Find("Todo", "Print the serial number plates")), item}, "completed": true}); len(mixed.Notified) != 0 {
			d.Errorf("a completion that failed notifies %v", mixed.Notified)
		}
	})
}

func TestSetCompleted_CompletesAlsoIfItCannotTellWhomItNotifies(t *testing.T) {
	for _, key := range []string{"item", "items"} {
		at(t, func(d *toolEnv) {
			id := richTodo(d)
			in := args{"completed": true, key: fmt.Sprintf("todo:%d", id)}
			if key == "items" {
				in[key] = []any{in[key]}
			}
			d.sandbox.Inject(sandbox.Fault{Method: "GET", PathPrefix: "/my/profile", Status: http.StatusServiceUnavailable})
			got := call[listing.Gaps](d, "set_completed", in)
			if len(got.LeftOut) != 1 || !strings.HasPrefix(got.LeftOut[0], "notified: ") || !completed(d, todoPath(id)) {
				d.Errorf("%s: %v", key, got.LeftOut)
			}
		})
	}
}

// fiftyTitles returns the titles of open to-dos of the launch project, no two the same.
func fiftyTitles(d *toolEnv) (titles []string) {
	d.Helper()
	known := map[string]bool{}
	for _, todo := range all[todos.TodoItem](d, "list_todos", args{"project_id": launch, "limit": 100}) {
		if !known[todo.Title] && len(titles) < 50 {
			titles = append(titles, "todo:"+todo.Title)
		}
		known[todo.Title] = true
	}
	time.Sleep(time.Hour) // synctest's clock, for the rate limit and the caches
	return titles
}

func unknownTitles(length int) (titles []string) {
	for i := range 35 {
		titles = append(titles, fmt.Sprintf("todo:%d %s", i, strings.Repeat("spoke wrench ", length/13)))
	}
	return titles
}

func TestSetCompleted_OfFiftyTitlesSendsAtMostTheRequestsOfABatch(t *testing.T) {
	at(t, func(d *toolEnv) {
		titles := fiftyTitles(d)
		got, asked := costing[work.Completions](d, "set_completed", args{"items": titles, "project": launch, "completed": true})
		if len(titles) != 50 || got.Failed != 0 || got.Done != 50 || len(asked) > 80 {
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
		if len(written) > 0 || len(asked) > 80 {
			d.Errorf("%d requests, %d written", len(asked), len(written))
		}
	})
}

func TestSetCompleted_OfUnknownTitlesSendsAtMostOneRequestMoreThanTitles(t *testing.T) {
	for _, length := range []int{20, 1900} {
		for project, want := range map[any]int{launch: 6, nil: 36} {
			at(t, func(d *toolEnv) {
				asked := d.asked(func() {
					d.refuses(fault.NotFound, "set_completed", args{"items": unknownTitles(length), "project": project, "completed": true}, "items[0]", "nothing was written")
				})
				if len(asked) != want {
					d.Errorf("%v, %d characters: %d requests", project, length, len(asked))
				}
			})
		}
	}
}
