package basecamptools

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/basecamptools/todos"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
)

// written returns the requests of work that change data.
func (d *toolEnv) written(work func()) []string {
	return writesIn(d.asked(work))
}

// sends calls a tool, and returns its answer and the requests that change data.
func (d *toolEnv) sends(tool string, in args) (text string, written []string) {
	d.Helper()
	written = d.written(func() { text, _ = d.raw(tool, in) })
	return text, written
}

// refuses calls a tool, and checks that it fails with a code and words and writes nothing.
func (d *toolEnv) refuses(code fault.Code, tool string, arguments args, words ...string) (f failed) {
	d.Helper()
	if written := d.written(func() { f = d.fails(code, tool, arguments, words...) }); len(written) > 0 {
		d.Errorf("%s %v: wrote %v", tool, arguments, written)
	}
	return f
}

// refusedCall is a call that must be refused: its arguments, the code, and a part of the message.
type refusedCall struct {
	in   args
	code fault.Code
	says string
}

// refusesAll checks that a tool refuses each of the calls and writes nothing. The arguments of a
// call are added to the usual ones.
func (d *toolEnv) refusesAll(tool string, usual args, calls []refusedCall) {
	d.Helper()
	for _, c := range calls {
		in := args{}
		maps.Copy(in, usual)
		maps.Copy(in, c.in)
		d.refuses(c.code, tool, in, c.says)
	}
}

func todoPath(id int64) string { return fmt.Sprintf("/todos/%d.json", id) }

func newTodos(project, list any, todos ...args) args {
	in := args{"todos": todos}
	if project != nil {
		in["project"] = project
	}
	if list != nil {
		in["list"] = list
	}
	return in
}

func TestCreateTodos_CreatesThemInOrderWithAllFields(t *testing.T) {
	at(t, func(d *toolEnv) {
		got := call[todos.CreatedTodos](d, "create_todos", newTodos(launch, "Parking lot",
			args{"content": " Grease the gate ", "notes": "Both **hinges**, @Noémie knows", "mentions": []string{"noemie"},
				"assignees": []any{"Dele", "me"}, "starts_on": "2031-05-18", "due_on": "2031-05-20"},
			args{"content": "Oil the lock", "assignees": "Sam"},
		))
		if got.Created != 2 || got.Failed != 0 || len(got.Results) != 2 {
			d.Fatalf("got %+v", got)
		}
		first, second := got.Results[0], got.Results[1]
		if !first.OK || first.Index != 0 || first.Item.Title != "Grease the gate" || first.Item.DueOn != "2031-05-20" || first.Item.StartsOn != "2031-05-18" ||
			got.List.Name != "Parking lot" || got.Project.Name != launch || got.URL == "" {
			d.Errorf("got %+v, %+v", got, first.Item)
		}
		if second.Index != 1 || second.Item.Title != "Oil the lock" || second.Item.DueOn != "" {
			d.Errorf("got %+v", second.Item)
		}
		made := upstream[struct {
			Content, Description string
			Assignees            []struct{ Name string }
		}](d, todoPath(first.Item.ID))
		if made.Content != "Grease the gate" || !strings.Contains(made.Description, "application/vnd.basecamp.mention") || len(made.Assignees) != 2 {
			d.Errorf("upstream %+v", made)
		}
		listed := ids(all[todos.TodoItem](d, "list_todos", args{"project_id": launch, "todolist_id": "Parking lot"}), todoID)
		if !slices.Equal(listed, []int64{first.Item.ID, second.Item.ID}) {
			d.Errorf("the list holds %v", listed)
		}
	})
}

