package inprocess

import (
	"net/http"
	"sync"
)

// requestsKept is the number of requests in a log.
const requestsKept = 2000

// Log has the requests that a sandbox received, as it describes them. It is safe for concurrent
// use.
type Log[R any] struct {
	mu      sync.Mutex
	entries []*R
	served  int
}

// Requests returns the last 2,000 requests that the sandbox received, oldest first.
func (l *Log[R]) Requests() []R {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := make([]R, len(l.entries))
	for i, entry := range l.entries {
		all[i] = *entry
	}
	return all
}

// ResetRequests clears the log.
func (l *Log[R]) ResetRequests() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = nil
}

// Note adds a request and returns its number.
func (l *Log[R]) Note(entry *R) (number int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.entries) == requestsKept {
		l.entries = l.entries[1:]
	}
	l.entries = append(l.entries, entry)
	l.served++
	return l.served
}

// Watch returns a writer that notes the status of a response in an entry of the log.
func (l *Log[R]) Watch(w http.ResponseWriter, status *int) http.ResponseWriter {
	return &watched{w, &l.mu, status}
}

type watched struct {
	http.ResponseWriter
	mu     *sync.Mutex
	status *int
}

// WriteHeader implements http.ResponseWriter.
func (w *watched) WriteHeader(status int) {
	w.mu.Lock()
	*w.status = status
	w.mu.Unlock()
	w.ResponseWriter.WriteHeader(status)
}

// Origin returns scheme and host of a client's request, for the URLs in the response.
func Origin(r *http.Request) string {
	scheme := r.URL.Scheme
	if scheme == "" {
		scheme = "http"
	}
	if r.TLS != nil {
		scheme = "https"
	}
	return scheme + "://" + r.Host
}
