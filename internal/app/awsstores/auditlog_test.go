package awsstores

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/config"
)

func TestAuditLog_WritesReferencesToAStreamOfItsOwn(t *testing.T) {
	var actions []string
	var put struct {
		LogGroupName, LogStreamName string
		LogEvents                   []struct {
			Timestamp int64
			Message   string
		}
	}
	answer := func(w http.ResponseWriter, action string) {}
	logs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		action := strings.TrimPrefix(r.Header.Get("X-Amz-Target"), "Logs_20140328.")
		actions = append(actions, action)
		body, _ := io.ReadAll(r.Body)
		if action == "PutLogEvents" {
			if err := json.Unmarshal(body, &put); err != nil {
				t.Error(err)
			}
		}
		if !strings.Contains(r.Header.Get("Authorization"), "/eu-central-1/logs/aws4_request") || r.Header.Get("X-Amz-Security-Token") != "session" {
			t.Errorf("not signed: %v", r.Header)
		}
		answer(w, action)
	}))
	defer logs.Close()
	c := config.AWS{Region: "eu-central-1", AccessKeyID: "AKIA", SecretAccessKey: "key", SessionToken: "session", Logs: logs.URL, AuditLogGroup: "fernhill-calls", LogStream: "2026/11/27/[$LATEST]ab"}
	if NewAuditLog(config.AWS{}, http.DefaultTransport) != nil {
		t.Error("a log without a group")
	}
	l := NewAuditLog(c, http.DefaultTransport)
	entry := audit.Entry{
		Time: time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC), Tool: "create_todos", Outcome: audit.OK, Client: "Plumcot",
		Arguments: []audit.Argument{{Name: "list", Value: "4812"}, {Name: "todos"}}, Wrote: []string{"5012", "fernhill-bikes/configurator#3"},
	}
	if err := l.Write(t.Context(), "37s:1", entry); err != nil {
		t.Fatal(err)
	}
	if put.LogGroupName != "fernhill-calls" || put.LogStreamName != "2026/11/27/[$LATEST]ab" || len(put.LogEvents) != 1 || put.LogEvents[0].Timestamp != entry.Time.UnixMilli() ||
		!strings.Contains(put.LogEvents[0].Message, `"person":"37s:1"`) || !strings.Contains(put.LogEvents[0].Message, `{"name":"list","value":"4812"}`) ||
		!strings.Contains(put.LogEvents[0].Message, `"wrote":["5012","fernhill-bikes/configurator#3"]`) {
		t.Errorf("%+v", put)
	}
	if err := l.Write(t.Context(), "37s:1", entry); err != nil || strings.Join(actions, " ") != "CreateLogStream PutLogEvents PutLogEvents" {
		t.Errorf("%v %v", actions, err)
	}
	answer = func(w http.ResponseWriter, action string) {
		w.WriteHeader(http.StatusBadRequest)
		if action == "CreateLogStream" {
			_, _ = io.WriteString(w, `{"__type":"ResourceAlreadyExistsException"}`)
		}
	}
	if err := NewAuditLog(c, http.DefaultTransport).Write(t.Context(), "37s:1", entry); err == nil || !strings.Contains(err.Error(), "PutLogEvents: HTTP 400") {
		t.Errorf("a refused entry: %v", err)
	}
	logs.Close()
	if err := l.Write(t.Context(), "37s:1", entry); err == nil {
		t.Error("no error without an answer")
	}
}
