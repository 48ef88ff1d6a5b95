package app

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/checklist"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/idempotency"
	"basecamp-mcp/internal/task"
)

var errThrottled = errors.New("ProvisionedThroughputExceededException: arn:aws:dynamodb:eu-central-1:123456789012:table/fernhill")

// cut is a set of stores whose table does not answer.
type (
	cutLists struct{}
	cutTasks struct{}
	cutKeys  struct{}
	cutCalls struct{}
)

func (cutLists) Checklist(context.Context, string, string) (checklist.List, error) {
	return checklist.List{}, errThrottled
}

func (cutLists) LatestChecklist(context.Context, string, string) (checklist.List, error) {
	return checklist.List{}, errThrottled
}
func (cutLists) Checklists(context.Context, string) ([]checklist.Head, error) {
	return nil, errThrottled
}
func (cutLists) SaveChecklist(context.Context, checklist.Draft) (int64, error) {
	return 0, errThrottled
}
func (cutLists) KeepChecklist(context.Context, string, string, time.Time) error {
	return errThrottled
}
func (cutLists) DeleteChecklist(context.Context, string, string) error { return errThrottled }

func (cutTasks) AddTask(context.Context, string, task.Task, int) error { return errThrottled }
func (cutTasks) Tasks(context.Context, string, task.Filter) ([]task.Task, int, error) {
	return nil, 0, errThrottled
}

func (cutTasks) ChangeTask(context.Context, string, string, task.Change) (task.Task, error) {
	return task.Task{}, errThrottled
}

func (cutTasks) DeleteTask(context.Context, string, string) (task.Task, error) {
	return task.Task{}, errThrottled
}

func (cutKeys) ClaimCall(context.Context, idempotency.Record) (idempotency.Record, error) {
	return idempotency.Record{}, errThrottled
}
func (cutKeys) SettleCall(context.Context, idempotency.Record) error  { return errThrottled }
func (cutKeys) ReleaseCall(context.Context, idempotency.Record) error { return errThrottled }

func (cutCalls) AddEntry(context.Context, string, audit.Entry) error { return errThrottled }
func (cutCalls) Entries(context.Context, string, string, int) ([]audit.Entry, error) {
	return nil, errThrottled
}

// cutOff returns storage in which only logins are reachable.
func cutOff(*testing.T) []storage {
	s := inMemory("", "")
	s.Lists, s.Tasks, s.Once, s.Audit = cutLists{}, cutTasks{}, cutKeys{}, cutCalls{}
	return []storage{s}
}

// saysNothingOf checks that an answer does not name the storage.
func (a *agent) saysNothingOf(text string) {
	a.Helper()
	for _, vendor := range []string{"Provisioned", "dynamodb", "DynamoDB", "arn:", "123456789012", "table/"} {
		if strings.Contains(text, vendor) {
			a.Errorf("it says %s", text)
		}
	}
}

var outage = []rule{
	{"K-16, A-13 every tool says that it is not reached, and no more", func(a *agent) {
		for tool, arguments := range map[string]args{
			"todolist__get": {}, "todolist__lists": {}, "todolist__set": {"todos": pending("a")},
			"list_tasks": {}, "add_task": {"title": "Oil"}, "complete_task": {"task_id": noTask}, "reopen_task": {"task_id": noTask},
			"update_task": {"task_id": noTask, "title": "Oil"}, "delete_task": {"task_id": noTask},
		} {
			r := a.refuses(tool, arguments, "UPSTREAM_ERROR", "be reached")
			a.saysNothingOf(r.text)
			if lasting := r.at("data", "may_have_happened") == true; lasting != (tool == "add_task") || r.at("retryable") == lasting {
				a.Errorf("%s: %s", tool, r.text)
			}
		}
	}},
	{"a call is not made if its key cannot be checked", func(a *agent) {
		r := a.refuses("add_task", args{"title": "Oil", "idempotency_key": "k"}, "UPSTREAM_ERROR", "nothing was done")
		a.saysNothingOf(r.text)
		if r.at("retryable") != true {
			a.Error(r.text)
		}
	}},
	{"errors of a call are reported as without a key", func(a *agent) {
		a.refuses("add_task", args{"title": ""}, "INVALID_INPUT", "Task title is required")
		a.refuses("todolist__set", args{"todos": pending("")}, "EMPTY_CONTENT", "todos[0]")
	}},
}

func TestOutage_IsReportedInOurOwnWords(t *testing.T) {
	hold(t, cutOff, outage, handshake, stateless, bridged)
}

// deaf is a store that adds tasks, and whose answers are lost.
type deaf struct{ task.Store }

func (d deaf) AddTask(ctx context.Context, subject string, t task.Task, most int) error {
	return errors.Join(d.Store.AddTask(ctx, subject, t, most), errThrottled)
}

func TestOutage_ATaskThatMayHaveBeenAddedIsNotAddedAgain(t *testing.T) {
	kept := func(*testing.T) []storage {
		s := inMemory("", "")
		s.Tasks = deaf{s.Tasks}
		return []storage{s, s}
	}
	hold(t, kept, []rule{{"with a key", func(a *agent) {
		arguments := args{"title": "Oil the chains", "idempotency_key": "k-1"}
		for _, code := range []string{"UPSTREAM_ERROR", "CONFLICT", "CONFLICT"} {
			r := a.refuses("add_task", arguments, code, "look")
			if r.at("retryable") != false || r.at("data", "may_have_happened") != true {
				a.Error(r.text)
			}
			a.saysNothingOf(r.text)
		}
		a.lists(nil, "Oil the chains")
	}}}, handshake, stateless, bridged)
}

func TestOutage_OfTheAuditTrailFailsNoCall(t *testing.T) {
	kept := func(*testing.T) []storage {
		s := inMemory("", "")
		s.Audit = cutCalls{}
		return []storage{s}
	}
	hold(t, kept, []rule{{"a call", func(a *agent) {
		a.add("Oil the chains")
		a.lists(nil, "Oil the chains")
		a.must("get_me", nil)
		a.must("todolist__set", args{"todos": pending("a")})
	}}}, handshake, stateless, bridged)
	bothEras(t, kept, func(a *agent) {
		_, _, body := a.request("resources/read", "audit://calls", args{"uri": "audit://calls"})
		if !strings.Contains(body, "try again in a moment") {
			a.Error(body)
		}
		a.saysNothingOf(body)
	})
}

func TestOutage_OfTheChecklistsKeepsSessions(t *testing.T) {
	p := openOn(t, config.Config{}, cutOff(t)...)
	a := p.agentOf("ines", handshake)
	status, _, body := ask(t, "DELETE", a.url+"/mcp", a.bearer, "", "Mcp-Session-Id", a.session)
	if status != 503 {
		t.Errorf("HTTP %d %s", status, body)
	}
	a.saysNothingOf(body)
	a.must("get_me", nil) // so that the client can end the session later
}
