package toolargs

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"basecamp-mcp/internal/rawjson"
)

// mostFlat is the maximum size of an object that flat reads, in bytes.
const mostFlat = 1024

// flat returns an object that is short, holds no lists or objects and has no escapes, with numbers
// as text. It returns false for everything else, and an error if a name is given twice. The
// arguments of most calls are flat, and a json.Decoder would take several times as long.
func flat(data json.RawMessage) (object map[string]any, ok bool, err error) {
	data = bytes.Trim(data, " \t\r\n")
	if len(data) == 0 || data[0] != '{' || len(data) > mostFlat || bytes.IndexByte(data[1:], '{') >= 0 || bytes.ContainsAny(data, `[\`) {
		return nil, false, nil
	}
	if !json.Valid(data) || !utf8.Valid(data) {
		return nil, false, nil
	}
	object = map[string]any{}
	for key, value := range rawjson.Members(data) {
		name := string(key[1 : len(key)-1])
		if _, earlier := object[name]; earlier && err == nil {
			err = givenTwice(name)
		}
		switch value[0] {
		case '"':
			object[name] = string(value[1 : len(value)-1])
		case 't', 'f':
			object[name] = value[0] == 't'
		case 'n':
			object[name] = nil
		default:
			object[name] = json.Number(value)
		}
	}
	return object, true, err
}
