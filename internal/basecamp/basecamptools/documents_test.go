package basecamptools

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/basecamp/basecamptools/anyitem"
	"basecamp-mcp/internal/basecamp/basecamptools/files"
	"basecamp-mcp/internal/fault"
)

func TestListDocuments_CutsToFiveHundredCharacters(t *testing.T) {
	at(t, func(d *toolEnv) {
		var cut, short int
		for _, document := range all[files.DocumentItem](d, "list_documents", args{"project_id": launch}) {
			n := len([]rune(document.Content))
			if n > files.MaxPreview {
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
			d.Errorf("%d documents cut, %d not cut", cut, short)
		}
	})
}

func TestListDocuments_ListsFoldersAndOpensOneByIDNameOrURL(t *testing.T) {
	at(t, func(d *toolEnv) {
		top := call[files.DocumentList](d, "list_documents", args{"project_id": launch})
		if len(top.Folders) == 0 {
			d.Fatal("no folders")
		}
		for _, folder := range top.Folders {
			byID := all[files.DocumentItem](d, "list_documents", args{"project_id": launch, "folder": folder.ID})
			byURL := all[files.DocumentItem](d, "list_documents", args{"project_id": launch, "folder": folder.URL})
			if len(byID) != folder.DocumentsCount || len(byURL) != len(byID) {
				d.Errorf("%s: %d by id, %d by URL, %d by its count", folder.Name, len(byID), len(byURL), folder.DocumentsCount)
			}
		}
		begin := call[files.DocumentList](d, "list_documents", args{"project_id": launch, "limit": 2})
		if next := call[files.DocumentList](d, "list_documents", args{"project_id": launch, "limit": 2, "cursor": *begin.NextCursor}); len(next.Folders) > 0 || len(begin.Folders) != len(top.Folders) {
			d.Errorf("%d folders first, %d then", len(begin.Folders), len(next.Folders))
		}
		elsewhere := strings.Replace(top.Folders[0].URL, fmt.Sprint(d.sandbox.ProjectID(launch)), fmt.Sprint(d.sandbox.ProjectID("Company HQ")), 1)
		d.fails(fault.NotFound, "list_documents", args{"project_id": launch, "folder": elsewhere}, "folder")
		d.fails(fault.InvalidInput, "list_documents", args{"project_id": launch, "folder": begin.Items[0].URL}, "folder", "get_document")
		if first := call[files.DocumentList](d, "list_documents", args{"project_id": launch, "folder": top.Folders[0].Name}); len(first.Items) != top.Folders[0].DocumentsCount {
			d.Errorf("by name: %d documents, want %d", len(first.Items), top.Folders[0].DocumentsCount)
		}
		d.fails(fault.NotFound, "list_documents", args{"project_id": launch, "folder": "No such folder"}, "folder", "nearest")
		d.fails(fault.NotFound, "list_documents", args{"project_id": "Company HQ", "folder": top.Folders[0].ID}, "folder")
	})
}

func TestCreateDocument_WritesIntoTheTopFolderOrAnother(t *testing.T) {
	at(t, func(d *toolEnv) {
		root, frame := d.sandbox.ToolID(launch, "vault"), d.sandbox.FindIn(launch, "Vault", "Frame")
		frameURL := fmt.Sprintf("https://3.basecamp.com/%d/buckets/%d/vaults/%d", d.sandbox.Account(), d.sandbox.ProjectID(launch), frame)
		for _, c := range []struct {
			folder any
			in     int64
			most   int // number of requests
		}{
			{nil, root, 3}, {nil, root, 2}, {frame, frame, 3}, {frameURL, frame, 3}, {"Frame", frame, 8},
		} {
			in := args{"project": launch, "title": " Bells ", "body": "Louder, *please*."}
			if c.folder != nil {
				in["folder"] = c.folder
			}
			got, asked := costing[files.WrittenDocument](d, "create_document", in)
			if len(asked) > c.most || !slices.Equal(writesIn(asked), []string{fmt.Sprintf("POST /vaults/%d/documents.json", c.in)}) {
				d.Errorf("%v: %v", c.folder, asked)
			}
			held := upstream[record](d, fmt.Sprintf("/documents/%d.json", got.ID))
			if got.Title != "Bells" || got.Status != "active" || got.Type != "document" || held["title"] != "Bells" || held["status"] != "active" || !strings.Contains(held["content"].(string), "please") {
				d.Errorf("got %+v, Basecamp holds %v", got, held)
			}
		}
	})
}

func TestCreateDocument_WritesNothingOnInvalidInput(t *testing.T) {
	at(t, func(d *toolEnv) {
		d.refusesAll("create_document", args{"project": launch, "title": "Bells", "body": "Louder."}, []refusedCall{
			{args{"title": " "}, fault.InvalidInput, "title: must not be blank"},
			{args{"body": " "}, fault.InvalidInput, "body: must not be blank"},
			{args{"project": "No such thing"}, fault.NotFound, "project:"},
			{args{"project": "Newsletter Refresh"}, fault.ToolNotEnabled, "Docs & Files"},
			{args{"folder": "Fram work"}, fault.NotFound, "folder"},
			{args{"folder": 5}, fault.NotFound, "folder"},
			{args{"project": "Company HQ", "folder": d.sandbox.FindIn(launch, "Vault", "Frame")}, fault.NotFound, "in project"},
			{args{"mentions": "Sam Lindqvist"}, fault.InvalidInput, "not on the project"},
		})
	})
}

func TestEditText_OfADocumentPublishesADraftUnchanged(t *testing.T) {
	at(t, func(d *toolEnv) {
		draft := call[files.WrittenDocument](d, "create_document", args{"project": launch, "title": "Bells", "body": "Louder.", "draft": true})
		path := fmt.Sprintf("/documents/%d.json", draft.ID)
		before := upstream[record](d, path)
		if draft.Status != "drafted" || before["status"] != "drafted" {
			d.Fatalf("got %+v", draft)
		}
		if got := call[anyitem.EditedText](d, "edit_text", args{"document": draft.ID, "append": "Much."}); got.Status != "drafted" {
			d.Errorf("an edit published it: %+v", got)
		}
		content := upstream[record](d, path)["content"]
		if got := call[anyitem.EditedText](d, "edit_text", args{"document": draft.URL, "publish": true}); got.Status != "active" || got.Unchanged {
			d.Errorf("got %+v", got)
		}
		if after := upstream[record](d, path); after["status"] != "active" || after["content"] != content || after["title"] != "Bells" {
			d.Errorf("Basecamp holds %v", after)
		}
		var again anyitem.EditedText
		d.asks(func() {
			again = call[anyitem.EditedText](d, "edit_text", args{"document": draft.ID, "publish": true, "title": "Bells"})
		}, "GET "+path)
		if !again.Unchanged || again.Status != "active" {
			d.Errorf("got %+v", again)
		}
	})
}

func TestEditText_OfADocumentWritesNothingOnInvalidInput(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.FindIn(launch, "Document", "Glossary")
		d.refusesAll("edit_text", nil, []refusedCall{
			{args{"document": id}, fault.InvalidInput, "title, publish"},
			{args{"document": id, "publish": false}, fault.InvalidInput, "title, publish"},
			{args{"document": id, "title": " "}, fault.InvalidInput, "title: must not be blank"},
			{args{"document": id, "append": " "}, fault.InvalidInput, "append: must not be blank"},
			{args{"document": id, "title": "x", "find": "y"}, fault.InvalidInput, "find: is not an argument"},
			{args{"document": id, "edits": []any{}}, fault.InvalidInput, "title, publish"},
			{args{"document": id, "find": "no such words", "replace": "y"}, fault.InvalidInput, "not in the text"},
			{args{"document": id, "append": "x", "mentions": "Sam Lindqvist"}, fault.InvalidInput, "not on the project"},
			{args{"document": id, "edits": []args{{"find": "e", "replace": "i", "all": true}, {"find": "no such words", "replace": "y"}}}, fault.InvalidInput, "edits[1].find: these words are not in the text"},
			{args{"document": id, "edits": []args{{"find": "e", "replace": "y"}}}, fault.InvalidInput, "times in the text"},
			{args{"document": id, "edits": []args{{"find": "x"}}}, fault.InvalidInput, "edits[0].replace: is required"},
			{args{"document": id, "edits": slices.Repeat([]args{{"find": "e", "replace": "i"}}, 51)}, fault.InvalidInput, "edits: must have at most 50 entries, got 51"},
			{args{"item": "document:Gloss", "title": "x"}, fault.Ambiguous, "only part of a title"},
			{args{"document": id, "project": "Company HQ", "title": "x"}, fault.NotFound, "item: there is no document"},
		})
	})
}

