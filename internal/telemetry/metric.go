// Package telemetry adds facts about a request, and CloudWatch metrics, to the request's log line.
// It uses CloudWatch's embedded metric format, so that a metric takes no API call. Outside a Lambda
// function, lines carry no metrics.
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

// Tripped records that the provider's sign-on refuses this deployment, so that the server pauses
// its requests there.
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

// Function is a Lambda function whose lines carry metrics.
type Function struct {
	Name  string // empty outside Lambda: no metrics
	Table string // of the deployment; all its functions share the metrics by this name
}

// What an event adds to SignOnFailures. SignOnAlarm rings at 15 within a quarter of an hour, so one
// metric serves all three: AWS charges for each metric of an alarm.
const (
	endedConnection   = 3
	refusedSignIn     = 5
	refusedDeployment = 15
)

// defect is what a defect adds to Faults, to which a failure of a store adds 1. FaultAlarm rings at
// 3 within five minutes.
const defect = 3

// Counts are the metrics of one line.
type Counts struct {
	Request     *Request
	Call        bool    // the line is about a tool call
	Failure     string  // error code of a failed call; one of a few
	RateLimited int     // number of responses in which a provider refused a request with its rate limit
	Totals      []Total // of a task that serves no request
}

// Total is a metric of a task.
type Total struct {
	Name string
	N    int
}

// mostCounts is more than the number of attributes that Append adds.
const mostCounts = 16

// Write writes a log line that ends with the counts. It leaves out the position in the source. The
// methods of slog look that up for every line.
func (c Counts) Write(ctx context.Context, log *slog.Logger, level slog.Level, message string, line []slog.Attr, f Function) {
	if !log.Enabled(ctx, level) {
		return
	}
	record := slog.NewRecord(time.Now(), level, message, 0)
	record.AddAttrs(line...)
	record.AddAttrs(c.Append(make([]slog.Attr, 0, mostCounts), f)...)
	_ = log.Handler().Handle(ctx, record) // a log that cannot be written must not fail the request
}

// Append adds the metrics to a line, under a Lambda function's name; without a name it adds none.
// Metrics that are zero are omitted, because CloudWatch charges for each hour in which a
// metric has data, and for each byte of a log. So a call that succeeds has none: Lambda itself
// counts requests and their time. What another provider than the primary one did is counted under
// its ID.
func (c Counts) Append(line []slog.Attr, f Function) []slog.Attr {
	if f.Name == "" {
		return line
	}
	s := sheet{line: line, provider: c.Request.other()}
	s.count("UpstreamRateLimited", int64(c.RateLimited))
	if c.Request != nil {
		s.count("Refreshes", c.Request.refreshes.Load())
	}
	for _, t := range c.Totals {
		s.metrics = s.add(s.metrics, t.Name, int64(t.N))
	}
	failed := c.Call && c.Failure != ""
	s.share(c, failed)
	if !failed && s.metrics == nil && s.others == nil && s.shared == nil {
		return line
	}
	if failed {
		s.line = append(s.line, slog.String("Code", c.Failure), slog.Int("Errors", 1))
	}
	if s.others != nil {
		s.line = append(s.line, slog.String("Provider", s.provider))
	}
	if s.shared != nil {
		s.line = append(s.line, slog.String("TableName", f.Table))
	}
	return append(s.line, slog.String("FunctionName", f.Name), slog.Any("_aws", s.definition(failed)))
}

// sheet is a line together with the definitions of its metrics.
type sheet struct {
	line     []slog.Attr
	provider string // the other provider that the request used, or ""
	metrics  []byte
	others   []byte // those of the other provider
	shared   []byte // those of all functions together
}

// count adds a metric about a provider.
func (s *sheet) count(name string, n int64) {
	if s.provider != "" {
		s.others = s.add(s.others, name, n)
	} else {
		s.metrics = s.add(s.metrics, name, n)
	}
}

// share adds the metrics that all functions share, and the fields that say what they sum up.
func (s *sheet) share(c Counts, failed bool) {
	var signOns, faults int64
	if r := c.Request; r != nil {
		trips, refused, unstored := r.trips.Load(), r.refused.Load(), r.unstored.Load()
		s.field("CircuitOpen", trips)
		s.field("ExchangesRefused", refused)
		s.field("StoreFailures", unstored)
		signOns, faults = refusedDeployment*trips+refusedSignIn*refused, unstored
	}
	switch {
	case failed && c.Failure == "TOKEN_EXPIRED":
		signOns += endedConnection
	case failed && c.Failure == "INTERNAL_ERROR":
		faults += defect
	}
	s.shared = s.add(s.shared, "SignOnFailures", signOns)
	s.shared = s.add(s.shared, "Faults", faults)
}

// field adds a count to the line, without a metric.
func (s *sheet) field(name string, n int64) {
	if n > 0 {
		s.line = append(s.line, slog.Int64(name, n))
	}
}

// add adds a value that is not zero to the line, and returns the definitions with that of the
// value. It names no unit: CloudWatch does not need one, and each line would be longer.
func (s *sheet) add(definitions []byte, name string, n int64) []byte {
	switch {
	case n <= 0:
		return definitions
	case definitions == nil:
		definitions = make([]byte, 0, 256)
	default:
		definitions = append(definitions, ',')
	}
	definitions = append(definitions, `{"Name":"`...)
	definitions = append(definitions, name...)
	s.line = append(s.line, slog.Int64(name, n))
	return append(definitions, `"}`...)
}

// definition returns the value of _aws. Only errors are counted by code, and only other providers
// by their IDs: each value of a dimension is a metric that costs money.
func (s *sheet) definition(failed bool) json.RawMessage {
	b := append(make([]byte, 0, 768), `{"Timestamp":`...)
	b = strconv.AppendInt(b, time.Now().UnixMilli(), 10)
	b = append(b, `,"CloudWatchMetrics":[`...)
	b = appendDirective(b, `"FunctionName"`, s.metrics)
	if failed {
		b = appendDirective(b, `"FunctionName","Code"`, []byte(`{"Name":"Errors"}`))
	}
	b = appendDirective(b, `"FunctionName","Provider"`, s.others)
	b = appendDirective(b, `"TableName"`, s.shared)
	return append(b, "]}"...)
}

// appendDirective appends the metrics that have the same dimensions, if there are any.
func appendDirective(b []byte, dimensions string, metrics []byte) []byte {
	if metrics == nil {
		return b
	}
	if b[len(b)-1] != '[' {
		b = append(b, ',')
	}
	b = append(b, `{"Namespace":"`+Namespace+`","Dimensions":[[`...)
	b = append(b, dimensions...)
	b = append(b, `]],"Metrics":[`...)
	b = append(b, metrics...)
	return append(b, "]}"...)
}
