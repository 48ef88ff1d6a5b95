package basecamp

import (
	"context"
	"io"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
)

func TestEveryCardMethodSendsOneRequest(t *testing.T) {
	title, none, noPeople := "Ring the bell", "", []int64{}
	for want, call := range map[string]func(context.Context, *Client) error{
		"GET /card_tables/7.json ":                    func(ctx context.Context, c *Client) error { return errOf(c.CardTable(ctx, 7)) },
		"GET /card_tables/columns/7.json ":            func(ctx context.Context, c *Client) error { return errOf(c.Column(ctx, 7)) },
		"GET /card_tables/lists/7/cards.json?page=2 ": func(ctx context.Context, c *Client) error { return errOf(c.Cards(ctx, 7, 2)) },
		"GET /card_tables/cards/7.json ":              func(ctx context.Context, c *Client) error { return errOf(c.Card(ctx, 7)) },
		"GET /subtasks/7.json ":                       func(ctx context.Context, c *Client) error { return errOf(c.Subtask(ctx, 7)) },
		"POST /todos/7/completion.json ":              func(ctx context.Context, c *Client) error { return c.SetTodoCompleted(ctx, 7, true) },
		"DELETE /todos/7/completion.json ":            func(ctx context.Context, c *Client) error { return c.SetTodoCompleted(ctx, 7, false) },
		"POST /subtasks/7/completion.json ":           func(ctx context.Context, c *Client) error { return c.SetSubtaskCompleted(ctx, 7, true) },
		"DELETE /subtasks/7/completion.json ":         func(ctx context.Context, c *Client) error { return c.SetSubtaskCompleted(ctx, 7, false) },
		`PUT /card_tables/cards/7.json {"title":"` + title + `"}`: func(ctx context.Context, c *Client) error {
			return errOf(c.UpdateCard(ctx, 7, CardChange{Title: &title}))
		},
		`PUT /card_tables/cards/7.json {"content":"","due_on":"","assignee_ids":[]}`: func(ctx context.Context, c *Client) error {
			return errOf(c.UpdateCard(ctx, 7, CardChange{Content: &none, DueOn: &none, AssigneeIDs: &noPeople}))
		},
		`POST /card_tables/lists/7/cards.json {"title":"Ring the bell"}`: func(ctx context.Context, c *Client) error {
			return errOf(c.CreateCard(ctx, 7, NewCard{Title: title}))
		},
		`POST /card_tables/cards/7/moves.json {"column_id":8,"position":2}`: func(ctx context.Context, c *Client) error { return c.MoveCard(ctx, 7, 8, 2) },
		`POST /recordings/7/subtasks.json {"title":"Ring the bell","due_on":"2031-05-30","assignee_ids":[501]}`: func(ctx context.Context, c *Client) error {
			return errOf(c.CreateSubtask(ctx, 7, NewSubtask{Title: title, DueOn: "2031-05-30", AssigneeIDs: []int64{501}}))
		},
	} {
		var got []string
		c := answering(t, func(w http.ResponseWriter, r *http.Request) {
			var body []byte
			if r.Body != nil {
				body, _ = io.ReadAll(r.Body)
			}
			if (r.Header.Get("Content-Type") != "") != (len(body) > 0) {
				t.Errorf("%s: Content-Type %q with %d bytes", want, r.Header.Get("Content-Type"), len(body))
			}
			got = append(got, r.Method+" "+r.URL.RequestURI()[len(account):]+" "+string(body))
			w.WriteHeader(http.StatusTeapot)
		})
		if err := call(t.Context(), c); err == nil {
			t.Errorf("%s: no error", want)
		}
		if diff := cmp.Diff([]string{want}, got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestMoveCard_IsNotRetriedWithoutAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sandbox.New(sandbox.Options{})
		c := sandboxClient(t, s, s.People()[0].Name)
		id := s.Find("Kanban::Card", "Suspension fork")
		card, err := c.Card(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		s.Inject(sandbox.Fault{Method: "POST", Drop: true, AfterEffect: true})
		s.ResetRequests()
		f := wantFault(t, c.MoveCard(t.Context(), id, card.Parent.ID, 1), fault.UpstreamError)
		if !f.MayHaveHappened || f.Retryable || len(s.Requests()) != 1 {
			t.Errorf("fault %+v after %d requests", f, len(s.Requests()))
		}
	})
}

func TestCompletionsAndPinsAreRetriedWithoutAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sandbox.New(sandbox.Options{})
		c := sandboxClient(t, s, s.People()[0].Name)
		for what, set := range map[string]func() error{
			"to-do":   func() error { return c.SetTodoCompleted(t.Context(), s.Find("Todo", "Night ride, lights only"), true) },
			"message": func() error { return c.PinMessage(t.Context(), s.Find("Message", "Two Sams, one inbox"), true) },
		} {
			s.Inject(sandbox.Fault{Method: "POST", Drop: true, AfterEffect: true, Times: 1})
			s.ResetRequests()
			if err := set(); err != nil || len(s.Requests()) != 2 {
				t.Errorf("%s: %v after %d requests", what, err, len(s.Requests()))
			}
		}
	})
}

func TestCardTable_HasColumnsAndTheirSectionsOnHold(t *testing.T) {
	table, err := answering(t, says(200, `{"id": 7, "title": "Repairs", "wormholes": [{"id": 79}], "lists": [
		{"id": 71, "title": "Triage", "type": "Kanban::Triage", "color": null, "cards_count": 3},
		{"id": 72, "title": "Bench", "type": "Kanban::Column", "color": "blue", "cards_count": 1, "on_hold": {"id": 73, "cards_count": 2}}]}`)).CardTable(t.Context(), 7)
	want := CardTable{Recording: Recording{ID: 7, Title: "Repairs"}, Columns: []Column{
		{Recording: Recording{ID: 71, Title: "Triage", Type: TriageColumn}, CardsCount: 3},
		{Recording: Recording{ID: 72, Title: "Bench", Type: OwnColumn}, Color: "blue", CardsCount: 1, OnHold: &Section{73, 2}},
	}}
	if diff := cmp.Diff(want, table); diff != "" || err != nil {
		t.Errorf("%v, %s", err, diff)
	}
}
