package basecamptools

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/basecamp/basecamptools/anyitem"
	"basecamp-mcp/internal/basecamp/basecamptools/files"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/report/fault"
)

func TestUploadFile(t *testing.T) {
	const content, top = "frame;mm\n17;0.3\n", "{tool:vault@Cargo Bike Launch}"
	encoded := base64.StdEncoding.EncodeToString([]byte(content))
	in := func(fact string, folder any, vault string) row {
		return row{fact: fact, in: args{"content_base64": encoded, "folder": folder, "description": "Measured **twice**"}, writes: []string{"POST /attachments.json?name=a.csv", "POST /vaults/" + vault + "/uploads.json"},
			holds: holds{"filename": "a.csv", "byte_size": len(content), "description": "Measured **twice**", "url": some, "project.name": launch, "author.name": "Ines Albrecht"}, then: []row{
				{tool: "GET /uploads/{0.id}.json", holds: holds{"content_type": has("text/csv")}}, {tool: "get_file", in: args{"item": "{0.id}"}, holds: holds{"text": content}}}}
	}
	text := func(content, shown string) row {
		return row{fact: "plain text is stored as given: " + content, in: args{"content_base64": nil, "filename": "notes.txt", "content": content}, holds: holds{"byte_size": len(content)}, then: []row{
			{tool: "get_file", in: args{"item": "{0.id}"}, holds: holds{"text": shown}}}}
	}
	each := func(name string, values ...string) (all []args) {
		for _, value := range values {
			all = append(all, args{name: value})
		}
		return all
	}
	cases(t, "upload_file", args{"project": launch, "filename": "a.csv", "content_base64": "YSxi"},
		in("it is stored in the top folder", nil, top), in("it is stored in a folder by its ID", frameID, frameID), in("by its name", "Frame", frameID), in("by its URL", launchURL+"/vaults/"+frameID, frameID),
		row{fact: "base64 may lack its end or have lines, and a long description is cut in the answer", in: args{"description": strings.Repeat("long ", 400)}, each: each("content_base64", "YSxi\nYSxi\n", "YSxiYQ", "YSxiYQ=="),
			holds: holds{"byte_size": least(4), "truncated": true, "description": most(files.MaxPreview)}},
		text("Plain text of the notes", "Plain text of the notes"), text("  Mässe;mm\r\n17;0,3\n\n", "  Mässe;mm\n17;0,3\n\n"), text("S2VyYnM=", "S2VyYnM="),
		row{fact: "malformed base64 is refused whole", fails: fault.InvalidInput, says: says{"content_base64", "valid base64", "plain text in content"}, each: each("content_base64",
			"Plain text of the notes", "Twenty kerbs both sides.", "YSxi YSxi", "YSxi\tYSxi", // blanks inside
			"Twenty\nkerbs\nboth\nside", "YSxi\n\nYSxi", "YSxi\nYSxiYSxi", // lines that no encoder makes
			"YSxiY", "YSxiYQ=", "YSxiYR==", "YSxiYR", "YQ==YQ==", "YQ==\nYQ==", "YS-_", "data:text/plain;base64,YSxi", "not base64!!", "???")},
		row{fact: "a file comes from one place", fails: fault.InvalidInput, says: says{"exactly one of content, content_base64, source_url and copy_of"}, each: []args{
			{"source_url": "https://files.example/a.csv"}, {"content": "a,b"}, {"content_base64": nil, "content": ""}, {"content_base64": nil, "copy_of": 1, "content": "x"}}},
		invalid("one place is required", args{"content_base64": nil}, "content_base64", "source_url"),
		invalid("a file is not empty", args{"content_base64": " \n"}, "empty file"),
		row{fact: "a file has a name", each: append(each("filename", "../../etc/passwd", `a\b`, ".", "..", "/", " "), args{"filename": nil}, args{"filename": nil, "content_base64": nil, "source_url": "https://files.example/"}),
			fails: fault.InvalidInput, says: says{"filename"}},
		row{fact: "a source is an https URL", in: args{"content_base64": nil}, each: each("source_url", "http://files.example/a.csv", "file:///etc/passwd", "https://u:p@files.example/a", "https://files.example:22/a"),
			fails: fault.InvalidInput, says: says{"source_url", "https URL"}},
		invalid("a source must answer", args{"content_base64": nil, "source_url": "https://files.example/a.csv"}, "source_url", "status"),
		invalid("whom the description mentions must be on the project", args{"description": "See @[Sam](person:17)"}, "description", "not on the project"),
		row{fact: "the project must exist", in: args{"project": "No such project"}, fails: fault.NotFound, says: says{"project"}},
		row{fact: "the folder must exist", in: args{"folder": "No such folder"}, fails: fault.NotFound, says: says{"folder"}},
		row{fact: "the project must have Docs & Files", in: args{"project": "Newsletter Refresh"}, fails: fault.ToolNotEnabled, says: says{"Docs & Files"}},
		row{fact: "what it copies must exist", in: args{"content_base64": nil, "copy_of": "no-such-file.txt"}, fails: fault.NotFound, says: says{"copy_of"}},
		invalid("a project or an item is required", args{"project": nil}, "project", "item"),
		invalid("a file goes into a folder or to an item", args{"item": "message:17", "folder": "Frame"}, "folder or item"),
		invalid("a chat line has no comments", args{"project": nil, "item": "chat_line:17"}, "post_chat_line"), invalid("nor a folder", args{"project": nil, "item": launchURL + "/vaults/17"}, "item"),
		row{fact: "the item must exist", in: args{"project": nil, "item": "message:17"}, fails: fault.NotFound},
	)
}

