package writeplan

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"sync"

	"basecamp-mcp/internal/text/rawjson"
)

// Object is a JSON object that the call has read. Its numbers are json.Number.
type Object struct {
	Fields map[string]any
	In     *Object // the object that contains it; nil for an outermost one
}

// Reads are the objects that a call has read. It is safe for concurrent use.
type Reads struct {
	mu      sync.Mutex
	bytes   int
	answers []*answer
}

// answer is what was read from an address. It is decoded when something that it has is first looked
// for.
type answer struct {
	address string
	body    []byte
	objects map[string][]*Object // by ID, and the whole answer by its address; nil before it is decoded
}

// maxSeen is how much of what a call reads is kept, in bytes. What is beyond it is missing where a
// plan shows what was before.
const maxSeen = 8 << 20

// Saw notes the JSON of an answer that the call has read from an address.
func (r *Reads) Saw(address string, body []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bytes += len(body); r.bytes > maxSeen {
		return
	}
	r.answers = append(r.answers, &answer{address: address, body: bytes.Clone(body)})
}

// Objects returns the objects that the call has read with an ID or an SGID, or from an address, the
// latest last. Different things can have the same ID.
func (r *Reads) Objects(id string) (found []*Object) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range r.answers {
		if a.objects == nil && (a.address == id || bytes.Contains(a.body, []byte(id))) {
			a.decode()
		}
		found = append(found, a.objects[id]...)
	}
	return found
}

// Member returns a member of the object that the call has read last from an address, as it is
// encoded, or nil.
func (r *Reads) Member(address, name string) json.RawMessage {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range slices.Backward(r.answers) {
		if a.address != address || !bytes.HasPrefix(a.body, []byte("{")) {
			continue
		}
		for key, value := range rawjson.Members(a.body) {
			if string(key) == strconv.Quote(name) {
				return value
			}
		}
		break
	}
	return nil
}

func (a *answer) decode() {
	a.objects = map[string][]*Object{}
	value, err := Decode(a.body)
	if err != nil {
		return
	}
	a.add(value, nil)
	if f, ok := value.(map[string]any); ok {
		a.objects[a.address] = append(a.objects[a.address], &Object{Fields: f})
	}
}

// add indexes a value and all that it contains.
func (a *answer) add(value any, in *Object) {
	switch v := value.(type) {
	case []any:
		for _, entry := range v {
			a.add(entry, in)
		}
	case map[string]any:
		o := &Object{Fields: v, In: in}
		for _, name := range []string{"id", "node_id", "attachable_sgid"} {
			if id := Text(v[name]); id != "" {
				a.objects[id] = append(a.objects[id], o)
			}
		}
		for _, member := range v {
			a.add(member, o)
		}
	}
}

// Decode returns JSON with its numbers as they are.
func Decode(body []byte) (value any, err error) {
	err = DecodeInto(body, &value)
	return value, err
}

// DecodeInto does the same into a value.
func DecodeInto(body []byte, value any) error {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	return decoder.Decode(value)
}

// Text returns a string or a number as text, and "" for any other value.
func Text(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}
