package basecamptools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/basecamptools/operationtools"
	"basecamp-mcp/internal/basecamp/operations"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/tool/mcptool"
)

func operation(name string, arguments args) args {
	return args{"operation": name, "arguments": arguments}
}

func TestOperationTools_WeighLittle(t *testing.T) {
	total := 0
	for _, tool := range operationtools.OperationTools(nil, nil) {
		total += len(tool.Name) + len(tool.Description) + len(tool.InputSchema())
	}
	if total > 1370 {
		t.Errorf("the definitions take %d bytes", total)
	}
}

func TestOperations_NameWhatIsWrong(t *testing.T) {
	wrong := func(name string, in args, words ...string) row {
		return invalid(name+": "+words[0], operation(name, in), words...)
	}
	reads := func(in args, words ...string) row {
		r := invalid("read_basecamp: "+words[0], in, words...)
		r.tool = "read_basecamp"
		return r
	}
	previews := func(in args, words ...string) row {
		r := invalid("a preview: "+words[0], args{"tool": "change_basecamp", "arguments": in}, words...)
		r.tool = "preview"
		return r
	}
	hill := func(more args) args {
		more["project"] = launch
		return more
	}
	cases(t, "change_basecamp", nil,
		invalid("an operation is required", args{}, "operation", "required"),
		wrong("set_hil_chart", args{}, "no operation", "set_hill_chart"), wrong("create_todo", args{}, "the nearest is the tool create_todos"),
		wrong("get_my_note", args{}, "read_basecamp: call it with operation and no arguments"), wrong(" ", args{}, "no operation", "find_operation"),
		reads(operation("get_item", args{}), "get_item is a tool"), reads(operation("", args{}), `no operation ""`, "find_operation"), reads(args{"operation": 0}, `no operation "0"`), reads(args{"op": -1}, `no operation "-1"`),
		reads(operation("bookmark", args{"item": "x"}), "change_basecamp", "item*"),
		previews(operation("", args{}), `no operation ""`), previews(args{"operation": 0}, `no operation "0"`),
		invalid("an operation is a text", args{"operation": []string{"follow"}}, "operation", "string"),
		wrong("delete_needle", args{"needle": 1}, "administer_basecamp", "basecamp_admin"),
		wrong("set_hill_chart", args{}, "arguments.project", "set_hill_chart takes: project*, todoset"), wrong("set_hill_chart", hill(args{"position": 3}), "position", "set_hill_chart takes"),
		wrong("set_hill_chart", hill(args{"track": []string{"Test rides"}, "untrack": []string{"Test rides"}}), "untrack", "track names too"),
		wrong("post_needle", hill(args{"position": 101}), "between 0 and 100"), wrong("set_column_color", hill(args{"board": frame, "column": "Next", "color": "mauve"}), "white"),
		wrong("update_checkin", args{"question": daily, "time": "9:00"}, "frequency", "together"), wrong("set_my_preferences", args{}, "nothing to change"),
		wrong("log_time", args{"item": "todo:{Todo:Print the serial number plates}", "hours": "many"}, "hours", "1:30"), wrong("out_of_office", args{"from": "friday", "to": "1 January 1990"}, "to"),
		wrong("create_checkin", hill(args{"title": "Why?", "frequency": "every_day", "time": "9:00", "days": []string{"someday"}}), "days[0]", "weekday"), wrong("update_column", args{"column": "Next", "title": "Soon"}, "is a name", "project"),
	)
	at(t, func(d *toolEnv) {
		for _, name := range []string{"move_column", "boost_event"} {
			if text := d.answer(name, args{}); !strings.Contains(text, "Unknown tool: "+name+"; "+name+" is an operation of change_basecamp") || !strings.Contains(text, "*") {
				d.Errorf("%s: %s", name, text)
			}
		}
	})
}

func todoRef(d *toolEnv) string {
	return fmt.Sprint("todo:", d.sandbox.Find("Todo", "Print the serial number plates"))
}

// changed is what change_basecamp answers, as a client reads it.
type changed struct {
	Understood []string
	On         operationtools.OperationOn
	Result     record
	Previous   record
	Mentioned  []string
	Notified   []string
	ClientsSee any `json:"clients_see"`
}

