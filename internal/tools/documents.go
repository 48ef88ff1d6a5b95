package tools

import (
	"context"
	"slices"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/richtext"
)

const (
	maxPreview = 500 // of a document in a list, in characters
	maxFolders = 200 // looked through for one of a name
	maxShown   = 100 // folders in one answer
)

type listDocumentsInput struct {
	Project mcptool.Ref `json:"project_id" jsonschema:"Project: id, name or URL"`
	Folder  mcptool.Ref `json:"folder,omitzero" jsonschema:"Folder: id, name or URL; left out, the top one. Folders inside it are not descended into"`
	pageInput
}

type documentItem struct {
	head
	Title         string `json:"title"`
	Content       string `json:"content"`
	Truncated     bool   `json:"truncated,omitempty"`
	CommentsCount int    `json:"comments_count"`
	meta
}

func (d *documentItem) trim(characters int) {
	excerpt(&d.Content, characters, &d.Truncated)
	excerpt(&d.Title, characters, &d.Truncated)
}

type folderItem struct {
	ID             int64  `json:"id"`
	Type           string `json:"type"`
	Name           string `json:"name"`
	DocumentsCount int    `json:"documents_count"`
	FilesCount     int    `json:"files_count"`
	FoldersCount   int    `json:"folders_count"`
	URL            string `json:"url"`
}

// documentList shows folders with the first page of documents; MoreFolders tells of some that only their names lead to.
type documentList struct {
	Folders     []folderItem `json:"folders"`
	MoreFolders bool         `json:"more_folders,omitempty"`
	page[documentItem]
}

func listDocuments(ws *workspace) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:  "list_documents",
		Title: "List documents",
		Description: "Lists the documents and sub-folders of a folder in a Basecamp project's Docs & Files. " +
			"Content is the first 500 characters; get_document reads it all, list_attachments lists files.",
	}, func(ctx context.Context, in listDocumentsInput) (documentList, error) {
		folder, err := ws.folder(ctx, in.Project, in.Folder)
		if err != nil {
			return documentList{}, err
		}
		l := &listing[basecamp.Document]{
			of:      digest("documents", folder),
			id:      func(d basecamp.Document) int64 { return d.ID },
			sources: []source[basecamp.Document]{ws.documents(folder)},
		}
		var found collected[basecamp.Document]
		var folders []folderItem
		err = both(ctx,
			func(ctx context.Context) (err error) { found, err = l.collect(ctx, in.pageInput); return err },
			func(ctx context.Context) (err error) {
				folders, err = ws.subfolders(ctx, folder, in.pageInput)
				return err
			},
		)
		if err != nil {
			return documentList{}, err
		}
		v := documentList{Folders: folders[:min(len(folders), maxShown)], MoreFolders: len(folders) > maxShown}
		l.beside = mcptool.Size(v.Folders)
		v.page = answer(l, found, ws.previewDocument)
		return v, nil
	})
}

// subfolders are shown with the first page of documents only.
func (ws *workspace) subfolders(ctx context.Context, folder int64, in pageInput) ([]folderItem, error) {
	if in.Cursor != "" || in.Page > 1 {
		return nil, nil
	}
	vaults, err := everything(ctx, ws.vaults(folder))
	if err != nil {
		return nil, err
	}
	folders := make([]folderItem, len(vaults))
	for i, v := range vaults {
		folders[i] = folderItem{
			ID: v.ID, Type: "folder", Name: richtext.Clean(v.Title), URL: v.AppURL,
			DocumentsCount: v.DocumentsCount, FilesCount: v.UploadsCount, FoldersCount: v.VaultsCount,
		}
	}
	return folders, nil
}

func (ws *workspace) viewDocument(d basecamp.Document) documentItem {
	return documentItem{
		head:          head{d.ID, "document"},
		Title:         richtext.Clean(d.Title),
		Content:       ws.markdown(d.Content),
		CommentsCount: d.CommentsCount,
		meta:          viewMeta(d.Recording),
	}
}

func (ws *workspace) previewDocument(d basecamp.Document) documentItem {
	v := ws.viewDocument(d)
	excerpt(&v.Content, maxPreview, &v.Truncated)
	return v
}

func (ws *workspace) documents(folder int64) source[basecamp.Document] {
	return func(ctx context.Context, page int) (basecamp.Page[basecamp.Document], error) {
		return ws.bc.Documents(ctx, folder, page)
	}
}

func (ws *workspace) vaults(folder int64) source[basecamp.Vault] {
	return func(ctx context.Context, page int) (basecamp.Page[basecamp.Vault], error) {
		return ws.bc.Vaults(ctx, folder, page)
	}
}

// folder resolves a reference to a folder of a project: the top one when none is named.
func (ws *workspace) folder(ctx context.Context, in, named mcptool.Ref) (int64, error) {
	if named.ID != 0 || named.URL != "" {
		return ws.folderByID(ctx, in, named)
	}
	project, err := ws.project(ctx, "project_id", in)
	if err != nil {
		return 0, err
	}
	if named.IsZero() {
		root, err := ws.dock(ctx, project, vault, mcptool.Ref{})
		return root.ID, err
	}
	folders, err := ws.folders(ctx, project)
	if err != nil {
		return 0, err
	}
	found, err := pick(choice[basecamp.Vault]{
		argument: "folder", noun: folderNoun, items: folders,
		name: func(v basecamp.Vault) string { return v.Title },
		id:   func(v basecamp.Vault) int64 { return v.ID },
		where: func(v basecamp.Vault) string {
			if v.Parent == nil {
				return project.Name
			}
			return v.Parent.Title
		},
	}, named.Name)
	return found.ID, err
}

