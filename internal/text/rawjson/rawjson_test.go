package rawjson

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func FuzzMembers(f *testing.F) {
	for _, seed := range []string{
		`{}`, ` { "a" : [ { } , "]" ] , "b":-1.5e3,"c":null } `, `{"\"":"\\","a\\":{"\\\"}":1}}`, `{"a":{"b":[1,2,{"c":"}"}]},"a":true}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, object []byte) {
		object = bytes.TrimLeft(object, " \t\r\n")
		if !json.Valid(object) || object[0] != '{' {
			t.Skip()
		}
		var want, got []string
		dec := json.NewDecoder(bytes.NewReader(object))
		_, _ = dec.Token()
		for dec.More() {
			key, _ := dec.Token()
			var value json.RawMessage
			_ = dec.Decode(&value)
			want = append(want, key.(string), string(value))
		}
		for quoted, value := range Members(object) {
			var key string
			_ = json.Unmarshal(quoted, &key)
			got = append(got, key, string(value))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("encoding/json reads other members (-it +we):\n%s", diff)
		}
	})
}
