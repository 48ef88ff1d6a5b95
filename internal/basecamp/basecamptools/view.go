package basecamptools

import (
	"strings"
	"time"
	"unicode/utf8"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/plaintext"
)

// maxText is the largest part of a long text in one answer, in characters. The caller reads the
// rest with offset.
const maxText = 40_000

// person is a person as items show them.
type person struct {
	ID    int64  `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email,omitempty"`
}

func viewPerson(p basecamp.Person) person {
	v := person{ID: p.ID, Name: plaintext.Clean(p.Name), Email: p.Email}
	if strings.Contains(p.Email, "•") { // redacted by Basecamp
		v.Email = ""
	}
	return v
}

func viewPeople(people []basecamp.Person) []person {
	views := make([]person, len(people))
	for i, p := range people {
		views[i] = viewPerson(p)
	}
	return views
}

// ref is the id and name of something related to an item.
type ref struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

func viewName(p basecamp.Person) ref { return ref{p.ID, plaintext.Clean(p.Name)} }

func viewNames(people []basecamp.Person) []ref {
	names := make([]ref, len(people))
	for i, p := range people {
		names[i] = viewName(p)
	}
	return names
}

func viewParent(r basecamp.Recording) *ref {
	if r.Parent == nil {
		return nil
	}
	return &ref{r.Parent.ID, plaintext.Clean(r.Parent.Title)}
}

// viewTodoParent returns the list or group that a to-do is in, or the to-do set if it is in no
// list.
func viewTodoParent(r basecamp.Recording) (list, set *ref) {
	if r.Parent != nil && r.Parent.Type == "Todoset" {
		return nil, viewParent(r)
	}
	return viewParent(r), nil
}

type projectRef struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

func viewBucket(b basecamp.Bucket) projectRef { return projectRef{b.ID, plaintext.Clean(b.Name)} }

// head holds the fields that every item's answer begins with.
type head struct {
	ID   int64  `json:"id"`
	Type string `json:"type"`
}

// meta holds the fields that every item's answer ends with.
type meta struct {
	seen
	origin
}

// origin says where an item is, who made it, and when.
type origin struct {
	URL       string     `json:"url"`
	Project   projectRef `json:"project"`
	Author    person     `json:"author"`
	CreatedAt time.Time  `json:"created_at"`
	UpdatedAt time.Time  `json:"updated_at"`
}

func viewMeta(r basecamp.Recording) meta {
	return meta{viewSeen(r), origin{
		URL:       r.AppURL,
		Project:   viewBucket(r.Bucket),
		Author:    viewPerson(r.Creator),
		CreatedAt: r.CreatedAt.UTC(),
		UpdatedAt: r.UpdatedAt.UTC(),
	}}
}

// orNil returns a time in UTC, or nil for the zero time, which JSON shows as null.
func orNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// dateOrNil returns a date, or nil for an empty one, which JSON shows as null.
func dateOrNil(date string) *string {
	if date == "" {
		return nil
	}
	return &date
}

// part cuts a text in place to the part that begins at offset. It sets truncated if more text
// follows, and returns the offset of that text.
func part(text *string, offset int, truncated *bool) (next int, err error) {
	if length := utf8.RuneCountInString(*text); offset > 0 && offset >= length {
		return 0, fault.Invalid("offset", "the offset is beyond the end: the text has %d characters", length)
	}
	*text, next = plaintext.Slice(*text, offset, maxText)
	*truncated = next > 0
	return next, nil
}

// completedAt returns the time of completion, nil while the item is open.
func completedAt(c basecamp.Completable) *time.Time {
	if !c.Completed {
		return nil
	}
	return orNil(c.CompletedAt())
}

// completedOf counts the completed subtasks.
func completedOf(subtasks []basecamp.Subtask) int {
	return len(matching(subtasks, func(s basecamp.Subtask) bool { return s.Completed }))
}
