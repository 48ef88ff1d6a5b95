// Package telemetry adds facts about a request, and CloudWatch metrics, to the request's log line.
// It uses CloudWatch's embedded metric format, so that a metric takes no API call. Lines of
// a process without a table carry no metrics.
package telemetry

import (
	"context"
	"encoding/json"
	"log/slog"
	"strconv"
	"sync/atomic"
	"time"
)

// Namespace is the namespace of all metrics.
const Namespace = "basecamp-mcp"

// Request collects facts about a request while it is served. A nil Request ignores them.
type Request struct {
	Start time.Time
	Cold  bool          // the first request of its process
	Init  time.Duration // how long the process took to start, for a cold request; zero if unknown
	// Person is the alias of the caller, or empty if no valid token named one.
	Person string
	// Client is the name under which the caller's client registered, or empty if unknown.
	Client string
	// Refusal is the OAuth error code of a refused request, or empty.
	Refusal string

	told              atomic.Bool
	refreshes, trips  atomic.Int64
	refused, unstored atomic.Int64
	provider          atomic.Pointer[string]
}

type requestKey struct{}

// With returns a context whose Request is r.
func With(ctx context.Context, r *Request) context.Context {
	return context.WithValue(ctx, requestKey{}, r)
}

// From returns the request that ctx belongs to, or nil outside a request.
func From(ctx context.Context) *Request {
	r, _ := ctx.Value(requestKey{}).(*Request)
	return r
}

// Identified records the caller's alias, and the name of the caller's client.
func Identified(ctx context.Context, person, client string) {
	if r := From(ctx); r != nil {
		r.Person, r.Client = person, client
	}
}

// Asked records the name under which the client of an OAuth request registered.
func Asked(ctx context.Context, client string) {
	if r := From(ctx); r != nil {
		r.Client = client
	}
}

// Refused records the OAuth error code of a refused request.
func Refused(ctx context.Context, code string) {
	if r := From(ctx); r != nil {
		r.Refusal = code
	}
}

// Refreshed records that a person's upstream tokens were refreshed.
func Refreshed(ctx context.Context) {
	if r := From(ctx); r != nil {
		r.refreshes.Add(1)
	}
}

// Tripped records that the provider's sign-on refuses this deployment.
func Tripped(ctx context.Context) {
	if r := From(ctx); r != nil {
		r.trips.Add(1)
	}
}

// ExchangeRefused records that a provider did not complete a sign-in.
func ExchangeRefused(ctx context.Context) {
	if r := From(ctx); r != nil {
		r.refused.Add(1)
	}
}

// StoreFailed records that a store of the deployment failed, after all retries. It returns false,
// and records nothing, outside a request and after the request's line was written.
func StoreFailed(ctx context.Context) bool {
	r := From(ctx)
	if r == nil || r.told.Load() {
		return false
	}
	r.unstored.Add(1)
	return true
}

// Provider records that the request used another provider than the primary one: a tool of that
// provider, or a refresh of its token. The request's line names it.
func Provider(ctx context.Context, id string) {
	if r := From(ctx); r != nil {
		r.provider.Store(&id)
	}
}

// other returns the ID of the other provider that the request used, or "".
func (r *Request) other() string {
	if r == nil {
		return ""
	}
	if id := r.provider.Load(); id != nil {
		return *id
	}
	return ""
}

// Tell reports whether the request has no line yet, and marks it as having one.
func (r *Request) Tell() bool { return r == nil || !r.told.Swap(true) }

// Took returns how long the request has taken. Outside a request, it returns the time since start.
func (r *Request) Took(start time.Time) time.Duration {
	if r != nil {
		start = r.Start
	}
	return time.Since(start)
}

// Level returns the level of a line that is rarely needed: debug, or info for the first request of
// a process.
func (r *Request) Level() slog.Level {
	if r != nil && r.Cold {
		return slog.LevelInfo
	}
	return slog.LevelDebug
}

// Append adds the collected facts to the request's line.
func (r *Request) Append(line []slog.Attr) []slog.Attr {
	if r == nil {
		return line
	}
	if n := r.refreshes.Load(); n > 0 {
		line = append(line, slog.Int64("refreshes", n))
	}
	if id := r.other(); id != "" {
		line = append(line, slog.String("provider", id))
	}
	if r.Cold {
		line = append(line, slog.Bool("cold", true))
	}
	if r.Cold && r.Init > 0 {
		line = append(line, Milliseconds("init_ms", r.Init))
	}
	return line
}

