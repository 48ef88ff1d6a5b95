package basecamp

import (
	"context"
	"net/http"
)

// Upload is a file in a folder. DownloadURL needs the caller's token, and may name a host that must never get it.
type Upload struct {
	Recording
	Description HTML   `json:"description"`
	Filename    string `json:"filename"`
	ContentType string `json:"content_type"`
	ByteSize    int64  `json:"byte_size"`
	DownloadURL string `json:"download_url"`
}

// Uploads lists the active files right inside a folder (W-12).
func (c *Client) Uploads(ctx context.Context, vault int64, page int) (Page[Upload], error) {
	return list[Upload](ctx, c, at("folder", vault, "vaults/%d/uploads.json"), page)
}

// Upload is one file, without its bytes.
func (c *Client) Upload(ctx context.Context, id int64) (Upload, error) {
	return get[Upload](ctx, c, at("upload", id, "uploads/%d.json"))
}

// NewUpload is what a file in a folder is made of: an attachment, and what is said of it.
type NewUpload struct {
	AttachableSGID string `json:"attachable_sgid"`
	Description    string `json:"description,omitempty"` // HTML
}

// CreateUpload puts an attachment into a folder.
func (c *Client) CreateUpload(ctx context.Context, vault int64, upload NewUpload) (Upload, error) {
	return send[Upload](ctx, c, http.MethodPost, at("folder", vault, "vaults/%d/uploads.json"), upload)
}
