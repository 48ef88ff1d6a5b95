package basecamp

import (
	"bytes"
	"encoding/json"
	"html"
	"maps"
	"regexp"
	"slices"
	"strings"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
)

const (
	maxSentence   = 200 // characters
	maxField      = 60
	maxViolations = 20
)

// complaint returns what Basecamp says is wrong with the input, as one sentence and as violations.
// The formats are {"error": "..."}, {"errors": {"field": ["..."]}} and {"field": ["..."]}. A
// violation without a field has an empty path. The secret is removed, in case Basecamp repeats it.
func complaint(body []byte, secret string) (sentence string, violations []fault.Violation) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(bytes.ReplaceAll(body, []byte(secret), nil), &fields) != nil {
		return "", nil
	}
	general := slices.Concat(texts(fields["error"]), texts(fields["error_description"]), texts(fields["message"]))
	var nested map[string]json.RawMessage
	switch {
	case json.Unmarshal(fields["errors"], &nested) == nil:
		violations = fieldViolations(nested)
	case fields["errors"] != nil:
		general = append(general, texts(fields["errors"])...)
	case len(general) == 0:
		violations = fieldViolations(fields)
	}
	sentence = plain(strings.Join(general, ": "), maxSentence)
	if len(violations) == 0 && sentence != "" {
		violations = []fault.Violation{{Message: sentence, Code: "invalid"}}
	}
	if sentence == "" {
		sentence = flatten(violations)
	}
	return sentence, violations
}

func fieldViolations(fields map[string]json.RawMessage) []fault.Violation {
	var violations []fault.Violation
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		for _, text := range texts(fields[field]) {
			if len(violations) == maxViolations {
				return violations
			}
			v := fault.Violation{Path: plain(field, maxField), Message: plain(text, maxSentence), Code: "invalid"}
			violations = append(violations, v)
		}
	}
	return violations
}

// flatten joins violations into one sentence: "content: is too long; can't be blank, due_on: is not
// a date".
func flatten(violations []fault.Violation) string {
	var b strings.Builder
	for i, v := range violations {
		switch {
		case i > 0 && v.Path == violations[i-1].Path:
			b.WriteString("; ")
		case i > 0:
			b.WriteString(", " + v.Path + ": ")
		default:
			b.WriteString(v.Path + ": ")
		}
		b.WriteString(v.Message)
	}
	return plain(b.String(), maxSentence)
}

// texts returns the string or the list of strings in some JSON. For all other JSON it returns nil.
func texts(raw json.RawMessage) []string {
	var one string
	if json.Unmarshal(raw, &one) == nil && one != "" {
		return []string{one}
	}
	var many []string
	if json.Unmarshal(raw, &many) == nil {
		return many
	}
	return nil
}

var tag = regexp.MustCompile(`<[^>]*>`)

// plain returns one line of at most n characters, without markup and invisible characters.
func plain(s string, n int) string {
	return plaintext.Label(tag.ReplaceAllString(html.UnescapeString(s), " "), n)
}

// reason returns the reason in the body of a refusal, or an empty string.
func reason(body []byte) string {
	var refusal struct {
		Reason string `json:"reason"`
	}
	if json.Unmarshal(body, &refusal) != nil {
		return ""
	}
	return refusal.Reason
}
