package files

import (
	"cmp"
	"context"
	"encoding/base64"
	"net/url"
	"path"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/richtext"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolargs"
	"basecamp-mcp/internal/wire/writeplan"
)

type uploadFileInput struct {
	Project     toolargs.Ref `json:"project,omitzero" jsonschema:"This, item or replaces"`
	Folder      toolargs.Ref `json:"folder,omitzero" jsonschema:"Default: the top one"`
	Item        string       `json:"item,omitzero" jsonschema:"To comment on: URL or type:id" limits:"maxlen=2000"`
	Replaces    toolargs.Ref `json:"replaces,omitzero" jsonschema:"A file"`
	Filename    string       `json:"filename,omitzero" jsonschema:"With extension" limits:"maxlen=200"`
	Text        string       `json:"content,omitzero" jsonschema:"Text up to 700 KB; or content_base64, source_url, copy_of"`
	Base64      string       `json:"content_base64,omitzero" jsonschema:"Base64"`
	SourceURL   string       `json:"source_url,omitzero" jsonschema:"Public https URL" limits:"maxlen=2000"`
	CopyOf      toolargs.Ref `json:"copy_of,omitzero" jsonschema:"A Basecamp file or its download_url"`
	Description string       `json:"description,omitzero" jsonschema:"Markdown" limits:"maxlen=100000"`
	parts.ClientsInput
}

// maxUpload is the size limit of a file that is fetched or copied, in bytes.
const maxUpload = 20 << 20

// UploadFile returns the tool upload_file.
func UploadFile(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "upload_file",
		Title:       "Upload or attach a file",
		Description: "Uploads a file to a folder of a Basecamp project, or attaches it to an item in a new comment.",
		Words:       "upload a file, attach a picture, attachment, image",
		Effect:      mcptool.Creates,
	}, func(ctx context.Context, in uploadFileInput) (UploadedFile, error) {
		name, err := in.name()
		if err != nil {
			return UploadedFile{}, err
		}
		put, old, err := rs.destination(ctx, in)
		if err != nil {
			return UploadedFile{}, err
		}
		content, copied, err := rs.uploaded(ctx, in)
		if err != nil {
			return UploadedFile{}, err
		}
		sgid, err := rs.BC.CreateAttachment(ctx, cmp.Or(name, old, copied), content)
		if err != nil {
			return UploadedFile{}, err
		}
		v, err := put(ctx, sgid)
		v.Seen = v.ViewClients()
		v.Trim(MaxPreview)
		return v, err
	})
}

// UploadedFile is a new file: an upload in a folder, or the comment that contains the file. Item is
// what the comment is on.
type UploadedFile struct {
	AttachmentItem
	Item *parts.ActedOn `json:"item,omitempty"`
	newVersion
	lookup.Reach
}

// destination checks where the file goes, and returns a function that puts an attachment there. Old
// is the name of the file that it replaces.
func (rs *Resolver) destination(ctx context.Context, in uploadFileInput) (put func(ctx context.Context, sgid string) (UploadedFile, error), old string, err error) {
	switch {
	case !in.Replaces.IsZero():
		return rs.replacing(ctx, in)
	case in.Item != "":
		put, err = rs.attaching(ctx, in)
		return put, "", err
	}
	if in.Project.IsZero() {
		return nil, "", fault.Invalid("project", "is required for a folder; or give item, to attach the file to an item in a comment")
	}
	folder, err := rs.Folder(ctx, "project", in.Project, in.Folder)
	if err == nil {
		err = lookup.NotPutAway("folder", folder)
	}
	draft := parts.Draft{Project: folder.Bucket.ID, In: folder, Clients: in.ClientsInput, Body: map[string]any{}}
	if err == nil {
		err = rs.Draft(ctx, &draft, "description", lookup.Prose{Argument: "description", Markdown: in.Description})
	}
	if err == nil {
		err = rs.BC.PermitWrite(ctx, folder.Bucket.ID)
	}
	return func(ctx context.Context, sgid string) (UploadedFile, error) {
		draft.Body["attachable_sgid"] = sgid
		made, reach, err := parts.Make(ctx, rs.Base, draft, basecamp.UploadsIn, folder.ID)
		return UploadedFile{AttachmentItem: rs.viewUpload(made), Reach: reach}, err
	}, "", err
}

