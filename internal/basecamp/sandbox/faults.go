package sandbox

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"
)

// A Fault is a way to fail. Method and PathPrefix choose the requests (empty matches all; paths are without the account);
// the rest says what becomes of them. A Fault with a Delay alone only slows them down.
type Fault struct {
	Method     string
	PathPrefix string
	Times      int // how many requests it meets, 0 for all

	Status  int // answer with this, Header and Body
	Header  http.Header
	Body    string
	Delay   time.Duration // before anything else
	Hang    bool          // answer only when the client has given up
	Garbage bool          // 200 with JSON that breaks off
	Drop    bool          // close the connection without an answer

	// AfterEffect carries the request out first: a write that landed and was not answered.
	AfterEffect bool
}

// Inject makes the next matching requests fail. Of several faults that match the oldest is used first.
func (s *Sandbox) Inject(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.Times == 0 {
		f.Times = -1
	}
	s.faults = append(s.faults, &f)
}

// ClearFaults forgets all faults.
func (s *Sandbox) ClearFaults() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// fault takes the fault that is due for a request, nil when none is.
func (s *Sandbox) fault(method, path string) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, f := range s.faults {
		if f.Method != "" && f.Method != method || !strings.HasPrefix(path, f.PathPrefix) {
			continue
		}
		if f.Times--; f.Times == 0 {
			s.faults = slices.Delete(s.faults, i, i+1)
		}
		return f
	}
	return nil
}

// fails reports whether the fault takes the place of an answer.
func (f *Fault) fails() bool { return f.Status != 0 || f.Hang || f.Garbage || f.Drop }

// wait sits out the delay, or less when the client gives up.
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

// answer fails a request. It reports whether the connection is to be dropped.
func (f *Fault) answer(ctx context.Context, w http.ResponseWriter) (drop bool) {
	switch {
	case f.Hang:
		<-ctx.Done()
		return true
	case f.Drop:
		return true
	case f.Garbage:
		w.Header().Set("Content-Type", jsonType)
		_, _ = w.Write([]byte(`[{"id":48120933`))
		return false
	}
	for name, values := range f.Header {
		w.Header()[name] = slices.Clone(values)
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", jsonType)
	}
	w.WriteHeader(f.Status)
	_, _ = w.Write([]byte(f.Body))
	return false
}
