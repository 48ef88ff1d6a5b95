package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/own/hub"
	"basecamp-mcp/internal/own/task"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolanswer"
	"basecamp-mcp/internal/tool/toolargs"
)

// dateReader reads a day as people write it, in the time zone of the caller, and returns it as
// YYYY-MM-DD. An empty text and none mean no day.
type dateReader func(ctx context.Context, argument, text string) (string, error)

// personalTasks returns the toolset for a user's own tasks. This server stores them, not Basecamp.
func personalTasks(tasks *task.Tasks, date dateReader, links *hub.Hub) mcptool.Toolset {
	return mcptool.Toolset{
		Name:        Tasks,
		ClosedWorld: true,
		Writing:     `add_task and the other task tools store your user's personal tasks. They are private, do not expire and are not in Basecamp.`,
		Tools: []mcptool.Tool{
			addTask(tasks, date), listTasks(tasks, date, links), notForTodos(completeTask(tasks, links), "set_completed").Beside(Hub, "everywhere"),
			notForTodos(updateTask(tasks, date, links), "update_work"), notForTodos(deleteTask(tasks, links), "set_item_status"),
		},
	}
}

type addTaskInput struct {
	Title       string `json:"title" jsonschema:"Up to 255 characters"`
	Description string `json:"description,omitzero" jsonschema:"Up to 2000 characters"`
	DueOn       string `json:"due_on,omitzero" jsonschema:"Day to be reminded"`
}

type personalTask struct {
	ID          string  `json:"id"`
	Title       string  `json:"title"`
	Description *string `json:"description" compact:"keep"`
	Completed   bool    `json:"completed" compact:"keep"`
	DueOn       string  `json:"due_on,omitempty"`
}

func viewTask(t task.Task) personalTask {
	v := personalTask{ID: t.ID, Title: t.Title, Completed: t.Completed(), DueOn: t.DueOn}
	if t.Description != "" {
		v.Description = &t.Description
	}
	return v
}

func addTask(tasks *task.Tasks, date dateReader) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "add_task",
		Title:       "Remember a personal task",
		Description: "Your personal tasks (not Basecamp to-dos, not this session's checklist): stores one until you delete it. Only you see it.",
		Effect:      mcptool.Creates,
		Invalid:     taskWords,
	}, func(ctx context.Context, in addTaskInput) (personalTask, error) {
		dueOn, err := date(ctx, "due_on", in.DueOn)
		if err != nil {
			return personalTask{}, err
		}
		added, err := tasks.Add(ctx, in.Title, in.Description, dueOn)
		return viewTask(added), err
	})
}

type listTasksInput struct {
	Status string `json:"status,omitzero" jsonschema:"State" limits:"enum=all|pending|completed default=all"`
	DueOn  string `json:"due_on,omitzero" jsonschema:"Day"`
	Limit  int    `json:"limit,omitzero" jsonschema:"How many" limits:"min=1 max=200 default=50"`
	Cursor string `json:"cursor,omitzero" jsonschema:"next_cursor" limits:"maxlen=2000"`
	toolanswer.DetailInput
}

type listedTask struct {
	personalTask
	CreatedAt   time.Time  `json:"created_at"`
	UpdatedAt   time.Time  `json:"updated_at" compact:"keep"`
	CompletedAt *time.Time `json:"completed_at" compact:"keep"`
}

// Trim does nothing: no other tool reads a single task in full. A large answer holds fewer tasks.
func (*listedTask) Trim(int) {}

// taskPage is a page of tasks. Count is the number in the answer, Total the number in the whole
// list.
type taskPage struct {
	Tasks      []listedTask `json:"tasks"`
	Count      int          `json:"count"`
	Total      int          `json:"total"`
	HasMore    bool         `json:"has_more"`
	NextCursor *string      `json:"next_cursor" compact:"keep"`
	Note       string       `json:"note,omitempty"`
}

