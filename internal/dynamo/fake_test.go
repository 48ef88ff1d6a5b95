package dynamo

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/dynamo/dynamotest"
	"basecamp-mcp/internal/envelope"
	"basecamp-mcp/internal/fence"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/idempotency"
	"basecamp-mcp/internal/task"
)

// fake speaks a small part of DynamoDB's protocol. It returns its answers to all operations in
// order, and repeats the last one.
type fake struct {
	answers []http.HandlerFunc

	mu    sync.Mutex
	calls []call
}

// call is a request of an SDK client.
type call struct {
	operation string
	input     struct {
		ClientRequestToken  string
		ConditionExpression string
		Select              string
		ConsistentRead      bool
		ExclusiveStartKey   map[string]struct{ S string }
		RequestItems        map[string]struct {
			Keys           []map[string]struct{ S string }
			ConsistentRead bool
		}
	}
}

func answers(in ...http.HandlerFunc) *fake { return &fake{answers: in} }

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := call{operation: strings.TrimPrefix(r.Header.Get("X-Amz-Target"), "DynamoDB_20120810.")}
	body, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(body, &c.input)
	f.mu.Lock()
	answer := f.answers[min(len(f.calls), len(f.answers)-1)]
	f.calls = append(f.calls, c)
	f.mu.Unlock()
	answer(w, r)
}

// secret is in every text of a fake, and must not be in any error.
const secret = "fernhill-bikes-secret"

func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func refuses(code string) http.HandlerFunc {
	return says(400, fmt.Sprintf(`{"__type": "com.amazonaws.dynamodb.v20120810#%s", "message": "%s"}`, code, secret))
}

// cancels refuses a transaction, with a reason for each of its writes.
func cancels(codes ...string) http.HandlerFunc {
	reasons := make([]string, len(codes))
	for i, code := range codes {
		reasons[i] = fmt.Sprintf(`{"Code": "%s", "Message": "%s"}`, code, secret)
	}
	return says(400, fmt.Sprintf(
		`{"__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException", "Message": "%s", "CancellationReasons": [%s]}`,
		secret, strings.Join(reasons, ", ")))
}

func hangsUp(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// tableOf returns a Table on a fake behind a real socket, without pauses between tries.
func tableOf(t *testing.T, f *fake) *Table {
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	return New(dynamotest.Client(server.URL, impatient), "fernhill", nil)
}

// impatient makes four tries without pauses.
func impatient(o *dynamodb.Options) {
	o.Retryer = retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts, o.MaxBackoff, o.RateLimiter = 4, time.Nanosecond, ratelimit.None
	})
}

// wired returns a Table on a fake without a socket: tests can use a fake clock, and no broken
// connection causes a retry.
func wired(f *fake) *Table {
	return New(dynamotest.Client("http://dynamodb.example", overWire(f)), "fernhill", nil)
}

func overWire(h http.Handler) func(*dynamodb.Options) {
	return func(o *dynamodb.Options) { o.HTTPClient = wire{h} }
}

type wire struct{ http.Handler }

func (w wire) Do(r *http.Request) (*http.Response, error) {
	recorder := httptest.NewRecorder()
	w.ServeHTTP(recorder, r)
	return recorder.Result(), nil
}

