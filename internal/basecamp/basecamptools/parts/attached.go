package parts

import (
	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/richtext"
	"basecamp-mcp/internal/text/plaintext"
)

// File is the metadata of a file. The size and the address are absent if Basecamp did not say them.
type File struct {
	Filename    string `json:"filename"`
	ContentType string `json:"content_type"`
	ByteSize    int64  `json:"byte_size,omitzero"`
	DownloadURL string `json:"download_url,omitzero"`
}

// ViewFiles returns the files of a text. It shows only addresses that get_file reads.
func ViewFiles(text basecamp.HTML, listed []basecamp.Attachment) []File {
	var files []File
	for _, a := range FilesIn(text, listed) {
		v := File{Filename: plaintext.Clean(a.Filename), ContentType: a.ContentType, ByteSize: a.ByteSize}
		if basecamp.FileName(a.DownloadURL) != "" {
			v.DownloadURL = a.DownloadURL
		}
		files = append(files, v)
	}
	return files
}

// FilesIn returns the files of a text: those that Basecamp listed next to it, or else those that
// its elements describe.
func FilesIn(text basecamp.HTML, listed []basecamp.Attachment) []basecamp.Attachment {
	if len(listed) > 0 {
		return listed
	}
	var files []basecamp.Attachment
	for _, f := range richtext.Files(string(text)) {
		files = append(files, basecamp.Attachment{SGID: f.SGID, Filename: f.Name, ContentType: f.ContentType, DownloadURL: f.URL})
	}
	return files
}

// FilesOfLine returns the files of a line of a chat.
func FilesOfLine(l basecamp.ChatLine) []basecamp.Attachment {
	if l.IsHTML() {
		return FilesIn(basecamp.HTML(l.Content), l.Attachments)
	}
	return l.Attachments
}
