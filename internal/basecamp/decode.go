package basecamp

import (
	"encoding/json"
	"errors"
	"reflect"
	"regexp"
	"strconv"

	"basecamp-mcp/internal/upstream"
)

// item is what has an id of its own.
type item interface{ key() int64 }

// decodeItem reads one item. One without an id is none, whatever else the JSON was.
func decodeItem[T item](a upstream.Answer, kept T) (T, error) {
	if a.Unchanged() {
		return kept, nil
	}
	var v T
	if err := decodeJSON(a.Body, &v); err != nil {
		return v, err
	}
	if v.key() <= 0 {
		return v, errors.New("an item without an id")
	}
	return v, nil
}

// report is an object of lists.
type report interface{ whole() bool }

var errNoLists = errors.New("an object without its lists")

// decodeReport reads a report. One that lacks a list is none: Basecamp writes an empty one as [].
func decodeReport[T report](a upstream.Answer, kept T) (T, error) {
	if a.Unchanged() {
		return kept, nil
	}
	var v T
	if err := decodeJSON(a.Body, &v); err != nil {
		return v, err
	}
	if !v.whole() {
		return v, errNoLists
	}
	return v, nil
}

// decodeJSON reads ids as they come: most are numbers, and only an answer with others is read a second time.
func decodeJSON(body []byte, into any) error {
	err := json.Unmarshal(body, into)
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) && mismatch.Value == "string" && mismatch.Type.Kind() == reflect.Int64 {
		return json.Unmarshal(numericIDs(body), into)
	}
	return err
}

var textID = regexp.MustCompile(`"id"\s*:\s*"[^"\\]*"`)

// numericIDs writes ids given as strings of digits as numbers, and ids that are words (Basecamp's own system person has
// one) as 0. Inside a JSON string the quotes it looks for would be escaped, so that it finds keys alone.
func numericIDs(body []byte) []byte {
	return textID.ReplaceAllFunc(body, func(match []byte) []byte {
		text := match[:len(match)-1]
		start := len(text) - 1
		for text[start] != '"' {
			start--
		}
		id, err := strconv.ParseInt(string(text[start+1:]), 10, 64)
		if errors.Is(err, strconv.ErrRange) {
			return match
		}
		return strconv.AppendInt([]byte(`"id":`), id, 10)
	})
}
