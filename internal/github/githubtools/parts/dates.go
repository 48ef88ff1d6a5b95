package parts

import (
	"errors"
	"strings"
	"time"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/text/when"
)

// Day reads a day as people write it, and returns it as YYYY-MM-DD. A weekday, or a date without a
// year, is the next one, which may be today. GitHub does not tell a user's time zone, so today is
// the date in UTC. Forms is what an error tells about texts that are not a day.
func (k *Kit) Day(argument, text, forms string) (string, error) {
	said, err := when.Parse(text)
	if err == nil && said.HasTime() {
		return "", fault.Invalid(argument, "must be a day without a time: %s; got %s", forms, plaintext.Quote(text))
	}
	var day time.Time
	if err == nil {
		day, err = said.Day(k.Now().UTC(), when.Ahead)
	}
	return day.Format(time.DateOnly), misread(argument, text, forms, err)
}

// DayOrNone reads a day as day does. An empty text and none mean no day.
func (k *Kit) DayOrNone(argument, text string) (string, error) {
	if text == "" || IsNone(text) {
		return "", nil
	}
	return k.Day(argument, text, DayForms)
}

// Since reads the beginning of a period that ends now: a day, a time or a span, in UTC unless it
// has an offset. It is zero for an empty text. It counts spans from the last full hour, so that the
// same words ask GitHub for the same address.
func (k *Kit) Since(argument, text string) (time.Time, error) {
	if strings.TrimSpace(text) == "" {
		return time.Time{}, nil
	}
	said, err := when.Parse(text)
	var begin time.Time
	if err == nil {
		begin, err = said.Time(k.Now().UTC().Truncate(time.Hour), when.Back, time.UTC)
	}
	if err == nil && begin.After(k.Now()) {
		return begin, fault.Invalid(argument, "must not be in the future, got %s", plaintext.Quote(text))
	}
	return begin, misread(argument, text, sinceForms, err)
}

// misread returns the INVALID_INPUT for an error of package when, or nil.
func misread(argument, text, forms string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, when.ErrUnknown):
		return fault.Invalid(argument, "must be %s; got %s", forms, plaintext.Quote(text))
	case strings.Contains(err.Error(), strings.ToLower(strings.TrimSpace(text))):
		return fault.Invalid(argument, "%s", err)
	}
	return fault.Invalid(argument, "%s; got %s", err, plaintext.Quote(text))
}
