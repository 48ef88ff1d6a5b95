package basecamptools

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"strings"
	"testing"
	"unicode/utf16"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/files"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/mcptest"
)

// pictures calls a tool and returns the images of its answer by type.
func (d *toolEnv) pictures(tool string, arguments args) map[string][]byte {
	d.Helper()
	result := mcptest.Result[mcptest.ToolResult](d, []byte(d.answer(tool, arguments)))
	images := map[string][]byte{}
	for _, c := range result.Content {
		if c.Type == "image" {
			images[c.MIMEType] = c.Data
		}
	}
	return images
}

func (d *toolEnv) upload(name string, content []byte) files.AttachmentItem {
	d.Helper()
	return call[files.AttachmentItem](d, "upload_file", args{"project": launch, "filename": name, "content_base64": base64.StdEncoding.EncodeToString(content)})
}

func TestGetFile_ShowsTheTextOfAFileByEveryReference(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.FindIn(launch, "Upload", "torque-values.md")
		listed := call[files.ShownFile](d, "get_file", args{"item": id})
		for _, reference := range []args{
			{"item": fmt.Sprint(id)}, {"item": fmt.Sprintf("upload:%d", id)}, {"item": listed.URL}, {"item": listed.URL, "project": launch},
			{"item": "torque-values.md", "project": launch}, {"item": "torque", "project": launch},
		} {
			got := call[files.ShownFile](d, "get_file", reference)
			if got.ID != id || got.Shown != "text" || !strings.HasPrefix(got.Text, "# Torque values, Long Tail\n") || got.WhyNot != "" || got.Truncated || got.Status != "active" {
				d.Errorf("%v: %+v", reference, got)
			}
		}
		if images := d.pictures("get_file", args{"item": id}); len(images) > 0 {
			d.Errorf("a text with %d images", len(images))
		}
	})
}

func TestGetFile_ReturnsAnImageAsImageContent(t *testing.T) {
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	at(t, func(d *toolEnv) {
		for _, name := range []string{"photo.png", "photo.jpg", "photo"} { // the type comes from the bytes, not from the name
			id := d.upload(name, picture.Bytes()).ID
			got, images := call[files.ShownFile](d, "get_file", args{"item": id}), d.pictures("get_file", args{"item": id})
			if got.Shown != "image" || got.Text != "" || got.WhyNot != "" || len(images) != 1 || !bytes.Equal(images["image/png"], picture.Bytes()) {
				d.Errorf("%s: %+v with %d images", name, got, len(images))
			}
			d.fails(fault.InvalidInput, "get_file", args{"item": id, "offset": 1}, "offset")
		}
		if got := call[files.ShownFile](d, "get_file", args{"item": d.upload("photo.png", []byte("no picture")).ID}); got.Shown != "text" {
			d.Errorf("got %+v", got)
		}
	})
}

func TestGetFile_ExplainsWhyNothingIsShown(t *testing.T) {
	at(t, func(d *toolEnv) {
		film := d.sandbox.FindIn(launch, "Upload", "launch-film-rough-cut.mp4")
		d.knowsLaunch()
		got, requests := costing[files.ShownFile](d, "get_file", args{"item": film, "include_comments": false})
		if got.Shown != "nothing" || !strings.Contains(got.WhyNot, "1.3 MB") || got.URL == "" || len(requests) != 1 {
			d.Errorf("%+v after %v", got, requests)
		}
		d.fails(fault.InvalidInput, "get_file", args{"item": film, "offset": 1}, "offset")
		d.fails(fault.InvalidInput, "get_file", args{"item": film, "name": "photo.png"}, `name: item is the file "launch-film-rough-cut.mp4" itself`)
		for _, content := range []string{"%PDF-1.4\n%\x80\x81", "PK\x03\x04\x00\x00", "text at first, then\n" + strings.Repeat("x", 600) + "\x00"} {
			if got := call[files.ShownFile](d, "get_file", args{"item": d.upload("some.txt", []byte(content)).ID}); got.Shown != "nothing" || !strings.Contains(got.WhyNot, "url") || got.Text != "" {
				d.Errorf("%.8q: %+v", content, got)
			}
		}
	})
}

