package sandbox

import (
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
)

var fileRoutes = []route{
	{"GET /uploads/{id}/download/{name}", func(c *call, r *recording) reply { return redirectTo(r.File) }},
	{"POST /attachments", func(c *call) reply {
		return created(c.as("attachment", c.s.attach(c.account, c.sentFile())))
	}},
	// Redirects the client to the bytes. The URL contains the permission.
	{"GET /blobs/{key}/download/{name}", func(c *call) reply {
		f := c.s.blobs[c.params[0]]
		refuse(f == nil, notFound())
		return redirectTo(f)
	}},
}

// storageHost serves the bytes of files after a redirect from the API. Like any such store, it
// takes no Authorization header: the signed URL is the permission.
const storageHost = "files.fernhill-storage.example"

// A file is bytes with a name.
type file struct {
	Key         string
	Filename    string
	ContentType string
	Width       int // for images
	Height      int
	Content     []byte
}

// downloadURL returns the file's URL in Basecamp's answers. Its host is not the API's.
func (f *file) downloadURL(a *account) string {
	return fmt.Sprintf("https://storage.3.basecamp.com/%d/blobs/%s/download/%s", a.ID, f.Key, url.PathEscape(f.Filename))
}

// preview returns the URL of a picture's preview, or "" for another file.
func (c *call) preview(f *file, size string) string {
	if f.Width == 0 {
		return ""
	}
	return c.url("/blobs/%s/previews/%s", f.Key, size)
}

// attach stores a file, which can become part of rich text, or an upload.
func (s *Sandbox) attach(a *account, f file) *recording {
	r := &recording{ID: s.nextID(), Type: kindAttachment, File: &f}
	f.Key = strings.ReplaceAll(requestID(int(r.ID%1e9)), "-", "")
	a.attachments[r.attachableSGID()] = r
	s.blobs[f.Key] = &f
	return r
}

func (r *recording) attachableSGID() string { return sgid("Attachment", r.ID, "attachable") }

// sentFile returns the file in a request's body.
func (c *call) sentFile() file {
	name, contentType := path.Base(strings.TrimSpace(c.query.Get("name"))), c.r.Header.Get("Content-Type")
	refuse(name == "." || name == "/", badRequest("param is missing or the value is empty: name"))
	refuse(contentType == "", unsupported())
	refuse(len(c.raw) == 0, invalid("The file is empty."))
	return file{Filename: name, ContentType: contentType, Content: c.raw}
}

func redirectTo(f *file) reply {
	r := replyWith(http.StatusFound, nil)
	r.header.Set("Location", fmt.Sprintf("https://%s/%s/%s?signature=%s", storageHost, f.Key, url.PathEscape(f.Filename), f.Key[:16]))
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
	if f == nil || r.URL.Query().Get("signature") != f.Key[:16] {
		return plainAnswer(http.StatusForbidden, "Access denied.\n")
	}
	return answer{status: http.StatusOK, body: f.Content, header: http.Header{
		"Content-Type":        {f.ContentType},
		"Content-Disposition": {mime.FormatMediaType("attachment", map[string]string{"filename": f.Filename})},
	}}
}
