package mcptool

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"

	"basecamp-mcp/internal/fault"
)

// failure returns the outcome of a call that failed.
func failure(tool string, e *fault.Error) *Outcome {
	f := failureJSON{
		ErrorCode:         errorCode(e),
		Message:           e.Message,
		Retryable:         e.Retryable,
		RetryAfterSeconds: seconds(e),
		Data: failureData{
			Tool:            tool,
			Code:            e.Code.Number(),
			Resource:        e.Resource,
			Upstream:        e.Upstream,
			Link:            e.Link,
			RateLimit:       e.RateLimit,
			Validation:      e.Validation,
			Candidates:      e.Candidates,
			Nearest:         e.Nearest,
			MayHaveHappened: e.MayHaveHappened,
		},
	}
	if e.Own != "" {
		f.Error = &ownError{Code: e.Own, Message: e.Message}
	}
	encoded, err := encode(f)
	if err != nil {
		panic(err) // the types above always encode
	}
	return &Outcome{JSON: encoded, IsError: true, Message: e.Message, Fault: e}
}

// errorCode returns the code for the caller: the tool's own if it has one.
func errorCode(e *fault.Error) fault.Code {
	if e.Own != "" {
		return fault.Code(strings.ToUpper(e.Own))
	}
	return e.Code
}

// ownError is the failure in the form of tools with codes of their own. The answer has the common
// form too.
type ownError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type failureJSON struct {
	Error             *ownError   `json:"error,omitempty"`
	ErrorCode         fault.Code  `json:"error_code"`
	Message           string      `json:"message"`
	Retryable         bool        `json:"retryable"`
	RetryAfterSeconds int         `json:"retry_after_seconds,omitempty"`
	Data              failureData `json:"data"`
}

type failureData struct {
	Tool            string            `json:"tool"`
	Code            int               `json:"code"`
	Resource        *fault.Resource   `json:"resource,omitempty"`
	Upstream        *fault.Upstream   `json:"upstream,omitempty"`
	Link            *fault.Link       `json:"link,omitempty"`
	RateLimit       *fault.RateLimit  `json:"rate_limit,omitempty"`
	Validation      []fault.Violation `json:"validation,omitempty"`
	Candidates      []fault.Candidate `json:"candidates,omitempty"`
	Nearest         []fault.Candidate `json:"nearest,omitempty"`
	MayHaveHappened bool              `json:"may_have_happened,omitempty"`
}

// seconds rounds the wait up: a client that retries slightly too early has wasted a call.
func seconds(e *fault.Error) int { return int(math.Ceil(e.RetryAfter.Seconds())) }

// encode returns compact JSON. It does not escape <, > and &, because no browser reads it.
func encode(v any) ([]byte, error) {
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

// listsFilled returns out with empty slices in place of nil slices, and the failed entries of a
// batch in it. It copies the outermost struct, which is a value.
func listsFilled(out any) (filled any, failed []ItemError) {
	v := reflect.New(reflect.TypeOf(out))
	v.Elem().Set(reflect.ValueOf(out))
	fillLists(v, &failed)
	return v.Interface(), failed
}

// fillLists replaces every nil slice below v by an empty one: schemas promise a list, and Go's
// encoder would write null. It looks into slices, structs and interfaces; results contain nothing
// else. Absent optional fields stay absent. It also collects the entries that failed.
func fillLists(v reflect.Value, failed *[]ItemError) {
	switch v.Kind() {
	case reflect.Pointer:
		fillLists(v.Elem(), failed)
	case reflect.Interface:
		if v.IsNil() || !v.CanSet() {
			return
		}
		held := reflect.New(v.Elem().Type()).Elem() // the value in an interface cannot be set in place
		held.Set(v.Elem())
		fillLists(held, failed)
		v.Set(held)
	case reflect.Slice:
		if v.IsNil() && v.CanSet() && v.Type().Elem().Kind() != reflect.Uint8 {
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		}
		for i := range v.Len() {
			fillLists(v.Index(i), failed)
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
			fillLists(v.Field(i), failed)
		}
	}
}

// mayHoldLists reports whether fillLists can find something in a field.
func mayHoldLists(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return !v.IsNil()
	case reflect.Slice, reflect.Struct:
		return true
	}
	return false
}
