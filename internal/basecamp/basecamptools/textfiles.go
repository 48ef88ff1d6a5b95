package basecamptools

import (
	"context"
	"slices"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/richtext"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/plaintext"
)

// file is the metadata of a file. The size and the address are absent if Basecamp did not say them.
type file struct {
	Filename    string `json:"filename"`
	ContentType string `json:"content_type"`
	ByteSize    int64  `json:"byte_size,omitzero"`
	DownloadURL string `json:"download_url,omitzero"`
}

// viewFiles returns the files of a text. It shows only addresses that get_file reads.
func viewFiles(text basecamp.HTML, listed []basecamp.Attachment) []file {
	var files []file
	for _, a := range filesIn(text, listed) {
		v := file{Filename: plaintext.Clean(a.Filename), ContentType: a.ContentType, ByteSize: a.ByteSize}
		if basecamp.FileName(a.DownloadURL) != "" {
			v.DownloadURL = a.DownloadURL
		}
		files = append(files, v)
	}
	return files
}

// filesIn returns the files of a text: those that Basecamp listed next to it, or else those that
// its elements describe.
func filesIn(text basecamp.HTML, listed []basecamp.Attachment) []basecamp.Attachment {
	if len(listed) > 0 {
		return listed
	}
	var files []basecamp.Attachment
	for _, f := range richtext.Files(string(text)) {
		files = append(files, basecamp.Attachment{SGID: f.SGID, Filename: f.Name, ContentType: f.ContentType, DownloadURL: f.URL})
	}
	return files
}

// filesOfLine returns the files of a chat line.
func filesOfLine(l basecamp.ChatLine) []basecamp.Attachment {
	if l.IsHTML() {
		return filesIn(basecamp.HTML(l.Content), l.Attachments)
	}
	return l.Attachments
}

// heldFile is a file with the item whose text contains it.
type heldFile struct {
	basecamp.Attachment
	in basecamp.Recording
}

func held(in basecamp.Recording, files []basecamp.Attachment) []heldFile {
	all := make([]heldFile, len(files))
	for i, f := range files {
		all[i] = heldFile{f, in}
	}
	return all
}

// holders are the kinds of items whose text can contain files.
var holders = []kind{
	messageKind, commentKind, documentKind, todoKind, cardKind, answerKind, entryKind, listKind, lineKind, forwardKind,
}

// namesHolder reports whether a reference names an item that is not itself a file, or a comment.
func namesHolder(item string) bool {
	given := urls.ParseRef(item)
	if given.URL == "" {
		word, _, typed := strings.Cut(given.Name, ":")
		return typed && slices.ContainsFunc(holders, func(k kind) bool { return k.kind == word || k.kind == alsoCalled[word] })
	}
	link, err := basecamp.ParseLink(given.URL)
	if err != nil {
		return false
	}
	return link.Comment != 0 || slices.ContainsFunc(holders, func(k kind) bool { return slices.Contains(k.links, link.Type) })
}

// fileInside shows a file of the item that the call names: one in its text or, if its text has no
// such file, one in its first comments.
func (rs *resolver) fileInside(ctx context.Context, in getFileInput) (shownFile, error) {
	t, err := rs.thing(ctx, "item", itemInput{in.Item.String(), in.Project}, append(holders, uploadKind)...)
	if err != nil {
		return shownFile{}, err
	}
	var files []heldFile
	for _, read := range rs.textsOf(t) {
		more, err := read(ctx)
		if err != nil {
			return shownFile{}, err
		}
		files = append(files, more...)
		found, err := pickFile(files, in.Name)
		switch {
		case err == nil:
			return rs.showHeld(ctx, found, in.Offset)
		case !fault.Is(err, fault.NotFound):
			return shownFile{}, err
		}
	}
	switch {
	case t.kind.kind == uploadKind.kind: // its URL scrolls to a comment without such a file
		return rs.showUpload(ctx, t.id, in.commentsInput)
	case len(files) == 0:
		e := fault.New(fault.NotFound, "item: %s %d has no files, neither in its text nor in its first comments; %s reads it", t.one, t.id, t.reader)
		e.Resource = &fault.Resource{Type: "file", ID: shorten(in.Name)}
		return shownFile{}, e
	}
	_, err = pickFile(files, in.Name)
	return shownFile{}, err
}

type filesReader func(context.Context) ([]heldFile, error)

