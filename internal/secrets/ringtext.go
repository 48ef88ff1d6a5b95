package secrets

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"basecamp-mcp/internal/envelope"
)

// ringText is the content of a key ring's secret, a JSON object. Its member "current" names one of
// its keys, which are members such as "k1". Readers ignore all other members.
type ringText struct {
	current string
	keys    map[string]string // by ID
	members map[string]json.RawMessage
}

// minKey is the minimum length of a key in characters. A generated key has 64.
const minKey = 32

// keyID matches the names of members that are keys.
var keyID = regexp.MustCompile(`^k[1-9][0-9]{0,8}$`)

var errNoRing = errors.New(`is not of the form {"current": "k1", "k1": "..."}`)

// parseRing returns the ring in the text of a secret. Its errors name the member that is wrong.
func parseRing(text string) (ringText, error) {
	r := ringText{keys: map[string]string{}}
	if text == "" {
		return ringText{}, errors.New("is empty")
	}
	if json.Unmarshal([]byte(text), &r.members) != nil || r.members == nil {
		return ringText{}, errNoRing
	}
	for id, member := range r.members {
		if !keyID.MatchString(id) {
			continue
		}
		key, ok := textIn(member)
		switch {
		case !ok:
			return ringText{}, fmt.Errorf("the member %q is not a string", id)
		case len(key) < minKey:
			return ringText{}, fmt.Errorf("the member %q has fewer than %d characters", id, minKey)
		}
		r.keys[id] = key
	}
	if err := r.setCurrent(); err != nil {
		return ringText{}, err
	}
	return r, nil
}

func (r *ringText) setCurrent() error {
	member, ok := r.members["current"]
	if !ok {
		return errors.New(`the member "current" is missing`)
	}
	if r.current, ok = textIn(member); !ok {
		return errors.New(`the member "current" is not a string`)
	}
	if !r.has(r.current) {
		return errors.New(`the member "current" does not name a key of the ring, such as k1`)
	}
	return nil
}

func (r *ringText) has(id string) bool { return r.keys[id] != "" }

// ids returns the IDs of all keys, the oldest first.
func (r *ringText) ids() []string {
	return slices.SortedFunc(maps.Keys(r.keys), func(a, b string) int { return number(a) - number(b) })
}

func (r *ringText) key(id string) envelope.Key {
	return envelope.Key{ID: id, Secret: []byte(r.keys[id])}
}

// textIn returns the string that a member of a JSON object is.
func textIn(member json.RawMessage) (text string, ok bool) {
	var value any
	if json.Unmarshal(member, &value) != nil {
		return "", false
	}
	text, ok = value.(string)
	return text, ok
}

// set replaces a member of the object. Members that it does not name stay as they were.
func (r *ringText) set(name string, value any) (err error) {
	r.members[name], err = json.Marshal(value)
	return err
}

// number returns the number in the ID of a key, or 0.
func number(id string) int {
	if !keyID.MatchString(id) {
		return 0
	}
	n, _ := strconv.Atoi(id[1:]) // it has nine digits at most
	return n
}
