package sandbox

import (
	"path"
	"strings"
)

type vaultJSON struct {
	envelope
	DocumentsCount int    `json:"documents_count"`
	DocumentsURL   string `json:"documents_url"`
	UploadsCount   int    `json:"uploads_count"`
	UploadsURL     string `json:"uploads_url"`
	VaultsCount    int    `json:"vaults_count"`
	VaultsURL      string `json:"vaults_url"`
}

type uploadJSON struct {
	describedJSON
	ContentType    string `json:"content_type"`
	ByteSize       int    `json:"byte_size"`
	Filename       string `json:"filename"`
	DownloadURL    string `json:"download_url"`
	AppDownloadURL string `json:"app_download_url"`
	Width          *int   `json:"width,omitempty"`
	Height         *int   `json:"height,omitempty"`
}

func (c *call) vault(r *recording) vaultJSON {
	return vaultJSON{
		envelope:       c.envelope(r),
		DocumentsCount: len(c.active(r.within(kindDocument))),
		DocumentsURL:   c.url("/vaults/%d/documents.json", r.id),
		UploadsCount:   len(c.active(r.within(kindUpload))),
		UploadsURL:     c.url("/vaults/%d/uploads.json", r.id),
		VaultsCount:    len(c.active(r.within(kindVault))),
		VaultsURL:      c.url("/vaults/%d/vaults.json", r.id),
	}
}

func createVault(c *call, parent *recording) reply {
	vault := c.create(parent, &recording{kind: kindVault, title: c.fields.trimmed("title")})
	return created(c.vault(vault)).located(c.appURL("%s", vault.anchor()))
}

func updateVault(c *call, vault *recording) reply {
	vault.title = c.fields.trimmed("title")
	c.changed(vault, "title_changed", nil)
	return ok(c.vault(vault))
}

// fileRecording moves a folder, a document or a file to another folder of its project, or within
// its own.
func fileRecording(c *call, r *recording) reply {
	vault := c.find(c.fields.number("parent_id"), kindVault)
	position := int(c.fields.number("position"))
	switch {
	case r.parent == nil || vault == nil || vault.bucket != r.bucket:
		return notFound()
	case c.fields.has("position") && position < 1:
		return badRequest("Position must be greater than or equal to 1")
	}
	for at := vault; at != nil; at = at.parent {
		if at == r {
			return invalid("A folder cannot be filed in itself.")
		}
	}
	r.move(vault, max(1, position))
	c.changed(r, "position_changed", nil)
	return noContent()
}

// createDocument creates a draft unless status is active.
func createDocument(c *call, vault *recording) reply {
	f := c.fields
	d := &recording{kind: kindDocument, title: f.trimmed("title"), status: drafted, public: vault.public}
	d.body = c.s.richText(c.account, f.text("content"))
	if f.text("status") == string(active) {
		d.status = active
	}
	c.create(vault, d)
	d.subscribe(c.known(vault.bucket, f.numbers("subscriptions"))...)
	if d.status == active {
		c.announce(d)
	}
	return created(c.text(d)).located(c.appURL("%s", d.anchor()))
}

// updateDocument replaces title and content, and clears the one that is missing. It refuses a
// request that has only a status.
func updateDocument(c *call, d *recording) reply {
	f := c.fields
	if !f.has("title") && !f.has("content") {
		return badRequest("param is missing or the value is empty: document")
	}
	d.title = f.trimmed("title")
	c.setText(d, "content")
	c.publishOr(d, f, "content_changed")
	return ok(c.text(d))
}

func (c *call) upload(r *recording) uploadJSON {
	place := r.place() + "/download/" + r.file.name
	view := uploadJSON{
		describedJSON:  c.described(r),
		ContentType:    r.file.contentType,
		ByteSize:       r.file.size(),
		Filename:       r.file.name,
		DownloadURL:    r.file.downloadURL(c.account),
		AppDownloadURL: "https://storage.3.basecamp.com" + strings.TrimPrefix(c.appURL("%s", place), appOrigin),
	}
	if r.file.width > 0 {
		view.Width, view.Height = &r.file.width, &r.file.height
	}
	return view
}

func createUpload(c *call, vault *recording) reply {
	f := c.fields
	sent := c.account.attachments[f.text("attachable_sgid")]
	if sent == nil {
		return invalidField("attachable_sgid", "is invalid")
	}
	u := c.create(vault, &recording{
		kind: kindUpload, file: renamed(sent.file, f), body: c.s.richText(c.account, f.text("description")), public: vault.public,
	})
	u.title = u.file.name
	u.versions = []*file{u.file}
	c.s.blobs[u.file.key] = u.file
	c.announce(u)
	return created(c.upload(u)).located(c.appURL("%s", u.anchor()))
}

// updateUpload changes name and description if the request has them. It ignores a blank name.
func updateUpload(c *call, u *recording) reply {
	f := c.fields
	u.file = renamed(*u.file, f)
	u.title = u.file.name
	c.s.blobs[u.file.key] = u.file
	if f.has("description") {
		c.setText(u, "description")
	}
	c.changed(u, "content_changed", nil)
	return ok(c.upload(u))
}

// replaceUpload adds a new version of the file. The upload keeps its id and its comments.
func replaceUpload(c *call, u *recording) reply {
	f := c.fields
	sent := c.account.attachments[f.text("attachable_sgid")]
	if sent == nil {
		return invalidField("attachable_sgid", "is invalid")
	}
	u.file = renamed(sent.file, f)
	u.title = u.file.name
	u.versions = append(u.versions, u.file)
	if f.has("description") {
		c.setText(u, "description")
	}
	c.changed(u, "blob_changed", nil)
	return created(c.upload(u))
}

type versionJSON struct {
	eventJSON
	Upload map[string]any `json:"upload"`
}

// listVersions answers with an upload's files, the newest first.
func listVersions(c *call, u *recording) reply {
	var versions []versionJSON
	n := 0
	for _, e := range c.account.events {
		if e.recording != u || e.action != "created" && e.action != "blob_changed" || n == len(u.versions) {
			continue
		}
		f := u.versions[n]
		n++
		versions = append([]versionJSON{{c.event(e), map[string]any{
			"filename": f.name, "content_type": f.contentType, "byte_size": f.size(),
			"download_url": f.downloadURL(c.account), "current": n == len(u.versions),
		}}}, versions...)
	}
	return ok(versions)
}

// renamed returns a file with the requested name. base_name is a name without its extension.
func renamed(f file, with fields) *file {
	if base := with.trimmed("base_name"); base != "" {
		f.name = path.Base(base) + path.Ext(f.name)
	}
	return &f
}
