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
	return send[Vault](ctx, c, http.MethodPost, r, struct {
		Title string `json:"title"`
	}{title})
}
