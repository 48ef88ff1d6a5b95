package sandbox

import "slices"

type chatJSON struct {
	envelope
	Topic    string `json:"topic"`
	LinesURL string `json:"lines_url"`
	FilesURL string `json:"files_url"`
}

type lineJSON struct {
	envelope
	Content     *string        `json:"content,omitempty"` // plain text or HTML, depending on the type
	Attachments []lineFileJSON `json:"attachments,omitempty"`
}

type lineFileJSON struct {
	Title       string `json:"title"`
	URL         string `json:"url"`
	Filename    string `json:"filename"`
	ContentType string `json:"content_type"`
	ByteSize    int    `json:"byte_size"`
	DownloadURL string `json:"download_url"`
}

func (c *call) chat(r *recording) chatJSON {
	return chatJSON{c.envelope(r), r.title, c.url("%s/lines.json", r.place()), c.url("%s/uploads.json", r.place())}
}

func (c *call) line(r *recording) lineJSON {
	view := lineJSON{envelope: c.envelope(r)}
	if r.kind != kindUploadLine {
		view.Content = &r.body
		return view
	}
	view.Attachments = []lineFileJSON{{
		Title: r.file.name, URL: c.url("/blobs/%s/previews/full", r.file.key), Filename: r.file.name,
		ContentType: r.file.contentType, ByteSize: r.file.size(), DownloadURL: r.file.downloadURL(c.account),
	}}
	return view
}

// listChats answers with the enabled chats of all projects. Those of pings are not in a dock.
func listChats(c *call) reply {
	chats := filter(c.everywhere(kindChat), func(r *recording) bool { return !r.disabled && !r.bucket.circle })
	return page(c, chats, c.chat)
}

func showChat(c *call, chat *recording) reply { return ok(c.chat(chat)) }

// listLines answers with the lines of a chat, the oldest first unless direction is desc.
func listLines(c *call, chat *recording) reply {
	lines := newestFirst(c.active(chat.within(lineKinds...)))
	if c.query.Get("direction") != "desc" {
		slices.Reverse(lines)
	}
	return page(c, lines, c.line)
}

// lineOf returns the line {line} of a chat.
func (c *call) lineOf(chat *recording) *recording {
	line := c.find(c.id("line"), lineKinds...)
	if line == nil || line.parent != chat || line.effective() != active {
		return nil
	}
	return line
}

func showLine(c *call, chat *recording) reply {
	line := c.lineOf(chat)
	if line == nil {
		return notFound()
	}
	return ok(c.line(line))
}

// createLine adds plain text, or HTML if content_type is text/html.
func createLine(c *call, chat *recording) reply {
	f := c.fields
	if f.trimmed("content") == "" {
		return invalidBare("content", blank)
	}
	line := &recording{kind: kindTextLine, body: f.text("content")}
	if f.text("content_type") == "text/html" {
		line.kind, line.body = kindRichLine, c.s.richText(c.account, line.body)
	}
	c.create(chat, line)
	chat.updated = line.created
	if line.kind == kindRichLine {
		c.mention(line, nil)
	}
	if chat.bucket.circle {
		c.tellPing(line)
	}
	return created(c.line(line)).located(c.appURL("%s", line.anchor()))
}

// updateLine lets a line's author change it. The line becomes rich text, whatever its type was.
func updateLine(c *call, chat *recording) reply {
	line := c.lineOf(chat)
	f := c.fields
	switch {
	case line == nil:
		return notFound()
	case line.creator != c.me || line.kind == kindUploadLine:
		return forbidden()
	case f.trimmed("content") == "":
		return invalidBare("content", blank)
	}
	line.kind, line.body = kindRichLine, c.s.richText(c.account, f.text("content"))
	line.updated = c.now()
	return noContent()
}

// deleteLine lets a line's author and administrators delete it.
func deleteLine(c *call, chat *recording) reply {
	line := c.lineOf(chat)
	switch {
	case line == nil:
		return notFound()
	case line.creator != c.me && !c.me.admin:
		return forbidden()
	}
	line.status = trashed
	return noContent()
}

func listChatUploads(c *call, chat *recording) reply {
	return page(c, newestFirst(c.active(chat.within(kindUploadLine))), c.line)
}

func createChatUpload(c *call, chat *recording) reply {
	f, refusal := c.sentFile()
	if refusal.status != 0 {
		return refusal
	}
	line := c.create(chat, &recording{kind: kindUploadLine, file: &c.s.attach(c.account, f).file})
	return created(c.line(line)).located(c.appURL("%s", line.anchor()))
}
