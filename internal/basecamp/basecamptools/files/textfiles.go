package files

import (
	"context"
	"slices"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/text/naming"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/toolargs"
)

// heldFile is a file with the item whose text contains it.
type heldFile struct {
	basecamp.Attachment
	in basecamp.Recording
}

func held(in basecamp.Recording, files []basecamp.Attachment) []heldFile {
	return lookup.Mapped(files, func(f basecamp.Attachment) heldFile { return heldFile{f, in} })
}

// holders are the kinds of items whose text can contain files.
var holders = []lookup.Kind{
	lookup.MessageKind, lookup.CommentKind, lookup.DocumentKind, lookup.TodoKind, lookup.CardKind, lookup.AnswerKind, lookup.EntryKind, lookup.ListKind, lookup.LineKind, lookup.ForwardKind,
}

// namesHolder reports whether a reference names an item that is not itself a file, or a comment.
func namesHolder(item string) bool {
	given := lookup.URLs.ParseRef(item)
	if given.URL == "" {
		word, _, typed := strings.Cut(given.Name, ":")
		return typed && slices.ContainsFunc(holders, func(k lookup.Kind) bool { return k.Kind == word || k.Kind == lookup.AlsoCalled[word] })
	}
	link, err := basecamp.ParseLink(given.URL)
	if err != nil {
		return false
	}
	return link.Comment != 0 || slices.ContainsFunc(holders, func(k lookup.Kind) bool { return slices.Contains(k.Links, link.Type) })
}

// fileInside shows a file of the item that the call names: one in its text or, if its text has no
// such file, one in its first comments.
func (rs *Resolver) fileInside(ctx context.Context, in getFileInput) (ShownFile, error) {
	t, err := rs.Thing(ctx, "item", lookup.ItemInput{Item: in.Item.String(), Project: in.Project}, append(holders, lookup.UploadKind)...)
	if err != nil {
		return ShownFile{}, err
	}
	var files []heldFile
	for _, read := range rs.textsOf(t) {
		more, err := read(ctx)
		if err != nil {
			return ShownFile{}, err
		}
		files = append(files, more...)
		found, err := pickFile(files, in.Name)
		switch {
		case err == nil:
			return rs.showHeld(ctx, found, in.Offset)
		case !fault.Is(err, fault.NotFound):
			return ShownFile{}, err
		}
	}
	switch {
	case t.Kind.Kind == lookup.UploadKind.Kind: // its URL scrolls to a comment without such a file
		return rs.ShowUpload(ctx, t.ID, in.CommentsInput)
	case len(files) == 0:
		e := fault.New(fault.NotFound, "item: %s %d has no files, neither in its text nor in its first comments; %s reads it", t.One, t.ID, t.Reader)
		e.Resource = &fault.Resource{Type: "file", ID: lookup.Shorten(in.Name)}
		return ShownFile{}, e
	}
	_, err = pickFile(files, in.Name)
	return ShownFile{}, err
}

// showNamed shows a file in a text by its name. Unfound is the error for an upload of that name.
func (rs *Resolver) showNamed(ctx context.Context, in getFileInput, unfound error) (ShownFile, error) {
	var project int64
	if !in.Project.IsZero() {
		var err error
		if project, err = rs.ProjectID(ctx, "project", in.Project); err != nil {
			return ShownFile{}, err
		}
	}
	found, err := rs.fileNamed(ctx, in.Item, project, unfound)
	if err != nil {
		return ShownFile{}, err
	}
	return rs.showHeld(ctx, found, in.Offset)
}

// fileNamed finds a file in a text by its name, which Basecamp's search knows. Project 0 is any. If
// there is none, it returns the error for an upload of that name.
func (rs *Resolver) fileNamed(ctx context.Context, ref toolargs.Ref, project int64, unfound error) (heldFile, error) {
	if ref.Name == "" || !fault.Is(unfound, fault.NotFound) {
		return heldFile{}, unfound
	}
	page, err := rs.BC.Search(fence.Aside(ctx), basecamp.Search{Text: ref.Name, Types: []string{"Attachment"}, Project: project}, 1)
	if err != nil {
		return heldFile{}, err
	}
	var files []heldFile
	for _, r := range page.Items {
		if r.IsFile() && r.Parent != nil && basecamp.FileName(r.DownloadURL) != "" {
			in := r.Recording
			in.ID, in.Type, in.AppURL = r.Parent.ID, r.Parent.Type, r.Parent.AppURL
			files = append(files, heldFile{r.Attachment, in})
		}
	}
	found, err := pickFile(files, ref.Name)
	if fault.Is(err, fault.NotFound) {
		err = unfound
	}
	return found, err
}

type filesReader func(context.Context) ([]heldFile, error)

