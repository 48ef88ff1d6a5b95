package toolargs

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"basecamp-mcp/internal/rawjson"
)

// flatMember is a member of an object, with its value still encoded.
type flatMember struct {
	name  string
	value json.RawMessage
}

// mostFlat is the maximum size of an object that flat reads, in bytes.
const mostFlat = 1024

// flat returns the members of an object that is short, holds no lists or objects and has no
// escapes. It returns false for everything else. The arguments of most calls are flat, and a
// json.Decoder would take several times as long.
func flat(object json.RawMessage) (members []flatMember, ok bool) {
	object = bytes.Trim(object, " \t\r\n")
	if !bytes.HasPrefix(object, []byte("{")) || len(object) > mostFlat || bytes.IndexByte(object[1:], '{') >= 0 || bytes.ContainsAny(object, `[\`) {
		return nil, false
	}
	if !json.Valid(object) || !utf8.Valid(object) {
		return nil, false
	}
	for key, value := range rawjson.Members(object) {
		members = append(members, flatMember{string(key[1 : len(key)-1]), value})
	}
	return members, true
}

// tree returns the value as parse does.
func (m flatMember) tree() any {
	switch m.value[0] {
	case '"':
		return string(m.value[1 : len(m.value)-1])
	case 't':
		return true
	case 'f':
		return false
	case 'n':
		return nil
	}
	return json.Number(m.value)
}