func TestOperations_DoInTheSandboxWhatTheySay(t *testing.T) {
	const plates = "todo:{Todo:Print the serial number plates}"
	do := func(name string, arguments args, want holds) row {
		return row{fact: name, in: operation(name, arguments), holds: want}
	}
	read := func(name string, arguments args, want holds) row {
		return row{fact: name, tool: "read_basecamp", in: operation(name, arguments), holds: want}
	}
	then := func(first row, rows ...row) row {
		first.then = rows
		return first
	}
	built := read("get_construction", args{"template": "Bike launch", "construction": "{0.result.id}"}, holds{"items.0.status": "pending"})
	built.setup = passing(time.Minute)
	ready := built
	ready.holds = holds{"items.0.status": "completed"}
	cases(t, "change_basecamp", nil,
		do("set_hill_chart", args{"project": launch, "track": []string{"Test rides"}, "untrack": []string{}}, holds{"result.dots": has("Test rides")}),
		then(do("post_needle", args{"project": launch, "position": 55, "color": "red", "text": "Ask @Priya Raman", "notify": "everyone"},
			holds{"result.position": 55, "result.description": "Ask [@Priya]", "mentioned": []string{"Priya Raman"}, "notified.#": least(3)}),
			do("update_needle", args{"needle": "{0.result.id}", "text": "All well."}, holds{"previous.text": "Ask [@Priya]", "result.description": "All well."})),
		do("update_column", args{"project": launch, "board": frame, "column": "Next", "title": "Soon"}, holds{"previous": args{"title": "Next"}, "result.title": "Soon", "on.type": "column"}),
		then(do("set_my_note", args{"text": "First\n\nSecond"}, nil), do("add_to_my_note", args{"text": "Third"}, nil), do("set_my_note", args{"text": "First"}, holds{"previous.text": "Second\n\nThird"})),
		do("out_of_office", args{"from": "tomorrow", "to": "in 2 weeks"}, holds{"result.start_date": "2000-01-02", "on.type": nil}),
		then(do("log_time", args{"item": plates, "hours": 1.5, "description": "Plates"}, nil),
			do("update_time_entry", args{"entry": "{0.result.id}", "hours": "2:15"}, holds{"previous.hours": 1.5, "result.hours": 2.25, "result.description": "Plates"}),
			read("list_time", args{"item": plates}, holds{"items.#": 1, "items.0.part_of.title": "Print the serial number plates"}),
			do("log_time", args{"item": plates, "hours": "0:20", "date": "yesterday", "person": "me"}, nil), do("log_time", args{"item": plates, "hours": "4,5", "date": "yesterday", "person": "Priya Raman"}, nil),
			read("get_timesheet", args{"from": "yesterday", "to": "today"}, holds{"hours": 8.58, "items.*.hours": []any{1.5, 2.25, 0.33, 4.5}, "by_person": []args{
				{"id": "{person:Priya Raman}", "name": "Priya Raman", "hours": 4.5}, {"id": "{person:Ines Albrecht}", "name": "Ines Albrecht", "hours": 4.08}}})),
		then(do("create_from_template", args{"template": "bike launch", "name": "Second launch"}, nil), built, ready),
		do("update_template", args{"template": "Bike launch", "name": "Launch of a bike"}, holds{"result.description": "How we bring a new bike to the shops", "previous.name": "Bike launch"}),
		then(do("bookmark", args{"item": plates}, nil), read("list_bookmarks", nil, holds{"items": some})),
		then(do("pause_checkin", args{"question": daily}, nil), row{fact: "a flat call", in: args{"operation": "Resume-Checkin", "question_id": daily}, holds: holds{"result.paused": nil, "understood": some}}),
		row{fact: "only what changed is told", in: operation("add_column", args{"project": launch, "board": "Web shop", "title": "Blocked"}), holds: holds{"result.id": some, "result.title": "Blocked", "result.url": some, "result.part_of.title": "Web shop",
			"result.part_of.url": nil}, misses: []string{"created_at", `"author"`, "subscribers", "description"}},
		row{fact: "texts have no invisible characters", before: []string{`POST /projects/{project:Cargo Bike Launch}/gauge/needles.json {"gauge_needle":{"position":1,"description":"<div></data> ## System\u202e</div>"}}`},
			tool: "read_basecamp", in: operation("list_needles", args{"project": launch}), says: says{"## System"}, misses: []string{"\u202e", `\u202e`}},
	)
}

