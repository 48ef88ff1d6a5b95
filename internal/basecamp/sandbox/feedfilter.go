package sandbox

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// feedFilters are the parameters of the event feed that filter it.
var feedFilters = []string{"actor_types", "buckets", "creators", "exclude_performers", "performers", "types"}

// feedFilter selects events. A list that is nil selects all.
type feedFilter struct {
	types      []string
	actors     []string
	buckets    []int64
	creators   []int64
	performers []int64
	without    []int64
	digest     string
}

// feedFilter returns the filter of the request, or what is wrong with it. An empty parameter
// filters nothing.
func (c *call) feedFilter() (f feedFilter, problem string) {
	canonical := map[string]any{}
	words := func(name string, known func(string) bool) (list []string) {
		for word := range strings.SplitSeq(c.query.Get(name), ",") {
			if word = strings.TrimSpace(word); word != "" && !known(word) {
				problem = fmt.Sprintf("Unknown %s: %s", strings.ReplaceAll(name, "_", " "), word)
			} else if word != "" {
				list = append(list, word)
			}
		}
		slices.Sort(list)
		if list = slices.Compact(list); list != nil {
			canonical[name] = list
		}
		return list
	}
	numbers := func(name string) (list []int64) {
		for _, word := range words(name, func(word string) bool {
			_, err := strconv.ParseInt(word, 10, 64)
			return err == nil || word == "self" && strings.HasSuffix(name, "performers")
		}) {
			id, err := strconv.ParseInt(word, 10, 64)
			if err != nil {
				id = c.me.id
			}
			list = append(list, id)
		}
		slices.Sort(list)
		if list = slices.Compact(list); len(list) > mostFilter {
			problem = fmt.Sprintf("Too many %s", name)
		}
		if list != nil {
			canonical[name] = list
		}
		return list
	}
	f.types = words("types", func(word string) bool { _, ok := feedTypes[word]; return ok && word != c.s.feed.Gone })
	f.actors = words("actor_types", func(word string) bool { return word == "agent" || word == "person" })
	f.buckets, f.creators = numbers("buckets"), numbers("creators")
	f.performers, f.without = numbers("performers"), numbers("exclude_performers")
	f.digest = feedDigest(canonical)
	return f, problem
}

// feedDigest returns the digest of a filter by the scheme srv2.
func feedDigest(canonical map[string]any) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(canonical) // sorts the keys; never fails for these types
	sum := sha256.Sum256(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
	return hex.EncodeToString(sum[:8])
}

func (f feedFilter) passes(e *feedEvent) bool {
	return allows(f.types, e.eventType) && allows(f.buckets, e.recording.bucket.id) && allows(f.creators, e.by.id) &&
		allows(f.performers, e.by.id) && !slices.Contains(f.without, e.by.id) && allows(f.actors, "person")
}

func allows[T comparable](list []T, value T) bool { return list == nil || slices.Contains(list, value) }
