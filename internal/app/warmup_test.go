package app

import (
	"io"
	"net/http"
	"testing"
)

// heard keeps the last request, and answers nothing.
type heard struct{ last *http.Request }

func (h *heard) RoundTrip(r *http.Request) (*http.Response, error) {
	h.last = r
	return nil, io.ErrUnexpectedEOF
}

func TestKnock_SendsOnlyTheUserAgent(t *testing.T) {
	h := &heard{}
	knock(h, "https://3.basecampapi.com", "basecamp-mcp (ops@fernhill.example)")(t.Context())
	if r := h.last; r == nil || r.Method != http.MethodHead || r.Body != http.NoBody || len(r.Header) != 1 || r.Header.Get("User-Agent") == "" {
		t.Errorf("asked %+v", r)
	}
}
