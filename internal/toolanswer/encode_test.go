package toolanswer

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"basecamp-mcp/internal/fault"
)

func TestFillLists_LooksIntoInterfacesButNotIntoACause(t *testing.T) {
	cause := &fault.Error{Code: fault.NotFound}
	filled, failed := FillLists(struct {
		Item  any       `json:"item"`
		Error ItemError `json:"error"`
	}{Item: struct {
		Tags []string `json:"tags"`
	}{}, Error: ItemError{Code: fault.NotFound, Cause: cause}})
	encoded, err := Encode(filled)
	if err != nil || !strings.Contains(string(encoded), `{"item":{"tags":[]}`) {
		t.Errorf("%s, %v", encoded, err)
	}
	if cause.Candidates != nil || len(failed) != 1 {
		t.Errorf("the cause became %+v, failed %+v", cause, failed)
	}
}

func TestAppendString_WritesAsEncodingJSONDoes(t *testing.T) {
	for c := range rune(0x2100) {
		s := "a" + string(c) + "b"
		want, _ := json.Marshal(s)
		if got := AppendString(nil, s); !bytes.Equal(got, want) {
			t.Errorf("%q: got %s, want %s", s, got, want)
		}
	}
}

func TestAddUnderstood_PutsTheNotesFirst(t *testing.T) {
	for result, want := range map[string]string{`{}`: `{"understood":["a"]}`, `{"x":1}`: `{"understood":["a"],"x":1}`} {
		a := Answer{JSON: []byte(result)}
		a.AddUnderstood([]string{"a"})
		if string(a.JSON) != want {
			t.Errorf("%s became %s", result, a.JSON)
		}
	}
}
