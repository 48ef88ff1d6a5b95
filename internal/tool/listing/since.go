package listing

import "time"

// SinceList is a list with the beginning of its period, as it was understood.
type SinceList[T any] struct {
	Scroll[T]
	Since string `json:"since,omitempty"`
}

// Understood returns how an answer shows a time that the caller named, or "" for none.
func Understood(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.Format(time.RFC3339)
}
