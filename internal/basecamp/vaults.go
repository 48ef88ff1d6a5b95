package basecamp

// Vault is a folder with documents, files and folders. The one in a project's dock is the root
// folder.
type Vault struct {
	Recording
	DocumentsCount int `json:"documents_count"`
	UploadsCount   int `json:"uploads_count"`
	VaultsCount    int `json:"vaults_count"`
}

// Document is a text in a folder.
type Document struct {
	Recording
	Content     HTML         `json:"content"`
	Attachments []Attachment `json:"content_attachments"`
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

// NewVersion has the fields for a new version of a file. A nil description keeps the old one.
// Basecamp notifies no one of it.
type NewVersion struct {
	AttachableSGID string  `json:"attachable_sgid"`
	Description    *string `json:"description,omitempty"` // HTML
}
