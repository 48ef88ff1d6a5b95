package lookup

import (
	"fmt"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/text/plaintext"
)

// Person is a person as items show them.
type Person struct {
	ID    int64  `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email,omitempty"`
}

// ViewPerson returns the view of a person, without an address that Basecamp redacts.
func ViewPerson(p basecamp.Person) Person {
	v := Person{ID: p.ID, Name: plaintext.Clean(p.Name), Email: p.Email}
	if strings.Contains(p.Email, "•") { // redacted by Basecamp
		v.Email = ""
	}
	return v
}

// ViewPeople returns the views of people.
func ViewPeople(people []basecamp.Person) []Person { return Mapped(people, ViewPerson) }

// Ref is the id and name of something related to an item.
type Ref struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// ViewName returns the id and name of a person.
func ViewName(p basecamp.Person) Ref { return Ref{p.ID, plaintext.Clean(p.Name)} }

// ViewNames returns the ids and names of people.
func ViewNames(people []basecamp.Person) []Ref { return Mapped(people, ViewName) }

// ViewParent returns the id and title of what holds an item, or nil.
func ViewParent(r basecamp.Recording) *Ref {
	if r.Parent == nil {
		return nil
	}
	return &Ref{r.Parent.ID, plaintext.Clean(r.Parent.Title)}
}

// ViewTodoParent returns the list or group that a to-do is in, or the to-do set if it is in no
// list.
func ViewTodoParent(r basecamp.Recording) (list, set *Ref) {
	if r.Parent != nil && r.Parent.Type == "Todoset" {
		return nil, ViewParent(r)
	}
	return ViewParent(r), nil
}

// ProjectRef is the id and name of a project.
type ProjectRef = Ref

// ViewBucket returns the project of an item.
func ViewBucket(b basecamp.Bucket) ProjectRef { return ProjectRef{b.ID, plaintext.Clean(b.Name)} }

// Head holds the fields that every item's answer begins with.
type Head struct {
	ID   int64  `json:"id"`
	Type string `json:"type"`
}

// Reference returns a reference that means the same item in a later call.
func (h Head) Reference() string { return fmt.Sprintf("%s:%d", h.Type, h.ID) }

// Meta holds the fields that every item's answer ends with.
type Meta struct {
	Seen
	Origin
}

// Origin says where an item is, who made it, and when.
type Origin struct {
	URL       string     `json:"url"`
	Project   ProjectRef `json:"project"`
	Author    Person     `json:"author"`
	CreatedAt time.Time  `json:"created_at"`
	UpdatedAt time.Time  `json:"updated_at"`
}

// ViewMeta returns the fields that an item's answer ends with.
func ViewMeta(r basecamp.Recording) Meta {
	return Meta{ViewSeen(r), Origin{
		URL:       r.AppURL,
		Project:   ViewBucket(r.Bucket),
		Author:    ViewPerson(r.Creator),
		CreatedAt: r.CreatedAt.UTC(),
		UpdatedAt: r.UpdatedAt.UTC(),
	}}
}

// OrNil returns a time in UTC, or nil for the zero time, which JSON shows as null.
func OrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// DateOrNil returns a date, or nil for an empty one, which JSON shows as null.
func DateOrNil(date string) *string {
	if date == "" {
		return nil
	}
	return &date
}

// CompletedAt returns the time of completion, nil while the item is open.
func CompletedAt(c basecamp.Completable) *time.Time {
	if !c.Completed {
		return nil
	}
	return OrNil(c.CompletedAt())
}

// CompletedOf counts the completed subtasks.
func CompletedOf(subtasks []basecamp.Subtask) int {
	return len(Matching(subtasks, func(s basecamp.Subtask) bool { return s.Completed }))
}
