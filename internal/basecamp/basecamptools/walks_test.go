package basecamptools

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/basecamptools/changes"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/tool/mcptool"
)

// walk follows the cursor of a tool to its end, and returns its items, each as text. It fails if
// the walk does not end, has two empty answers one after the other, or an item twice.
func (d *toolEnv) walk(tool, argument string, in args) (items []string) {
	d.Helper()
	in = maps.Clone(in)
	seen, empty := map[string]bool{}, false
	for range 300 {
		text, isError := d.raw(tool, in)
		var answer map[string]any
		if err := json.Unmarshal([]byte(text), &answer); err != nil || isError {
			d.Fatalf("%s %v: %s", tool, in, text)
		}
		found := itemsIn(answer)
		for _, item := range found {
			if seen[item] {
				d.Errorf("%s %v: twice: %s", tool, in, item)
			}
			seen[item] = true
		}
		items = append(items, found...)
		more, _ := answer["has_more"].(bool)
		next, named := answer[argument].(string)
		switch {
		case more && !named || !more && named && argument == "next_cursor":
			d.Errorf("%s %v: has_more is %v with the cursor %v", tool, in, more, answer[argument])
		case more && empty && len(found) == 0:
			d.Errorf("%s %v: two empty answers", tool, in)
		}
		if !more {
			return items
		}
		if empty = len(found) == 0; argument == "cursor" { // it keeps the other arguments
			in = args{}
		}
		in["cursor"] = next
		delete(in, "page")
		time.Sleep(time.Second)
	}
	d.Errorf("%s %v: no end", tool, in)
	return items
}

// itemsIn returns what lists a part of an answer has.
func itemsIn(value any) (items []string) {
	object, _ := value.(map[string]any)
	for _, name := range []string{"items", "results", "assigned_todos", "comments"} {
		list, _ := object[name].([]any)
		for _, item := range list {
			// Of get_changes: one item, however often it changed.
			if news, ok := item.(map[string]any); ok && news["what"] != nil && news["at"] != nil && object["project"] != nil {
				page, _, _ := strings.Cut(fmt.Sprint(news["url"]), "@") // of a chat, whose last line it also names
				item = fmt.Sprint(object["project"], news["item"], page)
			}
			text, _ := json.Marshal(item)
			items = append(items, string(text))
		}
	}
	for _, name := range []string{"projects", "groups", "columns", "days"} {
		parts, _ := object[name].([]any)
		for _, part := range parts {
			items = append(items, itemsIn(part)...)
		}
	}
	return items
}

// Every list of every tool ends, whatever its span and the length of its answers, and says the
// same.
func TestEveryTool_EndsEachWalk(t *testing.T) {
	for _, person := range somePeople(t) {
		t.Run(person, func(t *testing.T) {
			unlimited(t, func(d *toolEnv) {
				calls := typical(d)
				d = d.as(person)
				for _, tool := range ofBasecamp() {
					var schema struct{ Properties map[string]any }
					if err := json.Unmarshal(tool.InputSchema(), &schema); err != nil {
						t.Fatal(err)
					}
					if schema.Properties["cursor"] == nil || tool.Effect != mcptool.Reads || tool.Name == "get_changes" || tool.Name == "find_operation" {
						continue
					}
					for _, span := range []string{"", "1 day ago", "7 days ago", "30 days ago"} {
						in := maps.Clone(calls[tool.Name])
						if schema.Properties["since"] == nil && span != "" {
							continue
						} else if span != "" {
							in["since"] = map[bool]string{true: "last_" + strings.Fields(span)[0] + "_days", false: span}[tool.Name == "search" && span != "1 day ago"]
						}
						if tool.Name == "list_work" && span != "" {
							in["state"] = "completed"
						}
						if tool.Name == "get_activity" {
							in["detail"] = "full"
						}
						if _, isError := d.raw(tool.Name, in); isError && person != "Ines Albrecht" { // who may not see it
							continue
						}
						whole := slices.Sorted(slices.Values(d.walk(tool.Name, "next_cursor", in)))
						if schema.Properties["limit"] == nil {
							continue
						}
						for _, limit := range []int{7, 100} {
							in["limit"] = limit
							got := d.walk(tool.Name, "next_cursor", in)
							slices.Sort(got)
							if span != "" && !slices.Equal(got, whole) {
								t.Errorf("%s %v: %d items, and %d or others without a limit", tool.Name, in, len(got), len(whole))
							}
						}
					}
				}
			})
		})
	}
}

func somePeople(t *testing.T) []string {
	if testing.Short() {
		return []string{"Ines Albrecht"}
	}
	var names []string
	for _, p := range sandbox.New(sandbox.Options{}).People() {
		names = append(names, p.Name)
	}
	return names
}

// What changed in a span is what changed of each kind.
func TestGetChanges_IsTheSumOfItsKinds(t *testing.T) {
	for _, person := range somePeople(t) {
		t.Run(person, func(t *testing.T) {
			unlimited(t, func(d *toolEnv) {
				d = d.as(person)
				for _, days := range []int{1, 7, 30} {
					in := args{"since": fmt.Sprint(days, " days ago")}
					whole := d.walk("get_changes", "cursor", in)
					sum := map[string]bool{}
					for _, k := range changes.Kinds() {
						in["kinds"] = []string{k.Word}
						for _, item := range d.walk("get_changes", "cursor", in) {
							if k.Word != lookup.PingKind { // only by its name
								sum[item] = true
							}
						}
					}
					if want := slices.Sorted(maps.Keys(sum)); !slices.Equal(slices.Sorted(slices.Values(whole)), want) || person == "Ines Albrecht" && days > 1 && len(want) < 20 {
						t.Errorf("%d days: %d items, of single kinds %d", days, len(whole), len(want))
					}
				}
			})
		})
	}
}

// What a poll has told no later one tells again, however much changed in the minute.
func TestGetChanges_RepeatsNothingOfABusyMinute(t *testing.T) {
	unlimited(t, func(d *toolEnv) {
		cursor := d.changes(args{"since": "now"}).Cursor
		board := d.sandbox.ToolID(launchProject, "message_board")
		const posted = 120
		for i := range posted {
			_ = d.ask(d.ines(), "POST", fmt.Sprintf("/message_boards/%d/messages.json", board), "application/json", fmt.Sprintf(`{"subject":"Post %d","content":"x","status":"active"}`, i)).Body.Close()
			time.Sleep(300 * time.Millisecond)
		}
		told := map[string]int{}
		for range 30 {
			var items []changes.ItemNews
			items, cursor = d.told(cursor)
			for _, item := range items {
				told[item.Title]++
			}
			time.Sleep(time.Minute)
		}
		for title, n := range told {
			if n != 1 {
				t.Errorf("%s was told %d times", title, n)
			}
		}
		if len(told) != posted {
			t.Errorf("told %d of %d", len(told), posted)
		}
	})
}
