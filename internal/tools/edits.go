package tools

import (
	"strings"

	"basecamp-mcp/internal/fault"
)

// notBlank refuses a text of blanks alone, of which Basecamp would make an empty post.
func notBlank(argument, text string) error {
	if strings.TrimSpace(text) == "" {
		return fault.Invalid(argument, "must not be blank")
	}
	return nil
}

// ready says what is wrong with an edit that can be told before anything is read.
func (e editInput) ready() error {
	if e.Body != "" {
		if err := notBlank("body", e.Body); err != nil {
			return err
		}
	}
	if e.Append != "" {
		if err := notBlank("append", e.Append); err != nil {
			return err
		}
	}
	return e.check()
}

// doubted is the failure of a write that carries an edit. When it may have happened, a repeat would add or replace once more;
// only a body put in place of everything comes to the same.
func (e editInput) doubted(err error) error {
	f := fault.From(err)
	if e.Body != "" || !e.asked() || !f.MayHaveHappened {
		return err
	}
	shown := *f
	shown.Message = "Basecamp may have made this change, although no clear answer came; read it before trying again"
	shown.Retryable = false
	return &shown
}

// statusOf is how something new is written: for everybody, or as its author's draft.
func statusOf(draft bool) string {
	if draft {
		return drafted
	}
	return active
}

const (
	active  = "active"
	drafted = "drafted"
)
