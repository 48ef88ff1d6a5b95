package github

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/lazyregexp"
	"basecamp-mcp/internal/plaintext"
)

const maxViolations = 20

// complaint is one entry of the errors of a 422: an object or a sentence.
type complaint struct {
	Field   string
	Code    string
	Message string
	Value   string // that GitHub refused; empty if it is not a text
}

// complaintsOf parses the errors of a refusal. It skips entries in other forms.
func complaintsOf(raw json.RawMessage) []complaint {
	var entries []json.RawMessage
	if json.Unmarshal(raw, &entries) != nil {
		entries = []json.RawMessage{raw}
	}
	var complaints []complaint
	for _, entry := range entries[:min(len(entries), maxViolations)] {
		var fields struct{ Field, Code, Message, Value json.RawMessage }
		if words := text(entry); words != "" {
			complaints = append(complaints, complaint{Message: words})
		} else if json.Unmarshal(entry, &fields) == nil {
			complaints = append(complaints, complaint{
				Field: text(fields.Field), Code: text(fields.Code), Message: text(fields.Message), Value: text(fields.Value),
			})
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

// notUsers are the fields in which an invalid value is a login.
var notUsers = map[string]string{
	"assignee":  "is not a user of this repository; check the login",
	"assignees": "cannot be assigned in this repository; check the login",
	"creator":   "is not a user of GitHub; check the login",
}

// violations returns GitHub's sentence about invalid input, and what is wrong with each argument.
// A violation that GitHub does not connect to a field has the path "arguments".
func (c *call) violations(r reply) (said string, violations []fault.Violation) {
	secret := c.credential.AccessToken
	said = sentence(r.message, secret)
	for _, complained := range r.complaints {
		v := fault.Violation{Path: c.argument(complained.Field), Message: sentence(complained.Message, secret), Code: complained.Code}
		if codeWords[v.Code] == "" {
			v.Code = "invalid"
		}
		if v.Message == "" {
			v.Message = c.problem(complained, v.Code)
		}
		violations = append(violations, v)
	}
	if len(violations) == 0 && said != "" {
		code := "invalid"
		if r.typed("UNPROCESSABLE") {
			code = "unprocessable"
		}
		violations = []fault.Violation{{Path: cmp.Or(c.spokenOf(said), whole), Message: said, Code: code}}
	}
	return said, violations
}

// notAccepted returns a message that names the arguments, without GitHub's words.
func notAccepted(violations []fault.Violation) string {
	var paths []string
	for _, v := range violations {
		if !slices.Contains(paths, v.Path) {
			paths = append(paths, v.Path)
		}
	}
	return "GitHub did not accept " + strings.Join(paths, ", ") + "; data.validation says why"
}

// problem returns in our words what is wrong with a field. It repeats a value that the caller sent.
func (c *call) problem(complained complaint, code string) string {
	words := codeWords[code]
	if code == "invalid" {
		words = cmp.Or(notUsers[complained.Field], words)
	}
	if value := complained.Value; value != "" && c.carries(value) {
		return plaintext.Quote(value) + " " + words
	}
	return words
}

// carries reports whether the request contains a text as a value.
func (c *call) carries(value string) bool {
	for _, values := range c.sent.url.Query() {
		if slices.Contains(values, value) {
			return true
		}
	}
	encoded, err := encode(value)
	return err == nil && bytes.Contains(c.sent.body, encoded)
}

// whole is the path of what is wrong with the arguments together.
const whole = "arguments"

var fieldForm = lazyregexp.New(`^[A-Za-z][A-Za-z_]{0,39}$`)

// argument returns the caller's name of a field of GitHub, or "arguments" for what does not have
// the form of a field.
func (c *call) argument(field string) string {
	if ours, ok := c.sent.names[field]; ok {
		return ours
	}
	if !fieldForm.MatchString(field) {
		return whole
	}
	return field
}

// spokenOf returns the argument that a sentence of GitHub is about, or an empty string if its
// beginning does not say.
func (c *call) spokenOf(sentence string) string {
	words := strings.TrimPrefix(strings.ToLower(sentence), "the ")
	for subject, ours := range c.sent.spoken {
		if rest, ok := strings.CutPrefix(words, subject); ok && strings.Trim(rest[:min(len(rest), 1)], " '’") == "" {
			return ours
		}
	}
	return ""
}

// Renamed replaces the paths in the validation of a fault: names has the caller's argument by the
// path. It returns err itself.
func Renamed(err error, names map[string]string) error {
	f := fault.From(err)
	if err == nil || f.Code != fault.InvalidInput {
		return err
	}
	told := notAccepted(f.Validation)
	for i, v := range f.Validation {
		first, rest, _ := strings.Cut(v.Path, ".")
		if ours, ok := names[first]; ok {
			f.Validation[i].Path = strings.TrimSuffix(ours+"."+rest, ".")
		}
	}
	if f.Message == told {
		f.Message = notAccepted(f.Validation)
	}
	return err
}