func TestGetFile_ReadsTextInEveryEncoding(t *testing.T) {
	at(t, func(d *toolEnv) {
		const want = "Größe;Länge\n1;2\n"
		wide := []byte{0xff, 0xfe}
		for _, unit := range utf16.Encode([]rune(want)) {
			wide = append(wide, byte(unit), byte(unit>>8))
		}
		for name, content := range map[string][]byte{
			"plain.csv":   []byte(want),
			"bom.csv":     append([]byte("\xef\xbb\xbf"), want...),
			"crlf.csv":    []byte(strings.ReplaceAll(want, "\n", "\r\n")),
			"windows.csv": []byte("Gr\xf6\xdfe;L\xe4nge\n1;2\n"),
			"utf16.csv":   wide,
			"hidden.csv":  []byte("Grö\u200bße;Länge\u202e\n1;2\n"),
		} {
			encoding := map[string]string{"windows.csv": "windows-1252, guessed", "utf16.csv": "utf-16"}[name]
			if got := call[files.ShownFile](d, "get_file", args{"item": d.upload(name, content).ID}); got.Text != want || got.Shown != "text" || got.Encoding != encoding {
				d.Errorf("%s: %q %q", name, got.Text, got.Encoding)
			}
		}
	})
}

func TestGetFile_ReadsTextInTheEncodingThatItsTypeNames(t *testing.T) {
	for _, c := range []struct{ declared, content, text, encoding string }{
		{"text/plain; charset=windows-1251", "\xcf\xf0\xe8\xe2\xe5\xf2", "Привет", "windows-1251"},
		{`text/csv; charset="ISO-8859-2"`, "\xb1\xe6", "ąć", "iso-8859-2"},
		{"text/plain; charset=Shift_JIS", "\x93\xfa\x96{", "日本", "shift_jis"},
		{"text/plain; charset=iso-8859-1", "Gr\xf6\xdfe", "Größe", "windows-1252"},
		{"text/plain; charset=us-ascii", "Größe", "Größe", ""},
		{"text/plain; charset=utf-8", "Gr\xf6\xdfe", "Größe", "windows-1252, guessed"},
		{"text/plain; charset=unheard-of", "Größe", "Größe", ""},
		{"text/plain", "Gr\xf6\xdfe", "Größe", "windows-1252, guessed"},
	} {
		f := files.ShownFile{File: parts.File{ContentType: c.declared}}
		err := f.Show(basecamp.File{ContentType: "text/plain; charset=utf-8", Content: []byte(c.content)}, 0)
		if err != nil || f.Text != c.text || f.Encoding != c.encoding {
			t.Errorf("%s: %q in %q, %v", c.declared, f.Text, f.Encoding, err)
		}
	}
}

func TestGetFile_SplitsALongTextIntoPartsThatMakeTheWhole(t *testing.T) {
	at(t, func(d *toolEnv) {
		want := strings.Repeat("frame;0.3;passed – over\n", 4000)
		file := d.upload("rig.csv", []byte(want))
		d.meanwhile("POST", fmt.Sprintf("/recordings/%d/comments.json", file.ID), `{"content":"<div>Which frame is line 9?</div>"}`)
		text, offset, parts := "", 0, 0
		for range 3 {
			got := call[files.ShownFile](d, "get_file", args{"item": file.ID, "offset": offset})
			if (offset == 0) != (len(got.Comments) == 1) || got.CommentsCount != 1 || got.Truncated != (got.NextOffset > 0) || len([]rune(got.Text)) > lookup.MaxText {
				d.Errorf("at %d: %d comments of %d, truncated %v", offset, len(got.Comments), got.CommentsCount, got.Truncated)
			}
			text, offset, parts = text+got.Text, got.NextOffset, parts+1
			if offset == 0 {
				break
			}
		}
		if text != want || parts != 3 || offset != 0 {
			d.Errorf("%d of %d bytes in %d parts", len(text), len(want), parts)
		}
		d.fails(fault.InvalidInput, "get_file", args{"item": file.ID, "offset": 1_000_000}, "offset")
	})
}

