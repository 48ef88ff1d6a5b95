package basecamp

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
)

// sandboxClient returns a client of a person in the sandbox.
func sandboxClient(t *testing.T, s *sandbox.Sandbox, person string) *Client {
	return client(t, Config{
		BaseURL:   sandbox.BaseURL,
		Transport: s.Transport(),
		Tokens:    fixed{AccessToken: s.Person(person).Token, Account: s.Account(), Person: person},
	})
}

// allPages returns the items of all pages.
func allPages[T any](t *testing.T, page func(page int) (Page[T], error)) []T {
	t.Helper()
	var items []T
	for next := 1; next > 0; {
		p, err := page(next)
		if err != nil {
			t.Fatal(err)
		}
		if p.Next != 0 && (p.Next <= next || p.Next > 200) {
			t.Fatalf("page %d is followed by page %d", next, p.Next)
		}
		items, next = append(items, p.Items...), p.Next
		if next == 0 && p.Total >= 0 && p.Total != len(items) {
			t.Errorf("%d items of %d", len(items), p.Total)
		}
	}
	return items
}

func TestProjects_TransferNoBodyWhenReadTheSecondTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sandbox.New(sandbox.Options{})
		c := sandboxClient(t, s, s.People()[0].Name)
		first := tour(t, t.Context(), c)
		s.ResetRequests()
		if diff := cmp.Diff(first, tour(t, t.Context(), c)); diff != "" {
			t.Errorf("the second read differs: %s", diff)
		}
		for _, r := range s.Requests() {
			if r.Status != http.StatusNotModified {
				t.Errorf("%s %s?%s answered %d", r.Method, r.Path, r.Query, r.Status)
			}
		}
	})
}

// tour reads the content of every active project and counts the items.
func tour(t *testing.T, ctx context.Context, c *Client) map[string]int {
	t.Helper()
	seen := map[string]int{}
	me, err := c.Profile(ctx)
	if err != nil || me.ID == 0 {
		t.Fatal(me, err)
	}
	seen["people"] = len(allPages(t, func(page int) (Page[Person], error) { return c.People(ctx, page) }))
	for _, listed := range allPages(t, func(page int) (Page[Project], error) { return c.Projects(ctx, "active", page) }) {
		project, err := c.Project(ctx, listed.ID)
		if err != nil {
			t.Fatal(err)
		}
		seen["project people"] += len(allPages(t, func(page int) (Page[Person], error) { return c.ProjectPeople(ctx, project.ID, page) }))
		for _, tool := range project.Dock {
			if tool.Enabled {
				tourTool(t, ctx, c, tool, seen)
			}
		}
	}
	for _, kind := range []string{"people", "project people", "messages", "lists", "to-dos", "documents", "uploads", "lines", "comments"} {
		if seen[kind] == 0 {
			t.Errorf("found no %s", kind)
		}
	}
	return seen
}

func tourTool(t *testing.T, ctx context.Context, c *Client, tool DockItem, seen map[string]int) {
	t.Helper()
	switch tool.Name {
	case "message_board":
		for _, m := range allPages(t, func(page int) (Page[Message], error) { return c.Messages(ctx, tool.ID, Updated, page) }) {
			seen["messages"]++
			seen["comments"] += len(allPages(t, func(page int) (Page[Comment], error) { return c.Comments(ctx, m.ID, page) }))
		}
	case "todoset":
		for _, l := range allPages(t, func(page int) (Page[Todolist], error) { return c.Todolists(ctx, tool.ID, "active", page) }) {
			seen["lists"]++
			seen["groups"] += len(allPages(t, func(page int) (Page[Todolist], error) { return c.TodolistGroups(ctx, l.ID, page) }))
			for _, completed := range []bool{false, true} {
				for _, todo := range allPages(t, func(page int) (Page[Todo], error) { return c.Todos(ctx, l.ID, completed, page) }) {
					seen["to-dos"]++
					if todo.Completed != completed || todo.CompletedAt().IsZero() == completed {
						t.Errorf("to-do %d: completed %t at %s", todo.ID, todo.Completed, todo.CompletedAt())
					}
				}
			}
		}
	case "vault":
		tourVault(t, ctx, c, tool.ID, seen)
	case "chat":
		lines := allPages(t, func(page int) (Page[ChatLine], error) { return c.ChatLines(ctx, tool.ID, page) })
		seen["lines"] += len(lines)
		for i := 1; i < len(lines); i++ {
			if lines[i].CreatedAt.After(lines[i-1].CreatedAt) {
				t.Errorf("line %d is newer than the previous one", lines[i].ID)
			}
		}
	}
}

func tourVault(t *testing.T, ctx context.Context, c *Client, id int64, seen map[string]int) {
	t.Helper()
	seen["documents"] += len(allPages(t, func(page int) (Page[Document], error) { return c.Documents(ctx, id, page) }))
	seen["uploads"] += len(allPages(t, func(page int) (Page[Upload], error) { return c.Uploads(ctx, id, page) }))
	for _, v := range allPages(t, func(page int) (Page[Vault], error) { return c.Vaults(ctx, id, page) }) {
		tourVault(t, ctx, c, v.ID, seen)
	}
}

func TestPost_IsNotRetriedWithoutAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sandbox.New(sandbox.Options{})
		c := sandboxClient(t, s, s.People()[0].Name)
		s.Inject(sandbox.Fault{Method: "POST", Drop: true, AfterEffect: true})
		board := dockID(t, c, "message_board")
		r := requestAt("message_board", board, "message_boards/%d/messages.json")
		_, err := send[Message](t.Context(), c, http.MethodPost, r, map[string]string{"subject": "Ramp ordered", "status": "active"})
		if f := wantFault(t, err, fault.UpstreamError); !f.MayHaveHappened || f.Retryable {
			t.Errorf("fault %+v", f)
		}
		var posted int
		for _, m := range allPages(t, func(page int) (Page[Message], error) { return c.Messages(t.Context(), board, Newest, page) }) {
			if m.Subject == "Ramp ordered" {
				posted++
			}
		}
		if posted != 1 {
			t.Errorf("posted %d times", posted)
		}
	})
}

func TestAnInactiveAccountHasItsOwnMessage(t *testing.T) {
	s := sandbox.New(sandbox.Options{})
	c := client(t, Config{
		BaseURL: sandbox.BaseURL, Transport: s.Transport(),
		Tokens: fixed{AccessToken: s.People()[0].Token, Account: s.InactiveAccount(), Person: "ines"},
	})
	inactive := wantFault(t, errOf(c.Profile(t.Context())), fault.NotFound)
	missing := wantFault(t, errOf(sandboxClient(t, s, s.People()[0].Name).Todo(t.Context(), 1)), fault.NotFound)
	if inactive.Message == missing.Message {
		t.Error(inactive.Message)
	}
}

// dockID returns the ID of a tool in the first project that has it.
func dockID(t *testing.T, c *Client, name string) int64 {
	t.Helper()
	projects, err := c.Projects(t.Context(), "active", 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, project := range projects.Items {
		for _, tool := range project.Dock {
			if tool.Name == name && tool.Enabled {
				return tool.ID
			}
		}
	}
	t.Fatalf("no project has a %s", name)
	return 0
}
