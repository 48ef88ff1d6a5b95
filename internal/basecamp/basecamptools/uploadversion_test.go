package basecamptools

import (
	"fmt"
	"strings"
	"testing"

	"basecamp-mcp/internal/fault"
)

func TestUploadFile_ReplacesAFileAndSaysThatItCannotBeTakenBack(t *testing.T) {
	at(t, func(d *toolEnv) {
		first := call[uploadedFile](d, "upload_file", args{"project": launch, "filename": "prices.csv", "content": "bell;3\n", "description": "As of **May**"})
		for _, in := range []args{
			{"replaces": first.ID, "content": "bell;4\n"},
			{"replaces": first.URL, "filename": "prices-june.csv", "content": "bell;5\n", "description": "As of June"},
			{"replaces": "prices-june.csv", "project": launch, "filename": "prices-july.csv", "content": "bell;6\n"},
		} {
			name, named := in["filename"].(string)
			if !named {
				name = first.Filename
			}
			before := call[shownFile](d, "get_file", args{"item": first.ID})
			made := call[uploadedFile](d, "upload_file", in)
			if made.ID != first.ID || made.URL != first.URL || made.Filename != name || made.Previous == nil || made.Previous.Filename != before.Filename ||
				!strings.Contains(made.Note, "cannot be taken back") || len(made.Notified) > 0 {
				d.Errorf("%s: %+v, previous %+v", name, made, made.Previous)
			}
			if gone := in["description"] != nil; gone != (made.Previous.Description != "") || gone != (made.Description == "As of June" && before.Description != "As of June") {
				d.Errorf("%s: description %q, previous %q", name, made.Description, made.Previous.Description)
			}
			if got := call[shownFile](d, "get_file", args{"item": first.ID}); got.Text != in["content"] {
				d.Errorf("%s holds %q", name, got.Text)
			}
		}
	})
}

func TestUploadFile_ReplacesNothingElseThanAFile(t *testing.T) {
	at(t, func(d *toolEnv) {
		file := d.sandbox.FindIn(launch, "Upload", "launch-budget.csv")
		document := d.sandbox.FindIn(launch, "Document", "Assembly handbook")
		d.refuses(fault.InvalidInput, "upload_file", args{"replaces": file, "folder": "Frame", "project": launch, "content": "x"}, "replaces", "folder")
		d.refuses(fault.InvalidInput, "upload_file", args{"replaces": file, "item": fmt.Sprint("document:", document), "content": "x"}, "replaces")
		d.refuses(fault.InvalidInput, "upload_file", args{"replaces": d.url("documents", document), "content": "x"}, "replaces", "file")
		d.refuses(fault.InvalidInput, "upload_file", args{"replaces": document, "content": "x"}, "document")
		d.refuses(fault.NotFound, "upload_file", args{"replaces": file, "project": "Company HQ", "content": "x"}, "replaces")
		d.refuses(fault.InvalidInput, "upload_file", args{"replaces": file}, "content")
		call[statusResults](d, "set_item_status", args{"items": []string{fmt.Sprint("upload:", file)}, "status": "trashed"})
		d.refuses(fault.InvalidInput, "upload_file", args{"replaces": file, "content": "x"}, "trashed")
	})
}
