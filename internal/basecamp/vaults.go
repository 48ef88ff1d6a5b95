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

// CreateVault makes a folder in a folder. It is visible to clients as the folder that holds it is.
func (c *Client) CreateVault(ctx context.Context, parent int64, title string) (Vault, error) {
	r := requestAt("folder", parent, "vaults/%d/vaults.json")
	return send[Vault](ctx, c, http.MethodPost, r, vaultTitle{title})
}

type vaultTitle struct {
	Title string `json:"title"`
}

// RenameVault changes the title of a folder.
func (c *Client) RenameVault(ctx context.Context, id int64, title string) (Vault, error) {
	return send[Vault](ctx, c, http.MethodPut, requestAt("folder", id, "vaults/%d.json"), vaultTitle{title})
}

type filing struct {
	Parent   int64 `json:"parent_id"`
	Position int   `json:"position,omitempty"`
}

// File puts a document, a file or a folder into a folder of its project, at a position that counts
// from 1, or where Basecamp puts it for 0.
func (c *Client) File(ctx context.Context, id, vault int64, position int) error {
	_, err := send[struct{}](ctx, c, http.MethodPost, requestAt("item", id, "recordings/%d/filing.json"), filing{vault, position})
	return err
}
