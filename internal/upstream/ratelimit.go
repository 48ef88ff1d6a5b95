package upstream

import (
	"net/http"
	"strconv"
	"time"

	"basecamp-mcp/internal/fault"
)

// RetryAfter returns the wait of a Retry-After header, in seconds or as a date. It returns nil if
// the header is missing or invalid, and 0 for a date in the past.
func RetryAfter(header http.Header, now time.Time) *time.Duration {
	value := header.Get("Retry-After")
	var wait time.Duration
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		wait = time.Duration(seconds) * time.Second
	} else if date, err := http.ParseTime(value); err == nil {
		wait = max(0, date.Sub(now))
	} else {
		return nil
	}
	return &wait
}

// figures returns the figures that the provider read, or else those in the headers. It returns nil
// if there are none.
func figures(said *fault.RateLimit, h http.Header, wait *time.Duration) *fault.RateLimit {
	if said == nil {
		return rateLimit(h, wait)
	}
	if *said == (fault.RateLimit{}) {
		return nil
	}
	return said
}

// rateLimit returns the figures that the headers contain, or nil if they contain none.
func rateLimit(h http.Header, wait *time.Duration) *fault.RateLimit {
	limit := &fault.RateLimit{
		Limit:     figure[int](h, "X-RateLimit-Limit"),
		Remaining: figure[int](h, "X-RateLimit-Remaining"),
		Reset:     figure[int64](h, "X-RateLimit-Reset"),
	}
	if wait != nil {
		seconds := WholeSeconds(*wait)
		limit.RetryAfter = &seconds
	}
	if *limit == (fault.RateLimit{}) {
		return nil
	}
	return limit
}

func figure[N int | int64](h http.Header, name string) *N {
	n, err := strconv.ParseInt(h.Get(name), 10, 64)
	if err != nil {
		return nil
	}
	value := N(n)
	return &value
}

// WholeSeconds rounds a wait up to seconds: a request that is sent too early is wasted.
func WholeSeconds(d time.Duration) int {
	return int((d + time.Second - 1) / time.Second)
}