func TestCreateTodos_AcceptsAListByIDNameURLOrAGroup(t *testing.T) {
	at(t, func(d *toolEnv) {
		lot, group := d.sandbox.TodolistID(launch, "Parking lot"), d.sandbox.TodolistID(launch, "Electrics")
		url := fmt.Sprintf("https://3.basecamp.com/%d/buckets/%d/todolists/%d", d.sandbox.Account(), d.sandbox.ProjectID(launch), lot)
		for i, x := range []struct {
			project, list any
			want          int64
		}{
			{launch, lot, lot}, {nil, lot, lot}, {nil, fmt.Sprint(lot), lot}, {launch, "parking LOT", lot}, {launch, "Parking", lot},
			{nil, url, lot}, {url, "Parking lot", lot}, {nil, fmt.Sprintf("todolist:%d", lot), lot}, {launch, "Electrics", group}, {nil, group, group},
		} {
			got := call[todos.CreatedTodos](d, "create_todos", newTodos(x.project, x.list, args{"content": fmt.Sprintf("Number %d", i)}))
			item := got.Results[0].Item
			parent := upstream[struct{ Parent struct{ ID int64 } }](d, todoPath(item.ID)).Parent.ID
			if parent != x.want || (got.Group != nil) != (x.want == group) {
				d.Errorf("%v %v: in %d, answer says %v %v", x.project, x.list, parent, got.List, got.Group)
			}
			time.Sleep(time.Second) // synctest's clock, for the rate limit
		}
	})
}

func TestCreateTodos_UsesTheOnlyListByDefault(t *testing.T) {
	at(t, func(d *toolEnv) {
		got := call[todos.CreatedTodos](d, "create_todos", newTodos("Winter Kit", nil, args{"content": "Add a whistle"}))
		if got.List.Name != "What goes into the box" {
			d.Errorf("got %+v", got)
		}
		f := d.refuses(fault.Ambiguous, "create_todos", newTodos(launch, nil, args{"content": "x"}), "list", "7 to-do lists")
		if len(f.Data.Candidates) != 7 || f.Data.Candidates[0].Name != "Launch checklist" {
			d.Errorf("candidates %+v", f.Data.Candidates)
		}
		d.refuses(fault.InvalidInput, "create_todos", newTodos("Prototype Two", nil, args{"content": "x"}), "create_todolist")
		d.refuses(fault.InvalidInput, "create_todos", newTodos(nil, nil, args{"content": "x"}), "project")
		if got := call[todos.CreatedTodos](d, "create_todos", newTodos(nil, "Parking lot", args{"content": "x"})); got.List.Name != "Parking lot" {
			d.Errorf("got %+v", got)
		}
		d.refuses(fault.ToolNotEnabled, "create_todos", newTodos("Photo Library", nil, args{"content": "x"}), "to-do set")
	})
}

func TestCreateTodos_AToDoSetAsTheListMeansNoList(t *testing.T) {
	at(t, func(d *toolEnv) {
		set, project := d.sandbox.ToolID(launch, "todoset"), d.sandbox.ProjectID(launch)
		url := fmt.Sprintf("https://3.basecamp.com/%d/buckets/%d/todosets/%d", d.sandbox.Account(), project, set)
		for i, x := range []struct{ project, list any }{{launch, set}, {nil, url}, {launch, url}, {project, digits(set)}} {
			made := args{"content": fmt.Sprintf("Loose end %d", i), "assignees": "me", "due_on": "2031-05-20"}
			got := call[todos.CreatedTodos](d, "create_todos", newTodos(x.project, x.list, made))
			item := got.Results[0].Item
			if got.List != nil || got.Todoset == nil || got.Todoset.ID != set || item.Title != made["content"] || item.DueOn != "2031-05-20" {
				d.Errorf("%v %v: %+v", x.project, x.list, got)
			}
			if parent := upstream[struct{ Parent struct{ ID int64 } }](d, todoPath(item.ID)).Parent.ID; parent != set {
				d.Errorf("%v %v: in %d", x.project, x.list, parent)
			}
			time.Sleep(time.Second) // synctest's clock, for the rate limit
		}
		bare := fmt.Sprintf("https://3.basecampapi.com/%d/todosets/%d.json", d.sandbox.Account(), set)
		d.refuses(fault.InvalidInput, "create_todos", newTodos(nil, bare, args{"content": "x"}), "project")
		d.refuses(fault.NotFound, "create_todos", newTodos("Winter Kit", url, args{"content": "x"}), "list", "to-do set")
		d.refuses(fault.NotFound, "create_todos", newTodos("Winter Kit", set, args{"content": "x"}), "todolist")
		d.refuses(fault.InvalidInput, "create_todos", newTodos("Prototype Two", nil, args{"content": "x"}), "todoset_id")
	})
}