// everything calls every method once.
var everything = map[string]func(context.Context, *Table) error{
	"Client":         func(ctx context.Context, t *Table) error { _, err := t.Client(ctx, "c_1"); return err },
	"SaveClient":     func(ctx context.Context, t *Table) error { return t.SaveClient(ctx, authserver.Client{}) },
	"AddLoginState":  func(ctx context.Context, t *Table) error { return t.AddLoginState(ctx, authserver.LoginState{}) },
	"LoginState":     func(ctx context.Context, t *Table) error { _, err := t.LoginState(ctx, "1"); return err },
	"TakeLoginState": func(ctx context.Context, t *Table) error { _, err := t.TakeLoginState(ctx, "1", ""); return err },
	"ReplaceLoginState": func(ctx context.Context, t *Table) error {
		return t.ReplaceLoginState(ctx, "1", "", authserver.LoginState{})
	},
	"AddCode":   func(ctx context.Context, t *Table) error { return t.AddCode(ctx, authserver.Code{}) },
	"Code":      func(ctx context.Context, t *Table) error { _, err := t.Code(ctx, "1"); return err },
	"Redeem":    redeem,
	"EndCodes":  func(ctx context.Context, t *Table) error { return t.EndCodes(ctx, "37s:1", time.Now()) },
	"Access":    func(ctx context.Context, t *Table) error { _, _, _, err := t.Access(ctx, "1", "2", "3"); return err },
	"Refresh":   func(ctx context.Context, t *Table) error { _, _, err := t.Refresh(ctx, "1", "2"); return err },
	"Rotate":    rotate,
	"AddAccess": func(ctx context.Context, t *Table) error { return t.AddAccess(ctx, "1", authserver.Access{}) },
	"SetFence":  func(ctx context.Context, t *Table) error { return t.SetFence(ctx, "1", fence.Fence{}, fence.Fence{}) },
	"Confirm":   func(ctx context.Context, t *Table) error { return t.Confirm(ctx, "1", 2) },
	"Revoke":    func(ctx context.Context, t *Table) error { return t.Revoke(ctx, "1", "disconnected", time.Now()) },
	"Endpoint.Revoke": func(ctx context.Context, t *Table) error {
		return t.Endpoint().Revoke(ctx, "1", "reauth", time.Now())
	},
	"RevokeAccess": func(ctx context.Context, t *Table) error { return t.RevokeAccess(ctx, "1", "2") },
	"FamiliesOf":   func(ctx context.Context, t *Table) error { _, err := t.FamiliesOf(ctx, "37s:1"); return err },
	"EndSession":   func(ctx context.Context, t *Table) error { return t.EndSession(ctx, "1", "2", time.Now()) },
	"Record":       func(ctx context.Context, t *Table) error { _, err := basecamp(t).Record(ctx, "37s:1"); return err },
	"SaveRecord":   saveRecord,
	"DeleteRecord": func(ctx context.Context, t *Table) error { return basecamp(t).DeleteRecord(ctx, "37s:1") },
	"RemoveRecord": func(ctx context.Context, t *Table) error {
		return basecamp(t).RemoveRecord(ctx, grant.Record{Subject: "37s:1"})
	},
	"Grants":          func(ctx context.Context, t *Table) error { _, err := t.Grants(ctx, ""); return err },
	"SweptTo":         func(ctx context.Context, t *Table) error { _, err := t.SweptTo(ctx); return err },
	"SaveSweptTo":     func(ctx context.Context, t *Table) error { return t.SaveSweptTo(ctx, "") },
	"Checklist":       func(ctx context.Context, t *Table) error { _, err := t.Checklist(ctx, "37s:1", "1", ""); return err },
	"LatestChecklist": func(ctx context.Context, t *Table) error { _, err := t.Checklist(ctx, "37s:1", "", "1"); return err },
	"Checklists":      func(ctx context.Context, t *Table) error { _, err := t.Checklists(ctx, "37s:1"); return err },
	"SaveChecklist":   saveChecklist,
	"KeepChecklist":   func(ctx context.Context, t *Table) error { return t.KeepChecklist(ctx, "37s:1", "1", time.Now()) },
	"DeleteChecklist": func(ctx context.Context, t *Table) error { return t.DeleteChecklist(ctx, "37s:1", "1") },
	"AddTask":         func(ctx context.Context, t *Table) error { return t.AddTask(ctx, "37s:1", task.Task{ID: "1"}, 2000) },
	"Tasks":           listTasks,
	"ChangeTask":      changeTask,
	"Retitle":         retitle,
	"DeleteTask":      func(ctx context.Context, t *Table) error { _, err := t.DeleteTask(ctx, "37s:1", "1"); return err },
	"ClaimCall":       func(ctx context.Context, t *Table) error { _, err := t.ClaimCall(ctx, record); return err },
	"SettleCall":      func(ctx context.Context, t *Table) error { return t.SettleCall(ctx, record) },
	"ReleaseCall":     func(ctx context.Context, t *Table) error { return t.ReleaseCall(ctx, record) },
	"EndCall": func(ctx context.Context, t *Table) error {
		return t.EndCall(ctx, idempotency.End{Record: record}, "37s:1", entry)
	},
	"Pointer": func(ctx context.Context, t *Table) error { _, err := t.Tokens().Pointer(ctx, ines); return err },
	"Row": func(ctx context.Context, t *Table) error {
		_, err := t.Tokens().Row(ctx, ines, "e1.k1.f.1")
		return err
	},
	"Write": func(ctx context.Context, t *Table) error {
		return t.Tokens().Write(ctx, ines, envelope.Pointer{}, &envelope.Row{Version: "e1.k1.f.1"}, nil)
	},
	"Delete":     func(ctx context.Context, t *Table) error { return t.Tokens().Delete(ctx, ines) },
	"AddEntry":   func(ctx context.Context, t *Table) error { return t.AddEntry(ctx, "37s:1", entry) },
	"AddUndo":    func(ctx context.Context, t *Table) error { return t.AddUndo(ctx, "37s:1", undoRecord) },
	"FindUndo":   func(ctx context.Context, t *Table) error { _, err := t.FindUndo(ctx, "37s:1", "1"); return err },
	"Undos":      func(ctx context.Context, t *Table) error { _, err := t.Undos(ctx, "37s:1", "", 5); return err },
	"ChangeUndo": func(ctx context.Context, t *Table) error { return t.ChangeUndo(ctx, "37s:1", undoRecord) },
	"HubRows":    func(ctx context.Context, t *Table) error { _, err := t.HubRows(ctx, "37s:1", "L/"); return err },
	"SaveHub":    func(ctx context.Context, t *Table) error { return t.SaveHub(ctx, "37s:1", hubTestRow) },
	"Entries":    func(ctx context.Context, t *Table) error { _, err := t.Entries(ctx, "37s:1", "", 5); return err },
}

func redeem(ctx context.Context, t *Table) error {
	return t.Redeem(ctx, authserver.Code{Hash: "1"}, time.Now(), authserver.Family{}, authserver.Access{}, authserver.Refresh{})
}

func rotate(ctx context.Context, t *Table) error {
	old := authserver.Refresh{Hash: "1", RotatedAt: time.Now()}
	return t.Rotate(ctx, authserver.Family{Generation: 2}, old, authserver.Refresh{Hash: "2"}, authserver.Access{})
}

// basecamp returns the records of Basecamp's grants.
func basecamp(t *Table) Records { return t.Records("37signals") }

func saveRecord(ctx context.Context, t *Table) error {
	_, err := basecamp(t).SaveRecord(ctx, grant.Record{Subject: "37s:1"})
	return err
}
