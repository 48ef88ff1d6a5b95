package sandbox

import (
	"bytes"
	"fmt"
	"path"
	"strings"
	"sync"
)

var contentTypes = map[string]string{
	".png": "image/png", ".jpg": "image/png", ".pdf": "application/pdf", ".csv": "text/csv", ".txt": "text/plain",
	".md": "text/markdown", ".mp4": "video/mp4", ".step": "model/step",
}

// seedFile returns a file of the company by name. All pictures have the same content, and a file
// that is neither a picture nor in company.json is a placeholder.
func seedFile(name string) file {
	f := file{Filename: name, ContentType: contentTypes[path.Ext(name)]}
	switch content, stored := company().Files[name]; path.Ext(name) {
	case ".png", ".jpg":
		f.Content, f.Width, f.Height = company().Picture, 96, 64
	case ".mp4":
		f.Content = film()
	case ".pdf":
		f.Content = fmt.Appendf(nil, "%%PDF-1.4\n%% %s\n%s\n%%%%EOF\n", name, strings.Repeat("0 0 obj endobj\n", len(name)))
	default:
		if !stored {
			content = strings.Repeat(name+"\n", 20)
		}
		f.Content = []byte(content)
	}
	return f
}

// heavy is the size of the one file that is too large for the tools to read.
const heavy = 1_300_000

// film is made once. No sandbox changes the content of a file.
var film = sync.OnceValue(func() []byte { return bytes.Repeat([]byte("fernhill"), heavy/8) })
