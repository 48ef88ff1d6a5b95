package toolargs

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/toolanswer"
)

type todoEntry struct {
	Content   string `json:"content" jsonschema:"Title"`
	Notes     string `json:"notes,omitzero" jsonschema:"Notes"`
	DueOn     string `json:"due_on,omitzero" jsonschema:"Day"`
	Assignees Refs   `json:"assignees,omitzero" jsonschema:"People"`
	Position  int    `json:"position,omitzero" jsonschema:"Place" limits:"min=1 max=9"`
}

type (
	todosIn struct {
		Project Ref         `json:"project,omitzero" jsonschema:"Project"`
		List    Ref         `json:"list,omitzero" jsonschema:"List"`
		Todos   []todoEntry `json:"todos" jsonschema:"To-dos" limits:"maxitems=50"`
	}
	messageIn struct {
		Project Ref    `json:"project" jsonschema:"Project"`
		Subject string `json:"subject" jsonschema:"Subject"`
		Body    string `json:"body" jsonschema:"Text"`
		Draft   bool   `json:"draft,omitzero" jsonschema:"Draft"`
	}
	updateIn struct {
		Todo   Ref          `json:"todo" jsonschema:"To-do"`
		Notes  string       `json:"notes,omitzero" jsonschema:"Notes"`
		People Change[Refs] `json:"assignees,omitzero" jsonschema:"All" limits:"none"`
		Add    Refs         `json:"add_assignees,omitzero" jsonschema:"More"`
	}
	itemIn struct {
		Item      string `json:"item" jsonschema:"Item"`
		Completed bool   `json:"completed" jsonschema:"Completed"`
	}
	itemsIn struct {
		Items  []string `json:"items" jsonschema:"Items"`
		Status string   `json:"status" jsonschema:"Status" limits:"enum=active|trashed"`
	}
	eitherIn struct {
		Item      string   `json:"item,omitzero" jsonschema:"Item"`
		Items     []string `json:"items,omitzero" jsonschema:"Items"`
		Completed bool     `json:"completed" jsonschema:"Completed"`
	}
	workIn struct {
		Assignee Ref      `json:"assignee,omitzero" jsonschema:"Person"`
		State    string   `json:"state,omitzero" jsonschema:"State" limits:"enum=open|overdue"`
		Types    []string `json:"types,omitzero" jsonschema:"Types"`
		Limit    int      `json:"limit,omitzero" jsonschema:"Limit" limits:"min=1 max=100"`
		Page     int      `json:"page,omitzero" jsonschema:"Page" limits:"min=1 max=100"`
		PerBoard int      `json:"per_board,omitzero" jsonschema:"Cards" limits:"min=1 max=50"`
	}
	taskIn struct {
		Title       string `json:"title" jsonschema:"Title"`
		Description string `json:"description,omitzero" jsonschema:"Details"`
	}
	fileIn struct {
		Filename    string `json:"filename" jsonschema:"Name"`
		Content     string `json:"content,omitzero" jsonschema:"Content"`
		Description string `json:"description,omitzero" jsonschema:"Description"`
	}
	searchIn struct {
		Query  string   `json:"query" jsonschema:"Words"`
		Since  string   `json:"since,omitzero" jsonschema:"Since"`
		Until  string   `json:"until,omitzero" jsonschema:"Until"`
		Scopes []string `json:"scopes,omitzero" jsonschema:"Scopes" limits:"enum=this_week|next_week"`
	}
	entryIn struct {
		Summary      string `json:"summary" jsonschema:"Title"`
		StartsAt     string `json:"starts_at" jsonschema:"Start"`
		EndsAt       string `json:"ends_at,omitzero" jsonschema:"End"`
		Participants Refs   `json:"participants,omitzero" jsonschema:"People"`
	}
	getIn struct {
		Card    Ref `json:"card_id" jsonschema:"Card"`
		Project Ref `json:"project_id,omitzero" jsonschema:"Project"`
	}
)

// validated returns what is wrong with arguments if none of them is read in another form.
func validated(s *Schema, arguments json.RawMessage) error {
	tree, err := parse(arguments)
	if err != nil {
		return err
	}
	var l lenient
	if l.leaveOut("", s, tree); len(l.notes) > 0 {
		return errors.New("a value counts as absent")
	}
	_, err = Rules{}.validate(s, tree)
	return err
}