func TestGetFile_FailsForAnUnknownFile(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.FindIn(launch, "Upload", "torque-values.md")
		d.fails(fault.NotFound, "get_file", args{"item": id, "project": "Company HQ"}, "there is no file")
		d.fails(fault.NotFound, "get_file", args{"item": 17})
		d.fails(fault.NotFound, "get_file", args{"item": "torque-tables.md", "project": launch}, "torque-values.md")
		d.fails(fault.NotFound, "get_file", args{"item": "torque-tables.md"}, "nearest")
		d.fails(fault.InvalidInput, "get_file", args{"item": d.url("vaults", 17)}, "list_documents")
	})
}

func TestGetFile_ShowsMetadataIfTheDownloadFails(t *testing.T) {
	for name, f := range map[string]sandbox.Fault{
		"403":          {Status: 403},
		"404":          {Status: 404},
		"429":          {Status: 429, Header: http.Header{"Retry-After": {"900"}}},
		"503":          {Status: 503},
		"hanging":      {Hang: true},
		"dropped":      {Drop: true},
		"bad redirect": {Status: 302, Header: http.Header{"Location": {"http://fernhill-storage.example/x"}}},
		"huge":         {Status: 200, Body: strings.Repeat("x", files.MaxContent+1)},
	} {
		at(t, func(d *toolEnv) {
			item := d.sandbox.FindIn(launch, "Upload", "torque-values.md")
			comment := fmt.Sprintf("/recordings/%d/comments.json", item)
			d.meanwhile("POST", comment, `{"content":"Is 40 Nm right?"}`)
			f.PathPrefix = "/blobs/"
			d.sandbox.Inject(f)
			byID := call[files.ShownFile](d, "get_file", args{"item": item})
			byURL := call[struct{ Item files.ShownFile }](d, "get_item", args{"url": d.url("uploads", item)}).Item
			for _, got := range []files.ShownFile{byID, byURL} {
				if got.Shown != "nothing" || got.WhyNot == "" || got.Filename != "torque-values.md" || got.Text != "" || len(got.Comments) != 1 ||
					strings.Contains(got.WhyNot, "fernhill-storage") {
					d.Errorf("%s: got %+v", name, got)
				}
			}
		})
	}
}

func TestGetFile_ShowsMetadataIfTheAddressIsInvalid(t *testing.T) {
	at(t, func(d *toolEnv) {
		rs, ctx := d.resolver()
		for _, address := range []string{"", "https://files.elsewhere.example/plan.pdf", "https://files.elsewhere.example/5094412/blobs/0/download/x.pdf", "%zz", "/"} {
			v, err := rs.Files.WholeFile(ctx, basecamp.Upload{Filename: "plan.pdf", DownloadURL: address}, parts.CommentsInput{})
			if err != nil || v.Shown != "nothing" || v.WhyNot == "" || v.Filename != "plan.pdf" {
				d.Errorf("%q: %v, %+v", address, err, v)
			}
		}
	})
}

func TestGetFile_FailsOnAnExpiredConnection(t *testing.T) {
	at(t, func(d *toolEnv) {
		d.sandbox.Inject(sandbox.Fault{PathPrefix: "/blobs/", Status: 401})
		d.fails(fault.TokenExpired, "get_file", args{"item": d.sandbox.FindIn(launch, "Upload", "torque-values.md")})
	})
}

// url returns the URL of an item of the launch project, as a browser shows it.
func (d *toolEnv) url(path string, id int64) string {
	return fmt.Sprintf("https://3.basecamp.com/%d/buckets/%d/%s/%d", d.sandbox.Account(), d.sandbox.ProjectID(launch), path, id)
}
