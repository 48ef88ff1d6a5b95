package basecamp

import (
	"context"
	"net/http"
)

// Document is a text in a folder.
type Document struct {
	Recording
	Content     HTML         `json:"content"`
	Attachments []Attachment `json:"content_attachments"`
}

// Documents lists the active documents directly in a folder, in full.
func (c *Client) Documents(ctx context.Context, vault int64, page int) (Page[Document], error) {
	return list[Document](ctx, c, requestAt("folder", vault, "vaults/%d/documents.json"), page)
}

// Document returns one document in full.
func (c *Client) Document(ctx context.Context, id int64) (Document, error) {
	return get[Document](ctx, c, requestAt("document", id, "documents/%d.json"))
}

// DocumentFields has the fields of a document to write. Title and content are always sent, because
// Basecamp clears missing fields.
type DocumentFields struct {
	Title   string `json:"title"`
	Content string `json:"content"`
	Status  string `json:"status,omitzero"` // active publishes; empty creates a draft, or keeps the status
	Visibility
}

// CreateDocument creates a document in a folder.
func (c *Client) CreateDocument(ctx context.Context, vault int64, d DocumentFields) (Document, error) {
	return send[Document](ctx, c, http.MethodPost, requestAt("folder", vault, "vaults/%d/documents.json"), d)
}

// UpdateDocument replaces the title and the content of a document and returns the changed document.
func (c *Client) UpdateDocument(ctx context.Context, id int64, d DocumentFields) (Document, error) {
	return send[Document](ctx, c, http.MethodPut, requestAt("document", id, "documents/%d.json"), d)
}
