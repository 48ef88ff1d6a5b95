package basecamp

import (
	"testing"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
)

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
