package lambdahttp

import (
	"context"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/aws/aws-lambda-go/lambdacontext"
)

// Logger returns a logger that writes one line of JSON per event. It uses the field names of
// Lambda's own lines: requestId is the invocation's ID, so that a log search finds both. A line at
// INFO that begins with request_id lacks it, because a log costs by its length.
func Logger(level slog.Leveler) *slog.Logger { return newLogger(os.Stdout, level) }

func newLogger(w io.Writer, level slog.Leveler) *slog.Logger {
	return slog.New(logHandler{slog.NewJSONHandler(w, &slog.HandlerOptions{
		Level:       level,
		ReplaceAttr: lambdacontext.ReplaceAttr,
	})})
}

type logHandler struct{ slog.Handler }

func (h logHandler) Handle(ctx context.Context, r slog.Record) error {
	if lc, ok := lambdacontext.FromContext(ctx); ok && !(r.Level == slog.LevelInfo && identified(r)) {
		r.AddAttrs(slog.String("requestId", lc.AwsRequestID))
	}
	return h.Handler.Handle(ctx, r)
}

// identified reports whether a record begins with the ID of its request.
func identified(r slog.Record) (yes bool) {
	r.Attrs(func(first slog.Attr) bool {
		yes = first.Key == "request_id"
		return false
	})
	return yes
}

func (h logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return logHandler{h.Handler.WithAttrs(attrs)}
}

func (h logHandler) WithGroup(name string) slog.Handler {
	return logHandler{h.Handler.WithGroup(name)}
}

// catchStray makes libraries that log by themselves write JSON lines too: net/http about
// connections, and Lambda's runtime before it ends the process.
func catchStray(w io.Writer) { slog.SetDefault(slog.New(stray{newLogger(w, nil).Handler()})) }

type stray struct{ slog.Handler }

// Handle removes the part of a net/http message that quotes an unsolicited response, which may
// contain anything.
func (h stray) Handle(ctx context.Context, r slog.Record) error {
	r.Message, _, _ = strings.Cut(r.Message, " starting with ")
	r.Level = slog.LevelWarn
	return h.Handler.Handle(ctx, r)
}
