// Package metric is what a request's line in the log says besides its own matter: what was learned of the request on its way,
// and what CloudWatch counts. A line carries the counts in CloudWatch's embedded metric format, so that counting takes no
// request of its own; without a Lambda function to count for, it carries none.
package metric

import (
	"context"
	"encoding/json"
	"log/slog"
	"strconv"
	"sync/atomic"
	"time"
)

// Namespace is the one of all metrics.
const Namespace = "basecamp-mcp"

// Request is what is learned of a request by those who have a part in it. A nil Request learns nothing.
type Request struct {
	Start time.Time
	Cold  bool          // the first of its process
	Init  time.Duration // of a cold one, what the process took to start; zero where nobody knows
	// Person is the alias of who asks, "" where no token told.
	Person string

	told             atomic.Bool
	refreshes, trips atomic.Int64
}

type requestKey struct{}

// With returns a context whose Request is r.
func With(ctx context.Context, r *Request) context.Context {
	return context.WithValue(ctx, requestKey{}, r)
}

// From gives the request that ctx belongs to, nil outside one.
func From(ctx context.Context) *Request {
	r, _ := ctx.Value(requestKey{}).(*Request)
	return r
}

// Identified notes who asks, by their alias.
func Identified(ctx context.Context, person string) {
	if r := From(ctx); r != nil {
		r.Person = person
	}
}

// Refreshed notes that somebody's tokens were refreshed.
func Refreshed(ctx context.Context) {
	if r := From(ctx); r != nil {
		r.refreshes.Add(1)
	}
}

// Tripped notes that the sign-on refuses this deployment, and is left alone for a while.
func Tripped(ctx context.Context) {
	if r := From(ctx); r != nil {
		r.trips.Add(1)
	}
}

// Tell reports whether the request has no line yet. From then on it has one.
func (r *Request) Tell() bool { return r == nil || !r.told.Swap(true) }

// Took is how long the request has taken, and otherwise the time since a start outside one.
func (r *Request) Took(start time.Time) time.Duration {
	if r != nil {
		start = r.Start
	}
	return time.Since(start)
}

// Level is that of a line which few want to read. The first of a process is told all the same.
func (r *Request) Level() slog.Level {
	if r != nil && r.Cold {
		return slog.LevelInfo
	}
	return slog.LevelDebug
}

// Append adds what was learned of the request to its line, and nothing where nothing was.
func (r *Request) Append(line []slog.Attr) []slog.Attr {
	if r == nil {
		return line
	}
	if n := r.refreshes.Load(); n > 0 {
		line = append(line, slog.Int64("refreshes", n))
	}
	if r.Cold {
		line = append(line, slog.Bool("cold", true))
	}
	if r.Cold && r.Init > 0 {
		line = append(line, Milliseconds("init_ms", r.Init))
	}
	return line
}

// Milliseconds is a time in a line.
func Milliseconds(name string, d time.Duration) slog.Attr {
	return slog.Float64(name, float64(d.Microseconds())/1000)
}

// Counts is what one line counts.
type Counts struct {
	Request     *Request
	Call        bool          // of a tool
	Took        time.Duration // by the call
	Failure     string        // the error code of a call that failed, of which there are few
	RateLimited int           // times that Basecamp answered 429
}

// Append adds the counts to a line, as those of a Lambda function; "" counts nothing. What did not happen is left out: a metric
// is paid for by the hours in which there is any.
func (c Counts) Append(line []slog.Attr, function string) []slog.Attr {
	if function == "" {
		return line
	}
	s := sheet{line: line}
	if c.Call {
		s.add("Calls", "Count", slog.Int("Calls", 1))
		s.add("Latency", "Milliseconds", Milliseconds("Latency", c.Took))
	}
	s.count("UpstreamRateLimited", int64(c.RateLimited))
	if c.Request != nil {
		s.count("Refreshes", c.Request.refreshes.Load())
		s.count("CircuitOpen", c.Request.trips.Load())
	}
	if s.metrics == nil {
		return line
	}
	failed := c.Call && c.Failure != ""
	if failed {
		s.line = append(s.line, slog.String("Code", c.Failure), slog.Int("Errors", 1))
	}
	return append(s.line, slog.String("FunctionName", function), slog.Any("_aws", s.definition(failed)))
}

// sheet is a line with the definitions of its metrics.
type sheet struct {
	line    []slog.Attr
	metrics []byte
}

func (s *sheet) count(name string, n int64) {
	if n > 0 {
		s.add(name, "Count", slog.Int64(name, n))
	}
}

func (s *sheet) add(name, unit string, value slog.Attr) {
	if s.metrics == nil {
		s.metrics = make([]byte, 0, 512)
		s.metrics = append(s.metrics, `{"Timestamp":`...)
		s.metrics = strconv.AppendInt(s.metrics, time.Now().UnixMilli(), 10)
		s.metrics = append(s.metrics, `,"CloudWatchMetrics":[{"Namespace":"`+Namespace+`","Dimensions":[["FunctionName"]],"Metrics":[`...)
	} else {
		s.metrics = append(s.metrics, ',')
	}
	s.metrics = append(s.metrics, `{"Name":"`...)
	s.metrics = append(s.metrics, name...)
	s.metrics = append(s.metrics, `","Unit":"`...)
	s.metrics = append(s.metrics, unit...)
	s.metrics = append(s.metrics, `"}`...)
	s.line = append(s.line, value)
}

// definition is the value of _aws. Errors alone are told apart by code: each value of a dimension is a metric to be paid.
func (s *sheet) definition(failed bool) json.RawMessage {
	s.metrics = append(s.metrics, "]}"...)
	if failed {
		s.metrics = append(s.metrics, `,{"Namespace":"`+Namespace+`","Dimensions":[["FunctionName","Code"]],"Metrics":[{"Name":"Errors","Unit":"Count"}]}`...)
	}
	return append(s.metrics, "]}"...)
}
