package sandbox

import (
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
)

// storageHost serves the bytes of files after a redirect from the API. Like any such store, it
// takes no Authorization header: the signed URL is the permission.
const storageHost = "files.fernhill-storage.example"

// A file is bytes with a name.
type file struct {
	key         string
	name        string
	contentType string
	width       int // for images
	height      int
	content     []byte
}

// An attachment is an uploaded file that can become part of rich text, or an upload.
type attachment struct {
	file
	id   int64
	sgid string
}

func (f *file) size() int { return len(f.content) }

// downloadURL returns the file's URL in Basecamp's answers. Its host is not the API's.
func (f *file) downloadURL(a *account) string {
	return fmt.Sprintf("https://storage.3.basecamp.com/%d/blobs/%s/download/%s", a.id, f.key, url.PathEscape(f.name))
}

// image returns a value for a field that is null for a file that is not a picture.
func (f *file) image(value any) any {
	if f.width == 0 {
		return nil
	}
	return value
}

func (c *call) attachment(t *attachment) view {
	return append(view{
		{"id", t.id}, {"attachable_sgid", t.sgid}, {"sgid", t.sgid}, {"status_url", c.url("/attachments/%s.json", t.sgid)}, {"caption", nil},
	}, c.stored(&t.file)...)
}

// stored returns the fields of a file.
func (c *call) stored(f *file) view {
	return view{
		{"byte_size", f.size()},
		{"content_type", f.contentType},
		{"width", f.image(f.width)},
		{"height", f.image(f.height)},
		{"key", f.key},
		{"filename", f.name},
		{"download_url", f.downloadURL(c.account)},
		{"previewable", f.width > 0},
		{"preview_url", present(f.width > 0, c.preview(f, "full"))},
		{"thumbnail_url", present(f.width > 0, c.preview(f, "card"))},
	}
}

func (c *call) preview(f *file, size string) string {
	return c.url("/blobs/%s/previews/%s", f.key, size)
}

// inlineFile returns a file next to the text that contains it. The section "Structured attachment
// metadata" of rich_text.md lists its fields.
func (c *call) inlineFile(t *attachment) view {
	preview, thumbnail := "", ""
	if t.width > 0 {
		preview, thumbnail = c.preview(&t.file, "full"), c.preview(&t.file, "card")
	}
	return view{
		{"id", t.id},
		{"sgid", t.sgid},
		{"filename", t.name},
		{"content_type", t.contentType},
		{"byte_size", t.size()},
		{"download_url", t.downloadURL(c.account)},
		{"width", t.image(t.width)},
		{"height", t.image(t.height)},
		{"previewable", t.width > 0},
		{"preview_url", preview},
		{"thumbnail_url", thumbnail},
	}
}

// attach stores a file.
func (s *Sandbox) attach(a *account, f file) *attachment {
	t := &attachment{file: f, id: s.nextID()}
	t.sgid = sgid("Attachment", t.id, "attachable")
	t.key = strings.ReplaceAll(requestID(int(t.id%1e9)), "-", "")
	a.attachments[t.sgid] = t
	s.blobs[t.key] = &t.file
	return t
}

// sentFile returns the file in a request's body.
func (c *call) sentFile() (file, reply) {
	name := path.Base(strings.TrimSpace(c.query.Get("name")))
	if name == "." || name == "/" {
		return file{}, badRequest("param is missing or the value is empty: name")
	}
	contentType := c.r.Header.Get("Content-Type")
	if contentType == "" {
		return file{}, unsupported()
	}
	if len(c.raw) == 0 {
		return file{}, invalid("The file is empty.")
	}
	return file{name: name, contentType: contentType, content: c.raw}, reply{}
}

func createAttachment(c *call) reply {
	f, refusal := c.sentFile()
	if refusal.status != 0 {
		return refusal
	}
	return created(c.attachment(c.s.attach(c.account, f)))
}

// downloadBlob redirects the client to the bytes. The URL contains the permission.
func downloadBlob(c *call) reply {
	f := c.s.blobs[c.params[0]]
	if f == nil {
		return notFound()
	}
	return redirectTo(f)
}

func downloadUpload(c *call, r *recording) reply { return redirectTo(r.file) }

func redirectTo(f *file) reply {
	r := replyWith(http.StatusFound, nil)
	r.header.Set("Location", fmt.Sprintf("https://%s/%s/%s?signature=%s", storageHost, f.key, url.PathEscape(f.name), f.key[:16]))
	return r
}

// storedFile answers for the file store: the bytes for a signed URL, and 400 if the request also
// has an Authorization header.
func (s *Sandbox) storedFile(r *http.Request) answer {
	if r.Header.Get("Authorization") != "" {
		return plainAnswer(http.StatusBadRequest, "Only one way of authorization is allowed.\n")
	}
	key, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	s.mu.Lock()
	f := s.blobs[key]
	s.mu.Unlock()
	if f == nil || r.URL.Query().Get("signature") != f.key[:16] {
		return plainAnswer(http.StatusForbidden, "Access denied.\n")
	}
	return answer{status: http.StatusOK, body: f.content, header: http.Header{
		"Content-Type":        {f.contentType},
		"Content-Disposition": {mime.FormatMediaType("attachment", map[string]string{"filename": f.name})},
	}}
}
