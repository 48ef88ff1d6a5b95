package basecamptools

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/tool/toolargs"
)

func TestThing_IsFoundByURLByIDAndByTitle(t *testing.T) {
	at(t, func(d *toolEnv) {
		rs, ctx := d.resolver()
		account, project := d.sandbox.Account(), d.sandbox.ProjectID(launchProject)
		id := d.sandbox.Find("Kanban::Card", "Matt clear coat")
		for _, item := range []string{
			fmt.Sprintf("card:%d", id),
			fmt.Sprintf(" Card : %d ", id),
			fmt.Sprintf("https://3.basecamp.com/%d/buckets/%d/card_tables/cards/%d", account, project, id),
			fmt.Sprintf("app.basecamp.com/%d/buckets/%d/card_tables/cards/%d#__recording_77", account, project, id),
			fmt.Sprintf("https://3.basecampapi.com/%d/card_tables/cards/%d.json", account, id),
			"card:matt clear coat", "card:clear coat",
		} {
			got, err := rs.Thing(ctx, "item", lookup.ItemInput{Item: item, Project: toolargs.Ref{Name: launchProject}})
			if err != nil || got.ID != id || got.Kind.Kind != "card" {
				t.Errorf("%s: %+v, %v", item, got, err)
			}
			if strings.Contains(item, "#") != (got.Link.Comment == 77) {
				t.Errorf("%s: comment %d", item, got.Link.Comment)
			}
		}
	})
}

func TestThing_RefusesOtherKindsOtherProjectsAndUnknownItems(t *testing.T) {
	at(t, func(d *toolEnv) {
		rs, ctx := d.resolver()
		account, project := d.sandbox.Account(), d.sandbox.ProjectID(launchProject)
		kinds := []lookup.Kind{lookup.TodoKind, lookup.SubtaskKind, lookup.CardKind}
		for _, c := range []struct {
			item, project string
			code          fault.Code
			says          string
		}{
			{"17", "", fault.NotFound, "todo, subtask or card"},
			{"-17", "", fault.InvalidInput, "type:id"},
			{"todo:", "", fault.InvalidInput, "a title or a URL after its type"},
			{"message:17", "", fault.InvalidInput, "get_message reads it"},
			{"neither type nor URL", "", fault.NotFound, "nearest"},
			{"card:Mat clear cot", launchProject, fault.NotFound, "Matt clear coat"},
			{"card:frame", "Nowhere at all", fault.NotFound, "project"},
			{fmt.Sprintf("https://3.basecamp.com/%d/buckets/%d/messages/5", account, project), "", fault.InvalidInput, "get_message"},
			{fmt.Sprintf("https://3.basecamp.com/%d/buckets/%d/todos/5", account, project), "Company HQ", fault.NotFound, "in project"},
			{fmt.Sprintf("https://3.basecamp.com/%d/buckets/%d/todos/5", account+1, project), "", fault.InvalidInput, "another Basecamp account"},
			{"https://evil.example/1/buckets/2/todos/5", "", fault.InvalidInput, "URL"},
		} {
			in := lookup.ItemInput{Item: c.item}
			if c.project != "" {
				in.Project = toolargs.Ref{Name: c.project}
			}
			_, err := rs.Thing(ctx, "item", in, kinds...)
			if f := fault.From(err); f.Code != c.code || !strings.Contains(f.Message, c.says) {
				t.Errorf("%s: %v", c.item, err)
			}
		}
	})
}

// Any text given for an item, a project or a person resolves to an existing one or is an error
// of the caller.
func FuzzReference(f *testing.F) {
	for _, seed := range []string{
		"todo:1069479351", "card:Matt clear coat", "todo: ", ":", "CArd:0", "project:-1", "project:Cargo Bike Launch", "ToDo:17", "card:https://3.basecamp.com/1/buckets/2/todos/3",
		"https://3.basecamp.com/5094412/buckets/2271403118/chats/4812095451@4812107184", "https://app.basecamp.com/5094412/projects/2271403118",
		"https://3.basecamp.com/5094412/buckets/2271403118/schedule_entries/7/occurrences/20261231#__recording_9", "sam", "me", "Noe\u0301mie", "-1", "9223372036854775808",
	} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	d := newToolEnv(f, sandbox.Options{RateLimit: -1})
	client, err := basecamp.New(basecamp.Config{
		BaseURL: sandbox.BaseURL, UserAgent: "test (test@fernhill.example)", Transport: d.sandbox.Transport(), Tokens: d.Credential,
		Unlimited: true,
	})
	if err != nil {
		f.Fatal(err)
	}
	rs := newResolver(client, time.Now)
	f.Fuzz(func(t *testing.T, text string, inProject bool) {
		ctx := identity.With(t.Context(), d.who)
		var project toolargs.Ref
		if inProject {
			project = toolargs.Ref{ID: d.sandbox.ProjectID(launchProject)}
		}
		found, err := rs.Thing(ctx, "item", lookup.ItemInput{Item: text, Project: project})
		mustBeCallersError(t, err)
		if err == nil && (found.ID <= 0 || found.Kind.Kind == "") {
			t.Errorf("%q resolved to %+v", text, found)
		}
		_, err = rs.ProjectID(ctx, "project", toolargs.ParseRef(text))
		mustBeCallersError(t, err)
		_, err = rs.Person(ctx, "person", toolargs.ParseRef(text), project.ID)
		mustBeCallersError(t, err)
	})
}

// mustBeCallersError fails the test for an error that is not about the caller's input.
func mustBeCallersError(t *testing.T, err error) {
	t.Helper()
	switch fault.From(err).Code {
	case fault.InvalidInput, fault.NotFound, fault.Ambiguous:
		return
	}
	if err != nil {
		t.Error(err)
	}
}
