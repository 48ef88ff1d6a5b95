package toolargs

import (
	"bytes"
	"encoding/json"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/plaintext"
)

func givenTwice(name string) error {
	return fault.Invalid(plaintext.Word(name), "is given twice; send one value")
}

// repeated returns an error if an object in the arguments has a name twice. JSON does not say which
// of the two values counts (RFC 8259, section 4).
func repeated(arguments json.RawMessage) error {
	type level struct {
		names map[string]bool // nil in a list
		value bool            // the next token is the value of a name
	}
	var open []level
	decoder := json.NewDecoder(bytes.NewReader(arguments))
	decoder.UseNumber()
	// The validation refuses what is not JSON.
	for token, err := decoder.Token(); err == nil; token, err = decoder.Token() {
		isEnd := token == json.Delim('}') || token == json.Delim(']')
		if isEnd {
			open = open[:len(open)-1]
		}
		if last := len(open) - 1; last >= 0 && open[last].names != nil && !isEnd {
			name, _ := token.(string)
			if !open[last].value {
				if open[last].names[name] {
					return givenTwice(name)
				}
				open[last].names[name] = true
			}
			open[last].value = !open[last].value
		}
		switch token {
		case json.Delim('{'):
			open = append(open, level{names: map[string]bool{}})
		case json.Delim('['):
			open = append(open, level{})
		}
	}
	return nil
}
