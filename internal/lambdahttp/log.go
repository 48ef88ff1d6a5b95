package lambdahttp

import (
	"context"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/aws/aws-lambda-go/lambdacontext"
)

// Logger writes one line of JSON an event, with the names that Lambda's own lines use: requestId is the invocation's id,
// under which a log search finds both.
func Logger(level slog.Leveler) *slog.Logger { return newLogger(os.Stdout, level) }

func newLogger(w io.Writer, level slog.Leveler) *slog.Logger {
	return slog.New(logHandler{slog.NewJSONHandler(w, &slog.HandlerOptions{
		Level:       level,
		ReplaceAttr: lambdacontext.ReplaceAttr,
	})})
}

type logHandler struct{ slog.Handler }

func (h logHandler) Handle(ctx context.Context, r slog.Record) error {
	if lc, ok := lambdacontext.FromContext(ctx); ok {
		r.AddAttrs(slog.String("requestId", lc.AwsRequestID))
	}
	return h.Handler.Handle(ctx, r)
}

func (h logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return logHandler{h.Handler.WithAttrs(attrs)}
}

func (h logHandler) WithGroup(name string) slog.Handler {
	return logHandler{h.Handler.WithGroup(name)}
}

// catchStray has what libraries print by themselves stand in lines like all others: net/http on connections, and Lambda's own
// before it ends the process.
func catchStray(w io.Writer) { slog.SetDefault(slog.New(stray{newLogger(w, nil).Handler()})) }

type stray struct{ slog.Handler }

// Handle leaves out what net/http quotes of an answer nobody had asked for, in which there may be anything.
func (h stray) Handle(ctx context.Context, r slog.Record) error {
	r.Message, _, _ = strings.Cut(r.Message, " starting with ")
	r.Level = slog.LevelWarn
	return h.Handler.Handle(ctx, r)
}
