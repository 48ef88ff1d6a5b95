package mcptool

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"
)

func FuzzAppendQuoted(f *testing.F) {
	for _, seed := range strange {
		f.Add([]byte(`{"text":"` + seed + `","n":[1,{"<":null}]}`))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var compact, want bytes.Buffer
		if !utf8.Valid(text) || json.Compact(&compact, text) != nil {
			t.Skip()
		}
		quoted, err := json.Marshal(compact.String())
		if err != nil {
			t.Fatal(err)
		}
		if got := appendQuoted(nil, compact.Bytes()); !bytes.Equal(got, quoted) {
			t.Errorf("%s as a string is %s, want %s", text, got, quoted)
		}
		json.HTMLEscape(&want, compact.Bytes())
		if got := appendHTMLSafe(nil, compact.Bytes()); !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%s for HTML is %s, want %s", text, got, want.Bytes())
		}
	})
}
