package sandbox

import (
	"path"
	"slices"
	"strings"
)

func (c *call) vault(r *recording) view {
	count := func(k kind) int { return len(c.active(r.within(k))) }
	return c.envelope(
		r,
		field{"documents_count", count(kindDocument)},
		field{"documents_url", c.url("/vaults/%d/documents.json", r.id)},
		field{"uploads_count", count(kindUpload)},
		field{"uploads_url", c.url("/vaults/%d/uploads.json", r.id)},
		field{"vaults_count", count(kindVault)},
		field{"vaults_url", c.url("/vaults/%d/vaults.json", r.id)},
	)
}

func (c *call) upload(r *recording) view {
	f := r.file
	place := c.appURL("%s/download/%s", r.place(), f.name)
	return c.described(
		r,
		field{"content_type", f.contentType},
		field{"byte_size", f.size()},
		field{"filename", f.name},
		field{"download_url", f.downloadURL(c.account)},
		field{"app_download_url", "https://storage.3.basecamp.com" + strings.TrimPrefix(place, appOrigin)},
		field{"width", present(f.width > 0, f.width)},
		field{"height", present(f.width > 0, f.height)},
	)
}

// listVersions answers with an upload's files, the newest first.
func listVersions(c *call, u *recording) reply {
	versions := []view{}
	for _, e := range c.account.events {
		n := len(versions)
		if e.recording != u || e.action != "created" && e.action != "blob_changed" || n == len(u.versions) {
			continue
		}
		f := u.versions[n]
		versions = append(versions, append(c.event(e), field{"upload", view{
			{"byte_size", f.size()},
			{"content_type", f.contentType},
			{"current", n+1 == len(u.versions)},
			{"download_url", f.downloadURL(c.account)},
			{"filename", f.name},
		}}))
	}
	slices.Reverse(versions)
	return ok(versions)
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

// renamed returns a file with the requested name. base_name is a name without its extension.
func renamed(f file, with fields) *file {
	if base := with.trimmed("base_name"); base != "" {
		f.name = path.Base(base) + path.Ext(f.name)
	}
	return &f
}
