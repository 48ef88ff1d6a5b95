package github

import "basecamp-mcp/internal/writeplan"

// outside reports whether a text in the JSON of an answer may be by someone who does not belong to
// its repository. JSON that cannot be read may have any text.
func outside(body []byte) bool {
	value, err := writeplan.Decode(body)
	return err != nil || writeplan.Contains(value, isOutside)
}

func isOutside(value any) bool {
	f, _ := value.(fields)
	by, rest := f["author_association"].(string)
	graph, told := f["authorAssociation"].(string)
	kind, _ := f["__typename"].(string)
	unasked := !told && f["title"] != nil && (kind == "Issue" || kind == "PullRequest")
	return rest && Outsider(by) || told && Outsider(graph) || unasked
}
