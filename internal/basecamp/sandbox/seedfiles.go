package sandbox

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
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
		f.Content, f.Width, f.Height = hill(), hillWidth, hillHeight
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

const (
	heavy      = 1_300_000 // size of the one file that is too large for the tools to read
	hillWidth  = 96
	hillHeight = 64
)

// These contents are made once. No sandbox changes the content of a file.
var (
	film = sync.OnceValue(func() []byte { return bytes.Repeat([]byte("fernhill"), heavy/8) })
	hill = sync.OnceValue(picture)
)

// picture returns an image of a small hill under a sky.
func picture() []byte {
	img := image.NewPaletted(image.Rect(0, 0, hillWidth, hillHeight), color.Palette{
		color.RGBA{0xcf, 0xe3, 0xf1, 0xff}, color.RGBA{0x4d, 0x7c, 0x4f, 0xff},
	})
	for x := range hillWidth {
		for y := hillHeight - 12 - x*(hillWidth-x)/80; y < hillHeight; y++ {
			img.SetColorIndex(x, y, 1)
		}
	}
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		panic(err)
	}
	return buf.Bytes()
}
