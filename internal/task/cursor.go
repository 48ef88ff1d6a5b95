package task

import (
	"crypto/sha256"
	"encoding/base64"

	"github.com/google/uuid"

	"basecamp-mcp/internal/fault"
)

// cursor returns a token that continues a list after a task: the task's ID, and a checksum of the
// ID, the person and what the list selects. Adding or deleting tasks does not move the position,
// even if that task is deleted. The cursor is not signed: a forged one only names a position in the
// caller's own list.
func cursor(subject, of string, last uuid.UUID) string {
	sum := sha256.Sum256([]byte(subject + "\x00" + of + "\x00" + string(last[:])))
	return base64.RawURLEncoding.EncodeToString(append(last[:], sum[:8]...))
}

// parseCursor returns the ID of the task that a cursor continues after, or "" without a cursor.
func parseCursor(text, subject, of string) (string, error) {
	if text == "" {
		return "", nil
	}
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil && len(data) > len(uuid.Nil) {
		if last := uuid.UUID(data[:len(uuid.Nil)]); cursor(subject, of, last) == text {
			return last.String(), nil
		}
	}
	return "", fault.Invalid("cursor", "does not belong to this list; pass the same arguments as in the first call, or omit the cursor to start from the beginning")
}