// textsOf returns the readers of the texts in which to look for a file: the comment that the URL
// scrolls to, the item, and the item's first comments.
func (rs *resolver) textsOf(t thing) []filesReader {
	item := basecamp.Recording{}
	own := func(ctx context.Context) ([]heldFile, error) {
		text, err := readIn(ctx, t.in, t.kind, t.id, func(ctx context.Context, id int64) (basecamp.Text, error) {
			return rs.bc.Text(ctx, t.kind.kind, id)
		})
		item = text.Recording
		return held(item, filesIn(text.Written(), text.Files())), err
	}
	comments := func(ctx context.Context) ([]heldFile, error) {
		if item.CommentsCount == 0 {
			return nil, nil
		}
		page, err := rs.bc.Comments(ctx, item.ID, 1)
		var all []heldFile
		for _, c := range page.Items {
			all = append(all, held(c.Recording, filesIn(c.Content, c.Attachments))...)
		}
		return all, err
	}
	switch {
	case t.kind.kind == lineKind.kind:
		return []filesReader{func(ctx context.Context) ([]heldFile, error) { return rs.filesOfLineAt(ctx, t.link) }}
	case t.link.Comment == 0:
		return []filesReader{own, comments}
	}
	anchored := func(ctx context.Context) ([]heldFile, error) { return rs.filesOfComment(ctx, t) }
	if t.kind.kind == uploadKind.kind {
		return []filesReader{anchored}
	}
	return []filesReader{anchored, own, comments}
}

// filesOfComment returns the files of the comment or reply that a URL scrolls to. One that is gone
// has none.
func (rs *resolver) filesOfComment(ctx context.Context, t thing) ([]heldFile, error) {
	read := rs.bc.Comment
	if t.kind.kind == forwardKind.kind {
		read = func(ctx context.Context, id int64) (basecamp.Comment, error) {
			return rs.bc.ForwardReply(ctx, t.id, id)
		}
	}
	c, err := read(ctx, t.link.Comment)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	return held(c.Recording, filesIn(c.Content, c.Attachments)), err
}

func (rs *resolver) filesOfLineAt(ctx context.Context, link basecamp.Link) ([]heldFile, error) {
	if link.Within == 0 {
		return nil, fault.Invalid("item", "give the URL of the chat line; list_campfire_lines returns it")
	}
	line, err := rs.bc.ChatLine(ctx, link.Within, link.ID)
	return held(line.Recording, filesOfLine(line)), err
}

// pickFile returns the file with a name or, without a name, the only one.
func pickFile(files []heldFile, name string) (heldFile, error) {
	c := choice[heldFile]{
		argument: "name", noun: noun{"file", "files", "file"}, items: files, few: true,
		name:  func(f heldFile) string { return f.Filename },
		id:    func(heldFile) int64 { return 0 },
		where: func(f heldFile) string { return f.DownloadURL },
	}
	found := files
	if name != "" {
		if found = exactly(files, name, c.label); len(found) == 0 {
			found = containing(files, name, c.label)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) == 0:
		return heldFile{}, c.unknown(name)
	}
	return heldFile{}, c.ambiguous(found, "%d files match; give the name of one, or its address (where) as item", len(found))
}

// showHeld shows a file with what Basecamp says about the item that contains it.
func (rs *resolver) showHeld(ctx context.Context, f heldFile, offset int) (shownFile, error) {
	m := viewMeta(f.in)
	v := shownFile{
		Type: "attachment", file: viewFiles("", []basecamp.Attachment{f.Attachment})[0],
		In:  &replyRef{head: head{f.in.ID, typeOf(f.in.Type)}, URL: m.URL},
		URL: m.URL, Project: m.Project, Creator: m.Author.Name, Author: m.Author, CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt, Status: f.in.Status,
	}
	err := rs.lookInto(ctx, &v, f.DownloadURL, offset)
	return v, err
}

// fileAt shows the file with a download address. Nothing else is known about it.
func (rs *resolver) fileAt(ctx context.Context, name, address string, offset int) (shownFile, error) {
	content, err := rs.bc.Download(ctx, address, maxContent)
	if fault.Is(err, fault.NotFound) {
		e := fault.New(fault.NotFound, "item: there is no file at this address; read the item that contains it again").Because(err)
		e.Resource = &fault.Resource{Type: "file", ID: shorten(name)}
		return shownFile{}, e
	}
	if err != nil {
		return shownFile{}, err
	}
	v := shownFile{Type: "attachment", file: file{
		Filename: plaintext.Clean(name), ContentType: content.ContentType, ByteSize: int64(len(content.Content)), DownloadURL: address,
	}}
	err = v.show(content, offset)
	return v, err
}
