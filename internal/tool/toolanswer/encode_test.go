package toolanswer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"basecamp-mcp/internal/report/fault"
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

func TestAdd_PutsTheFieldFirst(t *testing.T) {
	for result, want := range map[string]string{`{}`: `{"understood":["a"]}`, `{"x":1}`: `{"understood":["a"],"x":1}`} {
		a := Answer{JSON: []byte(result)}
		a.Add(UnderstoodField, []string{"a"})
		if string(a.JSON) != want {
			t.Errorf("%s became %s", result, a.JSON)
		}
	}
}

func TestFailure_OfAnEntryHasTheFieldsOfAFailedCall(t *testing.T) {
	ambiguous := fault.New(fault.Ambiguous, "there are two")
	ambiguous.Candidates = []fault.Candidate{{ID: 7, Name: "Ines"}}
	unknown := fault.New(fault.NotFound, "there is none")
	unknown.Nearest = []fault.Candidate{{ID: 7, Type: "person", Name: "Ines", Where: "Fernhill"}}
	lost := fault.New(fault.UpstreamError, "no answer").Because(errors.New("secret"))
	lost.Retryable, lost.MayHaveHappened = false, true
	own := fault.New(fault.InvalidInput, "too long")
	own.Own = "content_too_long"
	for want, err := range map[string]error{
		`{"error_code":"NOT_FOUND","message":"gone","retryable":false}`:                                                                                                       fmt.Errorf("read: %w", fault.New(fault.NotFound, "gone")),
		`{"error_code":"AMBIGUOUS","message":"there are two","retryable":false,"candidates":[{"id":7,"name":"Ines"}]}`:                                                        ambiguous,
		`{"error_code":"NOT_FOUND","message":"there is none","retryable":false,"nearest":[{"id":7,"type":"person","name":"Ines","where":"Fernhill"}]}`:                        unknown,
		`{"error_code":"UPSTREAM_ERROR","message":"no answer","retryable":false,"may_have_happened":true}`:                                                                    lost,
		`{"error_code":"RATE_LIMITED","message":"too fast","retryable":true}`:                                                                                                 fault.New(fault.RateLimited, "too fast"),
		`{"error_code":"CONTENT_TOO_LONG","message":"too long","retryable":false}`:                                                                                            own,
		`{"error_code":"INTERNAL_ERROR","message":"something went wrong on our side","retryable":false,"may_have_happened":true}`:                                             errors.New("secret"),
		`{"error_code":"INVALID_INPUT","message":"x: must be a day","retryable":false,"validation":[{"path":"x","message":"must be a day","code":"invalid"}]}`:                fault.Invalid("x", "must be a day"),
		`{"error_code":"UPSTREAM_ERROR","message":"this may have been done, although the time ran out; look before trying again","retryable":false,"may_have_happened":true}`: fmt.Errorf("secret: %w", context.DeadlineExceeded),
	} {
		got, encodeErr := Encode(Failure(err))
		if string(got) != want || encodeErr != nil {
			t.Errorf("%v:\n got %s\nwant %s", err, got, want)
		}
	}
}

func TestNew_TheNextAnswerDoesNotChangeTheOneBefore(t *testing.T) {
	type item struct {
		ID   int64  `json:"id"`
		Name string `json:"name"`
	}
	var known Plans
	encoded := func(name string) []byte {
		answer, err := New(struct {
			Items []item `json:"items"`
		}{[]item{{1, name}}}, &known)
		if err != nil {
			t.Error(err)
		}
		return answer.JSON
	}
	var users sync.WaitGroup
	for user := range 4 {
		users.Go(func() {
			name := fmt.Sprintf("user %d", user)
			want := fmt.Sprintf(`{"items":[{"id":1,"name":%q}]}`, name)
			for range 200 {
				first := encoded(name)
				encoded("someone else")
				if string(first) != want {
					t.Errorf("got %s, want %s", first, want)
					return
				}
			}
		})
	}
	users.Wait()
}

func TestObject_IsShortenedButNeverToNothing(t *testing.T) {
	type list struct {
		Items []Object `json:"items"`
	}
	for _, test := range []struct {
		object Object
		want   string
	}{
		{Object{{"id", int64(7)}, {"enabled", false}, {"note", nil}}, `{"items":[{"id":7}]}`},
		{Object{{"enabled", false}, {"dots", []Object{}}, {"note", nil}}, `{"items":[{"enabled":false,"dots":[]}]}`},
		{Object{{"note", nil}}, `{"items":[{}]}`},
	} {
		answer, err := New(list{[]Object{test.object}}, new(Plans))
		if err != nil || string(answer.JSON) != test.want {
			t.Errorf("%v: %s, %v; want %s", test.object, answer.JSON, err, test.want)
		}
	}
}