// schemaOf returns the schema of a tool's arguments.
func schemaOf[In any]() *Schema {
	s, err := InputSchema(reflect.TypeFor[In](), false)
	if err != nil {
		panic(err)
	}
	return s
}

// schemas by the name under which the tables call them.
var lenientSchemas = map[string]*Schema{
	"todos": schemaOf[todosIn](), "message": schemaOf[messageIn](), "update": schemaOf[updateIn](), "item": schemaOf[itemIn](),
	"items": schemaOf[itemsIn](), "either": schemaOf[eitherIn](), "work": schemaOf[workIn](), "task": schemaOf[taskIn](), "file": schemaOf[fileIn](), "get": schemaOf[getIn](), "search": schemaOf[searchIn](), "entry": schemaOf[entryIn](),
}

// Each form on the left has one meaning, the arguments on the right, and the answer tells it.
func TestLeniency_ReadsWhatCanMeanOnlyOneThing(t *testing.T) {
	for _, c := range []struct{ schema, given, meant, told string }{
		{"work", `{"limit":"10"}`, `{"limit":10}`, `limit: "10" -> 10`},
		{"work", `{"limit":" 7 "}`, `{"limit":7}`, `limit: " 7 " -> 7`},
		{"work", `{"limit":500}`, `{"limit":100}`, `limit: 500 -> 100`},
		{"work", `{"limit":"500"}`, `{"limit":100}`, `limit: "500" -> 100`},
		{"work", `{"per_board":51}`, `{"per_board":50}`, `per_board: 51 -> 50`},
		{"work", `{"types":"todo"}`, `{"types":["todo"]}`, `types: a string -> a list`},
		{"work", `{"type":"todo"}`, `{"types":["todo"]}`, `type -> types; types: a string -> a list`},
		{"work", `{"types":"[\"todo\",\"card\"]"}`, `{"types":["todo","card"]}`, `types: a string -> a list`},
		{"work", `{"status":"overdue"}`, `{"state":"overdue"}`, `status -> state`},
		{"work", `{"assignees":["Hanna"]}`, `{"assignee":"Hanna"}`, `assignees -> assignee; assignee: a list -> "Hanna"`},
		{"work", `{"assignee_id":7}`, `{"assignee":7}`, `assignee_id -> assignee`},
		{"work", `{"perBoard":3}`, `{"per_board":3}`, `perBoard -> per_board`},
		{"todos", `{"content":"Rack","due_on":"friday","list":7}`, `{"list":7,"todos":[{"content":"Rack","due_on":"friday"}]}`,
			`content -> todos[0].content; due_on -> todos[0].due_on`},
		{"either", `{"item":["todo:1","todo:2"],"completed":true}`, `{"items":["todo:1","todo:2"],"completed":true}`, `item -> items`},
		{"item", `{"item":"todo:1","completed":"true"}`, `{"item":"todo:1","completed":true}`, `completed: "true" -> true`},
		{"item", `{"item":"todo:1","completed":"False"}`, `{"item":"todo:1","completed":false}`, `completed: "False" -> false`},
		{"item", `{"todo_id":12,"completed":true}`, `{"item":"todo:12","completed":true}`, `todo_id -> item`},
		{"item", `{"todo":"12","completed":true}`, `{"item":"todo:12","completed":true}`, `todo -> item`},
		{"item", `{"card":"card:12","completed":true}`, `{"item":"card:12","completed":true}`, `card -> item`},
		{"item", `{"file":"https://3.basecamp.com/1/buckets/2/uploads/3","completed":true}`, `{"item":"https://3.basecamp.com/1/buckets/2/uploads/3","completed":true}`, `file -> item`},
		{"item", `{"item":12,"completed":true}`, `{"item":"12","completed":true}`, `item: 12 -> "12"`},
		{"items", `{"items":"todo:1","status":"trashed"}`, `{"items":["todo:1"],"status":"trashed"}`, `items: a string -> a list`},
		{"items", `{"message_id":3,"state":"trashed"}`, `{"items":["message:3"],"status":"trashed"}`, `message_id -> items; state -> status; items: a string -> a list`},
		{"items", `{"todo_ids":[3,"4"],"status":"trashed"}`, `{"items":["todo:3","todo:4"],"status":"trashed"}`, `todo_ids -> items`},
		{"either", `{"todo_id":12,"completed":true}`, `{"item":"todo:12","completed":true}`, `todo_id -> item`},
		{"either", `{"id":12,"done":true}`, `{"item":"12","completed":true}`, `done -> completed; id -> item`},
		{"either", `{"id":12,"completed":true}`, `{"item":"12","completed":true}`, `id -> item`},
		{"either", `{"cards":[12],"completed":true}`, `{"items":["card:12"],"completed":true}`, `cards -> items`},
		{"either", `{"ids":["todo:1",2],"completed":true}`, `{"items":["todo:1","2"],"completed":true}`, `ids -> items`},
		{"message", `{"project_id":1,"title":"a","content":"b"}`, `{"project":1,"subject":"a","body":"b"}`, `content -> body; project_id -> project; title -> subject`},
		{"message", `{"project":1,"name":"a","text":"b","draft":null}`, `{"project":1,"subject":"a","body":"b"}`, `name -> subject; text -> body`},
		{"message", `{"project":1,"subject":null,"title":"a","description":"b"}`, `{"project":1,"subject":"a","body":"b"}`, `description -> body; title -> subject`},
		{"message", `{"project":[1],"subject":2026,"body":"b"}`, `{"project":1,"subject":"2026","body":"b"}`, `project: a list -> 1; subject: 2026 -> "2026"`},
		{"update", `{"todo_id":1,"description":"x"}`, `{"todo":1,"notes":"x"}`, `description -> notes; todo_id -> todo`},
		{"update", `{"id":1,"body":"x"}`, `{"todo":1,"notes":"x"}`, `body -> notes; id -> todo`},
		{"update", `{"todo":1,"add_assignees":"Hanna"}`, `{"todo":1,"add_assignees":["Hanna"]}`, `add_assignees: a string -> a list`},
		{"update", `{"todo":1,"add_assignees":7}`, `{"todo":1,"add_assignees":[7]}`, `add_assignees: 7 -> a list`},
		{"todos", `{"todos":["a","b"]}`, `{"todos":[{"content":"a"},{"content":"b"}]}`, `todos[]: a string -> an object`},
		{"todos", `{"todos":"a"}`, `{"todos":[{"content":"a"}]}`, `todos: a string -> a list; todos[]: a string -> an object`},
		{"todos", `{"todos":{"content":"a"}}`, `{"todos":[{"content":"a"}]}`, `todos: an object -> a list`},
		{"todos", `{"todos":"[{\"content\":\"a\",\"position\":\"2\"}]"}`, `{"todos":[{"content":"a","position":2}]}`, `todos: a string -> a list; todos[].position: "2" -> 2`},
		{"todos", `{"todos":"{\"content\":\"a\"}"}`, `{"todos":[{"content":"a"}]}`, `todos: a string -> a list`},
		{"item", `{"item":[12],"completed":true}`, `{"item":"12","completed":true}`, `item: a list -> "12"`},
		{"todos", `{"todos":["{\"content\":\"a\"}"]}`, `{"todos":[{"content":"a"}]}`, `todos[]: a string -> an object`},
		{"todos", `{"todolist_id":5,"todos":[{"title":"a","due_date":"friday","assignee":"Hanna","description":"n"},{"title":"b","due":"today"}]}`,
			`{"list":5,"todos":[{"content":"a","due_on":"friday","assignees":["Hanna"],"notes":"n"},{"content":"b","due_on":"today"}]}`,
			`todolist_id -> list; todos[].assignee -> todos[].assignees; todos[].description -> todos[].notes; todos[].due_date -> todos[].due_on; ` +
				`todos[].title -> todos[].content; todos[].assignees: a string -> a list; todos[].due -> todos[].due_on`},
		{"search", `{"q":"jig","from":"monday","before":"friday"}`, `{"query":"jig","since":"monday","until":"friday"}`, `before -> until; from -> since; q -> query`},
		{"search", `{"keywords":"jig","after":"monday"}`, `{"query":"jig","since":"monday"}`, `after -> since; keywords -> query`},
		{"entry", `{"event":"Stand-up","start":"9:30","end":"10:00","attendees":["me"]}`, `{"summary":"Stand-up","starts_at":"9:30","ends_at":"10:00","participants":["me"]}`,
			`attendees -> participants; end -> ends_at; event -> summary; start -> starts_at`},
		{"task", `{"task":"Call home"}`, `{"title":"Call home"}`, `task -> title`},
		{"message", `{"project":1,"subject":"a","message":"b"}`, `{"project":1,"subject":"a","body":"b"}`, `message -> body`},
		{"search", `{"query":"jig","scopes":"this week"}`, `{"query":"jig","scopes":["this_week"]}`, `scopes: a string -> a list; scopes[]: "this week" -> "this_week"`},
		{"search", `{"query":"jig","scopes":["next-week","this_week"]}`, `{"query":"jig","scopes":["next_week","this_week"]}`, `scopes[]: "next-week" -> "next_week"`},
		{"task", `{"name":"a","notes":"n"}`, `{"title":"a","description":"n"}`, `name -> title; notes -> description`},
		{"get", `{"card":1}`, `{"card_id":1}`, `card -> card_id`},
		{"get", `{"cardId":1,"project":"x"}`, `{"card_id":1,"project_id":"x"}`, `cardId -> card_id; project -> project_id`},
		{"get", `{"item":"A title"}`, `{"card_id":"A title"}`, `item -> card_id`},
		{"get", `{"item":12,"projectId":3}`, `{"card_id":12,"project_id":3}`, `item -> card_id; projectId -> project_id`},
		{"get", `{"url":"3.basecamp.com/1/buckets/2/card_tables/cards/3"}`, `{"card_id":"3.basecamp.com/1/buckets/2/card_tables/cards/3"}`, `url -> card_id`},
		{"get", `{"url":"https://3.basecamp.com/1/buckets/2/card_tables/cards/3"}`, `{"card_id":"https://3.basecamp.com/1/buckets/2/card_tables/cards/3"}`, `url -> card_id`},
	} {
		s := lenientSchemas[c.schema]
		if validated(s, json.RawMessage(c.given)) == nil {
			t.Errorf("%s %s: valid as it is", c.schema, c.given)
		}
		a, err := Rules{}.Accept(s, json.RawMessage(c.given))
		if err != nil {
			t.Errorf("%s %s: %v", c.schema, c.given, err)
			continue
		}
		got, _ := parse(a.Arguments)
		want, _ := parse([]byte(c.meant))
		if diff := cmp.Diff(want, got); diff != "" || strings.Join(a.Understood, "; ") != c.told {
			t.Errorf("%s %s: told %q, -want +got:\n%s", c.schema, c.given, strings.Join(a.Understood, "; "), diff)
		}
	}
}

