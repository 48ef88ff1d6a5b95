package basecamptools

import (
	"cmp"
	"context"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolanswer"
	"basecamp-mcp/internal/toolargs"
)

// maxFolders is the number of folders that are read to find one by name.
const maxFolders = 200

type folderItem struct {
	ID             int64  `json:"id"`
	Type           string `json:"type"`
	Name           string `json:"name"`
	DocumentsCount int    `json:"documents_count"`
	FilesCount     int    `json:"files_count"`
	FoldersCount   int    `json:"folders_count"`
	URL            string `json:"url"`
	seen
}

func viewFolder(v basecamp.Vault) folderItem {
	return folderItem{
		ID: v.ID, Type: folderKind.kind, Name: plaintext.Clean(v.Title), URL: v.AppURL,
		DocumentsCount: v.DocumentsCount, FilesCount: v.UploadsCount, FoldersCount: v.VaultsCount, seen: viewSeen(v.Recording),
	}
}

func viewFolders(folders []basecamp.Vault) []folderItem {
	var views []folderItem
	for _, v := range folders {
		views = append(views, viewFolder(v))
	}
	return views
}

// folder resolves a reference to a folder of a project, by default the top one. The result always
// has the id and the project.
func (rs *resolver) folder(ctx context.Context, inProject string, in, named toolargs.Ref) (basecamp.Recording, error) {
	named, err := folderKind.bare("folder", named)
	if err != nil {
		return basecamp.Recording{}, err
	}
	if named.ID != 0 || named.URL != "" {
		found, err := readItem(ctx, rs, folderKind.withArguments("folder", inProject), named, in, rs.bc.Vault)
		return found.Recording, err
	}
	project, err := rs.project(ctx, inProject, in)
	if err != nil {
		return basecamp.Recording{}, err
	}
	found := basecamp.Recording{Bucket: basecamp.Bucket{ID: project.ID}}
	if named.IsZero() {
		root, err := rs.dock(ctx, project, vault, toolargs.Ref{})
		found.ID = root.ID
		return found, err
	}
	folders, err := rs.folders(ctx, project)
	if err != nil {
		return basecamp.Recording{}, err
	}
	folder, err := pick(choice[basecamp.Vault]{
		argument: "folder", noun: folderKind.noun, items: folders,
		name: func(v basecamp.Vault) string { return v.Title },
		id:   func(v basecamp.Vault) int64 { return v.ID },
		where: func(v basecamp.Vault) string {
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
func (rs *resolver) folders(ctx context.Context, project basecamp.Project) ([]basecamp.Vault, error) {
	roots, err := rs.docks(project, vault)
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
		parents := matching(level, func(v basecamp.Vault) bool { return v.Parent == nil || v.VaultsCount > 0 })
		level, err = listing.EverythingIn(ctx, parents, func(v basecamp.Vault) listing.Source[basecamp.Vault] { return listing.SourceOf(rs.bc.Vaults, v.ID) })
		if err != nil {
			return nil, err
		}
	}
	return append(all, level...), nil
}

// folderView is a folder with one page each of its folders, documents and files.
type folderView struct {
	folderItem
	Folders   []folderItem     `json:"folders"`
	Documents []documentItem   `json:"documents"`
	Files     []attachmentItem `json:"files"`
	More      bool             `json:"more,omitempty"`
	Project   projectRef       `json:"project"`
	gaps
}

func (rs *resolver) showFolder(ctx context.Context, id int64) (folderView, error) {
	var folder basecamp.Vault
	var folders basecamp.Page[basecamp.Vault]
	var documents basecamp.Page[basecamp.Document]
	var files basecamp.Page[basecamp.Upload]
	var left gaps
	err := listing.Together(ctx,
		func(ctx context.Context) (err error) { folder, err = rs.bc.Vault(ctx, id); return err },
		func(ctx context.Context) (err error) {
			left, err = extras(ctx,
				extra{"folders", func(ctx context.Context) (err error) { folders, err = rs.bc.Vaults(ctx, id, 1); return err }},
				extra{"documents", func(ctx context.Context) (err error) { documents, err = rs.bc.Documents(ctx, id, 1); return err }},
				extra{"files", func(ctx context.Context) (err error) { files, err = rs.bc.Uploads(ctx, id, 1); return err }},
			)
			return err
		},
	)
	if err != nil {
		return folderView{}, err
	}
	unseen, err := rs.settleFolder(ctx, &folder, folders.Items, documents.Items, files.Items)
	if err != nil {
		return folderView{}, err
	}
	left.LeftOut = append(left.LeftOut, unseen.LeftOut...)
	v := folderView{folderItem: viewFolder(folder), Folders: viewFolders(folders.Items), Project: viewBucket(folder.Bucket), gaps: left}
	for _, d := range documents.Items {
		v.Documents = append(v.Documents, rs.previewDocument(d))
	}
	for _, f := range files.Items {
		v.Files = append(v.Files, rs.viewUpload(f))
		v.Files[len(v.Files)-1].Trim(maxPreview)
	}
	v.More = folders.Next > 0 || documents.Next > 0 || files.Next > 0
	v.fit()
	return v, nil
}

// settleFolder sets whether clients see a folder and what is in it.
func (rs *resolver) settleFolder(ctx context.Context, folder *basecamp.Vault, folders []basecamp.Vault, documents []basecamp.Document, files []basecamp.Upload) (gaps, error) {
	a := rs.audience(ctx, folder.Recording)
	left, err := extras(ctx, a.settled(&folder.Recording))
	if err != nil || len(left.LeftOut) > 0 {
		return left, err
	}
	_, ofFolders := settle(a, folders)
	_, ofDocuments := settle(a, documents)
	_, ofFiles := settle(a, files)
	return left, cmp.Or(ofFolders, ofDocuments, ofFiles)
}

// fit removes entries until the answer is small enough. Documents and files share the room that the
// folders leave.
func (v *folderView) fit() {
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
