package sandbox

import (
	"path"
	"slices"
)

var documentRoutes = []route{
	// Answers with an upload's files, the newest first.
	{"GET /uploads/{id}/versions", func(c *call, u *recording) reply {
		versions := []view{}
		for _, e := range c.account.events {
			n := len(versions)
			if e.Recording != u || e.Action != "created" && e.Action != "blob_changed" || n == len(u.Versions) {
				continue
			}
			f := u.Versions[n]
			versions = append(versions, append(c.as("event", e), field{"upload", view{
				{"byte_size", len(f.Content)},
				{"content_type", f.ContentType},
				{"current", n+1 == len(u.Versions)},
				{"download_url", f.downloadURL(c.account)},
				{"filename", f.Filename},
			}}))
		}
		slices.Reverse(versions)
		return ok(versions)
	}},
	// Adds a new version of the file. The upload keeps its id and its comments.
	{"POST /uploads/{id}/versions", func(c *call, u *recording) reply {
		before := mentioned(c.account, u.Body)
		setFile(c, u, value{c.fields, input{name: "attachable_sgid"}})
		if c.fields.has("description") {
			setBody(c, u, value{c.fields, input{name: "description"}})
			c.mention(u, before)
		}
		c.changed(u, "blob_changed", nil)
		return created(c.show(u))
	}},
	// Moves a folder, a document or a file to another folder of its project, or within its own.
	{"POST /recordings/{id}/filing", onKinds(func(c *call, r *recording) reply {
		vault := c.find(c.fields.number("parent_id"), kindVault)
		position := int(c.fields.number("position"))
		refuse(r.Parent == nil || vault == nil || vault.Bucket != r.Bucket, notFound())
		refuse(c.fields.has("position") && position < 1, badRequest("Position must be greater than or equal to 1"))
		for at := vault; at != nil; at = at.Parent {
			refuse(at == r, invalid("A folder cannot be filed in itself."))
		}
		r.move(vault, max(1, position))
		c.changed(r, "position_changed", nil)
		return noContent()
	}, kindVault, kindDocument, kindUpload)},
}

var vaults = writing{
	kind: kindVault, within: []kind{kindVault}, list: "vaults", inputs: []input{{name: "title", required: true, set: setTitle}}, replaces: true, action: "title_changed",
}

// documents need a title only when they are made. A change that has only a status is refused.
var documents = writing{
	kind: kindDocument, within: []kind{kindVault}, list: "documents",
	mayChange: func(c *call, _ *recording) {
		refuse(!c.fields.has("title") && !c.fields.has("content"), badRequest("param is missing or the value is empty: document"))
	},
	inputs: []input{
		{name: "title", first: true, required: true, set: setTitle},
		{name: "title", later: true, set: setTitle},
		{name: "content", set: setBody},
	},
	replaces: true, drafts: true, inherits: true,
	made: func(c *call, d *recording) {
		d.subscribe(c.known(d.Bucket, c.fields.numbers("subscriptions"))...)
		if d.Status == active {
			c.announce(d)
		}
	},
	changed: (*call).publish,
}

var uploads = writing{
	kind: kindUpload, within: []kind{kindVault}, list: "uploads",
	inputs: []input{
		{name: "attachable_sgid", first: true, set: setFile},
		{name: "base_name", later: true, set: func(c *call, u *recording, v value) {
			c.keepFile(u, renamed(*u.File, v.fields)) // ignores a blank name
		}},
		{name: "description", set: setBody},
	},
	inherits: true,
	made:     (*call).announce,
}

// setFile sets the file of an upload to one that was sent.
func setFile(c *call, u *recording, v value) {
	sent := c.account.attachments[v.text()]
	v.refuse(sent == nil, "is invalid")
	c.keepFile(u, renamed(*sent.File, v.fields))
	u.Versions = append(u.Versions, u.File)
}

func (c *call) keepFile(u *recording, f *file) {
	u.File, u.Title = f, f.Filename
	c.s.blobs[f.Key] = f
}

// renamed returns a file with the requested name. base_name is a name without its extension.
func renamed(f file, with fields) *file {
	if base := with.trimmed("base_name"); base != "" {
		f.Filename = path.Base(base) + path.Ext(f.Filename)
	}
	return &f
}
