package github

import (
	"slices"

	"basecamp-mcp/internal/writeplan"
)

// outside reports whether a text in the JSON of an answer may be by someone who does not belong to
// its repository. JSON that cannot be read may have any text.
func outside(body []byte) bool {
	value, err := writeplan.Decode(body)
	return err != nil || anyOutside(value)
}

func anyOutside(value any) bool {
	switch v := value.(type) {
	case []any:
		return slices.ContainsFunc(v, anyOutside)
	case fields:
		by, rest := v["author_association"].(string)
		graph, told := v["authorAssociation"].(string)
		kind, _ := v["__typename"].(string)
		switch {
		case rest && Outsider(by), told && Outsider(graph):
			return true
		case !told && v["title"] != nil && (kind == "Issue" || kind == "PullRequest"):
			return true
		}
		for _, member := range v {
			if anyOutside(member) {
				return true
			}
		}
	}
	return false
}
