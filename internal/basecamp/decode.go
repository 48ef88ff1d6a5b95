package basecamp

import (
	encoding "encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"basecamp-mcp/internal/wire/upstream"
)

type item interface{ key() int64 }

type report interface{ complete() bool }

var errNoLists = errors.New("an answer without its lists")

// decodeOne decodes an item, a report, or an object of any kind. An item without an ID is an error,
// and so is a report without a list, because Basecamp writes an empty list as [].
func decodeOne[T any](a upstream.Answer, kept T) (T, error) {
	if a.Unchanged() {
		return kept, nil
	}
	var v T
	if err := decodeJSON(a.Body, &v); err != nil {
		return v, err
	}
	switch decoded := any(&v).(type) {
	case item:
		if decoded.key() == 0 { // the ID of what a plan makes is negative
			return v, errors.New("an item without an ID")
		}
	case report:
		if !decoded.complete() {
			return v, errNoLists
		}
	case *encoding.RawMessage:
		if (*decoded)[0] != '{' {
			return v, errors.New("no object")
		}
	}
	return v, nil
}

// decodeJSON decodes JSON whose IDs may be strings. Most IDs are numbers, so it decodes only an
// answer with other IDs a second time.
func decodeJSON(body []byte, into any) error {
	err := json.Unmarshal(body, into, asEncodingJSON)
	mismatch, ok := errors.AsType[*json.SemanticError](err)
	if ok && mismatch.JSONKind == '"' && mismatch.GoType.Kind() == reflect.Int64 {
		err = json.Unmarshal(numericIDs(body), into, asEncodingJSON)
		mismatch, ok = errors.AsType[*json.SemanticError](err)
	}
	if ok { // its own text has the value, which must not be logged
		return fmt.Errorf("JSON %s in place of %v", mismatch.JSONKind, mismatch.GoType)
	}
	return err
}

// asEncodingJSON accepts what encoding/json accepts. The library reads the same values in less than
// half the time.
var asEncodingJSON = json.JoinOptions(
	jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true), json.MatchCaseInsensitiveNames(true),
)

var textID = regexp.MustCompile(`"id"\s*:\s*"[^"\\]*"`)

// numericIDs replaces IDs that are strings of digits by numbers, and IDs that are words, such as
// that of Basecamp's system person, by 0. It finds only keys, because the quotes inside a JSON
// string are escaped.
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

// Page is one page of a list.
type Page[T any] = upstream.Page[T]
