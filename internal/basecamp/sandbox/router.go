package sandbox

import (
	"strings"
	"sync"
)

// A route is a method, a path without account, project and .json, and a handler. Package documented
// says whether the path exists with a project, without a project, or in both forms.
type route struct {
	pattern  string
	handle   handler
	bytes    bool // takes a body that is not JSON
	segments []string
}

// byShape returns the routes by method and number of segments. It makes the map at its first use:
// most processes that contain the sandbox do not run it.
var byShape = sync.OnceValue(func() map[shape][]*route { return index(routes) })

type shape struct {
	method string
	length int
}

func index(routes []route) map[shape][]*route {
	all := map[shape][]*route{}
	for _, r := range routes {
		method, path, _ := strings.Cut(r.pattern, " /")
		r.segments = strings.Split(path, "/")
		key := shape{method, len(r.segments)}
		all[key] = append(all[key], &r)
	}
	return all
}

// lookup returns the route of a request and its path parameters, or nil. If several routes match,
// it prefers the one with the most literal segments: /projects/recordings before /projects/{id}.
func lookup(method string, segments []string) (*route, map[string]string) {
	var best *route
	var bestParams map[string]string
	for _, r := range byShape()[shape{method, len(segments)}] {
		params, ok := r.match(segments)
		if ok && (best == nil || len(params) < len(bestParams)) {
			best, bestParams = r, params
		}
	}
	return best, bestParams
}

// match compares a path segment by segment. {name} matches any segment that is not empty.
func (r *route) match(segments []string) (map[string]string, bool) {
	params := map[string]string{}
	for i, want := range r.segments {
		got := segments[i]
		if name, ok := strings.CutPrefix(want, "{"); ok && got != "" {
			params[strings.TrimSuffix(name, "}")] = got
		} else if want != got {
			return nil, false
		}
	}
	return params, true
}
