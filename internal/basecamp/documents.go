package basecamp

import "context"

// Document is a text in a folder.
type Document struct {
	Recording
	Content     HTML         `json:"content"`
	Attachments []Attachment `json:"content_attachments"`
}

// Documents lists the active documents right inside a folder, in full.
func (c *Client) Documents(ctx context.Context, vault int64, page int) (Page[Document], error) {
	return list[Document](ctx, c, at("folder", vault, "vaults/%d/documents.json"), page)
}

// Document is one document in full.
func (c *Client) Document(ctx context.Context, id int64) (Document, error) {
	return get[Document](ctx, c, at("document", id, "documents/%d.json"))
}
