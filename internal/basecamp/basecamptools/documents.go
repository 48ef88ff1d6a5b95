package basecamptools

import (
	"cmp"
	"context"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolanswer"
	"basecamp-mcp/internal/toolargs"
)

const (
	maxPreview = 500 // characters of a document in a list
	maxShown   = 100 // folders in one answer
)

type listFolderInput struct {
	Project toolargs.Ref `json:"project_id" jsonschema:"Id, name or URL"`
	Folder  toolargs.Ref `json:"folder,omitzero" jsonschema:"Default: the top one"`
	listing.PageInput
}

type documentItem struct {
	lookup.Head
	Title         string `json:"title"`
	Content       string `json:"content" compact:"keep"`
	Truncated     bool   `json:"truncated,omitempty"`
	CommentsCount int    `json:"comments_count"`
	lookup.Meta
}

func (d *documentItem) Trim(characters int) {
	listing.Trim(characters, &d.Truncated, &d.Content, &d.Title)
}

// documentList is a page of documents. The first page has the folders too. If MoreFolders is true,
// a client reaches the folders not shown by name.
type documentList struct {
	Folders     []folderItem `json:"folders"`
	MoreFolders bool         `json:"more_folders,omitempty"`
	listing.Page[documentItem]
	lookup.Gaps
}

func listDocuments(rs *resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "list_documents",
		Title:       "List documents",
		Description: "Lists the documents and sub-folders in a folder of a Basecamp project's Docs & Files, each with its first 500 characters.",
	}, func(ctx context.Context, in listFolderInput) (documentList, error) {
		folder, err := rs.folder(ctx, "project_id", in.Project, in.Folder)
		if err != nil {
			return documentList{}, err
		}
		l := listIn("documents", folder.ID, rs.BC.Documents)
		var folders []basecamp.Vault
		found, left, err := lookup.Beside(ctx,
			func(ctx context.Context) (listing.Collected[basecamp.Document], error) {
				return l.Collect(ctx, in.PageInput)
			},
			lookup.Into("folders", &folders, func(ctx context.Context) ([]basecamp.Vault, error) {
				if in.Cursor != "" || in.Page > 1 { // the first page had them
					return nil, nil
				}
				return listing.Everything(ctx, listing.SourceOf(rs.BC.Vaults, folder.ID))
			}),
		)
		if err != nil {
			return documentList{}, err
		}
		a := rs.Audience(ctx, folder)
		unseen, err := lookup.MarkSeen(a, found.Items)
		if err == nil && len(unseen.LeftOut) == 0 {
			unseen, err = lookup.MarkSeen(a, folders)
		}
		if err != nil {
			return documentList{}, err
		}
		left.LeftOut = append(left.LeftOut, unseen.LeftOut...)
		v := documentList{Folders: lookup.Mapped(folders[:min(len(folders), maxShown)], viewFolder), MoreFolders: len(folders) > maxShown, Gaps: left}
		l.Beside = toolanswer.Size(v.Folders)
		v.Page = listing.Answer(l, found, rs.previewDocument)
		return v, nil
	})
}

func (rs *resolver) viewDocument(d basecamp.Document) documentItem {
	return documentItem{
		Head:          lookup.Head{ID: d.ID, Type: lookup.DocumentKind.Kind},
		Title:         plaintext.Clean(d.Title),
		Content:       rs.Markdown(d.Content, d.Attachments...),
		CommentsCount: d.CommentsCount,
		Meta:          lookup.ViewMeta(d.Recording),
	}
}

func (rs *resolver) previewDocument(d basecamp.Document) documentItem {
	v := rs.viewDocument(d)
	listing.Excerpt(&v.Content, maxPreview, &v.Truncated)
	return v
}

type getDocumentInput struct {
	Document toolargs.Ref `json:"document_id" jsonschema:"Id from list_documents, URL or title"`
	Project  toolargs.Ref `json:"project_id,omitzero" jsonschema:"Project of the title"`
	partInput
}

