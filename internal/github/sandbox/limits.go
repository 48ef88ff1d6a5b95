package sandbox

import (
	"net/http"
	"strconv"
	"time"
)

// The resources with a limit of their own. The GraphQL API counts points instead of requests.
const (
	core    = "core"
	graphql = "graphql"
	search  = "search"
)

const (
	hourly   = 5000
	searches = 30 // in a minute
)

// allowance is what one person has of one resource in an hour.
type allowance struct {
	person   *account
	resource string
}

// spending is the use of an allowance since the start of its hour.
type spending struct {
	used  int
	reset time.Time
}

// budget returns the spending of the current hour.
func (s *Server) budget(person *account, resource string) *spending {
	key := allowance{person, resource}
	current := s.spent[key]
	if current == nil || !s.now().Before(current.reset) {
		length := time.Hour
		if resource == search {
			length = time.Minute
		}
		current = &spending{reset: s.now().Add(length).Truncate(time.Second)}
		s.spent[key] = current
	}
	return current
}

// limited reports whether the person has nothing left.
func (s *Server) limited(person *account, resource string) bool {
	limit := s.limits[resource]
	return limit > 0 && s.budget(person, resource).used >= limit
}

// remaining returns what the person has left.
func (s *Server) remaining(person *account, resource string) int {
	if s.limits[resource] < 0 {
		return hourly
	}
	return max(0, s.limits[resource]-s.budget(person, resource).used)
}

// limit returns the size of an hour's allowance.
func (s *Server) limit(resource string) int {
	if s.limits[resource] < 0 {
		return hourly
	}
	return s.limits[resource]
}

// rateHeaders writes what the person has of a resource.
func (s *Server) rateHeaders(h http.Header, person *account, resource string) {
	current := s.budget(person, resource)
	for name, value := range map[string]string{
		"X-Ratelimit-Limit":     strconv.Itoa(s.limit(resource)),
		"X-Ratelimit-Remaining": strconv.Itoa(s.remaining(person, resource)),
		"X-Ratelimit-Used":      strconv.Itoa(current.used),
		"X-Ratelimit-Reset":     strconv.FormatInt(current.reset.Unix(), 10),
		"X-Ratelimit-Resource":  resource,
	} {
		h.Set(name, value)
	}
}
