package sandbox

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
)

// A table says how a type of objects is shown: in which form, unless a view names another, and with
// which values besides those of its own fields.
type table struct {
	object string
	values map[string]func(*call, any) any
	fields map[string]int // by the names of views
}

// tables returns the tables of all types of objects.
var tables = sync.OnceValue(func() map[reflect.Type]table {
	all := map[reflect.Type]table{}
	shown(all, "reference", recordingValues)
	shown(all, "bucket", projectValues)
	shown(all, "person", personValues)
	shown(all, "event", eventValues)
	shown(all, "reading", readingValues)
	shown(all, "construction", map[string]func(*call, *construction) any{
		"status": func(_ *call, m *construction) any {
			return map[bool]string{false: "pending", true: "completed"}[m.reads > 1]
		},
		"made": func(c *call, m *construction) any { return present(m.reads > 1, c.as("project", m.Project)) },
	})
	shown(all, "account", map[string]func(*call, *account) any{
		"active": func(_ *call, a *account) any { return !a.inactive },
		"owner_name": func(_ *call, a *account) any {
			owner := first(a.people, func(p *Person) bool { return p.Owner })
			return owner.Name
		},
	})
	shown(all, "stored", map[string]func(*call, *file) any{
		"escaped_filename": func(_ *call, f *file) any { return url.PathEscape(f.Filename) },
		"byte_size":        func(_ *call, f *file) any { return len(f.Content) },
		"download_url":     func(c *call, f *file) any { return f.downloadURL(c.account) },
		"previewable":      func(_ *call, f *file) any { return f.Width > 0 },
		"full":             func(c *call, f *file) any { return c.preview(f, "full") },
		"card":             func(c *call, f *file) any { return c.preview(f, "card") },
	})
	shown(all, "entry", map[string]func(*call, *entry) any{
		"starts_at": func(_ *call, e *entry) any { return e.moment(e.StartsAt) },
		"ends_at":   func(_ *call, e *entry) any { return e.moment(e.EndsAt) },
		"recurring": func(_ *call, e *entry) any { return e.Recurs != nil },
	})
	shown[boost](all, "boost", nil)
	shown[bookmark](all, "bookmark", nil)
	shown[category](all, "category", nil)
	shown[employer](all, "company", nil)
	shown[completion](all, "completion", nil)
	shown[span](all, "span", nil)
	return all
})

// shown adds the table of a type.
func shown[T any](all map[reflect.Type]table, object string, values map[string]func(*call, *T) any) {
	t := table{object: object, values: map[string]func(*call, any) any{}, fields: map[string]int{}}
	for name, value := range values {
		t.values[name] = func(c *call, of any) any { return value(c, of.(*T)) }
	}
	structure := reflect.TypeFor[T]()
	for i := range structure.NumField() {
		t.fields[strings.ToLower(structure.Field(i).Name)] = i
	}
	all[reflect.TypeFor[*T]()] = t
}

// recordingValues has the values of recordings, and of the parts of their URLs.
var recordingValues = map[string]func(*call, *recording) any{
	"status":     func(_ *call, r *recording) any { return r.effective() },
	"title":      func(_ *call, r *recording) any { return r.headline() },
	"name":       func(_ *call, r *recording) any { return r.Title },
	"lower_type": func(_ *call, r *recording) any { return strings.ToLower(string(r.Type)) },
	"place":      func(_ *call, r *recording) any { return r.place() },
	"anchor":     func(_ *call, r *recording) any { return r.anchor() },
	"readable":   func(_ *call, r *recording) any { return sgid("Recording", r.ID, "readable") },
	"path": func(_ *call, r *recording) any {
		if r.isGroup() {
			return r.Parent.Title + ": " + r.Title
		}
		return r.Title
	},
	"subscribed":     func(c *call, r *recording) any { return slices.Contains(r.Subscribers, c.me) },
	"count":          func(_ *call, r *recording) any { return len(r.Subscribers) },
	"comments_count": func(c *call, r *recording) any { return len(c.comments(r)) },
	"boosts_count":   func(_ *call, r *recording) any { return len(r.boosts) },
	"described":      func(_ *call, r *recording) any { return r.Body != "" },
	"excerpt":        func(_ *call, r *recording) any { return shorten(plain(r.Body), 300) },
	"files":          func(c *call, r *recording) any { return c.inline(r.Body) },
	"position": func(_ *call, r *recording) any {
		at := r.position()
		return present(at > 0 && !r.completed() && !r.Disabled, at)
	},

	// Tools of the dock.
	"tool":    func(_ *call, r *recording) any { return r.Type.tool() },
	"enabled": func(_ *call, r *recording) any { return !r.Disabled },
	"dock_position": func(_ *call, r *recording) any {
		if r.Disabled {
			return nil
		}
		return r.position()
	},

	// To-do lists and sets.
	"completed_ratio": func(c *call, r *recording) any {
		done, total := c.progress(r)
		return fmt.Sprintf("%d/%d", done, total)
	},
	"group_position_url": func(c *call, r *recording) any {
		return present(r.isGroup(), c.url("/buckets/%d/todolists/groups/%d/position.json", r.Bucket.ID, r.ID))
	},
	"groups_url":  func(c *call, r *recording) any { return present(!r.isGroup(), c.url("%s/groups.json", r.place())) },
	"todos_count": func(c *call, r *recording) any { return len(filter(c.active(r.within(kindTodo)), open)) },
	"completed_loose_todos_count": func(c *call, r *recording) any {
		return len(filter(c.active(r.within(kindTodo)), (*recording).completed))
	},
	"todolists":    func(c *call, r *recording) any { return c.each("outline", c.active(r.within(kindTodolist))) },
	"hill_enabled": func(_ *call, r *recording) any { return len(r.Tracked) > 0 },
	"dots":         func(c *call, r *recording) any { return c.each("dot", c.active(r.Tracked)) },

	// Tasks.
	"completed": func(c *call, r *recording) any {
		if r.Type.isTask() {
			return r.completed()
		}
		done, total := c.progress(r)
		return total > 0 && done == total
	},
	"report_completion_url": func(c *call, r *recording) any { // relative, unless it is that of a to-do
		if r.Type == kindTodo {
			return c.url("%s/completion.json", r.place())
		}
		return fmt.Sprintf("/%d/buckets/%d/steps/%d/completions.json", c.account.ID, r.Bucket.ID, r.ID)
	},
	"steps":     func(c *call, r *recording) any { return apply(c.active(r.within(kindStep)), c.show) },
	"my_steps":  func(c *call, r *recording) any { return c.each("assignment", c.mySteps(r)) },
	"task_type": func(_ *call, r *recording) any { return assignmentTypes[r.Type] },

	// Card tables.
	"lists":   func(c *call, r *recording) any { return apply(c.columns(r), c.show) },
	"on_hold": func(_ *call, r *recording) any { return r.onHold() },

	// Gauges.
	"last_needle": func(_ *call, r *recording) any { return r.needle(0) },
	"text":        func(_ *call, r *recording) any { return plain(r.Body) },
	"previous_needle_position": func(_ *call, r *recording) any {
		if before := r.needle(1); before != nil {
			return before.Level
		}
		return nil
	},

	// Files, also within texts.
	"attachments":     func(c *call, r *recording) any { return []view{c.as("line_file", r)} },
	"attachable_sgid": func(_ *call, r *recording) any { return r.attachableSGID() },
	"holder": func(_ *call, r *recording) any {
		if r.Type == kindAttachment {
			return r.Parent
		}
		return r
	},

	"occasion": func(_ *call, r *recording) any { return r.occasion() },
}