func listTasks(tasks *task.Tasks, date dateReader, links *hub.Hub) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "list_tasks",
		Title:       "List personal tasks",
		Description: "Your personal tasks (not Basecamp to-dos, not this session's checklist), newest first.",
	}, func(ctx context.Context, in listTasksInput) (taskPage, error) {
		dueOn, err := date(ctx, "due_on", in.DueOn)
		if err != nil {
			return taskPage{}, err
		}
		done, unknown, err := followed(ctx, links, tasks)
		if err != nil {
			return taskPage{}, err
		}
		found, err := tasks.List(ctx, task.Query{Status: task.Status(in.Status), Done: done, DueOn: dueOn, Limit: in.Limit, Cursor: in.Cursor})
		if err != nil {
			return taskPage{}, err
		}
		v := viewTasks(found, done)
		if unknown > 0 {
			v.Note = fmt.Sprintf("the state of %d linked things is not known, so tasks that follow them may be done; call again to read more of them", unknown)
		}
		return v, nil
	})
}

// viewTasks returns a page. done has the IDs of tasks that are done elsewhere.
func viewTasks(found task.Page, done map[string]bool) taskPage {
	listed := make([]listedTask, len(found.Tasks))
	for i, t := range found.Tasks {
		listed[i] = listedTask{viewTask(t), t.CreatedAt.UTC(), t.UpdatedAt.UTC(), completionTime(t)}
		listed[i].Completed = t.Completed() || done[t.ID]
	}
	if room := listing.Fit(listed, listing.MaxAnswer); room < len(listed) {
		listed, found.Tasks, found.More = listed[:room], found.Tasks[:room], true
	}
	p := taskPage{Tasks: listed, Count: len(listed), Total: found.Total, HasMore: found.More}
	if next := found.Cursor(); next != "" {
		p.NextCursor = &next
	}
	return p
}

// completionTime returns when a task was completed, in UTC, or nil for a pending task.
func completionTime(t task.Task) *time.Time {
	if !t.Completed() {
		return nil
	}
	return new(t.CompletedAt.UTC())
}

type taskInput struct {
	ID string `json:"task_id" jsonschema:"ID from list_tasks, or whole title"`
}

type taskState struct {
	ID        string `json:"id"`
	Title     string `json:"title"`
	Completed bool   `json:"completed"`
	Note      string `json:"note,omitzero"`
	hub.Everywhere
}

type completeTaskInput struct {
	taskInput
	Completed  bool `json:"completed,omitzero" jsonschema:"false: reopen" limits:"default=true"`
	Everywhere bool `json:"everywhere,omitzero" jsonschema:"Also what is linked"`
}

func completeTask(tasks *task.Tasks, links *hub.Hub) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "complete_task",
		Title:       "Finish or reopen a personal task",
		Description: "Your personal task (not a Basecamp to-do): marks it as completed, or as pending again.",
		Effect:      mcptool.Updates,
		Invalid:     taskWords,
	}, func(ctx context.Context, in completeTaskInput) (taskState, error) {
		if !in.Completed {
			return reopened(ctx, tasks, links, in)
		}
		t, err := tasks.Complete(ctx, in.ID)
		v := taskState{ID: t.ID, Title: t.Title, Completed: t.Completed()}
		if err != nil {
			return v, err
		}
		links.Forget(ctx)
		if in.Everywhere {
			v.Everywhere, err = links.Finish(ctx, taskRef(t))
			if address := strings.TrimSpace(t.Description); v.None != "" && isAddress(address) {
				v.None += "; the description is " + address + ", which link would link"
			}
		}
		return v, err
	})
}

func reopened(ctx context.Context, tasks *task.Tasks, links *hub.Hub, in completeTaskInput) (taskState, error) {
	if in.Everywhere {
		return taskState{}, fault.Invalid("everywhere", "completes what is linked, and reopens nothing; leave it out")
	}
	t, err := tasks.Reopen(ctx, in.ID)
	v := taskState{ID: t.ID, Title: t.Title}
	if err == nil {
		v.Completed, err = isDone(ctx, links, t)
	}
	if v.Completed {
		v.Note = "still done, because it follows what it is linked to, which is done: reopen that, or unlink them with link"
	}
	return v, err
}

