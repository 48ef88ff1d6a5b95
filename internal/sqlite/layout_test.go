package sqlite

import (
	_ "embed"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/checklist"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/idempotency"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/provider"
	"basecamp-mcp/internal/task"
)

// layout1 is a file of the first release with this store, as its statements. It never changes.
//
//go:embed testdata/layout1.sql
var layout1 string

const (
	layout1Key = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8" // seals the tokens in layout1
	layout1ID  = "0123456789abcdef"
)

var layout1Time = time.Date(2026, 11, 20, 12, 0, 0, 500, time.UTC)

// values are what layout1 contains, with every field that a release has stored.
type values struct {
	Client  authserver.Client
	State   authserver.LoginState
	Code    authserver.Code
	Family  authserver.Family
	Access  authserver.Access
	Refresh authserver.Refresh
	Record  grant.Record
	Tokens  provider.Tokens
	List    checklist.List
	Task    task.Task
	Call    idempotency.Record
	Entry   audit.Entry
}

func layout1Values() values {
	at, later := layout1Time, layout1Time.Add(time.Hour)
	scopes := []identity.Scope{identity.Read, identity.Write}
	client := authserver.Client{
		ID: "c_1", Name: "Plumcot", RedirectURIs: []string{"http://127.0.0.1/done"}, AuthMethod: "none", SecretHash: "aa", CreatedAt: at, ExpiresAt: later,
	}
	todos := []checklist.Todo{{Content: "Oil the chains", Status: checklist.InProgress, ActiveForm: "Oiling the chains"}}
	return values{
		Client: client,
		State:  authserver.LoginState{Key: "bb", Binding: "cc", Body: []byte{1, 2, 3}, ExpiresAt: later},
		Code: authserver.Code{
			Hash: "dd", Family: layout1ID, Subject: "37s:1", Person: "Ines Albrecht", Account: 4, AccountName: "Fernhill Bikes", Client: client,
			RedirectURI: "http://127.0.0.1:5050/done", Challenge: "ee", Resource: "http://127.0.0.1/mcp", Scopes: scopes, ExpiresAt: later, UsedAt: at,
		},
		Family: authserver.Family{
			ID: layout1ID, Subject: "37s:1", Person: "Ines Albrecht", Account: 4, AccountName: "Fernhill Bikes", Client: client, Scopes: scopes,
			Resource: "http://127.0.0.1/mcp", Key: []byte{4, 5}, Generation: 2, Unconfirmed: 2, CreatedAt: at, RefreshedAt: at, ExpiresAt: later, EndsAt: later,
		},
		Access:  authserver.Access{Hash: "ff", Scopes: scopes, Generation: 2, ExpiresAt: later},
		Refresh: authserver.Refresh{Hash: "gg", Generation: 1, ExpiresAt: later, RotatedAt: at, Sealed: []byte{6, 7}},
		Record: grant.Record{
			Subject: "37s:1", Name: "Ines Albrecht", Account: "gh:1", Scope: "repo", Revision: 3, Version: "3 w", Status: grant.Active, ConnectedAt: at,
			ExpiresAt: later, Forced: at, Lease: "l", LeaseUntil: later, Failures: 5, NextTry: later, Change: 1,
		},
		Tokens: provider.Tokens{Revision: 3, AccessToken: "a", RefreshToken: "r", ExpiresAt: later, ObtainedAt: at, Scope: "repo", RefreshExpiresAt: later},
		List:   checklist.List{ID: "t", Revision: 2, Todos: todos, Previous: todos[:0], HasPrevious: true, WrittenAt: at, ExpiresAt: later},
		Task:   task.Task{ID: "u", Title: "Oil the chains", Description: "All 40", CreatedAt: at, UpdatedAt: at, CompletedAt: later},
		Call: idempotency.Record{
			Subject: "37s:1", Tool: "add_task", Key: "k", Asked: "h", Claim: "i", State: idempotency.Done, Result: []byte("{}"), HeldUntil: at, ExpiresAt: later,
		},
		Entry: audit.Entry{
			ID: audit.OldestID(at) + "-A", Time: at, Tool: "set_completed", Arguments: []audit.Argument{{Name: "item", Value: "1"}}, Outcome: audit.OK,
			Milliseconds: 7, Client: "Plumcot", Door: audit.MCP, RequestID: "q", Connection: layout1ID, Provider: "github",
		},
	}
}

func TestLayout1_StaysReadable(t *testing.T) {
	path := pathIn(t)
	run(t, path, layout1)
	must(t, os.WriteFile(path+"-key", []byte(layout1Key+"\n"), 0o600))
	s := openAt(t, path, func() time.Time { return layout1Time })
	want := layout1Values()
	got := values{Call: want.Call, List: want.List}
	var err error
	read := func(errs ...error) {
		t.Helper()
		for _, err := range errs {
			must(t, err)
		}
	}
	got.Client, err = s.Client(t.Context(), "c_1")
	read(err)
	got.State, err = s.LoginState(t.Context(), "bb")
	read(err)
	got.Code, err = s.Code(t.Context(), "dd")
	read(err)
	got.Family, got.Access, _, err = s.Access(t.Context(), layout1ID, "ff", "")
	read(err)
	_, got.Refresh, err = s.Refresh(t.Context(), layout1ID, "gg")
	read(err)
	got.Record, err = s.Records("github https://github.com").Record(t.Context(), "37s:1")
	read(err)
	got.Tokens, err = s.Grants("github https://github.com").Load(t.Context(), "37s:1", "3 w")
	read(err)
	got.List, err = s.LatestChecklist(t.Context(), "37s:1", layout1ID)
	read(err)
	tasks, _, err := s.Tasks(t.Context(), "37s:1", task.Filter{Status: task.Completed, Limit: 1})
	read(err)
	entries, err := s.Entries(t.Context(), "37s:1", "", 1)
	read(err)
	if got.Call, err = s.ClaimCall(t.Context(), want.Call); !errors.Is(err, idempotency.ErrTaken) {
		t.Errorf("the call: %v", err)
	}
	if families, err := s.FamiliesOf(t.Context(), "37s:1"); err != nil || len(families) != 1 {
		t.Errorf("%d families, %v", len(families), err)
	}
	if len(tasks) != 1 || len(entries) != 1 {
		t.Fatalf("%d tasks and %d entries", len(tasks), len(entries))
	}
	got.Task, got.Entry = tasks[0], entries[0]
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-stored +read:\n%s", diff)
	}
	if strings.Count(layout1, "INSERT") < 12 {
		t.Error("the file has too few items")
	}
}
