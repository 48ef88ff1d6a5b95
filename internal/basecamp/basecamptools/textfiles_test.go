package basecamptools

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"maps"
	"strings"
	"testing"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/files"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/fault"
)

func somePNG(t testing.TB) []byte {
	t.Helper()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	return picture.Bytes()
}

// attached uploads files and returns their elements, for a text.
func (d *toolEnv) attached(names ...string) string {
	d.Helper()
	var text strings.Builder
	for _, name := range names {
		content := []byte("text of " + name)
		if strings.HasSuffix(name, ".png") {
			content = somePNG(d)
		}
		_, ctx := d.resolver()
		sgid, err := d.client.CreateAttachment(ctx, name, content)
		if err != nil {
			d.Fatal(err)
		}
		text.WriteString(`<bc-attachment sgid=\"` + sgid + `\"></bc-attachment>`)
	}
	return text.String()
}

func (d *toolEnv) comment(item int64, html string) {
	d.Helper()
	d.meanwhile("POST", fmt.Sprintf("/recordings/%d/comments.json", item), `{"content":"<div>See:</div>`+html+`"}`)
}

type withFiles struct {
	ID       int64
	URL      string
	Content  []parts.File `json:"content_attachments"`
	Notes    []parts.File `json:"notes_attachments"`
	Todo     []parts.File `json:"description_attachments"`
	Comments []withFiles
	Items    []withFiles
}

func TestTexts_ListTheirFilesWithTheAddressesThatGetFileReads(t *testing.T) {
	at(t, func(d *toolEnv) {
		message := d.sandbox.FindIn(launch, "Message", "Bike number zero, week three")
		todo := d.sandbox.FindIn(launch, "Todo", "Complain about the loose spokes, with pictures")
		card := d.sandbox.FindIn(launch, "Kanban::Card", "Cable exit at the head tube, sharper radius")
		d.comment(message, d.attached("plate.png", "notes.txt"))
		d.meanwhile("POST", fmt.Sprintf("/vaults/%d/documents.json", d.sandbox.ToolID(launch, "vault")),
			`{"title":"Plates","status":"active","content":"<div>`+d.attached("plate.png")+`</div>"}`)
		d.meanwhile("POST", fmt.Sprintf("/schedules/%d/entries.json", d.sandbox.ToolID(launch, "schedule")),
			`{"summary":"Plates","description":"`+d.attached("agenda.txt")+`","starts_at":"2030-01-07T10:00:00Z","ends_at":"2030-01-07T11:00:00Z"}`)
		entry := call[withFiles](d, "list_schedule_entries", args{"project": launch, "from": "2030-01-07", "to": "2030-01-08"}).Items[0]
		lines := call[withFiles](d, "list_campfire_lines", args{"project": launch, "limit": 100})
		var line withFiles
		for _, l := range lines.Items {
			if len(l.Content) > 0 {
				line = l
			}
		}
		for name, found := range map[string][]parts.File{
			"a message":        call[withFiles](d, "get_message", args{"message_id": message}).Content,
			"a comment":        call[withFiles](d, "list_comments", args{"item": fmt.Sprintf("message:%d", message)}).Items[3].Content,
			"its first ones":   call[withFiles](d, "get_message", args{"message_id": message}).Comments[3].Content,
			"a to-do":          call[withFiles](d, "get_todo", args{"todo_id": todo}).Todo,
			"a card":           call[struct{ Item withFiles }](d, "get_item", args{"item": card}).Item.Content,
			"a document":       call[withFiles](d, "get_document", args{"document_id": "Plates", "project_id": launch}).Content,
			"a schedule entry": call[struct{ Item withFiles }](d, "get_item", args{"url": entry.URL}).Item.Notes,
			"a chat line":      line.Content,
		} {
			if len(found) == 0 {
				d.Errorf("%s lists no files", name)
				continue
			}
			for _, f := range found {
				got := call[files.ShownFile](d, "get_file", args{"item": f.DownloadURL})
				if got.Filename != f.Filename || got.ByteSize != f.ByteSize || got.Shown == "nothing" && strings.HasSuffix(f.Filename, "png") || got.DownloadURL != f.DownloadURL {
					d.Errorf("%s: %+v of %+v", name, got, f)
				}
			}
		}
		if text := d.answer("get_message", args{"message_id": d.sandbox.FindIn(launch, "Message", "Priority list for the last three weeks")}); strings.Contains(text, "attachments") {
			d.Errorf("a text without files lists some: %s", text)
		}
	})
}

