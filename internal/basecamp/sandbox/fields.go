package sandbox

import (
	"net/url"
	"strings"
	"sync"
)

// recordingFields has the values of the fields of recordings, and of the parts of their URLs.
var recordingFields = sync.OnceValue(func() fieldsOf[*recording] {
	return fieldsOf[*recording]{
		"id":                 func(_ *call, r *recording) any { return r.id },
		"status":             func(_ *call, r *recording) any { return r.effective() },
		"visible_to_clients": func(_ *call, r *recording) any { return r.public },
		"created_at":         func(_ *call, r *recording) any { return r.created },
		"updated_at":         func(_ *call, r *recording) any { return r.updated },
		"title":              func(_ *call, r *recording) any { return r.headline() },
		"name":               func(_ *call, r *recording) any { return r.title },
		"type":               func(_ *call, r *recording) any { return r.kind },
		"lower_type":         func(_ *call, r *recording) any { return strings.ToLower(string(r.kind)) },
		"place":              func(_ *call, r *recording) any { return r.place() },
		"anchor":             func(_ *call, r *recording) any { return r.anchor() },
		"readable":           func(_ *call, r *recording) any { return sgid("Recording", r.id, "readable") },
		"project":            func(_ *call, r *recording) any { return r.bucket.id },
		"bucket":             func(c *call, r *recording) any { return c.inBucket(r.bucket) },
		"bucket_link":        func(c *call, r *recording) any { return c.bucketLink(r.bucket) },
		"bucket_name":        func(_ *call, r *recording) any { return view{{"id", r.bucket.id}, {"name", r.bucket.name}} },
		"parent":             func(c *call, r *recording) any { return ifAny(r.parent, c.reference) },
		"parent_link":        func(c *call, r *recording) any { return c.as("link", r.parent) },
		"parent_path":        func(_ *call, r *recording) any { return view{{"id", r.parent.id}, {"title", r.parent.pathTitle()}} },
		"creator":            func(c *call, r *recording) any { return c.person(r.creator) },
		"brief_creator":      func(c *call, r *recording) any { return c.brief(r.creator) },
		"subscribers":        func(c *call, r *recording) any { return apply(r.subscribers, c.person) },
		"comments_count":     func(c *call, r *recording) any { return len(c.comments(r)) },
		"boosts_count":       func(_ *call, r *recording) any { return len(r.boosts) },
		"body":               func(_ *call, r *recording) any { return r.body },
		"notes":              func(_ *call, r *recording) any { return orNull(r.body) },
		"has_description":    func(_ *call, r *recording) any { return r.body != "" },
		"excerpt":            func(_ *call, r *recording) any { return shorten(plain(r.body), 300) },
		"files":              func(c *call, r *recording) any { return c.inline(r.body) },
		"color":              func(_ *call, r *recording) any { return orNull(r.color) },
		"position": func(_ *call, r *recording) any {
			at := r.position()
			return present(at > 0 && !r.completed() && !r.disabled, at)
		},

		// Tools of the dock.
		"tool":    func(_ *call, r *recording) any { return r.kind.tool() },
		"enabled": func(_ *call, r *recording) any { return !r.disabled },
		"dock_position": func(_ *call, r *recording) any {
			if r.disabled {
				return nil
			}
			return r.position()
		},

		// To-do lists and sets.
		"completed_ratio": func(c *call, r *recording) any { return c.ratio(r) },
		"group_position_url": func(c *call, r *recording) any {
			return present(r.isGroup(), c.url("/buckets/%d/todolists/groups/%d/position.json", r.bucket.id, r.id))
		},
		"groups_url":  func(c *call, r *recording) any { return present(!r.isGroup(), c.url("%s/groups.json", r.place())) },
		"todos_count": func(c *call, r *recording) any { return len(filter(c.active(r.within(kindTodo)), open)) },
		"completed_loose_todos_count": func(c *call, r *recording) any {
			return len(filter(c.active(r.within(kindTodo)), (*recording).completed))
		},
		"todolists":    func(c *call, r *recording) any { return c.each("outline", c.active(r.within(kindTodolist))) },
		"hill_enabled": func(_ *call, r *recording) any { return len(r.tracked) > 0 },
		"dots":         func(c *call, r *recording) any { return c.each("dot", c.active(r.tracked)) },

		// Tasks.
		"completed": func(c *call, r *recording) any {
			if r.task != nil {
				return r.completed()
			}
			done, total := c.progress(r)
			return total > 0 && done == total
		},
		"due_on":                 func(_ *call, r *recording) any { return orNull(r.task.dueOn) },
		"starts_on":              func(_ *call, r *recording) any { return orNull(r.task.startsOn) },
		"assignees":              func(c *call, r *recording) any { return apply(r.task.assignees, c.person) },
		"brief_assignees":        func(c *call, r *recording) any { return apply(r.task.assignees, c.brief) },
		"completion_subscribers": func(c *call, r *recording) any { return apply(r.task.notified, c.person) },
		"completed_at": func(_ *call, r *recording) any {
			return ifAny(r.task.completion, func(done *completion) any { return done.at })
		},
		"completer": func(c *call, r *recording) any {
			return ifAny(r.task.completion, func(done *completion) any { return c.person(done.by) })
		},
		"completion": func(c *call, r *recording) any {
			return ifAny(r.task.completion, func(done *completion) view { return view{{"created_at", done.at}, {"creator", c.person(done.by)}} })
		},
		"brief_completion": func(c *call, r *recording) any {
			return ifAny(r.task.completion, func(done *completion) view { return view{{"created_at", done.at}, {"creator", c.brief(done.by)}} })
		},
		"report_completion_url": func(c *call, r *recording) any { return c.completionURL(r) },
		"steps":                 func(c *call, r *recording) any { return apply(c.active(r.within(kindStep)), c.show) },
		"my_steps":              func(c *call, r *recording) any { return c.each("assignment", c.mySteps(r)) },
		"task_type":             func(_ *call, r *recording) any { return assignmentTypes[r.kind] },

		// Card tables.
		"lists": func(c *call, r *recording) any { return apply(c.columns(r), c.show) },
		"cards": func(_ *call, r *recording) any { return r.cardsPath() },
		"on_hold": func(c *call, r *recording) any {
			return ifAny(r.onHold(), func(on *recording) view { return c.as("on_hold", on) })
		},

		// Messages, check-ins and forwards.
		"category": func(c *call, r *recording) any { return ifAny(r.category, c.category) },
		"paused":   func(_ *call, r *recording) any { return r.paused },
		"schedule": func(_ *call, r *recording) any { return r.schedule },
		"group_on": func(_ *call, r *recording) any { return r.groupOn },
		"from":     func(_ *call, r *recording) any { return orNull(r.from) },

		// Gauges, timesheets.
		"level":                func(_ *call, r *recording) any { return r.level },
		"hours":                func(_ *call, r *recording) any { return r.hours },
		"worker":               func(c *call, r *recording) any { return c.person(r.worker) },
		"needle_time":          func(_ *call, r *recording) any { return r.needle(0).updated },
		"needle_creator":       func(c *call, r *recording) any { return c.person(r.needle(0).creator) },
		"needle_text":          func(_ *call, r *recording) any { return plain(r.needle(0).body) },
		"last_needle_color":    func(_ *call, r *recording) any { return r.needle(0).color },
		"last_needle_position": func(_ *call, r *recording) any { return r.needle(0).level },
		"previous_needle_position": func(_ *call, r *recording) any {
			if before := r.needle(1); before != nil {
				return before.level
			}
			return nil
		},

		// Files. An attachment within a text has them too.
		"filename":         func(_ *call, r *recording) any { return r.file.name },
		"escaped_filename": func(_ *call, r *recording) any { return url.PathEscape(r.file.name) },
		"content_type":     func(_ *call, r *recording) any { return r.file.contentType },
		"byte_size":        func(_ *call, r *recording) any { return len(r.file.content) },
		"key":              func(_ *call, r *recording) any { return r.file.key },
		"download_url":     func(c *call, r *recording) any { return r.file.downloadURL(c.account) },
		"width":            func(_ *call, r *recording) any { return present(r.file.width > 0, r.file.width) },
		"height":           func(_ *call, r *recording) any { return present(r.file.width > 0, r.file.height) },
		"image_width":      func(_ *call, r *recording) any { return r.file.image(r.file.width) },
		"image_height":     func(_ *call, r *recording) any { return r.file.image(r.file.height) },
		"previewable":      func(_ *call, r *recording) any { return r.file.width > 0 },
		"preview_url":      func(c *call, r *recording) any { return present(r.file.width > 0, c.preview(r.file, "full")) },
		"thumbnail_url":    func(c *call, r *recording) any { return present(r.file.width > 0, c.preview(r.file, "card")) },
		"preview_text":     func(c *call, r *recording) any { return c.preview(r.file, "full") },
		"thumbnail_text":   func(c *call, r *recording) any { return c.preview(r.file, "card") },
		"attachable_sgid":  func(_ *call, r *recording) any { return r.attachableSGID() },
		"attachments":      func(c *call, r *recording) any { return []view{c.as("line_file", r)} },
		"holder": func(c *call, r *recording) any {
			if r.kind == kindAttachment {
				return c.reference(r.parent)
			}
			return c.reference(r)
		},

		// Schedule entries.
		"all_day":             func(_ *call, r *recording) any { return r.entry.allDay },
		"highlighted":         func(_ *call, r *recording) any { return r.entry.highlighted },
		"starts_at":           func(_ *call, r *recording) any { return r.entry.moment(r.entry.starts) },
		"ends_at":             func(_ *call, r *recording) any { return r.entry.moment(r.entry.ends) },
		"join_url":            func(_ *call, r *recording) any { return orNull(r.entry.joinURL) },
		"participants":        func(c *call, r *recording) any { return apply(r.entry.participants, c.person) },
		"brief_participants":  func(c *call, r *recording) any { return apply(r.entry.participants, c.brief) },
		"recurring":           func(_ *call, r *recording) any { return r.entry.recurs != nil },
		"recurrence_schedule": func(_ *call, r *recording) any { return present(r.entry.recurs != nil, r.entry.recurs) },
		"occasion":            func(_ *call, r *recording) any { return r.occasion() },
	}
})
