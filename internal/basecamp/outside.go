package basecamp

import (
	"slices"
	"strings"

	"basecamp-mcp/internal/writeplan"
)

// outside reports whether a text in the JSON of an answer is by a client, by someone of another
// company, or came by e-mail. JSON that cannot be read may have any text.
func outside(body []byte) bool {
	value, err := writeplan.Decode(body)
	return err != nil || anyOutside(value)
}

func anyOutside(value any) bool {
	switch v := value.(type) {
	case []any:
		return slices.ContainsFunc(v, anyOutside)
	case fields:
		kind, _ := v["type"].(string)
		if strings.HasPrefix(kind, "Inbox::Forward") || strings.HasPrefix(kind, "Client::") {
			return true
		}
		for name, member := range v {
			if by, ok := member.(fields); ok && (name == "creator" || name == "booster") && isOutsider(by) || anyOutside(member) {
				return true
			}
		}
	}
	return false
}

// isOutsider reports whether a person is a client, or a user who is not an employee of the account.
// Programs and Basecamp itself are neither.
func isOutsider(person fields) bool {
	employee, known := person["employee"].(bool)
	return person["client"] == true || known && !employee && person["personable_type"] == "User"
}
