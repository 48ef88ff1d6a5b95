package sandbox

import "strings"

// A route is a method and a path, with the account, the project and .json taken off, and who answers. Package documented
// says whether it exists with a project, without one, or both ways.
type route struct {
	pattern  string
	handle   handler
	bytes    bool // takes any body as it is
	segments []string
}

// byShape are the routes by method and number of segments.
var byShape = index(routes)

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

// lookup finds the route of a request, nil when there is none. Of several the one with the most words of its own wins:
// /projects/recordings before /projects/{id}.
func lookup(method string, segments []string) (*route, map[string]string) {
	var best *route
	var bestParams map[string]string
	for _, r := range byShape[shape{method, len(segments)}] {
		params, ok := r.match(segments)
		if ok && (best == nil || len(params) < len(bestParams)) {
			best, bestParams = r, params
		}
	}
	return best, bestParams
}

// match compares segment by segment; {name} takes any that is not empty.
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
