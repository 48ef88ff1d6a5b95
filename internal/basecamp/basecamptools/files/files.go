// Package files holds the tools of folders, and of the documents and files in them.
package files

import (
	"bytes"
	"context"
	"fmt"
	"mime"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/naming"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolanswer"
	"basecamp-mcp/internal/tool/toolargs"
)

// Resolver is parts.Base with the methods of this package.
type Resolver struct {
	*parts.Base
}

// MaxContent is the largest file that get_file downloads, in bytes.
const MaxContent = 1 << 20

// AttachmentItem is a file as lists show it.
type AttachmentItem struct {
	lookup.Head
	parts.File
	Description string `json:"description,omitempty"`
	Truncated   bool   `json:"truncated,omitempty"`
	Creator     string `json:"creator" compact:"keep"`
	lookup.Meta `compact:"-author"`
}

// Trim shortens the texts, as [listing.Answer] needs it.
func (a *AttachmentItem) Trim(characters int) {
	listing.Excerpt(&a.Description, characters, &a.Truncated)
}

type attachmentPage struct {
	listing.Page[AttachmentItem]
	listing.Gaps
}

// ListAttachments returns the tool list_attachments.
func ListAttachments(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "list_attachments",
		Title:       "List files",
		Description: "Lists the files in a folder of Basecamp's Docs & Files: name, type, size, download_url.",
	}, func(ctx context.Context, in listFolderInput) (attachmentPage, error) {
		folder, err := rs.Folder(ctx, "project_id", in.Project, in.Folder)
		if err != nil {
			return attachmentPage{}, err
		}
		l := parts.ListIn("uploads", folder.ID, basecamp.UploadsIn.Source(rs.BC, folder.ID))
		found, err := l.Collect(ctx, in.PageInput)
		if err != nil {
			return attachmentPage{}, err
		}
		left, err := lookup.MarkSeen(rs.Audience(ctx, folder), found.Items)
		return attachmentPage{listing.Answer(l, found, rs.viewUpload), left}, err
	})
}

func (rs *Resolver) viewUpload(u basecamp.Upload) AttachmentItem {
	return AttachmentItem{
		Head:        lookup.Head{ID: u.ID, Type: lookup.UploadKind.Kind},
		File:        parts.File{Filename: plaintext.Clean(u.Filename), ContentType: u.ContentType, ByteSize: u.ByteSize, DownloadURL: u.DownloadURL},
		Description: rs.Markdown(u.Description),
		Creator:     plaintext.Clean(u.Creator.Name),
		Meta:        lookup.ViewMeta(u.Recording),
	}
}

type getFileInput struct {
	Item    toolargs.Ref `json:"item" jsonschema:"Id, URL, download_url or name; or URL or type:id of what contains it"`
	Name    string       `json:"name,omitzero" jsonschema:"If the item contains several" limits:"maxlen=500"`
	Project toolargs.Ref `json:"project,omitzero" jsonschema:"Project of the title"`
	parts.CommentsInput
}

// ShownFile is a file with its text or its image, or the reason why neither is shown. The image
// follows the answer as a content block. A file inside a text has no id; In is the item that
// contains it. If only its address is known, its other fields are absent.
type ShownFile struct {
	ID   int64  `json:"id,omitzero"`
	Type string `json:"type"`
	parts.File
	Description string `json:"description,omitempty"`
	Truncated   bool   `json:"truncated,omitempty"`
	lookup.Seen
	In        *parts.ReplyRef   `json:"in,omitempty"`
	Creator   string            `json:"creator,omitzero"`
	URL       string            `json:"url,omitzero"`
	Project   lookup.ProjectRef `json:"project,omitzero"`
	Author    lookup.Person     `json:"author,omitzero"`
	CreatedAt time.Time         `json:"created_at,omitzero"`
	UpdatedAt time.Time         `json:"updated_at,omitzero"`

	Status     string `json:"status,omitzero"`
	Shown      string `json:"shown"`
	WhyNot     string `json:"why_not,omitempty"`
	Text       string `json:"text,omitempty"`
	Encoding   string `json:"encoding,omitempty"` // of the text, if it is not UTF-8
	NextOffset int    `json:"next_offset,omitempty"`

	CommentsCount int `json:"comments_count"`
	parts.Discussion
	parts.WithBoosts
	listing.Gaps

	image []toolanswer.Image
}

// Images returns the image, if the file is one.
func (f ShownFile) Images() []toolanswer.Image { return f.image }

// GetFile returns the tool get_file.
func GetFile(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "get_file",
		Title:       "Look at a file",
		Description: "Shows a Basecamp file, also one inside a text: its image or text up to 1 MiB; of others, such as a PDF, the download_url.",
		Words:       "show a picture, look at an image",
	}, func(ctx context.Context, in getFileInput) (ShownFile, error) {
		v, err := rs.oneFile(ctx, in)
		if err == nil && in.Name != "" && len(naming.Containing([]parts.File{v.File}, in.Name, func(f parts.File) string { return f.Filename })) == 0 {
			return ShownFile{}, fault.Invalid("name", "item is the file %s itself; leave name out, or give what contains the other file as item", plaintext.Quote(v.Filename))
		}
		return v, err
	})
}

// oneFile finds a file, and reads it.
func (rs *Resolver) oneFile(ctx context.Context, in getFileInput) (ShownFile, error) {
	if name := basecamp.FileName(in.Item.URL); name != "" {
		if err := rs.InAccount(ctx, "item", basecamp.FileAccount(in.Item.URL)); err != nil {
			return ShownFile{}, err
		}
		return rs.fileAt(ctx, name, in.Item.URL, in.Offset)
	}
	if namesHolder(in.Item.String()) {
		return rs.fileInside(ctx, in)
	}
	id, where, err := rs.Item(ctx, lookup.UploadKind, in.Item, in.Project)
	if fault.Is(err, fault.NotFound) {
		return rs.showNamed(ctx, in, err)
	}
	if err != nil {
		return ShownFile{}, err
	}
	return rs.uploadIn(ctx, where, id, in.CommentsInput)
}

