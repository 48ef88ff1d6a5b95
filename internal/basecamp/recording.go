package basecamp

import "time"

// HTML is rich text as Basecamp keeps it; every other string of an item is plain.
type HTML string

// Recording is what Basecamp's items have in common. Fields an item lacks are zero: a tool of the dock has no Parent,
// a chat line no comments.
type Recording struct {
	ID            int64     `json:"id"`
	Type          string    `json:"type"` // Message, Todo, Document, ...
	Title         string    `json:"title"`
	Status        string    `json:"status"` // active, archived, trashed or drafted; no word on completion
	AppURL        string    `json:"app_url"`
	CreatedAt     time.Time `json:"created_at"`
	UpdatedAt     time.Time `json:"updated_at"`
	CommentsCount int       `json:"comments_count"`
	Creator       Person    `json:"creator"`
	Bucket        Bucket    `json:"bucket"`
	Parent        *Parent   `json:"parent"`
}

func (r Recording) key() int64 { return r.ID }

// Common is what the item has in common with all others.
func (r Recording) Common() Recording { return r }

// Bucket is what holds a recording: mostly the project, whose id it then shares; a chat between people is a Circle. Only a
// timeline gives its AppURL.
type Bucket struct {
	ID     int64  `json:"id"`
	Name   string `json:"name"`
	Type   string `json:"type"`
	AppURL string `json:"app_url"`
}

// Parent is the recording that a recording hangs under.
type Parent struct {
	ID     int64  `json:"id"`
	Title  string `json:"title"`
	Type   string `json:"type"`
	AppURL string `json:"app_url"`
}

// Attachment is a file inside rich text or a chat line.
type Attachment struct {
	SGID        string `json:"sgid"`
	Filename    string `json:"filename"`
	ContentType string `json:"content_type"`
	ByteSize    int64  `json:"byte_size"`
	DownloadURL string `json:"download_url"`
}

// Completable is the part of an item that can be done.
type Completable struct {
	Completed  bool        `json:"completed"`
	Completion *Completion `json:"completion"`
	// CompletedOn is where cards, and to-dos of older answers, keep the time; read it through CompletedAt.
	CompletedOn time.Time `json:"completed_at"`
}

// Completion is when and by whom an item was completed.
type Completion struct {
	CreatedAt time.Time `json:"created_at"`
	Creator   Person    `json:"creator"`
}

// CompletedAt is when the item was completed, zero while it is open or when Basecamp does not say (W-04).
func (c Completable) CompletedAt() time.Time {
	if c.Completion != nil {
		return c.Completion.CreatedAt
	}
	return c.CompletedOn
}