func (ws *workspace) folderByID(ctx context.Context, in, named mcptool.Ref) (int64, error) {
	k := kind{noun: folderNoun, argument: "folder", links: []string{"vaults"}}
	id, within, err := ws.item(ctx, k, named, in)
	if err != nil {
		return 0, err
	}
	found, err := ws.bc.Vault(ctx, id)
	if err != nil {
		return 0, err
	}
	return found.ID, within.holds(found.Recording, k)
}

// folders are all folders of a project, level by level from the top, as far as one is looked for by name.
func (ws *workspace) folders(ctx context.Context, project basecamp.Project) ([]basecamp.Vault, error) {
	roots, err := ws.docks(project, vault)
	if err != nil {
		return nil, err
	}
	var all, level []basecamp.Vault
	for _, root := range roots {
		level = append(level, basecamp.Vault{Recording: basecamp.Recording{ID: root.ID, Title: root.Title}})
	}
	for len(level) > 0 && len(all) < maxFolders {
		all = append(all, level...)
		children, err := inParallel(ctx, level, func(ctx context.Context, folder basecamp.Vault) ([]basecamp.Vault, error) {
			if folder.Parent != nil && folder.VaultsCount == 0 {
				return nil, nil
			}
			return everything(ctx, ws.vaults(folder.ID))
		})
		if err != nil {
			return nil, err
		}
		level = slices.Concat(children...)
	}
	return append(all, level...), nil
}

type getDocumentInput struct {
	Document mcptool.Ref `json:"document_id" jsonschema:"Document: id (from list_documents), URL, or title together with project_id"`
	Project  mcptool.Ref `json:"project_id,omitzero" jsonschema:"Project it must be in: id, name or URL"`
	Offset   int         `json:"offset,omitzero" jsonschema:"Where to go on in a long text: next_offset of the previous answer" limits:"min=0"`
}

type document struct {
	documentItem
	NextOffset  int    `json:"next_offset,omitempty"`
	Status      string `json:"status"`
	Attachments []file `json:"content_attachments"`
}

func getDocument(ws *workspace) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "get_document",
		Title:       "Read a document",
		Description: "Reads one Basecamp document in full, as Markdown, with the number of its comments. A very long text comes in parts (next_offset).",
	}, func(ctx context.Context, in getDocumentInput) (document, error) {
		id, project, err := ws.item(ctx, documentKind, in.Document, in.Project)
		if err != nil {
			return document{}, err
		}
		d, err := ws.bc.Document(ctx, id)
		if err != nil {
			return document{}, err
		}
		if err := project.holds(d.Recording, documentKind); err != nil {
			return document{}, err
		}
		v := document{documentItem: ws.viewDocument(d), Status: d.Status, Attachments: viewFiles(d.Attachments)}
		v.NextOffset, err = part(&v.Content, in.Offset, &v.Truncated)
		return v, err
	})
}

type attachmentItem struct {
	head
	file
	DownloadURL string `json:"download_url"`
	Description string `json:"description,omitempty"`
	Truncated   bool   `json:"truncated,omitempty"`
	Creator     string `json:"creator"`
	meta
}

func (a *attachmentItem) trim(characters int) { excerpt(&a.Description, characters, &a.Truncated) }

func listAttachments(ws *workspace) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:  "list_attachments",
		Title: "List files",
		Description: "Lists the files uploaded to a folder of a Basecamp project's Docs & Files: metadata, no bytes. Sub-folders are not descended into " +
			"(list_documents names them). Files inside messages and documents stand in their content_attachments.",
	}, func(ctx context.Context, in listDocumentsInput) (page[attachmentItem], error) {
		folder, err := ws.folder(ctx, in.Project, in.Folder)
		if err != nil {
			return page[attachmentItem]{}, err
		}
		l := &listing[basecamp.Upload]{of: digest("uploads", folder), id: func(u basecamp.Upload) int64 { return u.ID }}
		l.sources = []source[basecamp.Upload]{func(ctx context.Context, page int) (basecamp.Page[basecamp.Upload], error) {
			return ws.bc.Uploads(ctx, folder, page)
		}}
		found, err := l.collect(ctx, in.pageInput)
		if err != nil {
			return page[attachmentItem]{}, err
		}
		return answer(l, found, ws.viewUpload), nil
	})
}

func (ws *workspace) viewUpload(u basecamp.Upload) attachmentItem {
	return attachmentItem{
		head:        head{u.ID, "upload"},
		file:        file{Filename: richtext.Clean(u.Filename), ContentType: u.ContentType, ByteSize: u.ByteSize},
		DownloadURL: u.DownloadURL,
		Description: ws.markdown(u.Description),
		Creator:     richtext.Clean(u.Creator.Name),
		meta:        viewMeta(u.Recording),
	}
}