// secondTodoset adds another to-do set to the launch project and returns its id.
func secondTodoset(d *toolEnv) int64 {
	d.meanwhile("POST", fmt.Sprintf("/buckets/%d/dock/tools.json", d.sandbox.ProjectID(launch)), `{"tool_type":"Todoset","title":"Afterwards"}`)
	return d.sandbox.ToolIDs(launch, "todoset")[1]
}

func TestCreateTodos_RefusesAMissingList(t *testing.T) {
	at(t, func(d *toolEnv) {
		elsewhere := d.sandbox.TodolistID("Winter Kit", "What goes into the box")
		d.refuses(fault.NotFound, "create_todos", newTodos(launch, elsewhere, args{"content": "x"}), "list")
		d.refuses(fault.NotFound, "create_todos", newTodos(launch, 12345, args{"content": "x"}))
		f := d.refuses(fault.NotFound, "create_todos", newTodos(launch, "Launch checklists", args{"content": "x"}), "list", "nearest", "Launch checklist")
		if len(f.Data.Nearest) == 0 {
			d.Error("no nearest names")
		}
		d.refuses(fault.InvalidInput, "create_todos", newTodos(nil, d.sandbox.TodolistID(launch, "Duplicate of the checklist"), args{"content": "x"}), "trashed")
		todo := fmt.Sprintf("https://3.basecamp.com/%d/buckets/1/todos/2", d.sandbox.Account())
		d.refuses(fault.InvalidInput, "create_todos", newTodos(nil, todo, args{"content": "x"}), "to-do list", "get_todo")
	})
}

func TestCreateTodos_OneInvalidEntryMeansThatNoneIsCreated(t *testing.T) {
	at(t, func(d *toolEnv) {
		bad := []args{
			{"content": "  "},
			{"content": "a", "due_on": "2031-02-30"},
			{"content": "b", "due_on": "2031-05-01", "starts_on": "2031-05-02"},
			{"content": "c", "assignees": []string{"Sam Lindqvist"}},
			{"content": "d", "notes": "Ask @[Someone](person:77)"},
			{"content": "e", "mentions": []string{"Zacharias Unknown"}},
			{"content": "f", "starts_on": "soon"},
		}
		f := d.refuses(fault.InvalidInput, "create_todos", newTodos(launch, "Parking lot", append(bad, args{"content": "Good", "due_on": "tomorrow"})...), "nothing was written")
		d.problems(f, "todos[0].content", "todos[1].due_on", "todos[2].due_on", "todos[3].assignees[0]", "todos[4].notes", "todos[5].mentions[0]", "todos[6].starts_on")
	})
}

// problems checks which arguments a refusal names.
func (d *toolEnv) problems(f failed, paths ...string) {
	d.Helper()
	var named []string
	for _, v := range f.Data.Validation {
		named = append(named, v.Path)
	}
	if !slices.Equal(named, paths) {
		d.Errorf("names %v instead of %v: %s", named, paths, f.Message)
	}
}

func TestCreateTodos_NamesEveryProblemOfAnEntry(t *testing.T) {
	at(t, func(d *toolEnv) {
		f := d.refuses(fault.InvalidInput, "create_todos", newTodos("Dealer Network", "Shops that asked us", args{"content": "a"},
			args{"content": " ", "due_on": "soon", "assignees": []string{"Zelda", "me", "Sam"}, "notes": "x", "mentions": "Zelda"}), "nothing was written", "Sam Okafor")
		d.problems(f, "todos[1].content", "todos[1].due_on", "todos[1].assignees[0]", "todos[1].assignees[2]", "todos[1].mentions[0]")
		one := newTodos("Dealer Network", "Shops that asked us", args{"content": "a"}, args{"content": "b", "assignees": "Sam"})
		if f := d.refuses(fault.Ambiguous, "create_todos", one, "todos[1].assignees[0]: ", "nothing was written"); len(f.Data.Candidates) != 2 {
			d.Errorf("got %+v", f.Data)
		}
	})
}

