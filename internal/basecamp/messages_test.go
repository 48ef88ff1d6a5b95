package basecamp

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
)

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

func TestCreateComment_FindsTheItemOnlyInTheGivenProject(t *testing.T) {
	s := sandbox.New(sandbox.Options{})
	c := sandboxClient(t, s, "Ines Albrecht")
	item := s.Find("Message", "Two Sams, one inbox")
	wantFault(t, errOf(c.CreateComment(t.Context(), s.ProjectID("Company HQ"), item, "x")), fault.NotFound)
	comment, err := c.CreateComment(t.Context(), s.ProjectID("Cargo Bike Launch"), item, "x")
	if err != nil || comment.Content != "x" || comment.Parent.ID != item {
		t.Fatalf("comment %+v, %v", comment, err)
	}
	changed, err := c.UpdateComment(t.Context(), comment.ID, "y")
	if err != nil || changed.ID != comment.ID || changed.Content != "y" {
		t.Errorf("comment %+v, %v", changed, err)
	}
}

func TestUpdateDocument_ClearsMissingFields(t *testing.T) {
	s := sandbox.New(sandbox.Options{})
	c := sandboxClient(t, s, "Ines Albrecht")
	written, err := c.CreateDocument(t.Context(), s.ToolID("Cargo Bike Launch", "vault"), DocumentFields{Title: "Bells", Content: "Louder"})
	if err != nil || written.Status != "drafted" {
		t.Fatalf("document %+v, %v", written, err)
	}
	changed, err := c.UpdateDocument(t.Context(), written.ID, DocumentFields{Title: "Bells", Status: "active"})
	if err != nil || changed.Status != "active" || changed.Title != "Bells" || changed.Content != "" {
		t.Errorf("document %+v, %v", changed, err)
	}
}
