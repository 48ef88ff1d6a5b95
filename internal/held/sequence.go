package held

import (
	"context"
	"encoding/json"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/lazyregexp"
	"basecamp-mcp/internal/writeplan"
)

// Sequence lets the writes of a plan pass, in their order and each once. The first other request
// ends it. It is safe for concurrent use.
type Sequence struct {
	mu     sync.Mutex
	writes []Write             // that are left
	ids    map[string][]string // what the plan's made-up IDs have become
	ended  bool
	passed bool // a write may have been sent
}

// NewSequence returns the sequence of a plan.
func NewSequence(p Plan) *Sequence {
	return &Sequence{writes: p.Writes, ids: map[string][]string{}}
}

// Pass decides as a [writeplan.Guard].
func (s *Sequence) Pass(_ context.Context, r writeplan.Request) (sent func(answer []byte), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes = s.writes[s.withoutRequest():] // stored here, and never sent
	if s.ended || len(s.writes) == 0 || !s.equal(s.writes[0].Request, r) {
		s.ended = true
		f := fault.New(fault.Conflict, "this was not sent, because something has changed since the call was planned; repeat the call")
		f.Retryable = true
		return nil, f
	}
	carried := s.writes[:1]
	s.writes, s.passed = s.writes[1:], true
	if carried[0].Part != "" {
		carried = append(slices.Clip(carried), s.writes[:s.withoutRequest()]...)
	}
	return func(answer []byte) {
		s.mu.Lock()
		defer s.mu.Unlock()
		value, _ := writeplan.Decode(answer)
		for _, w := range carried {
			if w.Made != "" {
				s.ids[w.Made] = identifiers(value, w.Part)
			}
		}
	}, nil
}

// withoutRequest returns how many of the next writes have no request of their own.
func (s *Sequence) withoutRequest() int {
	n := slices.IndexFunc(s.writes, func(w Write) bool { return w.Request.Method != "" })
	if n < 0 {
		return len(s.writes)
	}
	return n
}

// Untouched reports whether no write has passed and none was refused.
func (s *Sequence) Untouched() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.passed && !s.ended
}

// equal reports whether a request is the planned one, in which real IDs take the places of the
// made-up ones: segments of the path, and values of the body.
func (s *Sequence) equal(planned Request, r writeplan.Request) bool {
	from, errFrom := url.Parse(planned.URL)
	to, errTo := url.Parse(r.URL)
	if errFrom != nil || errTo != nil || planned.Method != r.Method || from.Scheme != to.Scheme || from.Host != to.Host || from.RawQuery != to.RawQuery {
		return false
	}
	segments, others := strings.Split(from.EscapedPath(), "/"), strings.Split(to.EscapedPath(), "/")
	if !slices.EqualFunc(segments, others, s.equalSegment) {
		return false
	}
	if kept := RequestOf(r); kept.Sum == planned.Sum || planned.Body == "" {
		return kept.Sum == planned.Sum
	}
	was, errWas := writeplan.Decode([]byte(planned.Body))
	is, errIs := writeplan.Decode(r.Body)
	return errWas == nil && errIs == nil && s.equalValue(was, is)
}

func (s *Sequence) equalSegment(planned, sent string) bool {
	name, suffix, _ := strings.Cut(planned, ".")
	base, other, _ := strings.Cut(sent, ".")
	if ids, made := s.ids[name]; made {
		return suffix == other && slices.Contains(ids, base)
	}
	return planned == sent
}

func (s *Sequence) equalValue(planned, sent any) bool {
	switch v := planned.(type) {
	case []any:
		w, ok := sent.([]any)
		return ok && slices.EqualFunc(v, w, s.equalValue)
	case map[string]any:
		w, ok := sent.(map[string]any)
		if !ok || len(v) != len(w) {
			return false
		}
		for name, member := range v {
			if other, has := w[name]; !has || !s.equalValue(member, other) {
				return false
			}
		}
		return true
	case json.Number, string:
		text, id := writeplan.Text(v), writeplan.Text(sent)
		if ids, made := s.ids[text]; made {
			return slices.Contains(ids, id)
		}
		if written, ok := v.(string); ok {
			v = s.withFiles(written)
		}
		return v == sent
	}
	return planned == sent
}

var madeFile = lazyregexp.New(`made-up(-[0-9]+)`)

// withFiles returns a text in which the real names of files take the places of the made-up ones.
func (s *Sequence) withFiles(text string) string {
	return madeFile.ReplaceAllStringFunc(text, func(name string) string {
		if ids := s.ids[strings.TrimPrefix(name, "made-up")]; len(ids) > 0 {
			return ids[0]
		}
		return name
	})
}

// identifiers returns the IDs of what an answer, or a part of its data, is about. The answer of a
// mutation has it below members that are alone.
func identifiers(answer any, part string) (ids []string) {
	object, _ := answer.(map[string]any)
	if part != "" {
		object, _ = object["data"].(map[string]any)
		object, _ = object[part].(map[string]any)
	}
	for object != nil && object["id"] == nil && object["attachable_sgid"] == nil && len(object) == 1 {
		for _, only := range object {
			object, _ = only.(map[string]any)
		}
	}
	for _, name := range []string{"attachable_sgid", "id", "node_id", "number"} {
		if id := writeplan.Text(object[name]); id != "" {
			ids = append(ids, id)
		}
	}
	if room := writeplan.Text(object["room_url"]); room != "" { // of a ping, whose lines go to its room
		ids = append(ids, strings.TrimSuffix(path.Base(room), ".json"))
	}
	return ids
}