func TestLeniency_ReadsALinkAsItsAddress(t *testing.T) {
	const url = "https://3.basecamp.com/1/buckets/2/card_tables/cards/3"
	for _, link := range []string{"[The card](" + url + ")", " <" + url + ">", `\u003c` + url + `\u003e`} {
		a, err := Rules{}.Accept(lenientSchemas["get"], json.RawMessage(`{"card_id":"`+link+`"}`))
		if err != nil || string(a.data) != `{"card_id":"`+url+`"}` || len(a.Understood) != 1 {
			t.Errorf("%s: %s, %q, %v", link, a.data, a.Understood, err)
		}
	}
}

// Each of these is close to one of the forms above, but could mean two things, or nothing.
func TestLeniency_RefusesWhatCouldMeanTwoThings(t *testing.T) {
	for _, c := range []struct{ schema, given, says string }{
		{"todos", `{"content":"Rack","todos":[{"content":"Bell"}]}`, `content: is not an argument`},
		{"todos", `{"due_on":"friday"}`, `due_on: is not an argument`},
		{"either", `{"item":["todo:1","todo:2"],"items":["todo:3"],"completed":true}`, `item: must be a string, got a list`},
		{"work", `{"limit":"ten"}`, `limit: must be an integer, got "ten"`},
		{"work", `{"limit":"2.5"}`, `limit: must be an integer, got "2.5"`},
		{"work", `{"limit":0}`, `limit: must be between 1 and 100, got 0`},
		{"work", `{"page":500}`, `page: must be between 1 and 100, got 500`},
		{"work", `{"limit":true}`, `limit: must be an integer, got true`},
		{"work", `{"types":{"a":1}}`, `types: must be a list, got an object`},
		{"work", `{"state":"OVERDUE"}`, `state: must be one of open, overdue, got "OVERDUE"`},
		{"work", `{"assignees":["Hanna","Priya"]}`, `assignee: must be a positive integer, a name or a URL, got a list`},
		{"work", `{"status":"open","state":"overdue"}`, `status: is not an argument; send its value only once, as state`},
		{"item", `{"item":"todo:1","completed":"yes"}`, `completed: must be true or false, got "yes"`},
		{"item", `{"item":"todo:1","completed":1}`, `completed: must be true or false, got 1`},
		{"item", `{"todo":1,"card":2,"completed":true}`, `card: is not an argument; send its value only once, as item`},
		{"item", `{"message":"Hello there","completed":true}`, `message: is not an argument`},
		{"item", `{"todos":[1,2],"completed":true}`, `todos: is not an argument`},
		{"either", `{"todo":1,"card":2,"completed":true}`, `card: is not an argument; send its value only once, as item`},
		{"either", `{"todos":[1],"cards":[2],"completed":true}`, `cards: is not an argument; send its value only once, as items`},
		{"either", `{"todos":[],"completed":true}`, `todos: is not an argument`},
		{"message", `{"project":1,"title":"a","name":"b","body":"c"}`, `name: is not an argument; send its value only once, as subject`},
		{"message", `{"project":1,"subject":"a","title":"b","body":"c"}`, `title: is not an argument; send its value only once, as subject`},
		{"message", `{"project":1,"subject":"a","body":{"text":"b"}}`, `body: must be a string, got an object`},
		{"message", `{"project":1,"subject":["a"],"body":"b"}`, `subject: must be a string, got a list`},
		{"message", `{"project":1,"subject":1.5,"body":"b"}`, `subject: must be a string, got 1.5`},
		{"message", `{"project":1,"subject":true,"body":"b"}`, `subject: must be a string, got true`},
		{"message", `{"id":1,"project":1,"subject":"a","body":"b"}`, `id: is not an argument`},
		{"update", `{"todo":1,"assignee":"Hanna"}`, `assignee: is not an argument; it could mean assignees or add_assignees`},
		{"todos", `{"todos":[7]}`, `todos[0]: must be an object, got 7`},
		{"todos", `{"todos":" "}`, `todos: must be a list, got " "`},
		{"todos", `{"todos":"None"}`, `todos: must be a list, got "None"`},
		{"todos", `{"todos":"[{'content': 'a'}]"}`, `todos: must be a list, got`},
		{"todos", `{"todos":"[{\"content\": \"a\""}`, `todos: must be a list, got`},
		{"todos", `{"todos":["{'content': 'a'}"]}`, `todos[0]: must be an object, got`},
		{"todos", `{"todos":"- a\n- b"}`, `todos: must be a list, got "- a - b"`},
		{"update", `{"todo":1,"add_assignees":"Hanna\nPriya"}`, `add_assignees: must be a list, got "Hanna Priya"`},
		{"todos", `{"todos":[{"content":"a","position":10}]}`, `todos[0].position: must be between 1 and 9, got 10`},
		{"message", `{"project":1,"subject":"a","message":"message:7"}`, `message: is not an argument`},
		{"update", `{"todo":1,"message":"Thanks"}`, `message: is not an argument`},
		{"search", `{"query":"jig","scopes":["This Week"]}`, `scopes[0]: must be one of this_week, next_week, got "This Week"`},
		{"task", `{"content":"a"}`, `content: is not an argument; it could mean title or description`},
		{"file", `{"filename":"a","text":"b"}`, `text: is not an argument`},
		{"file", `{"filename":"a","title":"b"}`, `title: is not an argument`},
		{"get", `{"id":"Some title"}`, `id: is not an argument`},
		{"get", `{"item":12,"card_id":13}`, `item: is not an argument; send its value only once, as card_id`},
		{"get", `{"item":12,"url":"https://3.basecamp.com/1"}`, `item: is not an argument; send its value only once, as card_id`},
		{"get", `{"car":1}`, `car: is not an argument; the nearest is card_id`},
		{"todos", `{"todos":[],"notes":"x"}`, `notes: is not an argument; give it in todos, whose entries need content`},
	} {
		_, err := Rules{}.Accept(lenientSchemas[c.schema], json.RawMessage(c.given))
		if !fault.Is(err, fault.InvalidInput) || !strings.Contains(fault.From(err).Message, c.says) {
			t.Errorf("%s %s: %v, want %s", c.schema, c.given, err, c.says)
		}
	}
}