// attaching checks the item that the file goes to, and returns a function that puts an attachment
// there in a new comment.
func (rs *Resolver) attaching(ctx context.Context, in uploadFileInput) (put func(ctx context.Context, sgid string) (UploadedFile, error), err error) {
	if !in.Folder.IsZero() {
		return nil, fault.Invalid("folder", "give folder or item, not both: a file goes into a folder or into a comment on an item")
	}
	if in.Clients.Given {
		return nil, fault.Invalid("visible_to_clients", "clients see a comment exactly if they see its item; leave visible_to_clients out")
	}
	t, err := rs.Commented(ctx, "item", lookup.ItemInput{Item: in.Item, Project: in.Project}, "reply with post_chat_line")
	if err != nil {
		return nil, err
	}
	on, err := rs.CommentOn(ctx, t, lookup.Prose{Argument: "description", Markdown: in.Description})
	var beside *lookup.Audience
	if err == nil {
		beside = rs.AudienceBeside(ctx, on.Item)
	}
	return func(ctx context.Context, sgid string) (UploadedFile, error) {
		c, err := on.Post(ctx, rs.BC, richtext.Append(on.Text.HTML, richtext.Attach(sgid, "")))
		if err != nil {
			return UploadedFile{}, err
		}
		v := rs.viewAttached(c)
		v.Reach = on.Reached(beside, c)
		return v, nil
	}, err
}

// viewAttached returns a comment with one file as a file.
func (rs *Resolver) viewAttached(c basecamp.Comment) UploadedFile {
	comment := rs.ViewComment(c)
	v := UploadedFile{Item: parts.ViewHolder(c.Parent), AttachmentItem: AttachmentItem{
		Head: comment.Head, Description: comment.Content, Creator: comment.Author.Name, Meta: lookup.ViewMeta(c.Recording),
	}}
	if len(comment.Attachments) > 0 {
		v.File = comment.Attachments[len(comment.Attachments)-1]
	}
	return v
}

// uploaded returns the file's bytes: those of the call, or fetched from source_url, or of the file
// to copy, with the name of that file.
func (rs *Resolver) uploaded(ctx context.Context, in uploadFileInput) (content []byte, name string, err error) {
	switch {
	case in.Text != "":
		return []byte(in.Text), "", nil
	case in.Base64 != "":
		content, err = Decoded(in.Base64)
		return content, "", err
	case !in.CopyOf.IsZero():
		return rs.copied(ctx, in.CopyOf)
	case basecamp.IsOwn(in.SourceURL):
		return nil, "", fault.Invalid("source_url", "is an address of Basecamp, which needs a login; give it as copy_of to copy the file")
	}
	file, err := rs.BC.FetchPublic(ctx, in.SourceURL, maxUpload)
	if fault.Is(err, fault.InvalidInput) {
		return nil, "", fault.Invalid("source_url", "%s", fault.From(err).Message).Because(err)
	}
	return file.Content, "", err
}

// copied returns the bytes and the name of a file of Basecamp. Under a plan it reads no bytes.
func (rs *Resolver) copied(ctx context.Context, ref toolargs.Ref) (content []byte, name string, err error) {
	from := basecamp.Attachment{Filename: basecamp.FileName(ref.URL), DownloadURL: ref.URL}
	if from.Filename == "" {
		if from, err = rs.fileToCopy(ctx, ref); err != nil {
			return nil, "", err
		}
	} else if err := rs.InAccount(ctx, "copy_of", basecamp.FileAccount(ref.URL)); err != nil {
		return nil, "", err
	}
	if writeplan.From(ctx) != nil {
		return nil, from.Filename, nil
	}
	file, err := rs.BC.Download(ctx, from.DownloadURL, maxUpload)
	return file.Content, from.Filename, err
}

// fileToCopy finds an upload or, by its name, a file in a text.
func (rs *Resolver) fileToCopy(ctx context.Context, ref toolargs.Ref) (basecamp.Attachment, error) {
	k := lookup.UploadKind.WithArguments("copy_of", "copy_of")
	u, err := lookup.ReadItem(ctx, rs.Resolver, k, ref, toolargs.Ref{}, basecamp.UploadAt.Reader(rs.BC))
	if err == nil {
		return basecamp.Attachment{Filename: u.Filename, DownloadURL: u.DownloadURL}, nil
	}
	found, err := rs.fileNamed(ctx, ref, 0, err)
	return found.Attachment, err
}

// Decoded returns the bytes of a content_base64, which may lack its padding.
func Decoded(text string) ([]byte, error) {
	encoded, wrapped := unwrapped(text)
	content, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if err != nil {
		content, err = base64.RawStdEncoding.Strict().DecodeString(encoded)
	}
	switch {
	case err != nil, !wrapped:
		return nil, fault.Invalid("content_base64", "must be valid base64, for example S2VyYnM=; give plain text in content").Because(err)
	case len(content) == 0:
		return nil, fault.Invalid("content_base64", "the file is empty, and Basecamp does not accept empty files")
	}
	return content, nil
}