func TestUploadFile_ReplacesAFile(t *testing.T) {
	const budget, handbook = "{Upload:launch-budget.csv@Cargo Bike Launch}", "{Document:Assembly handbook}"
	version := func(in args, name, before string, more holds) []row {
		want := holds{"id": "{0.id}", "url": "{0.url}", "filename": name, "previous.filename": before, "note": has("cannot be taken back"), "notified": nil}
		maps.Copy(want, more)
		return []row{{in: in, each: []args{{"filename": in["filename"]}}, holds: want}, {tool: "get_file", in: args{"item": "{0.id}"}, holds: holds{"text": in["content"]}}}
	}
	kept, changed := holds{"description": "As of **May**", "previous.description": nil}, holds{"description": "As of June", "previous.description": "As of **May**"}
	cases(t, "upload_file", args{"content": "x"},
		row{fact: "it has a new version, and its earlier one stays in Basecamp", in: args{"project": launch, "filename": "prices.csv", "content": "bell;3\n", "description": "As of **May**"}, then: slices.Concat(
			version(args{"replaces": "{0.id}", "content": "bell;4\n"}, "prices.csv", "prices.csv", kept),
			version(args{"replaces": "{0.url}", "filename": "prices-june.csv", "content": "bell;5\n", "description": "As of June"}, "prices-june.csv", "prices.csv", changed),
			version(args{"replaces": "prices-june.csv", "project": launch, "filename": "prices-july.csv", "content": "bell;6\n"}, "prices-july.csv", "prices-june.csv", nil))},
		invalid("it stays in its folder", args{"replaces": budget, "folder": "Frame", "project": launch}, "replaces", "folder"),
		invalid("it is no comment", args{"replaces": budget, "item": documentItem}, "replaces"),
		invalid("a document is no file", args{"replaces": launchURL + "/documents/" + handbook}, "replaces", "file"),
		invalid("a text is required", args{"replaces": budget, "content": nil}, "content"),
		row{fact: "the file must exist", in: args{"replaces": handbook}, fails: fault.NotFound, says: says{"replaces"}},
		row{fact: "the file must be in the project", in: args{"replaces": budget, "project": "Company HQ"}, fails: fault.NotFound, says: says{"replaces"}},
		row{fact: "the file is not in the trash", before: []string{"PUT /recordings/" + budget + "/status/trashed.json"}, in: args{"replaces": budget}, fails: fault.InvalidInput, says: says{"trashed"}},
	)
}

