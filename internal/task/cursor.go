package task

import (
	"crypto/sha256"
	"encoding/base64"

	"github.com/google/uuid"

	"basecamp-mcp/internal/fault"
)

// cursor is what continues a list behind a task: its id, and a checksum of it together with whose list that is, and of
// which status. Tasks that come or go meanwhile do not move the place, not even when that very task is deleted. It is not
// sealed: whoever makes one has named a place in their own list.
func cursor(subject string, status Status, last uuid.UUID) string {
	sum := sha256.Sum256([]byte(subject + "\x00" + string(status) + "\x00" + string(last[:])))
	return base64.RawURLEncoding.EncodeToString(append(last[:], sum[:8]...))
}

// behind is the id of the task that a cursor stands behind, "" for none.
func behind(text, subject string, status Status) (string, error) {
	if text == "" {
		return "", nil
	}
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil && len(data) > len(uuid.Nil) {
		if last := uuid.UUID(data[:len(uuid.Nil)]); cursor(subject, status, last) == text {
			return last.String(), nil
		}
	}
	return "", fault.Invalid("cursor", "is not one that this list gave; repeat its status, or leave the cursor out to start from the beginning")
}
