package toolanswer

import (
	"bytes"
	"encoding/json"
	"math"
)

// Encode returns compact JSON. It does not escape <, > and &, because no browser reads it.
func Encode(v any) ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n")), nil
}

// Size returns the number of bytes that v takes in an answer.
func Size(v any) int {
	var size counter
	encoder := json.NewEncoder(&size)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return math.MaxInt
	}
	return int(size) - len("\n")
}

// counter is an io.Writer that counts bytes and keeps none.
type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// MustEncode returns compact JSON of a value that always encodes.
func MustEncode(v any) json.RawMessage {
	encoded, err := Encode(v)
	if err != nil {
		panic(err)
	}
	return encoded
}

// AppendString writes a string as JSON, as encoding/json does.
func AppendString(b []byte, s string) []byte {
	if plain(s) {
		return append(append(append(b, '"'), s...), '"')
	}
	quoted, err := json.Marshal(s)
	if err != nil {
		panic(err) // strings always encode
	}
	return append(b, quoted...)
}

// plain reports whether a string needs no escapes in JSON. Nearly all strings here need none, and
// the check is much cheaper than encoding.
func plain(s string) bool {
	for _, c := range []byte(s) {
		if c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}