// JSON parsers differ in which of two values of a name they take.
func TestArguments_WithANameTwiceAreRefused(t *testing.T) {
	for given, says := range map[string]string{
		`{"project":1,"subject":"a","body":"one","body":"two"}`:              `body: is given twice; send one value`,
		`{"project":1,"subject":"a","body":"one","bo\u0064y":"one"}`:         `body: is given twice`,
		`{"project":null,"project":1,"subject":"a","body":"b"}`:              `project: is given twice`,
		`{"list":5,"todos":[{"content":"a"},{"content":"a","content":"b"}]}`: `content: is given twice`,
	} {
		for _, schema := range []string{"message", "todos"} {
			_, err := Rules{}.Accept(lenientSchemas[schema], json.RawMessage(given))
			if !fault.Is(err, fault.InvalidInput) || !strings.Contains(fault.From(err).Message, says) {
				t.Errorf("%s: %v, want %s", given, err, says)
			}
		}
	}
	for _, given := range []string{`{"list":5,"todos":[{"content":"content"},{"content":"list","notes":"content"}]}`, `{"todos":[{"content":"todos"}]}`} {
		if _, err := (Rules{}).Accept(lenientSchemas["todos"], json.RawMessage(given)); err != nil {
			t.Errorf("%s: %v", given, err)
		}
	}
}

