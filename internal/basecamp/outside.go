package basecamp

import (
	"strings"

	"basecamp-mcp/internal/writeplan"
)

// outside reports whether a text in the JSON of an answer is by a client, by someone of another
// company, or came by e-mail. JSON that cannot be read may have any text.
func outside(body []byte) bool {
	value, err := writeplan.Decode(body)
	return err != nil || writeplan.Contains(value, isOutside)
}

func isOutside(value any) bool {
	f, _ := value.(fields)
	kind, _ := f["type"].(string)
	creator, _ := f["creator"].(fields)
	booster, _ := f["booster"].(fields)
	return strings.HasPrefix(kind, "Inbox::Forward") || strings.HasPrefix(kind, "Client::") ||
		isOutsider(creator) || isOutsider(booster)
}

// isOutsider reports whether a person is a client, or a user who is not an employee of the account.
// Programs and Basecamp itself are neither.
func isOutsider(person fields) bool {
	employee, known := person["employee"].(bool)
	return person["client"] == true || known && !employee && person["personable_type"] == "User"
}
