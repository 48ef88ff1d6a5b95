package basecamp

import (
	"context"
	"net/http"
)

// Vault is a folder with documents, files and folders. The one in a project's dock is the root
// folder.
type Vault struct {
	Recording
	DocumentsCount int `json:"documents_count"`
	UploadsCount   int `json:"uploads_count"`
	VaultsCount    int `json:"vaults_count"`
}

// Vault returns one folder.
func (c *Client) Vault(ctx context.Context, id int64) (Vault, error) {
	return get[Vault](ctx, c, requestAt("folder", id, "vaults/%d.json"))
}

// Vaults lists the folders directly in a folder.
func (c *Client) Vaults(ctx context.Context, parent int64, page int) (Page[Vault], error) {
	return list[Vault](ctx, c, requestAt("folder", parent, "vaults/%d/vaults.json"), page)
}

// RenameVault changes the title of a folder.
func (c *Client) RenameVault(ctx context.Context, id int64, title string) (Vault, error) {
	return send[Vault](ctx, c, http.MethodPut, requestAt("folder", id, "vaults/%d.json"), fields{"title": title})
}

type filing struct {
	Parent   int64 `json:"parent_id"`
	Position int   `json:"position,omitempty"`
}

// File puts a document, a file or a folder into a folder of its project, at a position that counts
// from 1, or where Basecamp puts it for 0.
func (c *Client) File(ctx context.Context, id, vault int64, position int) error {
	return c.write(ctx, http.MethodPost, requestAt("item", id, "recordings/%d/filing.json"), filing{vault, position})
}

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
