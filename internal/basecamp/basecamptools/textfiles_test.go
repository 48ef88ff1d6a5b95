package basecamptools

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/files"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/report/fault"
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

// pictured are the comments of a message to which files are added.
const pictured = "{Message:Bike number zero, week three@Cargo Bike Launch}"

// commented adds a comment with files to that message.
func commented(names ...string) func(*toolEnv) {
	return func(d *toolEnv) {
		d.comment(d.sandbox.FindIn(launch, "Message", "Bike number zero, week three"), d.attached(names...))
	}
}

func TestGetFile_ReadsAFileInATextInOneCall(t *testing.T) {
	const messageURL = launchURL + "/messages/" + pictured
	comments := row{fact: "of a comment or its item", tool: "list_comments", in: args{"item": "message:" + pictured}, setup: commented("front.png", "back.png", "Käfer notes.txt")}
	picture := func(in args) {
		comments.then = append(comments.then, row{in: in, holds: holds{"shown": "image", "content_type": "image/png"}})
	}
	for _, in := range []args{
		{"item": "{0.items.3.url}", "name": "front.png"}, {"item": "{0.items.3.url}", "name": "FRONT"}, {"item": "comment:{0.items.3.id}", "name": "back.png"},
		{"item": "{0.items.3.content_attachments.1.download_url}"}, {"item": messageURL}, {"item": "message:" + pictured, "name": "kickstand-plate.png"},
		{"item": messageURL, "name": "front.png"},                  // in its first comments
		{"item": "{0.items.3.url}", "name": "kickstand-plate.png"}, // in the message, not in the comment
		{"item": "message:Bike number zero, week three", "project": launch},
		{"item": "card:Cable exit at the head tube, sharper radius", "project": launch}, {"item": "todo:Complain about the loose spokes, with pictures", "project": launch},
	} {
		picture(in)
	}
	notes := holds{"text": "text of Käfer notes.txt", "shown": "text", "in.id": "{0.items.3.id}", "in.type": "comment", "url": "{0.items.3.url}", "project.name": launch}
	comments.then = append(comments.then, row{each: []args{{"item": "{0.items.3.url}", "name": "kafer notes.txt"}, {"item": "Käfer notes.txt"}, {"item": "käfer NOTES.txt", "project": launch}}, holds: notes},
		row{in: args{"item": "Käfer notes.txt", "project": "Company HQ"}, fails: fault.NotFound, says: says{"item"}})
	twins := row{fact: "of two files of a name one is named", tool: "list_comments", in: args{"item": "message:" + pictured}, setup: commented("image.png", "image.png"), then: []row{
		{in: args{"item": "{0.items.3.url}"}, each: []args{{}, {"name": "image.png"}}, fails: fault.Ambiguous, says: says{"2 files", "as item"}, holds: holds{"data.candidates.#": 2, "data.candidates.*.id": nil}},
		{in: args{"item": "{1.data.candidates.1.where}"}, holds: holds{"shown": "image"}},
		{in: args{"item": "{0.items.3.url}", "name": "other.png"}, fails: fault.NotFound, says: says{"image.png", "kickstand-plate.png"}}}}
	const silent = launchURL + "/messages/{Message:Priority list for the last three weeks}"
	cases(t, "get_file", nil, comments, twins,
		row{fact: "a text without files", in: args{"item": silent}, fails: fault.NotFound, says: says{"has no files", "get_message"}},
		row{fact: "the text must be in the project", in: args{"item": silent, "project": "Company HQ"}, fails: fault.NotFound},
	)
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

func TestGetFile_SendsTheTokenToNoAddressOfACaller(t *testing.T) {
	const file = "/{account}/blobs/abc/download/a.png"
	var hosts []args
	for _, host := range []string{
		"http://storage.3.basecamp.com", "https://storage.3.basecamp.com.evil.example", "https://evil-storage.3.basecamp.com", "https://evil.example",
		"https://3.basecampapi.com@evil.example", "https://x@storage.3.basecamp.com", "https://3.basecampapi.com:444",
	} {
		hosts = append(hosts, args{"item": host + file})
	}
	at(t, func(d *toolEnv) {
		asked := d.asked(func() {
			c := &caseRun{toolEnv: d, tool: "get_file"}
			c.run(row{each: hosts, fails: fault.InvalidInput, says: says{"item"}}, "other hosts")
			c.run(row{in: args{"item": "https://storage.3.basecamp.com/{account}/blobs/abc/download/x/../../projects.json"}, fails: fault.InvalidInput}, "other paths")
			c.run(row{in: args{"item": "https://storage.3.basecamp.com/1/blobs/abc/download/a.png"}, fails: fault.InvalidInput, says: says{"another Basecamp account (1)"}}, "other accounts")
		})
		if len(asked) > 0 {
			d.Errorf("sent %v", asked)
		}
		(&caseRun{toolEnv: d, tool: "get_file"}).run(row{in: args{"item": "https://storage.3.basecamp.com" + file}, fails: fault.NotFound, says: says{"no file at this address"}}, "no such file")
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
	const spokes = "{Todo:Complain about the loose spokes, with pictures}"
	attach := func(fact, item string, in args, says, misses []string) row {
		return row{fact: fact, in: in, holds: holds{"type": "comment", "filename": "plate.txt", "byte_size": 15, "item.id": item, "project.name": launch}, then: []row{
			{tool: "get_file", each: []args{{"item": "{0.download_url}"}, {"item": "{0.url}"}, {"item": "comment:{0.id}"}}, holds: holds{"text": "two millimetres"}},
			{tool: "GET /comments/{0.id}.json", says: append(says, `plate.txt`), misses: misses}}}
	}
	cases(t, "upload_file", args{"filename": "plate.txt", "content": "two millimetres"},
		attach("with words", pictured, args{"item": launchURL + "/messages/" + pictured, "description": "As **measured**"}, says{"measured"}, nil),
		attach("without", spokes, args{"item": "todo:" + spokes, "project": launch}, nil, []string{"measured"}),
	)
}
