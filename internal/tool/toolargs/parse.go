package toolargs

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
)

// parse reads JSON, with numbers as text. They never become floating point, so IDs above 2^53 keep
// their value.
func parse(data []byte) (tree any, err error) {
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

// repeated returns an error if an object in the arguments has a name twice. JSON does not say which
// of the two values counts (RFC 8259, section 4). The validation refuses what is not JSON.
func repeated(arguments json.RawMessage) error {
	err := jsontext.NewDecoder(bytes.NewReader(arguments), jsontext.AllowInvalidUTF8(true)).SkipValue()
	if wrong, ok := errors.AsType[*jsontext.SyntacticError](err); ok && errors.Is(wrong, jsontext.ErrDuplicateName) {
		return fault.Invalid(plaintext.Word(wrong.JSONPointer.LastToken()), "is given twice; send one value")
	}
	return nil
}