// projectValues has the values of projects, templates and pings.
var projectValues = map[string]func(*call, *project) any{
	"type":     func(_ *call, p *project) any { return map[bool]string{false: "Project", true: "Circle"}[p.circle] },
	"bookmark": func(_ *call, p *project) any { return sgid("Bucket", p.ID, "readable") },
	"dock": func(c *call, p *project) any {
		return c.each("dock", filter(p.Dock, func(tool *recording) bool { return tool.Status == active }))
	},
	"size":       func(_ *call, p *project) any { return len(p.People) },
	"sample":     func(c *call, p *project) any { return p.People[:min(8, len(p.People))] },
	"clientside": func(c *call, p *project) any { return present(p.ClientsEnabled, c.as("clientside", p)) },
	"room":       func(_ *call, p *project) any { return p.Dock[0].ID },
	"room_since": func(_ *call, p *project) any { return p.Dock[0].UpdatedAt },
	"other":      func(c *call, p *project) any { return c.avatar(p.others(c.me)[0]) },
}

// personValues has the values of people. Only administrators and the person see the whole e-mail
// address.
var personValues = map[string]func(*call, *Person) any{
	"email_address": func(c *call, p *Person) any { return c.email(p) },
	"avatar_url":    func(c *call, p *Person) any { return c.avatar(p) },
	"staff":         func(_ *call, p *Person) any { return p.canPing() },
	"is_away":       func(_ *call, p *Person) any { return p.Away != nil },
	"ongoing": func(c *call, p *Person) any {
		today := c.today().Format(time.DateOnly)
		return present(p.Away != nil, p.Away != nil && p.Away.StartDate <= today && today <= p.Away.EndDate)
	},
	"back_on_date": func(_ *call, p *Person) any {
		if p.Away == nil {
			return absent{}
		}
		end, _ := time.Parse(time.DateOnly, p.Away.EndDate)
		return end.AddDate(0, 0, 1).Format(time.DateOnly)
	},
}

// readingValues has the values of the items of the Hey! menu.
var readingValues = map[string]func(*call, *reading) any{
	"unread_at": func(_ *call, n *reading) any {
		if n.UnreadCount == 0 {
			return nil
		}
		return n.UpdatedAt
	},
	"read_at": func(_ *call, n *reading) any {
		if n.UnreadCount > 0 {
			return nil
		}
		return n.ReadAt
	},
	"handle": func(_ *call, n *reading) any { return n.handle() },
	"identifier": func(_ *call, n *reading) any {
		return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "gid://bc3/Recording/%d", n.About.ID))
	},
	"excerpt": func(_ *call, n *reading) any {
		return shorten(strings.ReplaceAll(plain(n.Latest.Body), "\n", " "), 200)
	},
	"bubble_up_at": func(c *call, n *reading) any { return present(n.Rises.After(c.s.now()), n.Rises) },
	"participants": func(c *call, n *reading) any {
		return present(n.About.Bucket.circle, n.About.Bucket.others(c.me))
	},
	"named": func(_ *call, n *reading) any { return present(n.About.Bucket.circle, false) },
}

// eventValues has the values of events, as the timeline tells them.
var eventValues = map[string]func(*call, *event) any{
	"bucket":  func(c *call, e *event) any { return e.projectOf() },
	"kind":    func(_ *call, e *event) any { return e.said().kind },
	"did":     func(_ *call, e *event) any { return e.did() },
	"target":  func(_ *call, e *event) any { return e.target() },
	"excerpt": func(_ *call, e *event) any { return e.excerpt() },
	"title": func(_ *call, e *event) any {
		if e.Recording == nil {
			return e.did()
		}
		return e.did() + ": " + e.target()
	},
}
