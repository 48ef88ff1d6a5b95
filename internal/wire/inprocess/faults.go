package inprocess

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"basecamp-mcp/internal/wire/pause"
)

// A Fault describes how requests fail. Method, PathPrefix and Document select the requests: an
// empty one matches all requests. The other fields say what happens. A Fault with only a Delay
// slows requests down.
type Fault struct {
	Method     string
	PathPrefix string // as the sandbox's record of a request has its path
	Document   string // a part of the GraphQL document: "createProjectV2"
	Times      int    // how many requests fail, 0 for all

	Status  int // the response's status, with Header and Body
	Header  http.Header
	Body    string
	Delay   time.Duration // wait before everything else
	Hang    bool          // respond only when the client has given up
	Garbage bool          // respond 200 with incomplete JSON
	Drop    bool          // close the connection without a response

	// AfterEffect processes the request first: the client gets no response to a write that succeeded.
	AfterEffect bool
}

// Faults are the faults of a sandbox. It is safe for concurrent use.
type Faults struct {
	mu  sync.Mutex
	all []*Fault
}

// Inject makes the next matching requests fail. If several faults match, the oldest is used first.
func (f *Faults) Inject(fault Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if fault.Times == 0 {
		fault.Times = -1
	}
	f.all = append(f.all, &fault)
}

// ClearFaults removes all faults.
func (f *Faults) ClearFaults() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = nil
}

// next returns the fault for a request and counts its use. The zero Fault does nothing.
func (f *Faults) next(method, path, document string) Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, fault := range f.all {
		if fault.Method != "" && fault.Method != method || !strings.HasPrefix(path, fault.PathPrefix) || !strings.Contains(document, fault.Document) {
			continue
		}
		if fault.Times--; fault.Times == 0 {
			f.all = slices.Delete(f.all, i, i+1)
		}
		return *fault
	}
	return Fault{}
}

// Around answers a request as its fault says. Otherwise serve processes it, and the function that
// serve returned writes the response. Around reports whether the connection must be closed instead.
func (f *Faults) Around(ctx context.Context, w http.ResponseWriter, method, path, document string, serve func() (write func())) (drop bool) {
	fault := f.next(method, path, document)
	if fault.Delay > 0 {
		_ = pause.For(ctx, fault.Delay) // a client that has given up reads no response
	}
	fails := fault.Status != 0 || fault.Hang || fault.Garbage || fault.Drop
	if fails && !fault.AfterEffect {
		return fault.answer(ctx, w)
	}
	write := serve()
	if fault.AfterEffect {
		return fault.answer(ctx, w)
	}
	write()
	return false
}

// answer fails a request. It reports whether the connection must be closed.
func (f Fault) answer(ctx context.Context, w http.ResponseWriter) (drop bool) {
	if f.Hang {
		<-ctx.Done()
	}
	if f.Hang || f.Drop {
		return true
	}
	if f.Garbage {
		f.Status, f.Header, f.Body = http.StatusOK, nil, `{"data":[{"id":48120933`
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	for name, values := range f.Header {
		w.Header()[http.CanonicalHeaderKey(name)] = slices.Clone(values)
	}
	w.WriteHeader(f.Status)
	_, _ = w.Write([]byte(f.Body))
	return false
}