// ShowUpload reads a file of a folder with its first comments.
func (rs *Resolver) ShowUpload(ctx context.Context, id int64, in parts.CommentsInput) (ShownFile, error) {
	return rs.uploadIn(ctx, lookup.Place{}, id, in)
}

// uploadIn reads a file that must be in a place.
func (rs *Resolver) uploadIn(ctx context.Context, where lookup.Place, id int64, in parts.CommentsInput) (ShownFile, error) {
	rs.ExpectComments(ctx, id, in)
	upload, err := lookup.ReadIn(ctx, where, lookup.UploadKind, id, basecamp.UploadAt.Reader(rs.BC))
	if err != nil {
		return ShownFile{}, err
	}
	return rs.WholeFile(ctx, upload, in)
}

// WholeFile returns a file of a folder with its first comments.
func (rs *Resolver) WholeFile(ctx context.Context, u basecamp.Upload, in parts.CommentsInput) (ShownFile, error) {
	a := rs.viewUpload(u)
	v := ShownFile{
		ID: a.ID, Type: a.Type, File: a.File, Description: a.Description, Creator: a.Creator, URL: a.URL, Project: a.Project,
		Author: a.Author, CreatedAt: a.CreatedAt, UpdatedAt: a.UpdatedAt, Status: u.Status, CommentsCount: u.CommentsCount,
	}
	err := listing.Together(ctx,
		func(ctx context.Context) (err error) {
			v.Gaps, err = listing.Extras(ctx, rs.CommentsInto(&v.Discussion, u.Recording, in), rs.BoostsInto(&v.WithBoosts, u.Recording), rs.Audience(ctx).SeenInto(&u.Recording))
			v.Seen = lookup.ViewSeen(u.Recording)
			return err
		},
		func(ctx context.Context) error { return rs.lookInto(ctx, &v, v.DownloadURL, in.Offset) },
	)
	return v, err
}

func (rs *Resolver) lookInto(ctx context.Context, v *ShownFile, address string, offset int) error {
	v.Shown = "nothing"
	if v.ByteSize > MaxContent {
		v.WhyNot = fmt.Sprintf("the file is too large to show (%.1f MB); a person can open it at url", float64(v.ByteSize)/1e6)
		return noParts(offset)
	}
	content, why, err := rs.bytesOf(ctx, address)
	if err != nil {
		return err
	}
	if why != "" {
		v.WhyNot = why
		return nil // an offset may be valid: the text is unknown
	}
	return v.Show(content, offset)
}

// Show puts a file's content into the answer. It judges by the bytes: users can choose any name
// and type.
func (f *ShownFile) Show(content basecamp.File, offset int) (err error) {
	f.Shown = "nothing"
	if text, encoding, ok := plainText(content, f.ContentType); ok {
		f.Shown, f.Text, f.Encoding = "text", text, encoding
		f.NextOffset, err = listing.Part(&f.Text, offset, &f.Truncated)
		return err
	}
	if slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, content.ContentType) {
		f.Shown, f.image = "image", []toolanswer.Image{{Data: content.Content, MIMEType: content.ContentType}}
		return noParts(offset)
	}
	f.WhyNot = "the file is neither text nor a common image"
	if f.URL != "" {
		f.WhyNot += "; a person can open it at url"
	}
	return noParts(offset)
}

// bytesOf downloads a file. If the download fails, it returns the reason in why: the metadata can
// be shown without the content.
func (rs *Resolver) bytesOf(ctx context.Context, address string) (content basecamp.File, why string, err error) {
	if address == "" {
		return basecamp.File{}, "Basecamp returned no download address; a person can open it at url", nil
	}
	ctx, cancel := listing.WithTimeToAnswer(ctx)
	defer cancel()
	content, err = rs.BC.Download(ctx, address, MaxContent)
	if f, ok := listing.Dispensable(err); ok {
		return basecamp.File{}, "the content could not be read: " + f.Message, nil
	}
	return content, "", err
}

// noParts returns an error for an offset into a file that has no text.
func noParts(offset int) error {
	if offset > 0 {
		return fault.Invalid("offset", "offset applies only to text files; this file is binary")
	}
	return nil
}

// plainText returns the text of a text file, and its encoding unless that is UTF-8: UTF-16 if the
// file begins so, or the one that its declared type names. Any other file that is not UTF-8 is read
// as Windows-1252, the most common of the other encodings, which is a guess.
func plainText(f basecamp.File, declared string) (text, encoding string, ok bool) {
	if !strings.HasPrefix(f.ContentType, "text/") {
		return "", "", false
	}
	content := f.Content
	if strings.Contains(f.ContentType, "charset=utf-16") {
		content, _ = unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder().Bytes(content) // accepts any bytes
		return plaintext.Clean(string(content)), "utf-16", true
	}
	_, params, _ := mime.ParseMediaType(declared)
	charset := strings.ToLower(params["charset"])
	named, err := htmlindex.Get(charset)
	switch {
	case err == nil && charset != "us-ascii" && named != unicode.UTF8:
		content, err = named.NewDecoder().Bytes(content)
		encoding, _ = htmlindex.Name(named)
	case bytes.IndexByte(content, 0) >= 0:
		return "", "", false
	case !utf8.Valid(content):
		content, err = charmap.Windows1252.NewDecoder().Bytes(content)
		encoding = "windows-1252, guessed"
	default:
		err = nil
	}
	return plaintext.Clean(string(content)), encoding, err == nil
}
