package basecamptools

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/basecamp/basecamptools/anyitem"
	"basecamp-mcp/internal/basecamp/basecamptools/files"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
)

func TestUploadFile_StoresTheBytesInTheNamedFolder(t *testing.T) {
	at(t, func(d *toolEnv) {
		root, frame := d.sandbox.ToolID(launch, "vault"), d.sandbox.FindIn(launch, "Vault", "Frame")
		content := "frame;mm\n17;0.3\n"
		for name, folder := range map[string]any{"top.csv": nil, "byid.csv": frame, "byname.csv": "Frame", "byurl.csv": d.url("vaults", frame)} {
			in := args{"project": launch, "filename": name, "content_base64": base64.StdEncoding.EncodeToString([]byte(content)), "description": "Measured **twice**"}
			want := root
			if folder != nil {
				in["folder"], want = folder, frame
			}
			made := call[files.AttachmentItem](d, "upload_file", in)
			if made.Filename != name || made.ByteSize != int64(len(content)) || made.Description != "Measured **twice**" || made.URL == "" || made.Project.Name != launch || made.Author.Name != "Ines Albrecht" {
				d.Errorf("%s: %+v", name, made)
			}
			held := upstream[record](d, fmt.Sprintf("/uploads/%d.json", made.ID))
			if got := int64(held["parent"].(record)["id"].(float64)); got != want || !strings.HasPrefix(held["content_type"].(string), "text/csv") {
				d.Errorf("%s is in %d as %v", name, got, held["content_type"])
			}
			if got := call[files.ShownFile](d, "get_file", args{"item": made.ID}); got.Text != content {
				d.Errorf("%s holds %q", name, got.Text)
			}
		}
	})
}

func TestUploadFile_AcceptsBase64VariantsAndCutsALongDescription(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, encoded := range []string{"YSxi\nYSxi\n", "YSxiYQ", "YSxiYQ=="} {
			made := call[files.AttachmentItem](d, "upload_file", args{
				"project": launch, "filename": "a.csv", "content_base64": encoded, "description": strings.Repeat("long ", 400),
			})
			if made.ByteSize < 4 || !made.Truncated || len([]rune(made.Description)) > files.MaxPreview {
				d.Errorf("%q: %d bytes, %d characters", encoded, made.ByteSize, len(made.Description))
			}
		}
	})
}

func TestUploadFile_StoresPlainTextAsGiven(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, content := range []string{"Plain text of the notes", "  Mässe;mm\r\n17;0,3\n\n", "S2VyYnM="} {
			made := call[files.AttachmentItem](d, "upload_file", args{"project": launch, "filename": "notes.txt", "content": content})
			shown := strings.ReplaceAll(content, "\r\n", "\n") // as get_file shows every text
			if got := call[files.ShownFile](d, "get_file", args{"item": made.ID}); made.ByteSize != int64(len(content)) || got.Text != shown {
				d.Errorf("%q: %d bytes, %q", content, made.ByteSize, got.Text)
			}
		}
	})
}

func TestUploadFile_RefusesMalformedBase64Whole(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, encoded := range []string{
			"Plain text of the notes", "Twenty kerbs both sides.", "YSxi YSxi", "YSxi\tYSxi", // blanks inside
			"Twenty\nkerbs\nboth\nside", "YSxi\n\nYSxi", "YSxi\nYSxiYSxi", // lines that no encoder makes
			"YSxiY", "YSxiYQ=", "YSxiYR==", "YSxiYR", "YQ==YQ==", "YQ==\nYQ==", "YS-_", "data:text/plain;base64,YSxi", "not base64!!",
		} {
			d.refuses(fault.InvalidInput, "upload_file", args{"project": launch, "filename": "a.csv", "content_base64": encoded},
				"content_base64", "valid base64", "plain text in content")
		}
	})
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

