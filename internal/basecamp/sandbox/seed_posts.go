package sandbox

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"path"
	"strconv"
	"strings"
	"sync"

	"basecamp-mcp/internal/lazyregexp"
)

var macro = lazyregexp.New(`\{(@|file:|gallery:)([^}]+)\}`)

// html replaces {@handle} by a mention and {file:name} by a file.
func (d *seeder) html(text string) string {
	text = macro.ReplaceAllStringFunc(text, func(m string) string {
		parts := macro.FindStringSubmatch(m)
		if parts[1] == "@" {
			return fmt.Sprintf(`<bc-attachment sgid="%s"></bc-attachment>`, d.who(parts[2]).sgid)
		}
		name, caption, _ := strings.Cut(parts[2], "|")
		extra := ""
		if caption != "" {
			extra = fmt.Sprintf(` caption="%s"`, caption)
		}
		if parts[1] == "gallery:" {
			extra += ` presentation="gallery"`
		}
		return fmt.Sprintf(`<bc-attachment sgid="%s"%s></bc-attachment>`, d.s.attach(d.a, d.file(name)).sgid, extra)
	})
	if !strings.Contains(text, "<") {
		return text
	}
	return d.s.richText(d.a, text)
}

// A post is one section of a text: a title, its properties, its body and its comments.
type post struct {
	title    string
	meta     []string
	body     string
	comments []string // "handle 3d: HTML"
}

// sections reads posts:
//
//	== Title
//	by handle, 12d, and more
//	body, HTML
//	-- handle 11d: a comment, which may
//	go on
func sections(all []string) []post {
	var posts []post
	into := (*string)(nil)
	for _, line := range all {
		switch {
		case isComment(line):
		case strings.HasPrefix(line, "== "):
			posts = append(posts, post{title: strings.TrimPrefix(line, "== ")})
			into = nil
		case len(posts) == 0:
		case into == nil:
			p := &posts[len(posts)-1]
			p.meta = apply(strings.Split(line, ","), strings.TrimSpace)
			into = &p.body
		case strings.HasPrefix(line, "-- "):
			p := &posts[len(posts)-1]
			p.comments = append(p.comments, strings.TrimPrefix(line, "-- "))
			into = &p.comments[len(p.comments)-1]
		default:
			*into += "\n" + line
		}
	}
	for i := range posts {
		posts[i].body = strings.TrimSpace(posts[i].body)
	}
	return posts
}

// posts reads the messages of projects. Each project starts with a line "# Project".
func (d *seeder) posts(name string) {
	for project, text := range byProject(d.lines(name)) {
		d.projectCalled(project)
		for _, p := range sections(text) {
			r := d.write(kindMessage, d.tool(kindBoard, ""), p)
			r.subscribe(d.p.people...)
		}
	}
}

// byProject splits a text at its lines "# Project", in order.
func byProject(all []string) func(func(string, []string) bool) {
	return func(yield func(string, []string) bool) {
		for i := 0; i < len(all); {
			project, begins := strings.CutPrefix(all[i], "# ")
			if i++; !begins {
				continue
			}
			from := i
			for i < len(all) && !strings.HasPrefix(all[i], "# ") {
				i++
			}
			if !yield(project, all[from:i]) {
				return
			}
		}
	}
}

// write adds a message or a document with its comments.
func (d *seeder) write(k kind, parent *recording, p post) *recording {
	r := &recording{kind: k, title: p.title, creator: d.p.people[0], created: d.ago("30d"), public: parent.public}
	for _, word := range p.meta {
		key, value, _ := strings.Cut(word, " ")
		switch key {
		case "by":
			r.creator = d.who(value)
		case "id":
			r.id, _ = strconv.ParseInt(value, 10, 64)
		case "pinned":
			r.pinned = true
		case "public":
			r.public = true
		case "draft":
			r.status = drafted
		case "archived", "trashed":
			r.status = status(key)
		case "updated":
			r.updated = d.ago(value)
		default:
			if word[0] >= '0' && word[0] <= '9' {
				r.created = d.ago(word)
				continue
			}
			r.category = d.category(word)
		}
	}
	r.body = d.html(strings.ReplaceAll(p.body, "\n", ""))
	if strings.Contains(p.body, "<pre>") {
		r.body = d.html(p.body)
	}
	d.s.add(d.p, parent, r)
	d.p.updated = later(d.p.updated, r.created)
	for _, comment := range p.comments {
		d.remark(r, strings.ReplaceAll(comment, "\n", ""))
	}
	return r
}

func (d *seeder) category(name string) *category {
	for _, g := range d.p.categories {
		if g.name == name {
			return g
		}
	}
	panic(fmt.Sprintf("sandbox seed: no category is called %q", name))
}

// shelves reads folders: "# Project", "## path/to/folder", and in each folder documents as sections
// and files as lines "* name | handle | 12d | description".
func (d *seeder) shelves(name string) {
	for project, text := range byProject(d.lines(name)) {
		d.projectCalled(project)
		vault := d.tool(kindVault, "")
		var section []string
		flush := func() {
			for _, p := range sections(section) {
				d.write(kindDocument, vault, p)
			}
			section = nil
		}
		for _, line := range text {
			switch mark, rest, _ := strings.Cut(line, " "); mark {
			case "##":
				flush()
				vault = d.folder(rest)
			case "*":
				d.uploadTo(vault, fieldsOf(rest))
			default:
				section = append(section, line)
			}
		}
		flush()
	}
}

// folder returns a folder by its path below Docs & Files. It creates missing folders.
func (d *seeder) folder(path string) *recording {
	vault := d.tool(kindVault, "")
	if path == "/" {
		return vault
	}
next:
	for part := range strings.SplitSeq(path, "/") {
		for _, sub := range vault.within(kindVault) {
			if sub.title == part {
				vault = sub
				continue next
			}
		}
		vault = d.s.add(d.p, vault, &recording{
			kind: kindVault, title: part, creator: d.p.people[0], created: vault.created.Add(50 * 60e9),
		})
	}
	return vault
}

// uploadTo adds a file to a folder from its name, handle, age and description.
func (d *seeder) uploadTo(vault *recording, parts []string) {
	f := d.file(parts[0])
	u := &recording{kind: kindUpload, title: f.name, creator: d.who(parts[1]), created: d.ago(parts[2])}
	if len(parts) > 3 {
		u.body = d.html(parts[3])
	}
	u.file = &d.s.attach(d.a, f).file
	u.versions = []*file{u.file}
	d.s.add(d.p, vault, u)
}

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
