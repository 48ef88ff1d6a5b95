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
	".png": "image/png", ".jpg": "image/jpeg", ".pdf": "application/pdf", ".csv": "text/csv", ".txt": "text/plain",
	".md": "text/markdown", ".mp4": "video/mp4", ".step": "model/step",
}

// heavy is the size of the one file that is too large for the tools to read.
const heavy = 1_300_000

// collectFiles reads the files with stored content. The others are generated when needed.
func (d *seeder) collectFiles() {
	entries, err := texts.ReadDir("seed/files")
	if err != nil {
		panic(err)
	}
	for _, entry := range entries {
		content, err := texts.ReadFile("seed/files/" + entry.Name())
		if err != nil {
			panic(err)
		}
		d.files[entry.Name()] = file{name: entry.Name(), contentType: contentTypes[path.Ext(entry.Name())], content: content}
	}
	d.files["picture"] = hill()
}

// file returns a file by name. All pictures have the same content, and a file that is neither text
// nor picture is a placeholder.
func (d *seeder) file(name string) file {
	if f, ok := d.files[name]; ok {
		return f
	}
	f := file{name: name, contentType: contentTypes[path.Ext(name)]}
	switch path.Ext(name) {
	case ".png", ".jpg":
		f = d.files["picture"]
		f.name, f.contentType = name, "image/png"
	case ".mp4":
		f.content = film()
	case ".pdf":
		f.content = fmt.Appendf(nil, "%%PDF-1.4\n%% %s\n%s\n%%%%EOF\n", name, strings.Repeat("0 0 obj endobj\n", len(name)))
	default:
		f.content = []byte(strings.Repeat(name+"\n", 20))
	}
	return f
}

// These contents are made once. No sandbox changes the content of a file.
var (
	film = sync.OnceValue(func() []byte { return bytes.Repeat([]byte("fernhill"), heavy/8) })
	hill = sync.OnceValue(picture)
)

// picture returns an image of a small hill under a sky.
func picture() file {
	const width, height = 96, 64
	img := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{
		color.RGBA{0xcf, 0xe3, 0xf1, 0xff}, color.RGBA{0x4d, 0x7c, 0x4f, 0xff},
	})
	for x := range width {
		for y := height - 12 - x*(width-x)/80; y < height; y++ {
			img.SetColorIndex(x, y, 1)
		}
	}
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		panic(err)
	}
	return file{contentType: "image/png", width: width, height: height, content: buf.Bytes()}
}
