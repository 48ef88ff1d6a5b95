package agent

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"
)

// Answer is what a tool answered.
type Answer struct {
	Value  any    // the text as JSON, with json.Number for numbers; nil if it is not JSON
	Text   string // the text that a model reads
	Failed bool
	Image  bool // an image came with it
}

func newAnswer(text string, failed bool) Answer {
	a := Answer{Text: text, Failed: failed}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if decoder.Decode(&a.Value) != nil {
		a.Value = nil
	}
	return a
}

// At returns the part of the answer at a path such as "items.0.title", or an empty answer.
func (a Answer) At(path string) Answer {
	value := a.Value
	for step := range strings.SplitSeq(path, ".") {
		value = child(value, step)
	}
	return Answer{Value: value}
}

func child(value any, step string) any {
	switch v := value.(type) {
	case map[string]any:
		return v[step]
	case []any:
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(v) {
			return v[i]
		}
	}
	return nil
}

// String returns the string or number at a path, or "" if there is neither.
func (a Answer) String(path string) string {
	switch v := a.At(path).Value.(type) {
	case string:
		return v
	case json.Number, bool:
		return fmt.Sprint(v)
	}
	return ""
}

// List returns the elements of the array at a path.
func (a Answer) List(path string) []Answer {
	var list []Answer
	elements, _ := a.At(path).Value.([]any)
	for _, element := range elements {
		list = append(list, Answer{Value: element})
	}
	return list
}

// Len returns the length of the array at a path.
func (a Answer) Len(path string) int { return len(a.List(path)) }

// People returns the names of the people at a path. Compact lists show only names.
func (a Answer) People(path string) []string {
	people := a.List(path)
	if len(people) == 0 {
		people = []Answer{a.At(path)}
	}
	var names []string
	for _, person := range people {
		if name, ok := person.Value.(string); ok {
			names = append(names, name)
		} else if name := person.String("name"); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// Find returns the first element of the array at a path whose field has the value.
func (a Answer) Find(path, field, value string) Answer {
	for _, element := range a.List(path) {
		if element.String(field) == value {
			return element
		}
	}
	return Answer{}
}

// Code returns the error code of a failed call.
func (a Answer) Code() string { return a.String("error_code") }

// Tokens returns how many tokens of the encoding o200k_base a text has.
func Tokens(t testing.TB, text string) int {
	t.Helper()
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	n, err := codec.Count(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
