package authserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// object is a stranger's JSON object, its members still to be read. A struct would do for friends: it takes Redirect_URIs for
// redirect_uris, and of two members of one name the last, where the next reader may take the first.
type object map[string]json.RawMessage

var errNoObject = errors.New("not one JSON object, in UTF-8, whose members all have different names")

func parseObject(text []byte) (object, error) {
	in := json.NewDecoder(bytes.NewReader(text))
	if start, err := in.Token(); err != nil || start != json.Delim('{') || !utf8.Valid(text) || !json.Valid(text) {
		return nil, errNoObject
	}
	members := object{}
	for in.More() {
		name, err := in.Token()
		if err != nil {
			return nil, errNoObject
		}
		key, _ := name.(string)
		if _, twice := members[key]; twice {
			return nil, errNoObject
		}
		var value json.RawMessage
		if err := in.Decode(&value); err != nil {
			return nil, errNoObject
		}
		members[key] = value
	}
	return members, nil
}

// member reads one; the zero value when it is absent or null, and false when it is of another type.
func member[T any](o object, name string) (value T, ok bool) {
	raw, there := o[name]
	if !there {
		return value, true
	}
	err := json.Unmarshal(raw, &value)
	return value, err == nil
}
