package toolargs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func FuzzFlat(f *testing.F) {
	for _, seed := range []string{
		`{}`, ` { } `, `{"a":1,"b":"x y","c":true,"d":false,"e":null,"f":-1.5e3}`, "{\n\t\"a\" : 1 ,\r \"b\" : \"ü{\" }", `{"a":1,"a":2}`, `{"a":1,"b":1,"a":1}`,
		`{"":""}`, `{"a":[1]}`, `{"a":{}}`, `{"a":"\n"}`, `{"a":1}x`, `{"a":1}{}`, `{"a":1`, `{"a":01}`, "{\"a\":\"\xff\"}", `[1]`, `1`, ``, `{"a":"]"}`, `{"a":1,"A":2}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, object []byte) {
		got, ok, twice := flat(object)
		if !ok {
			return
		}
		if got, want := fmt.Sprint(twice), fmt.Sprint(repeated(object)); got != want {
			t.Errorf("%s: %s, want %s", object, got, want)
		}
		decoder := json.NewDecoder(bytes.NewReader(object))
		decoder.UseNumber()
		want := map[string]any{}
		if err := decoder.Decode(&want); err != nil {
			t.Fatalf("%s is read as flat: %v", object, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", object, diff)
		}
	})
}
