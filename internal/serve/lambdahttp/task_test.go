package lambdahttp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// The limit of the function may be that of its task.
func TestInvoke_EndsARequestAfter28Seconds(t *testing.T) {
	for limit, want := range map[time.Duration]time.Duration{15 * time.Minute: requestTime - spare, 10 * time.Second: 10*time.Second - spare} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			began := time.Now()
			waits := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
			if _, err := Handler(waits).Invoke(ctx, []byte(small)); err != nil || time.Since(began) != want {
				t.Errorf("with a limit of %s it took %s, %v", limit, time.Since(began), err)
			}
		})
	}
}

// Of all events, only one form starts the task. What a caller sends is inside of other members.
func TestInvoke_NoRequestStartsTheTask(t *testing.T) {
	const event = `{"dry_run":false}`
	var ran []bool
	h := &handler{log: slog.New(slog.DiscardHandler), http: http.NotFoundHandler(), task: func(ctx context.Context, dryRun bool) (any, error) {
		ran = append(ran, dryRun)
		if _, limited := ctx.Deadline(); limited {
			t.Error("the task has the time of a request")
		}
		if dryRun {
			return map[string]int{"users": 7}, nil
		}
		return nil, io.ErrUnexpectedEOF
	}}
	e := post(event)
	e.RawPath, e.RawQueryString, e.Cookies = "/"+event, event, []string{event}
	e.Headers = map[string]string{"dry_run": "false", "content-type": "application/json", "x": event}
	e.QueryStringParameters, e.PathParameters = map[string]string{"dry_run": "false"}, map[string]string{"proxy": event}
	payload, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	for _, request := range []string{string(payload), small, strings.Replace(string(payload), "{", `{"dry_run":false,`, 1)} {
		if answer := decode(t, h, []byte(request)); answer.StatusCode != http.StatusNotFound {
			t.Errorf("%d to %s", answer.StatusCode, request)
		}
	}
	for _, other := range []string{
		`{"dryrun":false}`, `{"dry_run":null}`, `{"dry_run":"no"}`, `{"dry_run":false,"rate":1}`, `[{"dry_run":false}]`, `{}`,
		`{"version":"1.0","dry_run":false,"body":""}`, `{"version":"0","detail-type":"Scheduled Event","source":"aws.events","detail":{"dry_run":false}}`,
	} {
		if answer := decode(t, h, []byte(other)); answer.StatusCode != http.StatusBadRequest {
			t.Errorf("%d to %s", answer.StatusCode, other)
		}
	}
	if len(ran) > 0 {
		t.Fatalf("the task ran: %v", ran)
	}
	if report, err := h.Invoke(t.Context(), []byte(`{"dry_run":true}`)); err != nil || string(report) != `{"users":7}` {
		t.Errorf("%s, %v", report, err)
	}
	if report, err := h.Invoke(t.Context(), []byte(event)); !errors.Is(err, io.ErrUnexpectedEOF) || report != nil || len(ran) != 2 {
		t.Errorf("%s, %v", report, err)
	}
	if answer := decode(t, Handler(http.NotFoundHandler()), []byte(event)); answer.StatusCode != http.StatusBadRequest {
		t.Errorf("without a task: %d", answer.StatusCode)
	}
}
