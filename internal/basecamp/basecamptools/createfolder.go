package basecamptools

import (
	"context"

	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/toolargs"
)

type createFolderInput struct {
	Project toolargs.Ref `json:"project" jsonschema:""`
	Folder  toolargs.Ref `json:"folder,omitzero" jsonschema:""`
	Title   string       `json:"title" jsonschema:"" limits:"minlen=1 maxlen=1500"`
}

// createdFolder is a new folder, with the folder that it is in.
type createdFolder struct {
	folderItem
	In      *lookup.Ref       `json:"in,omitempty"`
	Project lookup.ProjectRef `json:"project" jsonschema:""`
	lookup.Gaps
}

func createFolder(rs *resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "create_folder",
		Title:       "Make a folder",
		Description: "Makes a folder in a Basecamp project's Docs & Files.",
		Effect:      mcptool.Creates,
	}, func(ctx context.Context, in createFolderInput) (createdFolder, error) {
		if err := notBlank("title", in.Title); err != nil {
			return createdFolder{}, err
		}
		folder, err := rs.folder(ctx, "project", in.Project, in.Folder)
		if err == nil {
			err = lookup.NotPutAway("folder", folder)
		}
		if err != nil {
			return createdFolder{}, err
		}
		beside := rs.AudienceBeside(ctx, folder)
		made, err := rs.BC.CreateVault(ctx, folder.ID, lookup.Plainly(in.Title))
		if err != nil {
			return createdFolder{}, err
		}
		clients, left := beside.SeenBy(made.Recording)
		v := createdFolder{folderItem: viewFolder(made), In: lookup.ViewParent(made.Recording), Project: lookup.ViewBucket(made.Bucket), Gaps: left}
		v.Seen = lookup.SeenBy(clients)
		return v, nil
	})
}
