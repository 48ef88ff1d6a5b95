package authserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// object is a JSON object of an unknown client, with its members still encoded. Decoding into a
// struct is too lenient: it accepts Redirect_URIs for redirect_uris, and takes the last of two
// members with one name, where another reader may take the first.
type object map[string]json.RawMessage

var errNoObject = errors.New("not a single JSON object in UTF-8 with unique member names")

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

// member decodes a member. It returns the zero value if the member is absent or null, and false if
// it has another type.
func member[T any](o object, name string) (value T, ok bool) {
	raw, found := o[name]
	if !found {
		return value, true
	}
	err := json.Unmarshal(raw, &value)
	return value, err == nil
}
