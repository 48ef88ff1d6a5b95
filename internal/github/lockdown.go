package github

import (
	"context"
	"strings"

	"basecamp-mcp/internal/signin/identity"
)

// Withheld stands for a text that an outsider wrote, under lockdown.
const Withheld = "[withheld]"

// withholder is what others may have written. withhold replaces the texts of an author who does not
// work on the repository.
type withholder interface{ withhold() }

// lockedDown withholds what outsiders wrote, if the operator or the fence of the client wants that.
// Every answer passes it before anything else reads it.
func lockedDown[T any](ctx context.Context, c *Client, v T) T {
	if !c.locked(ctx) {
		return v
	}
	if w, ok := any(&v).(withholder); ok {
		w.withhold()
	}
	return v
}

// locked reports whether the call is under lockdown.
func (c *common) locked(ctx context.Context) bool {
	caller, _ := identity.From(ctx)
	return c.lockdown || caller.Fence.Lockdown
}

func (i *Issue) withhold() {
	if Outsider(i.Association) {
		i.Title, i.Body, i.Withheld = Withheld, Withheld, true
	}
}

func (c *Comment) withhold() {
	if Outsider(c.Association) {
		c.Body, c.Withheld = Withheld, true
	}
}

func (p *Page[T]) withhold() {
	for i := range p.Items {
		if w, ok := any(&p.Items[i]).(withholder); ok {
			w.withhold()
		}
	}
}

func (t *Thread) withhold() {
	t.ClosedBy.withhold()
	t.Closes.withhold()
	if t.Comments != nil {
		t.Comments.withhold()
	}
}

// withhold replaces the title of an issue or pull request, which is also the value of a field. Only
// who works on a project makes drafts.
func (i *Item) withhold() {
	if i.Number == 0 || !Outsider(i.Association) {
		return
	}
	i.Title, i.Withheld = Withheld, true
	for k := range i.Values {
		i.Values[k].withhold()
	}
	i.On.Value.withhold()
}

func (v *FieldValue) withhold() {
	if v != nil && v.Field.DataType == "TITLE" {
		v.Value = Withheld
	}
}

func (w *itemsWire) withhold() { w.Items.withhold() }

// byOutsider reports whether the fields that a call has read are of what an outsider wrote.
func byOutsider(all fields) bool {
	association, read := all["author_association"].(string)
	if !read {
		association, read = all["authorAssociation"].(string)
	}
	return read && Outsider(association)
}

// withholding returns withheldFields under lockdown, and otherwise what changes nothing.
func (c *common) withholding(ctx context.Context) func(all, thing fields) {
	if c.locked(ctx) {
		return withheldFields
	}
	return func(fields, fields) {}
}

// withheldFields replaces the texts among the fields of a thing, if the thing says that an outsider
// wrote it.
func withheldFields(all, thing fields) {
	if !byOutsider(thing) {
		return
	}
	for _, name := range []string{"title", "body"} {
		if text, ok := all[name].(string); ok && strings.TrimSpace(text) != "" {
			all[name] = Withheld
		}
	}
}
