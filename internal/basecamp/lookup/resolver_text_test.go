package lookup

import (
	"testing"

	"basecamp-mcp/internal/basecamp"
)

func TestMarkdown_TakesMissingFileNamesFromTheList(t *testing.T) {
	const field = `<div>See <bc-attachment sgid="p"></bc-attachment></div>`
	file := basecamp.Attachment{SGID: "p", Filename: "plan.pdf", ContentType: "application/pdf"}
	if got, want := (&Resolver{}).Markdown(field, file), "See\n\n[Attachment: plan.pdf (application/pdf)]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := (&Resolver{}).Markdown(field), "See\n\n[Attachment: file]"; got != want {
		t.Errorf("without the list: got %q, want %q", got, want)
	}
}