// Values that fit a schema are never read in another form, whatever else is wrong.
func FuzzLeniency_NeverPanicsAndKeepsWhatFits(f *testing.F) {
	for _, seed := range []string{
		`{"todos":"[{\"content\":\"[1]\"}]"}`, `{"todos":["a",{"title":"b","due":"x"}],"project":"7"}`, `{"limit":"1e3","types":"{}"}`,
		`{"id":1,"state":"x","Items":[[1]]}`, `"{}"`, `[{}]`, `{"content":"[\"a\"]","subject":"true","limit":"true"}`,
	} {
		f.Add(seed, "[7]")
	}
	f.Fuzz(func(t *testing.T, arguments, text string) {
		for name, s := range lenientSchemas {
			raw := json.RawMessage(arguments)
			a, accepting := Rules{}.Accept(s, raw)
			if accepting != nil && !fault.Is(accepting, fault.InvalidInput) {
				t.Errorf("%s %q: %v", name, arguments, accepting)
			}
			if validated(s, raw) == nil && repeated(raw) == nil && !strings.ContainsAny(arguments, `(<\`) && (accepting != nil || len(a.Understood) > 0) {
				t.Errorf("%s %q: valid, but %v, understood %q", name, arguments, accepting, a.Understood)
			}
			if len(a.Understood) > 0 && accepting == nil {
				var l lenient
				tree, _ := parse(a.Arguments)
				if again := l.read(s, tree); len(l.notes) > 0 {
					t.Errorf("%s %q: read twice, as %s and then %v", name, arguments, a.Arguments, again)
				}
			}
		}
		given := toolanswer.MustEncode(map[string]any{"project": text, "subject": text, "content": text, "draft": "true"})
		var got messageIn
		a, err := Rules{}.Accept(lenientSchemas["message"], given)
		if err == nil {
			err = a.Fill(&got)
		}
		var plain struct{ Subject string } // with invalid UTF-8 replaced
		if json.Unmarshal(given, &plain) != nil {
			t.Fatal("not JSON")
		}
		if err == nil && (got.Subject != plain.Subject || got.Body != plain.Subject || !got.Draft) {
			t.Errorf("%q became %+v", text, got)
		}
	})
}

func TestSchemaAndTextProblems_AreToldTogether(t *testing.T) {
	var asked []string
	w := Rules{Check: func(argument, text string) string {
		asked = append(asked, argument)
		if text == "soon" {
			return "must be a date"
		}
		return ""
	}}
	s := lenientSchemas["todos"]
	for arguments, want := range map[string]string{
		`{"limt":1,"todos":[{"content":"a","due_on":"soon"},{"notes":"b"}]}`:                     `limt: is not an argument; the nearest is list; there are project, list, todos; todos[1].content: is required; todos[0].due_on: must be a date`,
		`{"todos":[{"content":"a","due_on":"soon"},{"content":"b","due_on":"soon"}]}`:            ``,
		`{"todos":[{"content":"a","due_on":"soon"}]}`:                                            ``,
		`{"todos":[{"content":"a","due_on":"friday"},{"content":"b","due_on":null,"notes":""}]}`: ``,
	} {
		_, err := w.Accept(s, json.RawMessage(arguments))
		if want == "" && err != nil || want != "" && (err == nil || problems(fault.From(err)) != want) {
			t.Errorf("%s:\n got %v\nwant %s", arguments, err, want)
		}
	}
	if slices.Contains(asked, "todos") {
		t.Error("a list of objects was checked as a text")
	}
}
