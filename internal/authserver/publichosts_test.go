package authserver

import (
	"net/http"
	"strings"
	"testing"
)

func TestDocument_IsFetchedFromPublicHostsOnly(t *testing.T) { // RFC 6890
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://localhost/client.json", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := New(Config{}).documentTransport().RoundTrip(r)
	if err == nil {
		response.Body.Close()
		t.Fatal("localhost was reached")
	}
	if !strings.Contains(err.Error(), "special-use") {
		t.Error(err)
	}
}
