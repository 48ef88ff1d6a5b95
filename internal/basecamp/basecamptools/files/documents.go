package files

import (
	"cmp"
	"context"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolanswer"
	"basecamp-mcp/internal/tool/toolargs"
)

// The limits of lists.
const (
	MaxPreview = 500 // characters of a document in a list
	maxShown   = 100 // folders in one answer
)

type listFolderInput struct {
	Project toolargs.Ref `json:"project_id" jsonschema:"Id, name or URL"`
	Folder  toolargs.Ref `json:"folder,omitzero" jsonschema:"Default: the top one"`
	listing.PageInput
}

// DocumentItem is a document as lists show it.
type DocumentItem struct {
	lookup.Head
	Title         string `json:"title"`
	Content       string `json:"content" compact:"keep"`
	Truncated     bool   `json:"truncated,omitempty"`
	CommentsCount int    `json:"comments_count"`
	lookup.Meta
}

// Trim shortens the texts, as [listing.Answer] needs it.
func (d *DocumentItem) Trim(characters int) {
	listing.Trim(characters, &d.Truncated, &d.Content, &d.Title)
}

// DocumentList is a page of documents. The first page has the folders too. If MoreFolders is true,
// a client reaches the folders not shown by name.
type DocumentList struct {
	Folders     []FolderItem `json:"folders"`
	MoreFolders bool         `json:"more_folders,omitempty"`
	listing.Page[DocumentItem]
	listing.Gaps
}

// ListDocuments returns the tool list_documents.
func ListDocuments(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "list_documents",
		Title:       "List documents",
		Description: "Lists the documents and sub-folders in a folder of a Basecamp project's Docs & Files, each with its first 500 characters.",
	}, func(ctx context.Context, in listFolderInput) (DocumentList, error) {
		folder, err := rs.Folder(ctx, "project_id", in.Project, in.Folder)
		if err != nil {
			return DocumentList{}, err
		}
		l := parts.ListIn("documents", folder.ID, basecamp.DocumentsIn.Source(rs.BC, folder.ID))
		var folders []basecamp.Vault
		found, left, err := listing.Beside(ctx,
			func(ctx context.Context) (listing.Collected[basecamp.Document], error) {
				return l.Collect(ctx, in.PageInput)
			},
			listing.Into("folders", &folders, func(ctx context.Context) ([]basecamp.Vault, error) {
				if in.Cursor != "" || in.Page > 1 { // the first page had them
					return nil, nil
				}
				return listing.Everything(ctx, basecamp.FoldersIn.Source(rs.BC, folder.ID))
			}),
		)
		if err != nil {
			return DocumentList{}, err
		}
		a := rs.Audience(ctx, folder)
		unseen, err := lookup.MarkSeen(a, found.Items)
		if err == nil && len(unseen.LeftOut) == 0 {
			unseen, err = lookup.MarkSeen(a, folders)
		}
		if err != nil {
			return DocumentList{}, err
		}
		left.LeftOut = append(left.LeftOut, unseen.LeftOut...)
		v := DocumentList{Folders: lookup.Mapped(folders[:min(len(folders), maxShown)], viewFolder), MoreFolders: len(folders) > maxShown, Gaps: left}
		l.Beside = toolanswer.Size(v.Folders)
		v.Page = listing.Answer(l, found, rs.previewDocument)
		return v, nil
	})
}

func (rs *Resolver) viewDocument(d basecamp.Document) DocumentItem {
	return DocumentItem{
		Head:          lookup.Head{ID: d.ID, Type: lookup.DocumentKind.Kind},
		Title:         plaintext.Clean(d.Title),
		Content:       rs.Markdown(d.Content, d.Attachments...),
		CommentsCount: d.CommentsCount,
		Meta:          lookup.ViewMeta(d.Recording),
	}
}

func (rs *Resolver) previewDocument(d basecamp.Document) DocumentItem {
	v := rs.viewDocument(d)
	listing.Excerpt(&v.Content, MaxPreview, &v.Truncated)
	return v
}

type getDocumentInput struct {
	Document toolargs.Ref `json:"document_id" jsonschema:"Id from list_documents, URL or title"`
	Project  toolargs.Ref `json:"project_id,omitzero" jsonschema:"Project of the title"`
	parts.PartInput
}