func TestDecoded_JoinsTheLinesOfAnEncoder(t *testing.T) {
	want := strings.Repeat("frame;mm\n", 30)
	encoded := base64.StdEncoding.EncodeToString([]byte(want))
	for _, end := range []string{"\n", "\r\n"} {
		for _, width := range []int{4, 64, 76, len(encoded)} {
			var wrapped strings.Builder
			for line := range slices.Chunk([]byte(encoded), width) {
				wrapped.WriteString(string(line) + end)
			}
			if got, err := files.Decoded(wrapped.String()); err != nil || string(got) != want {
				t.Errorf("lines of %d that end in %q: %q, %v", width, end, got, err)
			}
		}
	}
}

func TestUploadFile_FetchesFromAPublicURL(t *testing.T) {
	at(t, func(d *toolEnv) {
		upload := upstream[record](d, fmt.Sprintf("/uploads/%d.json", d.sandbox.FindIn(launch, "Upload", "torque-values.md")))
		path := strings.TrimPrefix(upload["download_url"].(string), fmt.Sprintf("https://storage.3.basecamp.com/%d", d.sandbox.Account()))
		address := d.redirect(path)
		for name, want := range map[string]string{"": "torque-values.md", "torque copy.md": "torque copy.md"} {
			in := args{"project": launch, "source_url": address}
			if name != "" {
				in["filename"] = name
			}
			if made := call[files.AttachmentItem](d, "upload_file", in); made.Filename != want || float64(made.ByteSize) != upload["byte_size"] {
				d.Errorf("got %+v", made)
			}
		}
	})
}

// redirect returns the URL to which Basecamp redirects a request for a file.
func (d *toolEnv) redirect(path string) string {
	d.Helper()
	response := d.ask(d.ines(), http.MethodGet, path, "", "")
	_ = response.Body.Close()
	return response.Header.Get("Location")
}

// A preview may be made with a token that only reads.
func TestUploadFile_IsPreviewedWithoutFetchingTheFile(t *testing.T) {
	t.Parallel()
	fencing(t, func(d *toolEnv, a *aboutPlaces) {
		file := call[files.ShownFile](d, "get_file", args{"item": d.sandbox.FindIn(launch, "Upload", "torque-values.md")})
		for _, in := range []args{{"source_url": "https://files.example/a.csv"}, {"copy_of": file.ID}, {"copy_of": file.DownloadURL}} {
			in["project"] = launch
			a.begin()
			p := call[previewed](d, "preview", args{"tool": "upload_file", "arguments": in})
			sent := p.Writes[0].After
			if downloads := strings.Contains(fmt.Sprint(a.about, a.bare, a.across), "download"); len(a.public) > 0 || downloads || p.Total != 2 || sent["name"] == "" || sent["bytes"] != nil {
				d.Errorf("%v: fetched %q, %+v", in, a.public, p)
			}
		}
		d.fails(fault.InvalidInput, "preview", args{"tool": "upload_file", "arguments": args{"project": launch, "source_url": "http://files.example/a.csv"}}, "https URL")
	})
}

