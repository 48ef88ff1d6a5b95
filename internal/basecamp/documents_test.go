package basecamp

import (
	"testing"

	"basecamp-mcp/internal/basecamp/sandbox"
)

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
