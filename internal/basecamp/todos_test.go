package basecamp

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/report/fault"
)

func TestUpdateTodo_WithItsOwnFieldsChangesNothing(t *testing.T) {
	inFernhill(t, func(t *testing.T, s *sandbox.Sandbox, c *Client) {
		id := s.Find("Todo", "Book the photographer for the launch pictures")
		before, err := TodoAt.Get(t.Context(), c, id)
		if err != nil || len(before.Attachments) != 1 || len(before.Subscribers) != 2 || len(before.Assignees) != 1 || before.DueOn == "" {
			t.Fatalf("%v: %+v", err, before)
		}
		answered, err := TodoAt.Put(t.Context(), c, fields{
			"content": before.Content, "description": before.Description, "due_on": before.DueOn, "starts_on": before.StartsOn,
			"assignee_ids": []int64{before.Assignees[0].ID}, "completion_subscriber_ids": []int64{before.Subscribers[0].ID, before.Subscribers[1].ID},
		}, id)
		if err != nil {
			t.Fatal(err)
		}
		after, err := TodoAt.Get(t.Context(), c, id)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(answered, after); diff != "" {
			t.Error(diff)
		}
		before.UpdatedAt = after.UpdatedAt
		if diff := cmp.Diff(before, after); diff != "" {
			t.Error(diff)
		}
	})
}

func TestMoveCard_IsNotRetriedWithoutAnAnswer(t *testing.T) {
	inFernhill(t, func(t *testing.T, s *sandbox.Sandbox, c *Client) {
		id := s.Find("Kanban::Card", "Suspension fork")
		card, err := CardAt.Get(t.Context(), c, id)
		if err != nil {
			t.Fatal(err)
		}
		s.Inject(sandbox.Fault{Method: "POST", Drop: true, AfterEffect: true})
		s.ResetRequests()
		f := wantFault(t, errOf(CardMoves.Post(t.Context(), c, map[string]any{"column_id": card.Parent.ID, "position": 1}, id)), fault.UpstreamError)
		if !f.MayHaveHappened || f.Retryable || len(s.Requests()) != 1 {
			t.Errorf("fault %+v after %d requests", f, len(s.Requests()))
		}
	})
}

func TestCompletionsAndPinsAreRetriedWithoutAnAnswer(t *testing.T) {
	inFernhill(t, func(t *testing.T, s *sandbox.Sandbox, c *Client) {
		for what, set := range map[string]func() error{
			"to-do":   func() error { return TodoDone.Turn(t.Context(), c, true, s.Find("Todo", "Night ride, lights only")) },
			"message": func() error { return Pinned.Turn(t.Context(), c, true, s.Find("Message", "Two Sams, one inbox")) },
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
	table, err := BoardAt.Get(t.Context(), answering(t, says(200, `{"id": 7, "title": "Repairs", "wormholes": [{"id": 79}], "lists": [
		{"id": 71, "title": "Triage", "type": "Kanban::Triage", "color": null, "cards_count": 3},
		{"id": 72, "title": "Bench", "type": "Kanban::Column", "color": "blue", "cards_count": 1, "on_hold": {"id": 73, "cards_count": 2}}]}`)), 7)
	want := CardTable{Recording: Recording{ID: 7, Title: "Repairs"}, Columns: []Column{
		{Recording: Recording{ID: 71, Title: "Triage", Type: TriageColumn}, CardsCount: 3},
		{Recording: Recording{ID: 72, Title: "Bench", Type: OwnColumn}, Color: "blue", CardsCount: 1, OnHold: &Section{73, 2}},
	}}
	if diff := cmp.Diff(want, table); diff != "" || err != nil {
		t.Errorf("%v, %s", err, diff)
	}
}
