package github

import (
	"bytes"
	"encoding/json"
	"time"
)

// encode returns JSON in which <, > and & stay as they are: Markdown goes to GitHub unchanged.
func encode(v any) ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n")), nil
}

// ghost is how GitHub shows a user whose account is gone.
const ghost = "ghost"

// Login is a user's login. In JSON it is an object with a login; null is a user whose account is
// gone.
type Login string

// UnmarshalJSON implements json.Unmarshaler.
func (l *Login) UnmarshalJSON(data []byte) error {
	var account *struct {
		Login string `json:"login"`
	}
	if err := json.Unmarshal(data, &account); err != nil {
		return err
	}
	if *l = ghost; account != nil {
		*l = Login(account.Login)
	}
	return nil
}

// labelName is a label of an issue, which GitHub shows as an object or as its name.
type labelName string

// UnmarshalJSON implements json.Unmarshaler.
func (l *labelName) UnmarshalJSON(data []byte) error {
	if name := text(data); name != "" {
		*l = labelName(name)
		return nil
	}
	var label struct {
		Name string `json:"name"`
	}
	err := json.Unmarshal(data, &label)
	*l = labelName(label.Name)
	return err
}

// texts returns the strings of another string type.
func texts[S ~string](from []S) []string {
	to := make([]string, len(from))
	for i, s := range from {
		to[i] = string(s)
	}
	return to
}

// day returns the UTC date of a time: "2026-11-22". It is empty for nil.
func day(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format(time.DateOnly)
}