func TestCreateTodos_AcceptsOneToTwenty(t *testing.T) {
	at(t, func(d *toolEnv) {
		var many []args
		for i := range 21 {
			many = append(many, args{"content": fmt.Sprintf("Check wheel %d", i+1)})
		}
		d.refuses(fault.InvalidInput, "create_todos", newTodos(launch, "Parking lot", many...), "todos", "20")
		d.refuses(fault.InvalidInput, "create_todos", newTodos(launch, "Parking lot", []args{}...), "todos")
		if got := call[todos.CreatedTodos](d, "create_todos", newTodos(launch, "Parking lot", many[:20]...)); got.Created != 20 {
			d.Errorf("%d created", got.Created)
		}
	})
}

func TestCreateTodos_ReadsTheSameForAnyNumber(t *testing.T) {
	at(t, func(d *toolEnv) {
		create := func() {
			call[todos.CreatedTodos](d, "create_todos", newTodos(launch, "Parking lot", args{"content": "a", "assignees": "Dele"}, args{"content": "b", "mentions": "Priya"}))
		}
		if cold := d.asked(create); len(cold) != 5+2 { // two pages of projects, lists, people there and in the account
			d.Errorf("cold: %v", cold)
		}
		if warm := d.asked(create); len(warm) != 3+2 { // project, lists, people
			d.Errorf("warm: %v", warm)
		}
		byID := newTodos(nil, d.sandbox.TodolistID(launch, "Parking lot"), args{"content": "c"})
		if one := d.asked(func() { call[todos.CreatedTodos](d, "create_todos", byID) }); len(one) != 1+1 {
			d.Errorf("by id: %v", one)
		}
		alone := newTodos("Winter Kit", nil, args{"content": "c"})
		if one := d.asked(func() { call[todos.CreatedTodos](d, "create_todos", alone) }); len(one) != 2+1 {
			d.Errorf("without people: %v", one)
		}
	})
}

func TestCreateTodos_ReadsPeopleAndListsInParallel(t *testing.T) {
	for _, todo := range []args{{"content": "a", "assignees": "Dele"}, {"content": "b", "mentions": "Priya"}} {
		at(t, func(d *toolEnv) {
			call[listing.Page[todos.TodoItem]](d, "list_todos", args{"project_id": launch, "limit": 1})
			d.sandbox.Inject(sandbox.Fault{Method: "GET", Delay: time.Second})
			start := time.Now()
			call[todos.CreatedTodos](d, "create_todos", newTodos(launch, "Parking lot", todo))
			if took := time.Since(start); took > 1500*time.Millisecond {
				d.Errorf("%v: took %v", todo, took)
			}
		})
	}
}

func TestCreateTodos_AnswersFifteenInNineHundredTokens(t *testing.T) {
	at(t, func(d *toolEnv) {
		todos := make([]args, 15)
		for i := range todos {
			todos[i] = args{
				"content": fmt.Sprintf("%d: order the labels for the cartons of the first batch", i+1), "assignees": "Dele", "due_on": "2031-05-20",
				"notes": strings.Repeat("As Hanna said in the meeting. ", 20), "notify": true,
			}
		}
		const fourBytesAToken = 3300
		if text, isError := d.raw("create_todos", newTodos(launch, "Parking lot", todos...)); isError || len(text) > fourBytesAToken {
			d.Errorf("%d bytes: %s", len(text), text)
		}
	})
}

func TestCreateTodos_NamesTheOneWithoutAnAnswer(t *testing.T) {
	at(t, func(d *toolEnv) {
		d.sandbox.Inject(sandbox.Fault{Method: "POST", Drop: true, AfterEffect: true, Times: 1})
		got := call[todos.CreatedTodos](d, "create_todos", newTodos(launch, "Parking lot", args{"content": "a"}, args{"content": "b"}))
		if got.Created != 1 || got.Results[0].Error == nil || !got.Results[0].Error.MayHaveHappened || got.Results[0].Error.Retryable || !got.Results[1].OK {
			d.Errorf("got %+v", got)
		}
	})
}