// textsOf returns the readers of the texts in which to look for a file: the comment that the URL
// scrolls to, the item, and the item's first comments.
func (rs *Resolver) textsOf(t lookup.Thing) []filesReader {
	item := basecamp.Recording{}
	own := func(ctx context.Context) ([]heldFile, error) {
		text, err := lookup.ReadIn(ctx, t.In, t.Kind, t.ID, func(ctx context.Context, id int64) (basecamp.Text, error) {
			return basecamp.ItemAt[basecamp.Text](t.Kind.Kind).Get(ctx, rs.BC, id)
		})
		item = text.Recording
		return held(item, parts.FilesIn(text.Written(), text.Files())), err
	}
	comments := func(ctx context.Context) ([]heldFile, error) {
		if item.CommentsCount == 0 {
			return nil, nil
		}
		page, err := basecamp.CommentsOn.Page(ctx, rs.BC, 1, item.ID)
		var all []heldFile
		for _, c := range page.Items {
			all = append(all, held(c.Recording, parts.FilesIn(c.Content, c.Attachments))...)
		}
		return all, err
	}
	switch {
	case t.Kind.Kind == lookup.LineKind.Kind:
		return []filesReader{func(ctx context.Context) ([]heldFile, error) { return rs.filesOfLineAt(ctx, t.Link) }}
	case t.Link.Comment == 0:
		return []filesReader{own, comments}
	}
	anchored := func(ctx context.Context) ([]heldFile, error) { return rs.filesOfComment(ctx, t) }
	if t.Kind.Kind == lookup.UploadKind.Kind {
		return []filesReader{anchored}
	}
	return []filesReader{anchored, own, comments}
}

// filesOfComment returns the files of the comment or reply that a URL scrolls to. One that is gone
// has none.
func (rs *Resolver) filesOfComment(ctx context.Context, t lookup.Thing) ([]heldFile, error) {
	read := basecamp.CommentAt.Reader(rs.BC)
	if t.Kind.Kind == lookup.ForwardKind.Kind {
		read = func(ctx context.Context, id int64) (basecamp.Comment, error) {
			return basecamp.ReplyAt.Get(ctx, rs.BC, t.ID, id)
		}
	}
	c, err := read(ctx, t.Link.Comment)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	return held(c.Recording, parts.FilesIn(c.Content, c.Attachments)), err
}

func (rs *Resolver) filesOfLineAt(ctx context.Context, link basecamp.Link) ([]heldFile, error) {
	if link.Within == 0 {
		return nil, fault.Invalid("item", "give the URL of the chat line; list_campfire_lines returns it")
	}
	line, err := basecamp.LineAt.Get(ctx, rs.BC, link.Within, link.ID)
	return held(line.Recording, parts.FilesOfLine(line)), err
}

// pickFile returns the file with a name or, without a name, the only one.
func pickFile(files []heldFile, name string) (heldFile, error) {
	c := lookup.Choice[heldFile]{
		Argument: "name", Noun: lookup.Noun{One: "file", Many: "files", Kind: "file"}, Items: files, Few: true,
		Name:  func(f heldFile) string { return f.Filename },
		ID:    func(heldFile) int64 { return 0 },
		Where: func(f heldFile) string { return f.DownloadURL },
	}
	found := files
	if name != "" {
		if found = naming.Exactly(files, name, c.Label); len(found) == 0 {
			found = naming.Containing(files, name, c.Label)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) == 0:
		return heldFile{}, c.Unknown(name)
	}
	return heldFile{}, c.Ambiguous(found, "%d files match; give the name of one, or its address (where) as item", len(found))
}

// showHeld shows a file with what Basecamp says about the item that contains it.
func (rs *Resolver) showHeld(ctx context.Context, f heldFile, offset int) (ShownFile, error) {
	m := lookup.ViewMeta(f.in)
	v := ShownFile{
		Type: "attachment", File: parts.ViewFiles("", []basecamp.Attachment{f.Attachment})[0],
		In:  &parts.ReplyRef{Head: lookup.Head{ID: f.in.ID, Type: lookup.TypeOf(f.in.Type)}, URL: m.URL},
		URL: m.URL, Project: m.Project, Creator: m.Author.Name, Author: m.Author, CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt, Status: f.in.Status,
	}
	err := rs.lookInto(ctx, &v, f.DownloadURL, offset)
	return v, err
}

// fileAt shows the file with a download address. Nothing else is known about it.
func (rs *Resolver) fileAt(ctx context.Context, name, address string, offset int) (ShownFile, error) {
	content, err := rs.BC.Download(ctx, address, MaxContent)
	if fault.Is(err, fault.NotFound) {
		e := fault.New(fault.NotFound, "item: there is no file at this address; read the item that contains it again").Because(err)
		e.Resource = &fault.Resource{Type: "file", ID: lookup.Shorten(name)}
		return ShownFile{}, e
	}
	if err != nil {
		return ShownFile{}, err
	}
	v := ShownFile{Type: "attachment", File: parts.File{
		Filename: plaintext.Clean(name), ContentType: content.ContentType, ByteSize: int64(len(content.Content)), DownloadURL: address,
	}}
	err = v.Show(content, offset)
	return v, err
}