// Document is a document with its text and its first comments.
type Document struct {
	DocumentItem
	parts.FoundText
	NextOffset  int          `json:"next_offset,omitempty"`
	Status      string       `json:"status"`
	Attachments []parts.File `json:"content_attachments,omitempty"`
	parts.WithBoosts
	listing.Gaps
}

// GetDocument returns the tool get_document.
func GetDocument(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "get_document",
		Title:       "Read a document",
		Description: "Opens a Basecamp document, such as a handbook, in full as Markdown.",
	}, func(ctx context.Context, in getDocumentInput) (Document, error) {
		if err := in.Check(); err != nil {
			return Document{}, err
		}
		d, err := lookup.ReadItem(ctx, rs.Resolver, lookup.DocumentKind, in.Document, in.Project, basecamp.DocumentAt.Reader(rs.BC))
		if err != nil {
			return Document{}, err
		}
		return rs.wholeDocument(ctx, d, in.PartInput)
	})
}

// ShowDocument reads a document in full, with the number of its comments.
func (rs *Resolver) ShowDocument(ctx context.Context, id int64, in parts.CommentsInput) (Document, error) {
	d, err := basecamp.DocumentAt.Get(ctx, rs.BC, id)
	if err != nil {
		return Document{}, err
	}
	return rs.wholeDocument(ctx, d, parts.PartInput{Offset: in.Offset})
}

func (rs *Resolver) wholeDocument(ctx context.Context, d basecamp.Document, in parts.PartInput) (v Document, err error) {
	var cheers parts.WithBoosts
	left, err := listing.Extras(ctx, rs.BoostsInto(&cheers, d.Recording), rs.Audience(ctx).SeenInto(&d.Recording))
	if err != nil {
		return v, err
	}
	v = Document{WithBoosts: cheers, DocumentItem: rs.viewDocument(d), Status: d.Status, Attachments: parts.ViewFiles(d.Content, d.Attachments), Gaps: left}
	v.NextOffset, err = in.Show(ctx, &v.Content, &v.Truncated, &v.FoundText)
	return v, err
}

type createDocumentInput struct {
	Project toolargs.Ref `json:"project" jsonschema:"Id, name or URL"`
	Folder  toolargs.Ref `json:"folder,omitzero" jsonschema:"Default: the top one"`
	Title   string       `json:"title" jsonschema:"Plain text" limits:"minlen=1 maxlen=1500"`
	Body    string       `json:"body" jsonschema:"Markdown" limits:"minlen=1 maxlen=500000"`
	Draft   bool         `json:"draft,omitzero" jsonschema:"Only you see it" limits:"default=false"`
	parts.ClientsInput
	lookup.MentionsInput
}

// WrittenDocument is a document that a call made.
type WrittenDocument struct {
	DocumentItem
	Status string `json:"status"`
	lookup.Reach
}

// CreateDocument returns the tool create_document.
func CreateDocument(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "create_document",
		Title:       "Write a document",
		Description: "Saves a new document in a folder of a Basecamp project.",
		Effect:      mcptool.Creates,
	}, func(ctx context.Context, in createDocumentInput) (WrittenDocument, error) {
		if err := cmp.Or(parts.NotBlank("title", in.Title), parts.NotBlank("body", in.Body)); err != nil {
			return WrittenDocument{}, err
		}
		folder, err := rs.Folder(ctx, "project", in.Project, in.Folder)
		if err == nil {
			err = lookup.NotPutAway("folder", folder)
		}
		if err != nil {
			return WrittenDocument{}, err
		}
		draft := parts.Draft{
			Project: folder.Bucket.ID, In: folder, Clients: in.ClientsInput, Body: map[string]any{"title": lookup.Plainly(in.Title), "status": parts.StatusOf(in.Draft)},
		}
		if err := rs.Draft(ctx, &draft, "content", lookup.Prose{Argument: "body", Markdown: in.Body, Mentions: in.Mentions}); err != nil {
			return WrittenDocument{}, err
		}
		d, reach, err := parts.Make(ctx, rs.Base, draft, basecamp.DocumentsIn, folder.ID)
		if err != nil {
			return WrittenDocument{}, err
		}
		v := WrittenDocument{rs.viewDocument(d), d.Status, reach}
		v.Seen = v.ViewClients()
		v.Trim(parts.MaxWritten)
		return v, nil
	})
}