func TestUploadFile_CopiesAFileFromAnotherProject(t *testing.T) {
	at(t, func(d *toolEnv) {
		message := d.sandbox.FindIn(launch, "Message", "Bike number zero, week three")
		d.comment(message, d.attached("spoke-count.txt"))
		inText := call[files.ShownFile](d, "get_file", args{"item": d.url("messages", message), "name": "spoke-count.txt"})
		file := call[files.ShownFile](d, "get_file", args{"item": d.sandbox.FindIn(launch, "Upload", "torque-values.md")})
		for _, from := range []struct {
			of   any
			want files.ShownFile
		}{{file.ID, file}, {file.URL, file}, {file.DownloadURL, file}, {"torque-values.md", file}, {inText.DownloadURL, inText}, {"spoke-count.txt", inText}} {
			made := call[files.UploadedFile](d, "upload_file", args{"project": "Company HQ", "copy_of": from.of})
			if got := call[files.ShownFile](d, "get_file", args{"item": made.ID}); got.Filename != from.want.Filename || got.Text != from.want.Text || got.Project.Name != "Company HQ" {
				d.Errorf("%v: %+v", from.of, got)
			}
			call[anyitem.StatusResults](d, "set_item_status", args{"items": []string{made.URL}, "status": "trashed"})
		}
		if made := call[files.UploadedFile](d, "upload_file", args{"project": launch, "copy_of": file.ID, "filename": "torque-2.md"}); made.Filename != "torque-2.md" || made.ByteSize != file.ByteSize {
			d.Errorf("got %+v", made)
		}
		for _, own := range []string{file.DownloadURL, file.URL, inText.DownloadURL} {
			d.refuses(fault.InvalidInput, "upload_file", args{"project": launch, "source_url": own}, "address of Basecamp", "copy_of")
		}
	})
}

func TestUploadFile_SaysWhichStepFailed(t *testing.T) {
	for name, x := range map[string]struct {
		fault sandbox.Fault
		want  fault.Code
		doubt bool // whether the upload or the comment may exist
	}{
		"bytes 401":    {sandbox.Fault{PathPrefix: "/attachments", Status: 401}, fault.TokenExpired, false},
		"bytes 502":    {sandbox.Fault{PathPrefix: "/attachments", Status: 502}, fault.UpstreamError, false},
		"bytes lost":   {sandbox.Fault{PathPrefix: "/attachments", Drop: true}, fault.UpstreamError, false},
		"upload 502":   {sandbox.Fault{PathPrefix: "/vaults", Status: 502, AfterEffect: true}, fault.UpstreamError, true},
		"comment 403":  {sandbox.Fault{PathPrefix: "/recordings", Status: 403}, fault.PermissionDenied, false},
		"comment 404":  {sandbox.Fault{PathPrefix: "/recordings", Status: 404}, fault.NotFound, false},
		"comment 422":  {sandbox.Fault{PathPrefix: "/recordings", Status: 422}, fault.InvalidInput, false},
		"comment 429":  {sandbox.Fault{PathPrefix: "/recordings", Status: 429, Header: http.Header{"Retry-After": {"60"}}}, fault.RateLimited, false},
		"comment lost": {sandbox.Fault{PathPrefix: "/recordings", Drop: true, AfterEffect: true}, fault.UpstreamError, true},
		"comment hang": {sandbox.Fault{PathPrefix: "/recordings", Hang: true}, fault.UpstreamError, true},
	} {
		at(t, func(d *toolEnv) {
			in := args{"item": fmt.Sprint("message:", d.sandbox.FindIn(launch, "Message", "Bike number zero, week three")), "filename": "a.txt", "content": "a"}
			if strings.HasPrefix(name, "upload") {
				in = args{"project": launch, "filename": "a.csv", "content_base64": "YSxi"}
			}
			broken := x.fault
			broken.Method = http.MethodPost
			d.sandbox.Inject(broken)
			text, sent := d.sends("upload_file", in)
			sent = slices.DeleteFunc(sent, func(r string) bool { return strings.HasPrefix(r, "POST /attachments") })
			retryable := !x.doubt && (x.want == fault.UpstreamError || x.want == fault.RateLimited)
			if !strings.Contains(text, string(x.want)) || strings.Contains(text, `"may_have_happened":true`) != x.doubt || strings.Contains(text, `"retryable":true`) != retryable || len(sent) > 1 {
				d.Errorf("%s: %s, sent %v", name, text, sent)
			}
		})
	}
}
