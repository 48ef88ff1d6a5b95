package writeplan

import (
	"bytes"
	"encoding/json"
	"sync"
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
	unread  []answer             // bodies are decoded when something is first looked for
	objects map[string][]*Object // by ID and by the address of the read
}

type answer struct {
	address string
	body    []byte
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
	r.unread = append(r.unread, answer{address, bytes.Clone(body)})
}

// Objects returns the objects that the call has read with an ID or an SGID, or from an address, the
// latest last. Different things can have the same ID.
func (r *Reads) Objects(id string) []*Object {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.objects == nil {
		r.objects = map[string][]*Object{}
	}
	for _, a := range r.unread {
		value, err := Decode(a.body)
		if err != nil {
			continue
		}
		r.add(value, nil)
		if f, ok := value.(map[string]any); ok {
			r.objects[a.address] = append(r.objects[a.address], &Object{Fields: f})
		}
	}
	r.unread = nil
	return r.objects[id]
}

// add indexes a value and all that it contains.
func (r *Reads) add(value any, in *Object) {
	switch v := value.(type) {
	case []any:
		for _, entry := range v {
			r.add(entry, in)
		}
	case map[string]any:
		o := &Object{Fields: v, In: in}
		for _, name := range []string{"id", "node_id", "attachable_sgid"} {
			if id := Text(v[name]); id != "" {
				r.objects[id] = append(r.objects[id], o)
			}
		}
		for _, member := range v {
			r.add(member, o)
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
