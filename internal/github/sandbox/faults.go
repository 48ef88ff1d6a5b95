package sandbox

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"
)

// A Fault describes how requests fail. Method, PathPrefix and Document select the requests: an
// empty one matches all requests. The other fields say what happens. A Fault with only a Delay
// slows requests down.
type Fault struct {
	Method     string
	PathPrefix string // REST without its base: "/repos/fernhill-bikes"; "/api/graphql" for GraphQL
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

// Inject makes the next matching requests fail. If several faults match, the oldest is used first.
func (s *Server) Inject(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.Times == 0 {
		f.Times = -1
	}
	s.faults = append(s.faults, &f)
}

// ClearFaults removes all faults.
func (s *Server) ClearFaults() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// fault returns the fault for a request and counts its use. It returns nil if no fault matches.
func (s *Server) fault(r *Request) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, f := range s.faults {
		if f.Method != "" && f.Method != r.Method || !strings.HasPrefix(r.Path, f.PathPrefix) || !strings.Contains(r.Document, f.Document) {
			continue
		}
		if f.Times--; f.Times == 0 {
			s.faults = slices.Delete(s.faults, i, i+1)
		}
		return f
	}
	return nil
}

// fails reports whether the fault replaces the response.
func (f *Fault) fails() bool { return f.Status != 0 || f.Hang || f.Garbage || f.Drop }

// wait blocks for the delay, or until the client gives up.
func (f *Fault) wait(ctx context.Context) {
	if f.Delay <= 0 {
		return
	}
	timer := time.NewTimer(f.Delay)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// answer fails a request. It reports whether the connection must be closed.
func (f *Fault) answer(ctx context.Context, w http.ResponseWriter) (drop bool) {
	switch {
	case f.Hang:
		<-ctx.Done()
		return true
	case f.Drop:
		return true
	case f.Garbage:
		w.Header().Set("Content-Type", jsonType)
		_, _ = w.Write([]byte(`{"data":{"node":[{"id":"PVT_`))
		return false
	}
	for name, values := range f.Header {
		w.Header()[http.CanonicalHeaderKey(name)] = slices.Clone(values)
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", jsonType)
	}
	w.WriteHeader(f.Status)
	_, _ = w.Write([]byte(f.Body))
	return false
}
