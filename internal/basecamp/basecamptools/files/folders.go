package files

import (
	"cmp"
	"context"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/toolanswer"
	"basecamp-mcp/internal/tool/toolargs"
)

// maxFolders is the number of folders that are read to find one by name.
const maxFolders = 200

// FolderItem is a folder as lists show it.
type FolderItem struct {
	ID             int64  `json:"id"`
	Type           string `json:"type"`
	Name           string `json:"name"`
	DocumentsCount int    `json:"documents_count"`
	FilesCount     int    `json:"files_count"`
	FoldersCount   int    `json:"folders_count"`
	URL            string `json:"url"`
	lookup.Seen
}

func viewFolder(v basecamp.Vault) FolderItem {
	return FolderItem{
		ID: v.ID, Type: lookup.FolderKind.Kind, Name: plaintext.Clean(v.Title), URL: v.AppURL,
		DocumentsCount: v.DocumentsCount, FilesCount: v.UploadsCount, FoldersCount: v.VaultsCount, Seen: lookup.ViewSeen(v.Recording),
	}
}

// Folder resolves a reference to a folder of a project, by default the top one. The result always
// has the id and the project.
func (rs *Resolver) Folder(ctx context.Context, inProject string, in, named toolargs.Ref) (basecamp.Recording, error) {
	named, err := lookup.FolderKind.Bare("folder", named)
	if err != nil {
		return basecamp.Recording{}, err
	}
	if named.ID != 0 || named.URL != "" {
		found, err := lookup.ReadItem(ctx, rs.Resolver, lookup.FolderKind.WithArguments("folder", inProject), named, in, basecamp.FolderAt.Reader(rs.BC))
		return found.Recording, err
	}
	project, err := rs.Project(ctx, inProject, in)
	if err != nil {
		return basecamp.Recording{}, err
	}
	found := basecamp.Recording{Bucket: basecamp.Bucket{ID: project.ID}}
	if named.IsZero() {
		root, err := rs.Dock(ctx, project, lookup.Vault, toolargs.Ref{})
		found.ID = root.ID
		return found, err
	}
	folders, err := rs.folders(ctx, project)
	if err != nil {
		return basecamp.Recording{}, err
	}
	folder, err := lookup.Pick(lookup.Choice[basecamp.Vault]{
		Argument: "folder", Noun: lookup.FolderKind.Noun, Items: folders,
		Name: func(v basecamp.Vault) string { return v.Title },
		ID:   func(v basecamp.Vault) int64 { return v.ID },
		Where: func(v basecamp.Vault) string {
			if v.Parent == nil {
				return project.Name
			}
			return v.Parent.Title
		},
	}, named.Name)
	folder.Bucket.ID = project.ID
	return folder.Recording, err
}

// folders reads the folders of a project, level by level from the top, up to about maxFolders.
func (rs *Resolver) folders(ctx context.Context, project basecamp.Project) ([]basecamp.Vault, error) {
	roots, err := rs.Docks(project, lookup.Vault)
	if err != nil {
		return nil, err
	}
	var all, level []basecamp.Vault
	for _, root := range roots {
		level = append(level, basecamp.Vault{Recording: basecamp.Recording{ID: root.ID, Title: root.Title}})
	}
	for len(level) > 0 && len(all) < maxFolders {
		all = append(all, level...)
		var err error
		parents := lookup.Matching(level, func(v basecamp.Vault) bool { return v.Parent == nil || v.VaultsCount > 0 })
		level, err = listing.EverythingIn(ctx, parents, func(v basecamp.Vault) listing.Source[basecamp.Vault] { return basecamp.FoldersIn.Source(rs.BC, v.ID) })
		if err != nil {
			return nil, err
		}
	}
	return append(all, level...), nil
}

// FolderView is a folder with one page each of its folders, documents and files.
type FolderView struct {
	FolderItem
	Folders   []FolderItem      `json:"folders"`
	Documents []DocumentItem    `json:"documents"`
	Files     []AttachmentItem  `json:"files"`
	More      bool              `json:"more,omitempty"`
	Project   lookup.ProjectRef `json:"project"`
	listing.Gaps
}

// ShowFolder reads a folder with what is in it.
func (rs *Resolver) ShowFolder(ctx context.Context, id int64) (FolderView, error) {
	var folders basecamp.Page[basecamp.Vault]
	var documents basecamp.Page[basecamp.Document]
	var files basecamp.Page[basecamp.Upload]
	folder, left, err := listing.Beside(ctx,
		func(ctx context.Context) (basecamp.Vault, error) { return basecamp.FolderAt.Get(ctx, rs.BC, id) },
		listing.Into("folders", &folders, func(ctx context.Context) (basecamp.Page[basecamp.Vault], error) {
			return basecamp.FoldersIn.Page(ctx, rs.BC, 1, id)
		}),
		listing.Into("documents", &documents, func(ctx context.Context) (basecamp.Page[basecamp.Document], error) {
			return basecamp.DocumentsIn.Page(ctx, rs.BC, 1, id)
		}),
		listing.Into("files", &files, func(ctx context.Context) (basecamp.Page[basecamp.Upload], error) {
			return basecamp.UploadsIn.Page(ctx, rs.BC, 1, id)
		}),
	)
	if err != nil {
		return FolderView{}, err
	}
	unseen, err := rs.markSeenIn(ctx, &folder, folders.Items, documents.Items, files.Items)
	if err != nil {
		return FolderView{}, err
	}
	left.LeftOut = append(left.LeftOut, unseen.LeftOut...)
	v := FolderView{FolderItem: viewFolder(folder), Project: lookup.ViewBucket(folder.Bucket), Gaps: left}
	v.Folders, v.Documents, v.Files = lookup.Mapped(folders.Items, viewFolder), lookup.Mapped(documents.Items, rs.previewDocument), lookup.Mapped(files.Items, rs.viewUpload)
	for i := range v.Files {
		v.Files[i].Trim(MaxPreview)
	}
	v.More = folders.Next > 0 || documents.Next > 0 || files.Next > 0
	v.Fit()
	return v, nil
}

func (rs *Resolver) markSeenIn(ctx context.Context, folder *basecamp.Vault, folders []basecamp.Vault, documents []basecamp.Document, files []basecamp.Upload) (listing.Gaps, error) {
	a := rs.Audience(ctx, folder.Recording)
	left, err := listing.Extras(ctx, a.SeenInto(&folder.Recording))
	if err != nil || len(left.LeftOut) > 0 {
		return left, err
	}
	_, ofFolders := lookup.MarkSeen(a, folders)
	_, ofDocuments := lookup.MarkSeen(a, documents)
	_, ofFiles := lookup.MarkSeen(a, files)
	return left, cmp.Or(ofFolders, ofDocuments, ofFiles)
}

// Fit removes entries until the answer is small enough. Documents and files share the room that the
// folders leave.
func (v *FolderView) Fit() {
	if len(v.Folders) > maxShown {
		v.Folders, v.More = v.Folders[:maxShown], true
	}
	room := listing.MaxAnswer - toolanswer.Size(v.Folders)
	if n := listing.Fit(v.Documents, max(room/2, room-listing.Weigh(v.Files))); n < len(v.Documents) {
		v.Documents, v.More = v.Documents[:n], true
	}
	if n := listing.Fit(v.Files, room-listing.Weigh(v.Documents)); n < len(v.Files) {
		v.Files, v.More = v.Files[:n], true
	}
}
