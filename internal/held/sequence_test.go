package held

import (
	"testing"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/writeplan"
)

const root = "https://a.example/1/"

// plans returns a plan that makes a file, and a card with it, a comment on the card, and the answer
// of a mutation.
func plans() Plan {
	made := func(made, path, body string) Write {
		return Write{Made: made, Request: RequestOf(writeplan.Request{Method: "POST", URL: root + path, Body: []byte(body)})}
	}
	return Plan{Writes: []Write{
		made("-1", "attachments.json?name=a", "\x00 content"),
		made("-2", "cards.json", `{"title":"-1","content":"<x sgid=\"made-up-1\"> at -2 degrees","n":-9}`),
		made("-3", "cards/-2/comments.json", `{"of":-2,"in":["-2",{"at":-2}],"text":"-2 is it"}`),
		made("", "cards/-2.json", `{"column":-4}`),
	}}
}

func TestSequence_PassesApprovedRequestsInOrderAndOnce(t *testing.T) {
	type sent struct{ method, path, body, answer string }
	file := sent{"POST", "attachments.json?name=a", "\x00 content", `{"attachable_sgid":"BAh7"}`}
	card := sent{"POST", "cards.json", `{"n":-9,"content":"<x sgid=\"BAh7\"> at -2 degrees","title":"BAh7"}`, `{"id":71,"title":"x"}`}
	comment := sent{"POST", "cards/71/comments.json", `{"of":71,"in":["71",{"at":71}],"text":"-2 is it"}`, `{"data":{"add":{"item":{"id":"C"}}}}`}
	last := sent{"POST", "cards/71.json", `{"column":-4}`, ``}
	with := func(s sent, body string) sent { s.body = body; return s }
	at := func(s sent, path string) sent { s.path = path; return s }
	for _, test := range []struct {
		name   string
		sent   []sent
		passed int
	}{
		{"all", []sent{file, card, comment, last}, 4},
		{"one more", []sent{file, card, comment, last, last}, 4},
		{"the first twice", []sent{file, file, card}, 1},
		{"another order", []sent{card, file}, 0},
		{"after a refusal", []sent{with(file, "other"), file}, 0},
		{"other content of a file", []sent{with(file, "\x00 contents")}, 0},
		{"another query", []sent{at(file, "attachments.json?name=b")}, 0},
		{"another host", []sent{at(file, "../../b.example/1/attachments.json?name=a")}, 0},
		{"another method", []sent{{"PUT", file.path, file.body, ""}}, 0},
		{"another value", []sent{file, with(card, `{"n":-8,"content":"<x sgid=\"BAh7\"> at -2 degrees","title":"BAh7"}`)}, 1},
		{"a field more", []sent{file, with(card, card.body[:len(card.body)-1]+`,"notify":true}`)}, 1},
		{"an ID of something else in the path", []sent{file, card, at(comment, "cards/72/comments.json")}, 2},
		{"an ID of something else in the body", []sent{file, card, with(comment, `{"of":72,"in":["71",{"at":71}],"text":"-2 is it"}`)}, 2},
		{"an ID in a text, which the plan does not mark", []sent{file, card, with(comment, `{"of":71,"in":["71",{"at":71}],"text":"71 is it"}`)}, 2},
		{"a made-up ID", []sent{file, card, at(comment, "cards/-2/comments.json")}, 2},
	} {
		s, passed := NewSequence(plans()), 0
		for _, w := range test.sent {
			told, err := s.Pass(t.Context(), writeplan.Request{Method: w.method, URL: root + w.path, Body: []byte(w.body)})
			if err != nil {
				if !fault.Is(err, fault.Conflict) {
					t.Errorf("%s: %v", test.name, err)
				}
				continue
			}
			passed++
			told([]byte(w.answer))
		}
		if passed != test.passed || s.Untouched() {
			t.Errorf("%s: %d passed, want %d", test.name, passed, test.passed)
		}
	}
}

func TestIdentifiers_AreThoseOfWhatAnAnswerIsAbout(t *testing.T) {
	for answer, want := range map[string]int{
		`{"id":1,"node_id":"I_1","number":7,"parent":{"id":2}}`: 3, `{"data":{"add":{"item":{"id":"P_1"}}}}`: 1,
		`{"id":1,"room_url":"https://a.example/chats/5.json"}`: 2, `[{"id":1}]`: 0, ``: 0, `{}`: 0, `null`: 0,
	} {
		value, _ := writeplan.Decode([]byte(answer))
		if ids := identifiers(value, ""); len(ids) != want {
			t.Errorf("%s: %v", answer, ids)
		}
	}
	several, _ := writeplan.Decode([]byte(`{"data":{"m0":{"item":{"id":"P_1"}},"m1":{"item":{"id":"P_2"}}}}`))
	if ids := identifiers(several, "m1"); len(ids) != 1 || ids[0] != "P_2" {
		t.Errorf("the second of two: %v", ids)
	}
}
