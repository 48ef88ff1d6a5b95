package basecamp

import (
	"context"
	"net/http"
)

// Upload is a file in a folder.
type Upload struct {
	Recording
	Description HTML   `json:"description"`
	Filename    string `json:"filename"`
	ContentType string `json:"content_type"`
	ByteSize    int64  `json:"byte_size"`
	DownloadURL string `json:"download_url"` // for Download; never send a token to its host
}

// Uploads lists the active files directly in a folder.
func (c *Client) Uploads(ctx context.Context, vault int64, page int) (Page[Upload], error) {
	return list[Upload](ctx, c, requestAt("folder", vault, "vaults/%d/uploads.json"), page)
}

// Upload returns one file, without its content.
func (c *Client) Upload(ctx context.Context, id int64) (Upload, error) {
	return get[Upload](ctx, c, requestAt("upload", id, "uploads/%d.json"))
}

// NewUpload has the fields for a new file in a folder: an attachment and its description.
type NewUpload struct {
	AttachableSGID string `json:"attachable_sgid"`
	Description    string `json:"description,omitempty"` // HTML
	Visibility
}

// CreateUpload adds an attachment to a folder.
func (c *Client) CreateUpload(ctx context.Context, vault int64, upload NewUpload) (Upload, error) {
	return send[Upload](ctx, c, http.MethodPost, requestAt("folder", vault, "vaults/%d/uploads.json"), upload)
}

// NewVersion has the fields for a new version of a file. A nil description keeps the old one.
// Basecamp notifies no one of it.
type NewVersion struct {
	AttachableSGID string  `json:"attachable_sgid"`
	Description    *string `json:"description,omitempty"` // HTML
}

// CreateUploadVersion replaces the file of an upload, which keeps its ID and its comments. No
// request takes a version back.
func (c *Client) CreateUploadVersion(ctx context.Context, id int64, version NewVersion) (Upload, error) {
	return send[Upload](ctx, c, http.MethodPost, requestAt("upload", id, "uploads/%d/versions.json"), version)
}

// UploadChange has the new values of a file. A nil field stays as it is.
type UploadChange struct {
	BaseName    *string `json:"base_name,omitempty"`   // its name without the extension
	Description *string `json:"description,omitempty"` // HTML; empty clears it
}

// UpdateUpload changes the name or the description of a file and returns the changed file.
func (c *Client) UpdateUpload(ctx context.Context, id int64, change UploadChange) (Upload, error) {
	return send[Upload](ctx, c, http.MethodPut, requestAt("upload", id, "uploads/%d.json"), change)
}