func TestGetFile_ReadsAFileInATextInOneCall(t *testing.T) {
	at(t, func(d *toolEnv) {
		message := d.sandbox.FindIn(launch, "Message", "Bike number zero, week three")
		d.comment(message, d.attached("front.png", "back.png", "Käfer notes.txt"))
		comment := call[withFiles](d, "list_comments", args{"item": fmt.Sprintf("message:%d", message)}).Items[3]
		for _, in := range []args{
			{"item": comment.URL, "name": "front.png"}, {"item": comment.URL, "name": "FRONT"}, {"item": fmt.Sprintf("comment:%d", comment.ID), "name": "back.png"},
			{"item": comment.Content[1].DownloadURL}, {"item": d.url("messages", message)}, {"item": fmt.Sprintf("message:%d", message), "name": "kickstand-plate.png"},
			{"item": d.url("messages", message), "name": "front.png"}, // in its first comments
			{"item": comment.URL, "name": "kickstand-plate.png"},      // in the message, not in the comment
			{"item": "message:Bike number zero, week three", "project": launch},
			{"item": "card:Cable exit at the head tube, sharper radius", "project": launch}, {"item": "todo:Complain about the loose spokes, with pictures", "project": launch},
		} {
			if images := d.pictures("get_file", in); len(images["image/png"]) == 0 {
				d.Errorf("%v: no image: %s", in, d.answer("get_file", in))
			}
		}
		got := call[files.ShownFile](d, "get_file", args{"item": comment.URL, "name": "kafer notes.txt"})
		for _, name := range []string{"Käfer notes.txt", "käfer NOTES.txt"} {
			for _, in := range []args{{"item": name}, {"item": name, "project": launch}} {
				if named := call[files.ShownFile](d, "get_file", in); named.Text != got.Text || named.In == nil || *named.In != *got.In || named.DownloadURL != got.DownloadURL {
					d.Errorf("%v: %+v, in %+v", in, named, named.In)
				}
			}
		}
		d.fails(fault.NotFound, "get_file", args{"item": "Käfer notes.txt", "project": "Company HQ"}, "item")
		if got.Text != "text of Käfer notes.txt" || got.Shown != "text" || got.In == nil || got.In.ID != comment.ID || got.In.Type != "comment" || got.URL != comment.URL || got.Project.Name != launch {
			d.Errorf("got %+v", got)
		}
	})
}

func TestGetFile_ReadsAChatPictureByTheURLOfItsLine(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, line := range call[withFiles](d, "list_campfire_lines", args{"project": launch, "limit": 100}).Items {
			if len(line.Content) == 0 {
				continue
			}
			if images := d.pictures("get_file", args{"item": line.URL}); len(images) != 1 {
				d.Errorf("%s: %d images", line.URL, len(images))
			}
			d.fails(fault.InvalidInput, "get_file", args{"item": fmt.Sprintf("chat_line:%d", line.ID)}, "URL of the chat line")
			return
		}
		d.Error("no line has a file")
	})
}

func TestGetFile_SaysWhichFilesATextHas(t *testing.T) {
	at(t, func(d *toolEnv) {
		message := d.sandbox.FindIn(launch, "Message", "Bike number zero, week three")
		d.comment(message, d.attached("image.png", "image.png"))
		comment := call[withFiles](d, "list_comments", args{"item": fmt.Sprintf("message:%d", message)}).Items[3]
		for _, in := range []args{{"item": comment.URL}, {"item": comment.URL, "name": "image.png"}} {
			refused := d.fails(fault.Ambiguous, "get_file", in, "2 files", "as item")
			for _, c := range refused.Data.Candidates {
				if images := d.pictures("get_file", args{"item": c.Where}); len(images) != 1 || c.ID != 0 {
					d.Errorf("candidate %+v: %d images", c, len(images))
				}
			}
		}
		d.fails(fault.NotFound, "get_file", args{"item": comment.URL, "name": "other.png"}, "image.png", "kickstand-plate.png")
		silent := d.sandbox.FindIn(launch, "Message", "Priority list for the last three weeks")
		d.fails(fault.NotFound, "get_file", args{"item": d.url("messages", silent)}, "has no files", "get_message")
		d.fails(fault.NotFound, "get_file", args{"item": d.url("messages", silent), "project": "Company HQ"})
	})
}

