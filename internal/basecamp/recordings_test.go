package basecamp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
)

func TestStatusesAndOperations_SendOneRequestEach(t *testing.T) {
	for want, call := range map[string]func(context.Context, *Client) error{
		"PUT /recordings/7/status/trashed.json": func(ctx context.Context, c *Client) error { return c.SetStatus(ctx, 7, "trashed") },
		"PUT /recordings/7/status/active.json":  func(ctx context.Context, c *Client) error { return c.SetStatus(ctx, 7, "active") },
		"PUT /projects/7/status/archived.json":  func(ctx context.Context, c *Client) error { return c.SetProjectStatus(ctx, 7, "archived") },
		"PUT /projects/7/status/active.json":    func(ctx context.Context, c *Client) error { return c.SetProjectStatus(ctx, 7, "active") },
		"DELETE /projects/7.json":               func(ctx context.Context, c *Client) error { return c.SetProjectStatus(ctx, 7, "trashed") },
		"POST /projects.json": func(ctx context.Context, c *Client) error {
			return errOf(c.Write(ctx, Operation{Method: "POST", Path: "projects"}))
		},
		"GET /people/7.json":  func(ctx context.Context, c *Client) error { return errOf(c.Person(ctx, 7)) },
		"GET /uploads/7.json": func(ctx context.Context, c *Client) error { return errOf(c.Upload(ctx, 7)) },
		"GET /inboxes/7/inbox_forwards.json": func(ctx context.Context, c *Client) error {
			return errOf(c.List(ctx, Operation{Path: "inboxes/7/inbox_forwards"}, "", 1))
		},
		"GET /inbox_forwards/7.json":           func(ctx context.Context, c *Client) error { return errOf(c.Forward(ctx, 7)) },
		"GET /inbox_forwards/7/replies.json":   func(ctx context.Context, c *Client) error { return errOf(c.ForwardReplies(ctx, 7, 1)) },
		"GET /inbox_forwards/7/replies/8.json": func(ctx context.Context, c *Client) error { return errOf(c.ForwardReply(ctx, 7, 8)) },
		"GET /chats/7/lines/8.json":            func(ctx context.Context, c *Client) error { return errOf(c.ChatLine(ctx, 7, 8)) },
		"GET /question_answers/7.json":         func(ctx context.Context, c *Client) error { return errOf(c.Item(ctx, "answer", 7)) },
	} {
		c, net := newRecorder(t, says(404, ""))
		_ = call(t.Context(), c)
		if len(net.requests) != 1 {
			t.Fatalf("%s: requested %v", want, net.urls())
		}
		if got := net.requests[0].Method + " " + strings.TrimPrefix(net.requests[0].URL.Path, account); got != want {
			t.Errorf("requested %s, want %s", got, want)
		}
	}
	if _, err := client(t, Config{}).Item(t.Context(), "chat_line", 7); err == nil {
		t.Error("a chat line was read without a chat")
	}
}

func TestItem_ReturnsItemsOfItsKindOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sandbox.New(sandbox.Options{RateLimit: -1})
		c := sandboxClient(t, s, s.People()[0].Name)
		ids := map[string]int64{}
		for kind, upstream := range map[string]string{
			"message": "Message", "comment": "Comment", "todolist": "Todolist", "todo": "Todo", "subtask": "Kanban::Step", "document": "Document", "folder": "Vault",
			"upload": "Upload", "answer": "Question::Answer", "schedule_entry": "Schedule::Entry", "card": "Kanban::Card",
		} {
			found, err := c.Recordings(t.Context(), upstream, s.ProjectID("Cargo Bike Launch"), "active", 1)
			if err != nil || len(found.Items) == 0 {
				t.Fatalf("%s: %+v, %v", upstream, found, err)
			}
			ids[kind] = found.Items[0].ID
		}
		for kind, id := range ids {
			got, err := c.Item(t.Context(), kind, id)
			if err != nil || got.ID != id || got.Title == "" || got.AppURL == "" || got.Bucket.ID == 0 {
				t.Errorf("%s: %+v, %v", kind, got, err)
			}
			for other := range ids {
				if other != kind {
					wantFault(t, errOf(c.Item(t.Context(), other, id)), fault.NotFound)
				}
			}
		}
	})
}

func TestForward_HasItsAuthorAndTheNumberOfReplies(t *testing.T) {
	c := answering(t, says(200, `{"id":5,"type":"Inbox::Forward","subject":"A squeak","from":"Rider <rider@example.org>","content":"<div>It squeaks</div>","replies_count":2}`))
	got, err := c.Forward(t.Context(), 5)
	want := Forward{
		Recording: Recording{ID: 5, Type: "Inbox::Forward"}, Subject: "A squeak", From: "Rider <rider@example.org>", Content: "<div>It squeaks</div>", RepliesCount: 2,
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

func TestCreateProject_OverThePlansLimitIsLimitReached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sandbox.New(sandbox.Options{})
		c := sandboxClient(t, s, s.People()[0].Name)
		var p Project
		create := Operation{Method: "POST", Path: "projects", Body: map[string]any{"name": "Rain test", "description": "A week of it"}}
		answer, err := c.Write(t.Context(), create)
		if json.Unmarshal(answer, &p) != nil || err != nil || p.ID == 0 || p.Description != "A week of it" || p.Status != "active" {
			t.Fatal(p, err)
		}
		s.LimitProjects(1)
		wantFault(t, errOf(c.Write(t.Context(), create)), fault.LimitReached)
		for _, status := range []string{"archived", "trashed"} {
			if err := c.SetProjectStatus(t.Context(), p.ID, status); err != nil {
				t.Fatal(err)
			}
			if got, err := c.Project(t.Context(), p.ID); err != nil || fmt.Sprint(got.Status) != status {
				t.Errorf("%s: %+v, %v", status, got, err)
			}
		}
	})
}
