package toolanswer

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
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

// FillLists returns out with empty slices in place of nil slices, and the failed entries of a
// batch in it. It copies the outermost struct, which is a value.
func FillLists(out any) (filled any, failed []ItemError) {
	v := reflect.New(reflect.TypeOf(out))
	v.Elem().Set(reflect.ValueOf(out))
	fillInPlace(v, &failed)
	return v.Interface(), failed
}

// fillInPlace replaces every nil slice below v by an empty one: schemas promise a list, and Go's
// encoder would write null. It looks into slices, structs and interfaces; results contain nothing
// else. Absent optional fields stay absent. It also collects the entries that failed.
func fillInPlace(v reflect.Value, failed *[]ItemError) {
	switch v.Kind() {
	case reflect.Pointer:
		fillInPlace(v.Elem(), failed)
	case reflect.Interface:
		if v.IsNil() || !v.CanSet() {
			return
		}
		held := reflect.New(v.Elem().Type()).Elem() // the value in an interface cannot be set in place
		held.Set(v.Elem())
		fillInPlace(held, failed)
		v.Set(held)
	case reflect.Slice:
		if v.IsNil() && v.CanSet() && v.Type().Elem().Kind() != reflect.Uint8 {
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		}
		for i := range v.Len() {
			fillInPlace(v.Index(i), failed)
		}
	case reflect.Struct:
		if v.Type() == itemErrorType {
			*failed = append(*failed, v.Interface().(ItemError))
		}
		for i := range v.NumField() {
			if !mayHoldLists(v.Field(i)) {
				continue
			}
			field := v.Type().Field(i)
			tag := field.Tag.Get("json")
			if !field.IsExported() && !field.Anonymous || tag == "-" || strings.Contains(tag, ",omit") && v.Field(i).IsZero() {
				continue
			}
			fillInPlace(v.Field(i), failed)
		}
	}
}

// mayHoldLists reports whether fillInPlace can find something in a field.
func mayHoldLists(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return !v.IsNil()
	case reflect.Slice, reflect.Struct:
		return true
	}
	return false
}