func TestGetFile_SendsTheTokenToNoAddressOfACaller(t *testing.T) {
	at(t, func(d *toolEnv) {
		account := d.sandbox.Account()
		for _, host := range []string{
			"http://storage.3.basecamp.com", "https://storage.3.basecamp.com.evil.example", "https://evil-storage.3.basecamp.com", "https://evil.example",
			"https://3.basecampapi.com@evil.example", "https://x@storage.3.basecamp.com", "https://3.basecampapi.com:444",
		} {
			requests := d.asked(func() {
				d.fails(fault.InvalidInput, "get_file", args{"item": fmt.Sprintf("%s/%d/blobs/abc/download/a.png", host, account)}, "item")
			})
			if len(requests) > 0 {
				d.Errorf("%s: sent %v", host, requests)
			}
		}
		requests := d.asked(func() {
			d.fails(fault.InvalidInput, "get_file", args{"item": fmt.Sprintf("https://storage.3.basecamp.com/%d/blobs/abc/download/x/../../projects.json", account)})
			d.fails(fault.InvalidInput, "get_file", args{"item": "https://storage.3.basecamp.com/1/blobs/abc/download/a.png"}, "another Basecamp account (1)")
		})
		if len(requests) > 0 {
			d.Errorf("sent %v", requests)
		}
		d.fails(fault.NotFound, "get_file", args{"item": fmt.Sprintf("https://storage.3.basecamp.com/%d/blobs/abc/download/a.png", account)}, "no file at this address")
	})
}

func TestViewFiles_TakesFilesFromElementsWithoutAList(t *testing.T) {
	const address = "https://storage.3.basecamp.com/1/blobs/abc/download/a.png"
	html := basecamp.HTML(`<bc-attachment sgid="s" content-type="image/png" href="` + address + `" filename="a.png"></bc-attachment>` +
		`<bc-attachment sgid="t" content-type="image/png" href="https://evil.example/1/blobs/abc/download/b.png" filename="b.png"></bc-attachment>`)
	got := parts.ViewFiles(html, nil)
	if len(got) != 2 || got[0] != (parts.File{Filename: "a.png", ContentType: "image/png", DownloadURL: address}) || got[1].DownloadURL != "" || got[1].Filename != "b.png" {
		t.Errorf("got %+v", got)
	}
}

func TestUploadFile_AttachesAFileToAnItemInAComment(t *testing.T) {
	at(t, func(d *toolEnv) {
		message := d.sandbox.FindIn(launch, "Message", "Bike number zero, week three")
		todo := d.sandbox.FindIn(launch, "Todo", "Complain about the loose spokes, with pictures")
		for item, in := range map[int64]args{
			message: {"item": d.url("messages", message), "filename": "plate.txt", "content": "two millimetres", "description": "As **measured**"},
			todo:    {"item": fmt.Sprintf("todo:%d", todo), "project": launch, "filename": "plate.txt", "content": "two millimetres"},
		} {
			made := call[files.UploadedFile](d, "upload_file", in)
			if made.Type != "comment" || made.Filename != "plate.txt" || made.ByteSize != 15 || made.Item == nil || made.Item.ID != item || made.Project.Name != launch {
				d.Errorf("made %+v", made)
			}
			for _, item := range []string{made.DownloadURL, made.URL, fmt.Sprintf("comment:%d", made.ID)} {
				if got := call[files.ShownFile](d, "get_file", args{"item": item}); got.Text != "two millimetres" {
					d.Errorf("%s: %+v", item, got)
				}
			}
			written := upstream[record](d, fmt.Sprintf("/comments/%d.json", made.ID))["content"].(string)
			if strings.Contains(written, "<strong>measured</strong>") != (in["description"] != nil) || !strings.Contains(written, `filename="plate.txt"`) {
				d.Errorf("wrote %s", written)
			}
		}
	})
}

func TestUploadFile_ChecksTheItemBeforeItSendsAnything(t *testing.T) {
	at(t, func(d *toolEnv) {
		in := func(change args) args {
			all := args{"filename": "a.txt", "content": "a"}
			maps.Copy(all, change)
			return all
		}
		d.refuses(fault.InvalidInput, "upload_file", in(nil), "project", "item")
		d.refuses(fault.InvalidInput, "upload_file", in(args{"item": "message:17", "folder": "Frame"}), "folder or item")
		d.refuses(fault.InvalidInput, "upload_file", in(args{"item": "chat_line:17"}), "post_chat_line")
		d.refuses(fault.NotFound, "upload_file", in(args{"item": "message:17"}))
		d.refuses(fault.InvalidInput, "upload_file", in(args{"item": d.url("vaults", 17)}), "item")
	})
}