func TestUploadFile_BadInputSendsNothing(t *testing.T) {
	at(t, func(d *toolEnv) {
		good := args{"project": launch, "filename": "a.csv", "content_base64": "YSxi"}
		with := func(change args) args {
			in := clone(good)
			for name, value := range change {
				if in[name] = value; value == nil {
					delete(in, name)
				}
			}
			return in
		}
		d.refuses(fault.InvalidInput, "upload_file", with(args{"content_base64": nil}), "content_base64", "source_url")
		d.refuses(fault.InvalidInput, "upload_file", with(args{"source_url": "https://files.example/a.csv"}), "exactly one of content, content_base64, source_url and copy_of")
		d.refuses(fault.InvalidInput, "upload_file", with(args{"content": "a,b"}), "exactly one of content, content_base64, source_url and copy_of")
		d.refuses(fault.InvalidInput, "upload_file", args{"project": launch, "filename": "a.csv", "content": ""}, "exactly one of content, content_base64, source_url and copy_of")
		d.refuses(fault.InvalidInput, "upload_file", with(args{"content_base64": "???"}), "content_base64", "base64")
		d.refuses(fault.InvalidInput, "upload_file", with(args{"content_base64": " \n"}), "empty file")
		d.refuses(fault.InvalidInput, "upload_file", with(args{"filename": nil}), "filename")
		d.refuses(fault.InvalidInput, "upload_file", with(args{"content_base64": nil, "filename": nil, "source_url": "https://files.example/"}), "filename")
		for _, name := range []string{"../../etc/passwd", `a\b`, ".", "..", "/", " "} {
			d.refuses(fault.InvalidInput, "upload_file", with(args{"filename": name}), "filename")
		}
		for _, address := range []string{"http://files.example/a.csv", "file:///etc/passwd", "https://u:p@files.example/a", "https://files.example:22/a"} {
			d.refuses(fault.InvalidInput, "upload_file", with(args{"content_base64": nil, "source_url": address}), "source_url", "https URL")
		}
		d.refuses(fault.NotFound, "upload_file", with(args{"project": "No such project"}), "project")
		d.refuses(fault.NotFound, "upload_file", with(args{"folder": "No such folder"}), "folder")
		d.refuses(fault.ToolNotEnabled, "upload_file", with(args{"project": "Newsletter Refresh"}), "Docs & Files")
		d.refuses(fault.InvalidInput, "upload_file", with(args{"description": "See @[Sam](person:17)"}), "description", "not on the project")
		d.refuses(fault.InvalidInput, "upload_file", with(args{"content_base64": nil, "source_url": "https://files.example/a.csv"}), "source_url", "status")
	})
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
		d.refuses(fault.InvalidInput, "upload_file", args{"project": launch, "copy_of": file.ID, "content": "x", "filename": "a.txt"}, "exactly one")
		d.refuses(fault.NotFound, "upload_file", args{"project": launch, "copy_of": "no-such-file.txt"}, "copy_of")
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

func TestUploadFile_ReplacesAFileAndSaysThatItCannotBeTakenBack(t *testing.T) {
	at(t, func(d *toolEnv) {
		first := call[files.UploadedFile](d, "upload_file", args{"project": launch, "filename": "prices.csv", "content": "bell;3\n", "description": "As of **May**"})
		for _, in := range []args{
			{"replaces": first.ID, "content": "bell;4\n"},
			{"replaces": first.URL, "filename": "prices-june.csv", "content": "bell;5\n", "description": "As of June"},
			{"replaces": "prices-june.csv", "project": launch, "filename": "prices-july.csv", "content": "bell;6\n"},
		} {
			name, named := in["filename"].(string)
			if !named {
				name = first.Filename
			}
			before := call[files.ShownFile](d, "get_file", args{"item": first.ID})
			made := call[files.UploadedFile](d, "upload_file", in)
			if made.ID != first.ID || made.URL != first.URL || made.Filename != name || made.Previous == nil || made.Previous.Filename != before.Filename ||
				!strings.Contains(made.Note, "cannot be taken back") || len(made.Notified) > 0 {
				d.Errorf("%s: %+v, previous %+v", name, made, made.Previous)
			}
			if gone := in["description"] != nil; gone != (made.Previous.Description != "") || gone != (made.Description == "As of June" && before.Description != "As of June") {
				d.Errorf("%s: description %q, previous %q", name, made.Description, made.Previous.Description)
			}
			if got := call[files.ShownFile](d, "get_file", args{"item": first.ID}); got.Text != in["content"] {
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
		d.refuses(fault.NotFound, "upload_file", args{"replaces": document, "content": "x"}, "replaces")
		d.refuses(fault.NotFound, "upload_file", args{"replaces": file, "project": "Company HQ", "content": "x"}, "replaces")
		d.refuses(fault.InvalidInput, "upload_file", args{"replaces": file}, "content")
		call[anyitem.StatusResults](d, "set_item_status", args{"items": []string{fmt.Sprint("upload:", file)}, "status": "trashed"})
		d.refuses(fault.InvalidInput, "upload_file", args{"replaces": file, "content": "x"}, "trashed")
	})
}
