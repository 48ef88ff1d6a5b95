package basecamp

import (
	"testing"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/sandbox"
)

func TestCreateComment_WithAProjectIsNotFoundElsewhere(t *testing.T) { // W-17
	s := sandbox.New(sandbox.Options{})
	c := inside(t, s, "Ines Albrecht")
	item := s.Find("Message", "Two Sams, one inbox")
	failed(t, errOf(c.CreateComment(t.Context(), s.ProjectID("Company HQ"), item, "x")), fault.NotFound)
	comment, err := c.CreateComment(t.Context(), s.ProjectID("Cargo Bike Launch"), item, "x")
	if err != nil || comment.Content != "x" || comment.Parent.ID != item {
		t.Fatalf("comment %+v, %v", comment, err)
	}
	changed, err := c.UpdateComment(t.Context(), comment.ID, "y")
	if err != nil || changed.ID != comment.ID || changed.Content != "y" {
		t.Errorf("comment %+v, %v", changed, err)
	}
}

func TestCommentable_IsOfAKindThatTakesComments(t *testing.T) {
	s := sandbox.New(sandbox.Options{})
	c := inside(t, s, "Ines Albrecht")
	for kind, title := range map[string][2]string{
		"message": {"Message", "Two Sams, one inbox"}, "todo": {"Todo", "Night ride, lights only"}, "todolist": {"Todolist", "Test rides"},
		"card": {"Kanban::Card", "Suspension fork"}, "document": {"Document", "Welding sequence"}, "upload": {"Upload", "frame-front.png"},
		"schedule_entry": {"Schedule::Entry", "Photographer"},
	} {
		id := s.FindIn("Cargo Bike Launch", title[0], title[1])
		item, err := c.Commentable(t.Context(), kind, id)
		if err != nil || item.ID != id || item.Bucket.Name != "Cargo Bike Launch" {
			t.Errorf("%s: %+v, %v", kind, item, err)
		}
	}
	if _, err := c.Commentable(t.Context(), "chat_line", 7); err == nil {
		t.Error("a chat line takes comments")
	}
}
