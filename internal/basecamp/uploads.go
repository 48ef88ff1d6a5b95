package basecamp

import "context"

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