// unwrapped joins the lines of base64. It reports whether they are as long as those of an encoder:
// all the same, except a shorter last one. Words on separate lines are not.
func unwrapped(text string) (encoded string, ok bool) {
	lines := strings.Split(strings.ReplaceAll(strings.TrimSpace(text), "\r\n", "\n"), "\n")
	width, last := len(lines[0]), len(lines)-1
	ok = last == 0 || width%4 == 0 && len(lines[last]) <= width
	for _, line := range lines[:last] {
		ok = ok && len(line) == width
	}
	return strings.Join(lines, ""), ok
}

// name returns the file's name in Basecamp: filename, or the last part of source_url's path, or ""
// for the name of the file that it replaces or copies.
func (in uploadFileInput) name() (string, error) {
	given := 0
	for _, source := range []string{in.Text, in.Base64, in.SourceURL, in.CopyOf.String()} {
		if source != "" {
			given++
		}
	}
	if given != 1 {
		return "", fault.Invalid("content", "give exactly one of content, content_base64, source_url and copy_of, and not an empty file")
	}
	name := in.Filename
	if address, err := url.Parse(in.SourceURL); name == "" && err == nil && in.SourceURL != "" {
		name = path.Base(address.Path)
	}
	name = lookup.Plainly(name)
	switch {
	case name == "" && (!in.Replaces.IsZero() || !in.CopyOf.IsZero()):
		return "", nil
	case name == "", name == ".", name == "..", name == "/":
		return "", fault.Invalid("filename", "give the file's name with its extension")
	case strings.ContainsAny(name, "/\\\n\t"):
		return "", fault.Invalid("filename", "must be a name without a path, got %s", plaintext.Quote(name))
	}
	return name, nil
}

// newVersion is part of the answer of a call that replaces a file.
type newVersion struct {
	Previous *formerFile `json:"previous,omitempty"`
	Note     string      `json:"note,omitempty"`
}

// formerFile is what a file was before a new version.
type formerFile struct {
	Filename    string `json:"filename"`
	ByteSize    int64  `json:"byte_size"`
	Description string `json:"description,omitempty"` // what is gone of it
}

const cannotBeUndone = "A version cannot be taken back. The former file stays among the versions of this one in Basecamp."

// replacing checks the file that a call replaces. It returns a function that puts an attachment in
// its place, and the file's name.
func (rs *Resolver) replacing(ctx context.Context, in uploadFileInput) (put func(ctx context.Context, sgid string) (UploadedFile, error), name string, err error) {
	if in.Item != "" || !in.Folder.IsZero() {
		return nil, "", fault.Invalid("replaces", "a new version stays where the file is; leave item and folder out")
	}
	old, err := lookup.ReadToChange(ctx, rs.Resolver, lookup.UploadKind.WithArguments("replaces", "project"), in.Replaces, in.Project, basecamp.UploadAt.Reader(rs.BC))
	if err != nil {
		return nil, "", err
	}
	if in.Clients.Given {
		return nil, "", fault.Invalid("visible_to_clients", "a new version is seen by the same people as the file; leave visible_to_clients out")
	}
	var change basecamp.NewVersion
	var text lookup.Composed
	if strings.TrimSpace(in.Description) != "" {
		text, err = rs.Compose(ctx, lookup.Prose{Project: old.Bucket.ID, Argument: "description", Markdown: in.Description, Old: old.Description})
		change.Description = &text.HTML
	}
	by, unknown := rs.CallerOf(ctx, text)
	if err == nil {
		err = unknown
	}
	if err == nil {
		err = rs.BC.PermitWrite(ctx, old.Bucket.ID)
	}
	return func(ctx context.Context, sgid string) (UploadedFile, error) {
		beside := rs.AudienceBeside(ctx, old.Recording)
		change.AttachableSGID = sgid
		made, err := basecamp.VersionsOf.Post(ctx, rs.BC, change, old.ID)
		if err != nil {
			return UploadedFile{}, err
		}
		v := UploadedFile{AttachmentItem: rs.viewUpload(made), Reach: beside.Reached(by, made.Recording, text)}
		v.newVersion = newVersion{&formerFile{
			Filename: plaintext.Clean(old.Filename), ByteSize: old.ByteSize,
			Description: parts.PreviousText(rs.Markdown(old.Description), rs.Markdown(made.Description)),
		}, cannotBeUndone}
		return v, nil
	}, old.Filename, err
}
