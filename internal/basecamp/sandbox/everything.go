package sandbox

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// everyTask answers with the matching tasks of a kind in all projects. Pages count projects and not
// tasks.
func everyTask(k kind, keep func(*recording) bool) handler {
	return func(c *call) reply {
		return page(c, c.projects(active), func(p *project) map[string]any {
			tasks := filter(c.tasksOf(p, k), func(r *recording) bool { return keep(r) && c.wanted(r) })
			return map[string]any{"bucket": c.inBucket(p), assignmentTypes[k] + "s": apply(tasks, c.show)}
		})
	}
}

// tasksOf returns a project's active tasks of a kind in the order of the page, without the tasks of
// disabled tools.
func (c *call) tasksOf(p *project, k kind) []*recording {
	var found []*recording
	var walk func(*recording)
	walk = func(r *recording) {
		if r.kind == k && r.effective() == active && c.sees(r) {
			found = append(found, r)
		}
		for _, child := range r.children {
			walk(child)
		}
	}
	for _, tool := range p.dock {
		if !tool.disabled {
			walk(tool)
		}
	}
	return found
}

// wanted reports whether a task matches ?assignee_ids[] and ?due.
func (c *call) wanted(r *recording) bool {
	if ids := c.query["assignee_ids[]"]; len(ids) > 0 && !slices.ContainsFunc(r.task.assignees, func(p *person) bool {
		return slices.Contains(ids, strconv.FormatInt(p.id, 10))
	}) {
		return false
	}
	switch due := r.task.dueOn; c.query.Get("due") {
	case "with":
		return due != ""
	case "without":
		return due == ""
	case "overdue":
		return due != "" && due < c.today().Format(time.DateOnly)
	}
	return true
}

func unassigned(r *recording) bool { return open(r) && len(r.task.assignees) == 0 }
func undated(r *recording) bool    { return open(r) && r.task.dueOn == "" }
func notNow(r *recording) bool     { return r.parent.kind == kindNotNow }

// openNow reports whether a task is open and not in the column Not now.
func openNow(r *recording) bool { return open(r) && !notNow(r) }

func everyOverdue(k kind) handler {
	return func(c *call) reply { return whole(filter(c.overdue(k), c.wanted), c.show) }
}

// listFiles answers with documents, uploads and the files within texts, the newest first.
func listFiles(c *call) reply {
	people := c.query["people_ids[]"]
	all := newestFirst(append(c.everywhere(kindDocument, kindUpload), c.inlineFiles()...))
	files := filter(all, func(r *recording) bool {
		return (len(people) == 0 || slices.Contains(people, strconv.FormatInt(r.creator.id, 10))) && fits(c.query.Get("kind"), r)
	})
	return page(c, files, c.show)
}

// inlineFiles returns the files within texts in the form of recordings.
func (c *call) inlineFiles() []*recording {
	var files []*recording
	for _, r := range c.everywhere(kindMessage, kindComment, kindDocument, kindTodo, kindCard, kindForward) {
		for _, view := range c.inline(r.body) {
			f := c.account.attachments[view.SGID]
			files = append(files, &recording{
				id: f.id, kind: kindAttachment, bucket: r.bucket, parent: r, creator: r.creator, status: active,
				created: r.created, updated: r.created, title: f.name, file: &f.file,
			})
		}
	}
	return files
}

type inlineFileJSON struct {
	envelope
	AttachableSGID string `json:"attachable_sgid"`
	fileJSON
}

func (c *call) inlineFile(r *recording) inlineFileJSON {
	f := c.attachment(c.account.attachments[sgid("Attachment", r.id, "attachable")])
	return inlineFileJSON{c.envelope(r), f.AttachableSGID, f.fileJSON}
}

// fits reports whether a file belongs to a kind of the Files page.
func fits(wanted string, r *recording) bool {
	extension := ""
	if r.file != nil {
		extension = strings.TrimPrefix(strings.ToLower(path.Ext(r.file.name)), ".")
	}
	switch wanted {
	case "images":
		return r.file != nil && strings.HasPrefix(r.file.contentType, "image/")
	case "pdfs":
		return extension == "pdf"
	case "videos":
		return r.file != nil && strings.HasPrefix(r.file.contentType, "video/")
	case "documents":
		return r.kind == kindDocument || slices.Contains([]string{"doc", "docx", "md", "odt", "pages", "rtf", "txt"}, extension)
	}
	return true
}
