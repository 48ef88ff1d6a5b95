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

type attachmentJSON struct {
	ID             int64   `json:"id"`
	AttachableSGID string  `json:"attachable_sgid"`
	SGID           string  `json:"sgid"`
	StatusURL      string  `json:"status_url"`
	Caption        *string `json:"caption"`
	fileJSON
}

type fileJSON struct {
	ByteSize     int    `json:"byte_size"`
	ContentType  string `json:"content_type"`
	Width        *int   `json:"width"`
	Height       *int   `json:"height"`
	Key          string `json:"key"`
	Filename     string `json:"filename"`
	DownloadURL  string `json:"download_url"`
	Previewable  bool   `json:"previewable"`
	PreviewURL   string `json:"preview_url,omitempty"`
	ThumbnailURL string `json:"thumbnail_url,omitempty"`
}

// inlineJSON is a file next to the text that contains it. The section "Structured attachment
// metadata" of rich_text.md lists its fields.
type inlineJSON struct {
	ID           int64  `json:"id"`
	SGID         string `json:"sgid"`
	Filename     string `json:"filename"`
	ContentType  string `json:"content_type"`
	ByteSize     int    `json:"byte_size"`
	DownloadURL  string `json:"download_url"`
	Width        *int   `json:"width"`
	Height       *int   `json:"height"`
	Previewable  bool   `json:"previewable"`
	PreviewURL   string `json:"preview_url"`
	ThumbnailURL string `json:"thumbnail_url"`
}

func (c *call) attachment(t *attachment) attachmentJSON {
	view := attachmentJSON{ID: t.id, AttachableSGID: t.sgid, SGID: t.sgid, StatusURL: c.url("/attachments/%s.json", t.sgid), fileJSON: fileJSON{
		ByteSize: t.size(), ContentType: t.contentType, Key: t.key, Filename: t.name, DownloadURL: t.downloadURL(c.account),
	}}
	if t.width > 0 {
		view.Width, view.Height = &t.width, &t.height
		view.Previewable = true
		view.PreviewURL = c.url("/blobs/%s/previews/full", t.key)
		view.ThumbnailURL = c.url("/blobs/%s/previews/card", t.key)
	}
	return view
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