// isAddress reports whether a text is the URL of something, and nothing else.
func isAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Scheme == "https" && u.Host != "" && !strings.ContainsAny(text, " \n")
}

type updateTaskInput struct {
	taskInput
	Title       *string                 `json:"title,omitzero" jsonschema:"Up to 255 characters"`
	Description *string                 `json:"description,omitzero" jsonschema:"Up to 2000 characters; empty clears"`
	DueOn       toolargs.Change[string] `json:"due_on,omitzero" jsonschema:"Day; none clears" limits:"none"`
}

func updateTask(tasks *task.Tasks, date dateReader, links *hub.Hub) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "update_task",
		Title:       "Update a personal task",
		Description: "Your personal task (not a Basecamp to-do): replaces its title, description or day.",
		Effect:      mcptool.Updates,
		Invalid:     taskWords,
	}, func(ctx context.Context, in updateTaskInput) (personalTask, error) {
		var dueOn *string
		if in.DueOn.Given {
			day, err := date(ctx, "due_on", in.DueOn.To)
			if err != nil {
				return personalTask{}, err
			}
			dueOn = &day
		}
		t, err := tasks.Update(ctx, in.ID, in.Title, in.Description, dueOn)
		v := viewTask(t)
		if err == nil {
			v.Completed, err = isDone(ctx, links, t)
		}
		return v, err
	})
}

// deletedTask is a task that was deleted. Untouched is what was linked to it, and stays as it is.
type deletedTask struct {
	Deleted   bool     `json:"deleted"`
	ID        string   `json:"id"`
	Title     string   `json:"title"`
	Untouched []string `json:"untouched,omitempty"`
}

func deleteTask(tasks *task.Tasks, links *hub.Hub) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "delete_task",
		Title:       "Delete a personal task",
		Description: "Your personal task (not a Basecamp to-do): deletes it permanently.",
		Effect:      mcptool.Deletes,
		Invalid:     taskWords,
	}, func(ctx context.Context, in taskInput) (deletedTask, error) {
		t, err := tasks.Delete(ctx, in.ID)
		v := deletedTask{Deleted: true, ID: t.ID, Title: t.Title}
		if err != nil {
			return v, err
		}
		linked, err := links.Linked(ctx, taskRef(t))
		for _, link := range linked {
			v.Untouched = append(v.Untouched, link.To.ID)
		}
		return v, err
	})
}

// basecampItem matches what names an item in Basecamp and cannot name a task.
var basecampItem = regexp.MustCompile(`^\s*([0-9]+|[a-z_]+:[0-9]+|(https?://)?[a-z0-9]+\.basecamp\.com/.*)\s*$`)

// notForTodos returns a tool whose error about the ID of a Basecamp item names the tool for it.
func notForTodos(tool mcptool.Tool, other string) mcptool.Tool {
	return tool.Explained(func(_ context.Context, arguments json.RawMessage, err error) error {
		f := fault.From(err)
		var in taskInput
		if json.Unmarshal(arguments, &in) != nil || !basecampItem.MatchString(in.ID) || len(f.Validation) != 1 || f.Validation[0].Path != "task_id" {
			return err
		}
		told := *f
		told.Validation = slices.Clone(f.Validation)
		told.Validation[0].Message += "; for a to-do in Basecamp use " + other
		return &told
	})
}

// taskWords describes invalid arguments in the words that programs for these tools expect. For an
// unknown argument it returns nil, because the common words name it.
func taskWords(_ json.RawMessage, found []fault.Violation) *fault.Error {
	words := ""
	for i, v := range found {
		switch {
		case v.Code == "unknown_argument":
			return nil
		case v.Path == "task_id":
			words = task.MalformedID
			found[i].Message += "; it " + task.Advice
		case v.Path == "title" && v.Code == "required": // by add_task, which has no task_id
			words = task.TitleRequired
		}
	}
	if words == "" {
		return nil
	}
	e := fault.New(fault.InvalidInput, "%s", words)
	e.Validation = found
	return e
}
