package basecamptools

import (
	"context"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/plaintext"
)

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
func (rs *resolver) replacing(ctx context.Context, in uploadFileInput) (put func(ctx context.Context, sgid string) (uploadedFile, error), name string, err error) {
	if in.Item != "" || !in.Folder.IsZero() {
		return nil, "", fault.Invalid("replaces", "a new version stays where the file is; leave item and folder out")
	}
	old, err := lookup.ReadToChange(ctx, rs.Resolver, lookup.UploadKind.WithArguments("replaces", "project"), in.Replaces, in.Project, rs.BC.Upload)
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
	return func(ctx context.Context, sgid string) (uploadedFile, error) {
		beside := rs.AudienceBeside(ctx, old.Recording)
		change.AttachableSGID = sgid
		made, err := rs.BC.CreateUploadVersion(ctx, old.ID, change)
		if err != nil {
			return uploadedFile{}, err
		}
		v := uploadedFile{attachmentItem: rs.viewUpload(made), Reach: beside.Reached(by, made.Recording, text)}
		v.newVersion = newVersion{&formerFile{
			Filename: plaintext.Clean(old.Filename), ByteSize: old.ByteSize,
			Description: previousText(rs.Markdown(old.Description), rs.Markdown(made.Description)),
		}, cannotBeUndone}
		v.Seen = v.ViewClients()
		return v, nil
	}, old.Filename, err
}
