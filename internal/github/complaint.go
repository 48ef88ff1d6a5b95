package github

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"basecamp-mcp/internal/fault"
)

const maxViolations = 20

// complaint is one entry of the errors of a 422: an object or a sentence.
type complaint struct {
	Field   string
	Code    string
	Message string
}

// complaintsOf parses the errors of a refusal. It skips entries in other forms.
func complaintsOf(raw json.RawMessage) []complaint {
	var entries []json.RawMessage
	if json.Unmarshal(raw, &entries) != nil {
		entries = []json.RawMessage{raw}
	}
	var complaints []complaint
	for _, entry := range entries[:min(len(entries), maxViolations)] {
		var fields struct{ Field, Code, Message json.RawMessage }
		if words := text(entry); words != "" {
			complaints = append(complaints, complaint{Message: words})
		} else if json.Unmarshal(entry, &fields) == nil {
			complaints = append(complaints, complaint{Field: text(fields.Field), Code: text(fields.Code), Message: text(fields.Message)})
		}
	}
	return slices.DeleteFunc(complaints, func(c complaint) bool { return c == complaint{} })
}

// codeWords has what the codes of a 422 mean (GitHub Docs, "Troubleshooting the REST API"). GitHub
// sends a message of its own only with custom.
var codeWords = map[string]string{
	"missing":        "does not exist on GitHub",
	"missing_field":  "is required",
	"invalid":        "is not valid",
	"already_exists": "already exists on GitHub; choose another",
	"unprocessable":  "could not be processed by GitHub",
	"custom":         "was not accepted by GitHub",
}

// violations returns GitHub's sentence about invalid input, and what is wrong with each argument.
// A violation that GitHub does not connect to a field has an empty path.
func (c *call) violations(r reply) (said string, violations []fault.Violation) {
	secret := c.credential.AccessToken
	said = sentence(r.message, secret)
	for _, complained := range r.complaints {
		v := fault.Violation{Path: c.argument(complained.Field), Message: sentence(complained.Message, secret), Code: complained.Code}
		if codeWords[v.Code] == "" {
			v.Code = "invalid"
		}
		if v.Message == "" {
			v.Message = codeWords[v.Code]
		}
		violations = append(violations, v)
	}
	if len(violations) == 0 && said != "" {
		code := "invalid"
		if r.typed("UNPROCESSABLE") {
			code = "unprocessable"
		}
		violations = []fault.Violation{{Message: said, Code: code}}
	}
	return said, violations
}

var fieldForm = regexp.MustCompile(`^[A-Za-z][A-Za-z_]{0,39}$`)

// argument returns the caller's name of a field of GitHub, or an empty string for what does not
// have the form of a field.
func (c *call) argument(field string) string {
	if ours, ok := c.sent.names[field]; ok {
		return ours
	}
	if !fieldForm.MatchString(field) {
		return ""
	}
	return field
}

// Renamed replaces the paths in the validation of a fault: names has the caller's argument by the
// path. It returns err itself.
func Renamed(err error, names map[string]string) error {
	f := fault.From(err)
	if err == nil || f.Code != fault.InvalidInput {
		return err
	}
	for i, v := range f.Validation {
		first, rest, _ := strings.Cut(v.Path, ".")
		if ours, ok := names[first]; ok {
			f.Validation[i].Path = strings.TrimSuffix(ours+"."+rest, ".")
		}
	}
	return err
}
