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
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/listing"
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

// torque is a text file of the launch with the torque values.
const (
	torque   = "{Upload:torque-values.md" + inTheLaunch
	torqueAt = launchURL + "/uploads/" + torque
)

// uploaded is a case of a file that is uploaded with a content and then read.
func uploaded(fact, name string, content []byte, shows holds, then ...row) row {
	return row{fact: fact, tool: "upload_file", in: args{"project": launch, "filename": name, "content_base64": base64.StdEncoding.EncodeToString(content)},
		then: append([]row{{in: args{"item": "{0.id}"}, holds: shows}}, then...)}
}

func TestGetFile(t *testing.T) {
	const film = "{Upload:launch-film-rough-cut.mp4" + inTheLaunch
	const part = listing.MaxText / 24 * 24 // of whole lines
	long := strings.Repeat("frame;0.3;passed – over\n", 4000)
	binary := holds{"shown": "nothing", "why_not": has("url"), "text": nil}
	rows := []row{
		{fact: "a text is shown by any reference", holds: holds{"id": torque, "shown": "text", "text": has("# Torque values, Long Tail\n"), "why_not": nil, "truncated": nil, "status": "active"},
			each: []args{{"item": torque}, {"item": "upload:" + torque}, {"item": torqueAt}, {"item": torqueAt, "project": launch}, {"item": "torque-values.md", "project": launch}, {"item": "torque", "project": launch}}},
		{fact: "a large one is only described, without a read", setup: (*toolEnv).knowsLaunch, in: args{"item": film, "include_comments": false}, requests: 1, holds: holds{"shown": "nothing", "why_not": has("1.3 MB"), "url": some}},
		{fact: "it has no text to go on in", in: args{"item": film, "offset": 1}, fails: fault.InvalidInput, says: says{"offset"}},
		{fact: "it is the file itself", in: args{"item": film, "name": "photo.png"}, fails: fault.InvalidInput, says: says{`name: item is the file "launch-film-rough-cut.mp4" itself`}},
		{fact: "it must be in the project", in: args{"item": torque, "project": "Company HQ"}, fails: fault.NotFound, says: says{"there is no file"}},
		{fact: "it must exist", in: args{"item": 17}, fails: fault.NotFound},
		{fact: "the nearest names are told", in: args{"item": "torque-tables.md", "project": launch}, fails: fault.NotFound, says: says{"torque-values.md"}},
		{fact: "in any project", in: args{"item": "torque-tables.md"}, fails: fault.NotFound, says: says{"nearest"}},
		{fact: "a folder is not a file", in: args{"item": launchURL + "/vaults/17"}, fails: fault.InvalidInput, says: says{"list_documents"}},
		{fact: "an expired connection", in: args{"item": torque}, faults: faults{{PathPrefix: "/blobs/", Status: 401}}, fails: fault.TokenExpired},
		uploaded("a long text comes in parts", "rig.csv", []byte(long), holds{"text": least(part), "truncated": true, "next_offset": part}, []row{
			{in: args{"item": "{0.id}", "offset": "{1.next_offset}"}, holds: holds{"text": least(part), "truncated": true, "next_offset": 2 * part, "comments": nil}},
			{in: args{"item": "{0.id}", "offset": "{2.next_offset}"}, holds: holds{"text": least(24*4000 - 2*part), "truncated": nil, "next_offset": nil}},
			{in: args{"item": "{0.id}", "offset": 1_000_000}, fails: fault.InvalidInput, says: says{"offset"}},
		}...),
		uploaded("a file that is not a picture is not shown as one", "photo.png", []byte("no picture"), holds{"shown": "text"}),
		uploaded("a PDF is not shown", "some.txt", []byte("%PDF-1.4\n%\x80\x81"), binary),
		uploaded("an archive is not shown", "some.txt", []byte("PK\x03\x04\x00\x00"), binary),
		uploaded("nor what ends in bytes", "some.txt", []byte("text at first, then\n"+strings.Repeat("x", 600)+"\x00"), binary),
	}
	const want = "Größe;Länge\n1;2\n"
	wide := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(want)) {
		wide = append(wide, byte(unit), byte(unit>>8))
	}
	for name, x := range map[string]struct {
		content  []byte
		encoding any
	}{
		"plain": {[]byte(want), nil}, "bom": {append([]byte("\xef\xbb\xbf"), want...), nil}, "crlf": {[]byte(strings.ReplaceAll(want, "\n", "\r\n")), nil},
		"windows": {[]byte("Gr\xf6\xdfe;L\xe4nge\n1;2\n"), "windows-1252, guessed"}, "utf16": {wide, "utf-16"}, "hidden": {[]byte("Grö\u200bße;Länge\u202e\n1;2\n"), nil},
	} {
		rows = append(rows, uploaded(name, name+".csv", x.content, holds{"text": want, "shown": "text", "encoding": x.encoding}))
	}
	for name, f := range map[string]sandbox.Fault{
		"403": {Status: 403}, "404": {Status: 404}, "429": {Status: 429, Header: http.Header{"Retry-After": {"900"}}}, "503": {Status: 503}, "hanging": {Hang: true}, "dropped": {Drop: true},
		"bad redirect": {Status: 302, Header: http.Header{"Location": {"http://fernhill-storage.example/x"}}}, "huge": {Status: 200, Body: strings.Repeat("x", files.MaxContent+1)},
	} {
		f.PathPrefix = "/blobs/"
		known := func(at string) holds {
			return holds{at + "shown": "nothing", at + "why_not": some, at + "filename": "torque-values.md", at + "text": nil, at + "comments.#": 1}
		}
		rows = append(rows, row{fact: "without its content: " + name, before: says{"POST /recordings/" + torque + `/comments.json {"content":"Is 40 Nm right?"}`}, faults: faults{f},
			in: args{"item": torque}, holds: known(""), misses: says{"fernhill-storage"}, then: []row{{tool: "get_item", in: args{"url": torqueAt}, holds: known("item.")}}})
	}
	cases(t, "get_file", nil, rows...)
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
		}
		if got := call[files.ShownFile](d, "get_file", args{"item": d.upload("photo.png", []byte("no picture")).ID}); got.Shown != "text" {
			d.Errorf("got %+v", got)
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

func TestGetFile_ShowsWhatIsKnownIfTheAddressIsInvalid(t *testing.T) {
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

// url returns the URL of an item of the launch project, as a browser shows it.
func (d *toolEnv) url(path string, id int64) string {
	return fmt.Sprintf("https://3.basecamp.com/%d/buckets/%d/%s/%d", d.sandbox.Account(), d.sandbox.ProjectID(launch), path, id)
}
