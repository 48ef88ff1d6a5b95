package tools

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
)

func fileTools(ws *workspace) []mcptool.Tool { return []mcptool.Tool{listAttachments(ws), getFile(ws)} }

// maxContent is how large a file may be to be looked into, in bytes.
const maxContent = 1 << 20

type attachmentItem struct {
	head
	file
	DownloadURL string `json:"download_url"`
	Description string `json:"description,omitempty"`
	Truncated   bool   `json:"truncated,omitempty"`
	Creator     string `json:"creator"`
	meta
}

func (a *attachmentItem) Trim(characters int) {
	listing.Excerpt(&a.Description, characters, &a.Truncated)
}

func listAttachments(ws *workspace) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "list_attachments",
		Title:       "List files",
		Description: "Lists the files of one folder of a Basecamp project's Docs & Files: metadata; get_file reads one. Files inside texts cannot be read here.",
	}, func(ctx context.Context, in listFolderInput) (listing.Page[attachmentItem], error) {
		folder, err := ws.folder(ctx, "project_id", in.Project, in.Folder)
		if err != nil {
			return listing.Page[attachmentItem]{}, err
		}
		l := &listing.List[basecamp.Upload]{
			Of:      listing.Digest("uploads", folder.ID),
			ID:      func(u basecamp.Upload) int64 { return u.ID },
			Sources: []listing.Source[basecamp.Upload]{listing.SourceOf(ws.bc.Uploads, folder.ID)},
		}
		found, err := l.Collect(ctx, in.PageInput)
		if err != nil {
			return listing.Page[attachmentItem]{}, err
		}
		return listing.Answer(l, found, ws.viewUpload), nil
	})
}

func (ws *workspace) viewUpload(u basecamp.Upload) attachmentItem {
	return attachmentItem{
		head:        head{u.ID, uploadKind.kind},
		file:        file{Filename: plaintext.Clean(u.Filename), ContentType: u.ContentType, ByteSize: u.ByteSize},
		DownloadURL: u.DownloadURL,
		Description: ws.markdown(u.Description),
		Creator:     plaintext.Clean(u.Creator.Name),
		meta:        viewMeta(u.Recording),
	}
}

type getFileInput struct {
	Item    mcptool.Ref `json:"item" jsonschema:"Id, URL, or file name with project"`
	Project mcptool.Ref `json:"project,omitzero" jsonschema:"Its project: id, name or URL"`
	commentsInput
}

// shownFile is a file with what can be shown of it: its text, or its picture behind the answer, or why neither.
type shownFile struct {
	attachmentItem
	Status     string `json:"status"`
	Shown      string `json:"shown"`
	WhyNot     string `json:"why_not,omitempty"`
	Text       string `json:"text,omitempty"`
	NextOffset int    `json:"next_offset,omitempty"`

	CommentsCount int `json:"comments_count"`
	discussion
	gaps

	image []mcptool.Image
}

// Images is the picture that the file is.
func (f shownFile) Images() []mcptool.Image { return f.image }

func getFile(ws *workspace) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "get_file",
		Title:       "Show a file",
		Description: "Shows a Basecamp file: metadata, comments, and under 1 MiB the text or image itself (shown: text, image or nothing). A long text comes in parts (next_offset).",
	}, func(ctx context.Context, in getFileInput) (shownFile, error) {
		upload, err := readItem(ctx, ws, uploadKind, in.Item, in.Project, ws.bc.Upload)
		if err != nil {
			return shownFile{}, err
		}
		return ws.wholeFile(ctx, upload, in.commentsInput)
	})
}

func (ws *workspace) showUpload(ctx context.Context, id int64, in commentsInput) (shownFile, error) {
	upload, err := ws.bc.Upload(ctx, id)
	if err != nil {
		return shownFile{}, err
	}
	return ws.wholeFile(ctx, upload, in)
}

func (ws *workspace) wholeFile(ctx context.Context, u basecamp.Upload, in commentsInput) (shownFile, error) {
	v := shownFile{attachmentItem: ws.viewUpload(u), Status: u.Status, CommentsCount: u.CommentsCount}
	err := listing.Together(ctx,
		func(ctx context.Context) (err error) {
			v.gaps, err = extras(ctx, ws.commentsInto(&v.discussion, u.Recording, in))
			return err
		},
		func(ctx context.Context) error { return ws.lookInto(ctx, &v, in.Offset) },
	)
	return v, err
}

// lookInto reads a file and shows what its bytes are: names and types are only what somebody says.
func (ws *workspace) lookInto(ctx context.Context, v *shownFile, offset int) error {
	v.Shown = "nothing"
	if v.ByteSize > maxContent {
		v.WhyNot = fmt.Sprintf("it has %.1f MB, too much to be shown here; a person can open it at url", float64(v.ByteSize)/1e6)
		return noParts(offset)
	}
	content, why, err := ws.bytesOf(ctx, v.DownloadURL)
	if err != nil {
		return err
	}
	if why != "" {
		v.WhyNot = why
		return nil // an offset may be right: the text is not known
	}
	if text, ok := plainText(content); ok {
		v.Shown, v.Text = "text", text
		v.NextOffset, err = part(&v.Text, offset, &v.Truncated)
		return err
	}
	if slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, content.ContentType) {
		v.Shown, v.image = "image", []mcptool.Image{{Data: content.Content, MIMEType: content.ContentType}}
		return noParts(offset)
	}
	v.WhyNot = "it is neither text nor a common image; a person can open it at url"
	return noParts(offset)
}

// bytesOf downloads a file. What is known of a file is worth showing without its bytes; why says then why they are not here.
func (ws *workspace) bytesOf(ctx context.Context, address string) (content basecamp.File, why string, err error) {
	if address == "" {
		return basecamp.File{}, "Basecamp gives no address to download it from; a person can look at url", nil
	}
	ctx, cancel := inGoodTime(ctx)
	defer cancel()
	content, err = ws.bc.Download(ctx, address, maxContent)
	if f, ok := dispensable(err); ok {
		return basecamp.File{}, "its content could not be read: " + f.Message, nil
	}
	return content, "", err
}

func noParts(offset int) error {
	if offset > 0 {
		return fault.Invalid("offset", "is for texts alone, and this file is none")
	}
	return nil
}

// plainText is the text of a file that is one: UTF-8, UTF-16 that says so, or else the bytes of Windows, which is what texts in
// neither mostly are.
func plainText(f basecamp.File) (string, bool) {
	if !strings.HasPrefix(f.ContentType, "text/") {
		return "", false
	}
	content := f.Content
	switch {
	case strings.Contains(f.ContentType, "charset=utf-16"):
		content, _ = unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder().Bytes(content) // which puts up with everything
	case bytes.IndexByte(content, 0) >= 0:
		return "", false
	case !utf8.Valid(content):
		content, _ = charmap.Windows1252.NewDecoder().Bytes(content)
	}
	return plaintext.Clean(string(content)), true
}