func TestCreateFolder_MakesOneInTheTopFolderOrInANamedOne(t *testing.T) {
	at(t, func(d *toolEnv) {
		root, frame := d.sandbox.ToolID(launch, "vault"), d.sandbox.FindIn(launch, "Vault", "Frame")
		for title, folder := range map[string]any{"Top": nil, "By ID": frame, "By name": "Frame", "By URL": d.url("vaults", frame)} {
			in, want := args{"project": launch, "title": title}, root
			if folder != nil {
				in["folder"], want = folder, frame
			}
			made := call[changed](d, "change_basecamp", operation("create_folder", in)).Result
			if made["title"] != title || made["type"] != "folder" || made["part_of"].(record)["id"] != float64(want) || made["project"].(record)["name"] != launch || made["url"] == nil {
				d.Errorf("%s: %+v", title, made)
			}
			if shown := call[files.DocumentList](d, "list_documents", args{"project_id": launch, "folder": made["id"]}); len(shown.Items) > 0 {
				d.Errorf("%s holds %+v", title, shown.Items)
			}
		}
		call[files.WrittenDocument](d, "create_document", args{"project": launch, "folder": "By name", "title": "Filed", "body": "There."})

		refused := func(code fault.Code, folder any, title, words string) {
			d.refuses(code, "change_basecamp", operation("create_folder", args{"project": launch, "folder": folder, "title": title}), words)
		}
		refused(fault.InvalidInput, frame, " \u200b", "title")
		refused(fault.NotFound, "No such folder", "A", "folder")
		refused(fault.InvalidInput, d.url("documents", frame), "A", "folder")
		call[anyitem.StatusResults](d, "set_item_status", args{"items": []string{fmt.Sprint("folder:", frame)}, "status": "trashed"})
		refused(fault.InvalidInput, frame, "A", "trashed")
	})
}
