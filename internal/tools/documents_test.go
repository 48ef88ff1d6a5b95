package tools

import (
	"fmt"
	"strings"
	"testing"

	"basecamp-mcp/internal/fault"
)

func TestListDocuments_CutsToFiveHundredCharactersAndSaysSoOnlyThen(t *testing.T) { // B-31, B-32
	at(t, func(d *desk) {
		var cut, short int
		for _, document := range all[documentItem](d, "list_documents", args{"project_id": launch}) {
			n := len([]rune(document.Content))
			if n > maxPreview {
				d.Errorf("%s: %d characters", document.Title, n)
			}
			whole := call[struct{ Content string }](d, "get_document", args{"document_id": document.ID}).Content
			if document.Truncated != (whole != document.Content) {
				d.Errorf("%s: truncated %v, %d of %d characters", document.Title, document.Truncated, n, len([]rune(whole)))
			}
			if document.Truncated {
				cut++
			} else {
				short++
			}
		}
		if cut == 0 {
			d.Errorf("%d cut, %d not", cut, short)
		}
	})
}

func TestListDocuments_NamesFoldersAndGoesIntoOneByIDNameOrURL(t *testing.T) {
	at(t, func(d *desk) {
		top := call[documentList](d, "list_documents", args{"project_id": launch})
		if len(top.Folders) == 0 {
			d.Fatal("no folders")
		}
		for _, folder := range top.Folders {
			byID := all[documentItem](d, "list_documents", args{"project_id": launch, "folder": folder.ID})
			byURL := all[documentItem](d, "list_documents", args{"project_id": launch, "folder": folder.URL})
			if len(byID) != folder.DocumentsCount || len(byURL) != len(byID) {
				d.Errorf("%s: %d by id, %d by URL, %d by its count", folder.Name, len(byID), len(byURL), folder.DocumentsCount)
			}
		}
		begin := call[documentList](d, "list_documents", args{"project_id": launch, "limit": 2})
		if next := call[documentList](d, "list_documents", args{"project_id": launch, "limit": 2, "cursor": *begin.NextCursor}); len(next.Folders) > 0 || len(begin.Folders) != len(top.Folders) {
			d.Errorf("%d folders first, %d then", len(begin.Folders), len(next.Folders))
		}
		elsewhere := strings.Replace(top.Folders[0].URL, fmt.Sprint(d.sandbox.ProjectID(launch)), fmt.Sprint(d.sandbox.ProjectID("Company HQ")), 1)
		d.fails(fault.NotFound, "list_documents", args{"project_id": launch, "folder": elsewhere}, "folder")
		d.fails(fault.InvalidInput, "list_documents", args{"project_id": launch, "folder": begin.Items[0].URL}, "folder", "get_document")
		if first := call[documentList](d, "list_documents", args{"project_id": launch, "folder": top.Folders[0].Name}); len(first.Items) != top.Folders[0].DocumentsCount {
			d.Errorf("by name: %d documents, want %d", len(first.Items), top.Folders[0].DocumentsCount)
		}
		d.fails(fault.NotFound, "list_documents", args{"project_id": launch, "folder": "No such folder"}, "folder", "nearest")
		d.fails(fault.NotFound, "list_documents", args{"project_id": "Company HQ", "folder": top.Folders[0].ID}, "folder")
	})
}

func TestGetDocument_ALongOneComesInParts(t *testing.T) { // B-33, answers 9
	at(t, func(d *desk) {
		longest := 0
		for _, folder := range append(call[documentList](d, "list_documents", args{"project_id": launch}).Folders, folderItem{}) {
			in := args{"project_id": launch}
			if folder.ID != 0 {
				in["folder"] = folder.ID
			}
			for _, item := range all[documentItem](d, "list_documents", in) {
				text, offset := "", 0
				for {
					part := call[document](d, "get_document", args{"document_id": item.ID, "offset": offset})
					text, offset = text+part.Content, part.NextOffset
					if offset == 0 {
						break
					}
				}
				longest = max(longest, len([]rune(text)))
			}
		}
		if longest <= maxText {
			d.Errorf("the longest document has %d characters", longest)
		}
	})
}

func TestListAttachments_GivesMetadataOfUploads(t *testing.T) { // B-37, B-38, W-12
	at(t, func(d *desk) {
		var files []attachmentItem
		requests := d.asked(func() { files = all[attachmentItem](d, "list_attachments", args{"project_id": launch}) })
		if len(files) == 0 || !strings.Contains(strings.Join(requests, "\n"), "/uploads") {
			d.Fatalf("%d files by %v", len(files), requests)
		}
		for _, f := range files {
			if f.ID == 0 || f.Filename == "" || f.ContentType == "" || f.ByteSize == 0 || f.DownloadURL == "" || f.Creator == "" || f.CreatedAt.IsZero() {
				d.Errorf("got %+v", f)
			}
		}
	})
}