type document struct {
	documentItem
	foundText
	NextOffset  int    `json:"next_offset,omitempty"`
	Status      string `json:"status"`
	Attachments []file `json:"content_attachments,omitempty"`
	boosts
	lookup.Gaps
}

func getDocument(rs *resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "get_document",
		Title:       "Read a document",
		Description: "Opens a Basecamp document, such as a handbook, in full as Markdown.",
	}, func(ctx context.Context, in getDocumentInput) (document, error) {
		if err := in.check(); err != nil {
			return document{}, err
		}
		d, err := lookup.ReadItem(ctx, rs.Resolver, lookup.DocumentKind, in.Document, in.Project, rs.BC.Document)
		if err != nil {
			return document{}, err
		}
		return rs.wholeDocument(ctx, d, in.partInput)
	})
}

// showDocument reads a document in full, with the number of its comments.
func (rs *resolver) showDocument(ctx context.Context, id int64, in commentsInput) (document, error) {
	d, err := rs.BC.Document(ctx, id)
	if err != nil {
		return document{}, err
	}
	return rs.wholeDocument(ctx, d, partInput{Offset: in.Offset})
}

func (rs *resolver) wholeDocument(ctx context.Context, d basecamp.Document, in partInput) (v document, err error) {
	var cheers boosts
	left, err := lookup.Extras(ctx, rs.boostsInto(&cheers, d.Recording), rs.Audience(ctx).SeenInto(&d.Recording))
	if err != nil {
		return v, err
	}
	v = document{boosts: cheers, documentItem: rs.viewDocument(d), Status: d.Status, Attachments: viewFiles(d.Content, d.Attachments), Gaps: left}
	v.NextOffset, err = in.show(ctx, &v.Content, &v.Truncated, &v.foundText)
	return v, err
}

type createDocumentInput struct {
	Project toolargs.Ref `json:"project" jsonschema:"Id, name or URL"`
	Folder  toolargs.Ref `json:"folder,omitzero" jsonschema:"Default: the top one"`
	Title   string       `json:"title" jsonschema:"Plain text" limits:"minlen=1 maxlen=1500"`
	Body    string       `json:"body" jsonschema:"Markdown" limits:"minlen=1 maxlen=500000"`
	Draft   bool         `json:"draft,omitzero" jsonschema:"Only you see it" limits:"default=false"`
	clientsInput
	lookup.MentionsInput
}

type writtenDocument struct {
	documentItem
	Status string `json:"status"`
	lookup.Reach
}

func createDocument(rs *resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "create_document",
		Title:       "Write a document",
		Description: "Saves a new document in a folder of a Basecamp project.",
		Effect:      mcptool.Creates,
	}, func(ctx context.Context, in createDocumentInput) (writtenDocument, error) {
		if err := cmp.Or(notBlank("title", in.Title), notBlank("body", in.Body)); err != nil {
			return writtenDocument{}, err
		}
		folder, err := rs.folder(ctx, "project", in.Project, in.Folder)
		if err == nil {
			err = lookup.NotPutAway("folder", folder)
		}
		if err != nil {
			return writtenDocument{}, err
		}
		shown, err := rs.visibility(ctx, in.clientsInput, folder.Bucket.ID, holderIn(folder))
		if err != nil {
			return writtenDocument{}, err
		}
		text, err := rs.Compose(ctx, lookup.Prose{Project: folder.Bucket.ID, Argument: "body", Markdown: in.Body, Mentions: in.Mentions, Old: ""})
		if err != nil {
			return writtenDocument{}, err
		}
		beside := rs.AudienceBeside(ctx, folder)
		d, err := rs.BC.CreateDocument(ctx, folder.ID, basecamp.DocumentFields{
			Title: lookup.Plainly(in.Title), Content: text.HTML, Status: statusOf(in.Draft), Visibility: shown,
		})
		if err != nil {
			return writtenDocument{}, err
		}
		v := writtenDocument{rs.viewDocument(d), d.Status, beside.Created(d.Recording, text)}
		v.Seen = v.ViewClients()
		v.Trim(maxWritten)
		return v, nil
	})
}