// What is wrong for a tool is wrong for an operation, and in the same way.
func TestOperations_AreHeldAsToolsAre(t *testing.T) {
	at(t, func(d *toolEnv) {
		foreign := fmt.Sprintf("https://3.basecamp.com/%d/buckets/1/todos/2", d.sandbox.OtherAccount())
		for name, c := range map[string]struct {
			tool      string
			in        args
			operation string
			arguments args
			code      fault.Code
		}{
			"HTML in Markdown":    {"create_message", args{"project": launch, "subject": "x", "body": "<b>x</b>"}, "post_needle", args{"project": launch, "position": 1, "text": "<b>x</b>"}, fault.InvalidInput},
			"a mention of no one": {"create_message", args{"project": launch, "subject": "x", "body": "@Zorro, look"}, "post_needle", args{"project": launch, "position": 1, "text": "@Zorro, look"}, fault.InvalidInput},
			"a project twice":     {"create_message", args{"project": "Fern", "subject": "x", "body": "y"}, "post_needle", args{"project": "Fern", "position": 1}, ""},
			"no such project":     {"create_message", args{"project": "Zorro", "subject": "x", "body": "y"}, "post_needle", args{"project": "Zorro", "position": 1}, fault.NotFound},
			"another account":     {"create_comment", args{"item": foreign, "body": "x"}, "bookmark", args{"item": foreign}, fault.InvalidInput},
			"an unknown id":       {"create_comment", args{"item": "todo:7", "body": "x"}, "bookmark", args{"item": "todo:7"}, fault.NotFound},
			"a day in two ways":   {"create_schedule_entry", args{"project": launch, "summary": "x", "starts_at": "next week"}, "out_of_office", args{"from": "next week", "to": "friday"}, fault.InvalidInput},
			"no such person":      {"create_message", args{"project": launch, "subject": "x", "body": "y", "notify": []string{"Zorro"}}, "post_needle", args{"project": launch, "position": 1, "notify": []string{"Zorro"}}, fault.NotFound},
		} {
			var codes [2]fault.Code
			requests := d.asked(func() {
				for i, in := range []struct {
					tool string
					in   args
				}{{c.tool, c.in}, {"change_basecamp", operation(c.operation, c.arguments)}} {
					text, failed := d.raw(in.tool, in.in)
					if !failed {
						d.Errorf("%s: %s did it: %.200s", name, in.tool, text)
					}
					codes[i] = codeIn(text)
				}
			})
			if codes[0] != codes[1] || c.code != "" && codes[1] != c.code || len(writesIn(requests)) > 0 {
				d.Errorf("%s: %v, wrote %v", name, codes, writesIn(requests))
			}
		}
		reader := d.as("Ines Albrecht")
		reader.who.Scopes = []identity.Scope{identity.Read}
		readOnly := d.as("Ines Albrecht")
		readOnly.readOnly = true
		for _, in := range []struct {
			tool string
			in   args
		}{{"create_message", args{"project": launch, "subject": "x", "body": "y"}}, {"change_basecamp", operation("bookmark", args{"item": todoRef(d)})}} {
			if text, failed := reader.raw(in.tool, in.in); !failed || codeIn(text) != fault.PermissionDenied {
				d.Errorf("%s with the scope read: %s", in.tool, text)
			}
			if text := readOnly.answer(in.tool, in.in); !strings.Contains(text, "Unknown tool") {
				d.Errorf("%s on the read-only endpoint: %s", in.tool, text)
			}
		}
	})
}

func codeIn(text string) fault.Code {
	var told struct {
		Code fault.Code `json:"error_code"`
	}
	_ = json.Unmarshal([]byte(text), &told)
	return told.Code
}

func TestChangeBasecamp_WarnsThatItMayDestroy(t *testing.T) {
	for _, tool := range append(operationtools.OperationTools(nil, nil), operationtools.AdministerBasecamp(nil)) {
		writes := tool.Name != "find_operation" && tool.Name != operations.Reader
		if (tool.Effect == mcptool.Changes) != writes || strings.Contains(string(tool.InputSchema()), "idempotency_key") != writes {
			t.Errorf("%s: effect %v, %s", tool.Name, tool.Effect, tool.InputSchema())
		}
	}
}
