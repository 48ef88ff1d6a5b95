package basecamptools

import (
	"fmt"
	"testing"

	"basecamp-mcp/internal/fault"
)

func TestCreateFolder_MakesOneInTheTopFolderOrInANamedOne(t *testing.T) {
	at(t, func(d *toolEnv) {
		root, frame := d.sandbox.ToolID(launch, "vault"), d.sandbox.FindIn(launch, "Vault", "Frame")
		for title, folder := range map[string]any{"Top": nil, "By ID": frame, "By name": "Frame", "By URL": d.url("vaults", frame)} {
			in, want := args{"project": launch, "title": title}, root
			if folder != nil {
				in["folder"], want = folder, frame
			}
			made := call[createdFolder](d, "create_folder", in)
			if made.Name != title || made.Type != "folder" || made.In == nil || made.In.ID != want || made.Project.Name != launch || made.URL == "" {
				d.Errorf("%s: %+v", title, made)
			}
			if shown := call[documentList](d, "list_documents", args{"project_id": launch, "folder": made.ID}); len(shown.Items) > 0 {
				d.Errorf("%s holds %+v", title, shown.Items)
			}
		}
		call[writtenDocument](d, "create_document", args{"project": launch, "folder": "By name", "title": "Filed", "body": "There."})
	})
}

func TestCreateFolder_RefusesABlankTitleAndAPlaceThatIsPutAway(t *testing.T) {
	at(t, func(d *toolEnv) {
		frame := d.sandbox.FindIn(launch, "Vault", "Frame")
		d.refuses(fault.InvalidInput, "create_folder", args{"project": launch, "title": " \u200b"}, "title")
		d.refuses(fault.NotFound, "create_folder", args{"project": launch, "folder": "No such folder", "title": "A"}, "folder")
		d.refuses(fault.InvalidInput, "create_folder", args{"project": launch, "folder": d.url("documents", frame), "title": "A"}, "folder")
		call[statusResults](d, "set_item_status", args{"items": []string{fmt.Sprint("folder:", frame)}, "status": "trashed"})
		d.refuses(fault.InvalidInput, "create_folder", args{"project": launch, "folder": frame, "title": "A"}, "trashed")
	})
}
