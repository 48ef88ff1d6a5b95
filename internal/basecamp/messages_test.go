package basecamp

import (
	"context"
	"io"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp/sandbox"
)

func TestWritesOfText_SendTheGivenFields(t *testing.T) {
	text, none, some := "<div>Bells</div>", CategoryID(0), CategoryID(9)
	for want, call := range map[string]func(context.Context, *Client) error{
		`POST /message_boards/7/messages.json {"subject":"Bells","content":"","status":"active"}`: func(ctx context.Context, c *Client) error {
			return errOf(c.CreateMessage(ctx, 7, NewMessage{Subject: "Bells", Status: "active"}))
		},
		`POST /message_boards/7/messages.json {"subject":"Bells","content":"x","category_id":9,"status":"drafted","subscriptions":[]}`: func(ctx context.Context, c *Client) error {
			return errOf(c.CreateMessage(ctx, 7, NewMessage{Subject: "Bells", Content: "x", CategoryID: 9, Status: "drafted", Subscriptions: []int64{}}))
		},
		`PUT /messages/7.json {"subject":"Bells"}`: func(ctx context.Context, c *Client) error {
			return errOf(c.UpdateMessage(ctx, 7, MessageChange{Subject: "Bells"}))
		},
		`PUT /messages/7.json {"content":"\u003cdiv\u003eBells\u003c/div\u003e","category_id":null,"status":"active"}`: func(ctx context.Context, c *Client) error {
			return errOf(c.UpdateMessage(ctx, 7, MessageChange{Content: &text, Category: &none, Status: "active"}))
		},
		`PUT /messages/7.json {"category_id":9}`: func(ctx context.Context, c *Client) error {
			return errOf(c.UpdateMessage(ctx, 7, MessageChange{Category: &some}))
		},
		`POST /recordings/7/pin.json `:         func(ctx context.Context, c *Client) error { return c.PinMessage(ctx, 7, true) },
		`DELETE /recordings/7/pin.json `:       func(ctx context.Context, c *Client) error { return c.PinMessage(ctx, 7, false) },
		`GET /buckets/7/categories.json `:      func(ctx context.Context, c *Client) error { return errOf(c.Categories(ctx, 7)) },
		`GET /comments/7.json `:                func(ctx context.Context, c *Client) error { return errOf(c.Comment(ctx, 7)) },
		`GET /question_answers/7.json `:        func(ctx context.Context, c *Client) error { return errOf(c.Item(ctx, "answer", 7)) },
		`GET /card_tables/cards/7.json `:       func(ctx context.Context, c *Client) error { return errOf(c.Item(ctx, "card", 7)) },
		`PUT /comments/7.json {"content":"x"}`: func(ctx context.Context, c *Client) error { return errOf(c.UpdateComment(ctx, 7, "x")) },
		`POST /recordings/7/comments.json {"content":"x"}`: func(ctx context.Context, c *Client) error {
			return errOf(c.CreateComment(ctx, 0, 7, "x"))
		},
		`POST /buckets/5/recordings/7/comments.json {"content":"x"}`: func(ctx context.Context, c *Client) error {
			return errOf(c.CreateComment(ctx, 5, 7, "x"))
		},
		`POST /vaults/7/documents.json {"title":"Bells","content":"x","status":"active"}`: func(ctx context.Context, c *Client) error {
			return errOf(c.CreateDocument(ctx, 7, DocumentFields{Title: "Bells", Content: "x", Status: "active"}))
		},
		`PUT /documents/7.json {"title":"","content":""}`: func(ctx context.Context, c *Client) error {
			return errOf(c.UpdateDocument(ctx, 7, DocumentFields{}))
		},
	} {
		var got string
		c := answering(t, func(w http.ResponseWriter, r *http.Request) {
			var body []byte
			if r.Body != nil {
				body, _ = io.ReadAll(r.Body)
			}
			got += r.Method + " " + r.URL.RequestURI()[len(account):] + " " + string(body)
			w.WriteHeader(http.StatusTeapot)
		})
		if err := call(t.Context(), c); err == nil {
			t.Errorf("%s: no error", want)
		}
		if got != want {
			t.Errorf("sent %s, want %s", got, want)
		}
	}
}

func TestCreateMessage_ReturnsWhatReadsReturn(t *testing.T) {
	s := sandbox.New(sandbox.Options{})
	c := sandboxClient(t, s, "Ines Albrecht")
	project := s.ProjectID("Cargo Bike Launch")
	categories, err := c.Categories(t.Context(), project)
	if err != nil || len(categories) != 5 || categories[0].Name != "Announcement" || categories[0].ID == 0 {
		t.Fatalf("categories %+v, %v", categories, err)
	}
	m := NewMessage{Subject: "Bells", Content: "<div>Louder</div>", CategoryID: categories[0].ID, Status: "active", Subscriptions: []int64{}}
	posted, err := c.CreateMessage(t.Context(), s.ToolID("Cargo Bike Launch", "message_board"), m)
	if err != nil {
		t.Fatal(err)
	}
	read, err := c.Message(t.Context(), posted.ID)
	if diff := cmp.Diff(posted, read); diff != "" || err != nil {
		t.Errorf("%v, %s", err, diff)
	}
	if read.Subject != m.Subject || read.Content != "<div>Louder</div>" || read.Status != "active" || *read.Category != categories[0] {
		t.Errorf("message %+v", read)
	}
	none := CategoryID(0)
	if changed, err := c.UpdateMessage(t.Context(), posted.ID, MessageChange{Category: &none}); err != nil || changed.Category != nil || changed.Content != read.Content {
		t.Errorf("message %+v, %v", changed, err)
	}
}