// Milliseconds returns a log attribute with a duration in milliseconds.
func Milliseconds(name string, d time.Duration) slog.Attr {
	return slog.Float64(name, float64(d.Microseconds())/1000)
}

// What an event adds to SignOnFailures. SignOnAlarm rings at 15 within a quarter of an hour, so one
// metric serves all three: AWS charges for each metric of an alarm.
const (
	endedConnection   = 3
	refusedSignIn     = 5
	refusedDeployment = 15
)

// defect is what a defect adds to Faults, to which a failure of a store adds 1. ErrorAlarm rings at
// 3 within five minutes.
const defect = 3

// Counts are the metrics of one line.
type Counts struct {
	Request *Request
	Failure string // error code of a failed call; one of a few
}

// mostCounts is more than the number of attributes that Append adds.
const mostCounts = 16

// Write writes a log line that ends with the counts. It leaves out the position in the source. The
// methods of slog look that up for every line.
func (c Counts) Write(ctx context.Context, log *slog.Logger, level slog.Level, message string, line []slog.Attr, table string) {
	if !log.Enabled(ctx, level) {
		return
	}
	record := slog.NewRecord(time.Now(), level, message, 0)
	record.AddAttrs(line...)
	record.AddAttrs(c.Append(make([]slog.Attr, 0, mostCounts), table)...)
	_ = log.Handler().Handle(ctx, record) // a log that cannot be written must not fail the request
}

// Append adds the metrics to a line, under the name of the deployment's table, which all its
// functions share. Without a table it adds none. Metrics that are zero are omitted, because
// CloudWatch charges for each hour in which a metric has data, and for each byte of a log. So a
// call that succeeds has none.
func (c Counts) Append(line []slog.Attr, table string) []slog.Attr {
	if table == "" {
		return line
	}
	s := sheet{line: line}
	s.count(c)
	if s.metrics == nil {
		return s.line
	}
	return append(s.line, slog.String("TableName", table), slog.Any("_aws", s.definition()))
}

// sheet is a line together with the definitions of its metrics.
type sheet struct {
	line    []slog.Attr
	metrics []byte
}

// count adds the metrics of a line.
func (s *sheet) count(c Counts) {
	var signOns, faults int64
	if r := c.Request; r != nil {
		trips, refused, unstored := r.trips.Load(), r.refused.Load(), r.unstored.Load()
		s.field("CircuitOpen", trips)
		s.field("ExchangesRefused", refused)
		s.field("StoreFailures", unstored)
		signOns, faults = refusedDeployment*trips+refusedSignIn*refused, unstored
	}
	switch c.Failure {
	case "TOKEN_EXPIRED":
		signOns += endedConnection
	case "INTERNAL_ERROR":
		faults += defect
	}
	s.add("SignOnFailures", signOns)
	s.add("Faults", faults)
}

// field adds a count to the line, without a metric.
func (s *sheet) field(name string, n int64) {
	if n > 0 {
		s.line = append(s.line, slog.Int64(name, n))
	}
}

// add adds a value that is not zero to the line, and to the definitions. It names no unit:
// CloudWatch does not need one, and each line would be longer.
func (s *sheet) add(name string, n int64) {
	switch {
	case n <= 0:
		return
	case s.metrics == nil:
		s.metrics = make([]byte, 0, 256)
	default:
		s.metrics = append(s.metrics, ',')
	}
	s.metrics = append(s.metrics, `{"Name":"`+name+`"}`...)
	s.line = append(s.line, slog.Int64(name, n))
}

// definition returns the value of _aws.
func (s *sheet) definition() json.RawMessage {
	b := append(make([]byte, 0, 512), `{"Timestamp":`...)
	b = strconv.AppendInt(b, time.Now().UnixMilli(), 10)
	b = append(b, `,"CloudWatchMetrics":[{"Namespace":"`+Namespace+`","Dimensions":[["TableName"]],"Metrics":[`...)
	b = append(b, s.metrics...)
	return append(b, "]}]}"...)
}
