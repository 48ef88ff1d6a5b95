package basecamp

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestDecodeJSON_ReadsWhatEncodingJSONReads compares the two on documents that are generated from
// the types of answers, with members that are missing, null, of another kind, written twice, in
// capitals, or not valid Unicode.
func TestDecodeJSON_ReadsWhatEncodingJSONReads(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	types := []any{
		[]Todo{}, []Card{}, []Message{}, []Comment{}, []Person{}, []Project{}, []Happening{}, []Event{}, []Upload{}, []Document{},
		[]SearchResult{}, []ProjectTasks{}, []Listed{}, []Todolist{}, []ScheduleEntry{}, []Reading{}, CardTable{}, []ChatLine{}, []Question{},
	}
	failures := 0
	for n := range 10_000 {
		want := reflect.New(reflect.TypeOf(types[n%len(types)]))
		got := reflect.New(want.Type().Elem())
		text := []byte(generated(r, want.Type().Elem(), 0))
		wrong := asBefore(text, want.Interface())
		err := decodeJSON(text, got.Interface())
		if (wrong == nil) != (err == nil) || err == nil && !reflect.DeepEqual(want.Interface(), got.Interface()) {
			t.Fatalf("%s:\n%+v, %v\nencoding/json: %+v, %v", text, got.Elem(), err, want.Elem(), wrong)
		}
		if err != nil {
			failures++
		}
	}
	if failures < 1000 || failures > 6000 {
		t.Errorf("%d of 10,000 documents were refused, which tests little", failures)
	}
}

// asBefore does with encoding/json what decodeJSON does.
func asBefore(body []byte, into any) error {
	err := json.Unmarshal(body, into)
	if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && mismatch.Value == "string" && mismatch.Type.Kind() == reflect.Int64 {
		return json.Unmarshal(numericIDs(body), into)
	}
	return err
}

// generated returns JSON for a type.
func generated(r *rand.Rand, t reflect.Type, depth int) string {
	if odd := r.IntN(1500); odd < 6 {
		return []string{"null", `"4711"`, "true", "[]", "{}", "1.5"}[odd]
	}
	if t == reflect.TypeFor[time.Time]() {
		return `"` + time.Unix(r.Int64N(2e9), r.Int64N(1e9)).UTC().Format(time.RFC3339Nano) + `"`
	}
	switch t.Kind() {
	case reflect.Pointer:
		return generated(r, t.Elem(), depth)
	case reflect.Struct:
		return "{" + strings.Join(members(r, t, depth), ", ") + "}"
	case reflect.Slice:
		items := make([]string, r.IntN(max(1, 4-depth)))
		for i := range items {
			items[i] = generated(r, t.Elem(), depth+1)
		}
		return "[" + strings.Join(items, ",") + "]"
	case reflect.Map:
		return fmt.Sprintf(`{"a": %s, "": %s}`, generated(r, t.Elem(), depth+1), generated(r, t.Elem(), depth+1))
	case reflect.Bool:
		return strconv.FormatBool(r.IntN(2) == 0)
	case reflect.String:
		return []string{`""`, `"Kate & <b>"`, `"\u00e9\n\"\ud83d\ude80"`, `"\ud83d"`, "\"\xff\"", `"日本"`}[r.IntN(6)]
	}
	return strconv.FormatInt(r.Int64N(1e6), 10)
}

func members(r *rand.Rand, t reflect.Type, depth int) (all []string) {
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && name == "":
			all = append(all, members(r, field.Type, depth)...)
			continue
		case name == "" || name == "-" || r.IntN(8) == 0 || depth > 5:
			continue
		case r.IntN(200) == 0:
			name = strings.ToUpper(name)
		case r.IntN(200) == 0 && field.Type.Kind() == reflect.String:
			// encoding/json merges two lists or objects, and keeps a text before null.
			all = append(all, `"`+name+`": `+generated(r, field.Type, depth+1), `"`+name+`": "again"`)
			continue
		}
		all = append(all, `"`+name+`" : `+generated(r, field.Type, depth+1))
	}
	return append(all, `"unknown": [{"a": null}, 1e3]`)
}
