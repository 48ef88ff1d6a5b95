package toolargs

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/rawjson"
)

// parseObject reads arguments. null counts as no arguments.
func parseObject(arguments json.RawMessage) (any, error) {
	tree, err := parse(arguments)
	if err != nil {
		return nil, fault.Invalid("arguments", "must be a JSON object").Because(err)
	}
	if tree == nil {
		tree = map[string]any{}
	}
	return tree, nil
}

// parse reads JSON, with numbers as text. They never become floating point, so IDs above 2^53 keep
// their value.
func parse(data []byte) (tree any, err error) {
	if object, ok, _ := flat(data); ok {
		return object, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	err = decoder.Decode(&tree)
	return whole(tree), err
}

// whole returns a tree in which each number without a fraction is its digits: 6.4e9 is 6400000000.
func whole(tree any) any {
	switch value := tree.(type) {
	case map[string]any:
		for name := range value {
			value[name] = whole(value[name])
		}
	case []any:
		for i := range value {
			value[i] = whole(value[i])
		}
	case json.Number:
		if n, ok := wholeNumber(value.String()); ok {
			return json.Number(strconv.FormatInt(n, 10))
		}
	}
	return tree
}

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
			object[name] = whole(json.Number(value))
		}
	}
	return object, true, err
}

func givenTwice(name string) error {
	return fault.Invalid(plaintext.Word(name), "is given twice; send one value")
}

// repeated returns an error if an object in the arguments has a name twice. JSON does not say which
// of the two values counts (RFC 8259, section 4). The validation refuses what is not JSON.
func repeated(arguments json.RawMessage) error {
	err := jsontext.NewDecoder(bytes.NewReader(arguments), jsontext.AllowInvalidUTF8(true)).SkipValue()
	if wrong, ok := errors.AsType[*jsontext.SyntacticError](err); ok && errors.Is(wrong, jsontext.ErrDuplicateName) {
		return givenTwice(wrong.JSONPointer.LastToken())
	}
	return nil
}
