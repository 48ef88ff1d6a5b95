package lambdahttp

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// answered lets a handler answer a request with these headers, and returns the answer, and its body
// unpacked.
func answered(t *testing.T, accepts string, header map[string]string, body string) (answer sentAnswer, unpacked string) {
	t.Helper()
	return sent(t, handler{http: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for name, value := range header {
			w.Header().Set(name, value)
		}
		_, _ = io.WriteString(w, body)
	})}, http.MethodGet, accepts)
}

func TestInvoke_CompressesLongJSONIfTheClientAcceptsGzip(t *testing.T) {
	long := `{"text":"` + strings.Repeat("Order the new signs. ", 1000) + `"}`
	for range 3 { // the compressor is reused
		answer, body := answered(t, "deflate, GZIP;q=0.8, br", map[string]string{"Content-Type": "application/json", "Vary": "Origin"}, long)
		if !answer.IsBase64 || answer.Headers["Content-Encoding"] != "gzip" || answer.Headers["Vary"] != "Origin, Accept-Encoding" {
			t.Fatalf("%+v", answer)
		}
		if body != long || len(answer.Body) > len(long)/20 {
			t.Errorf("%d bytes for %d: %.40s", len(answer.Body), len(long), body)
		}
	}
}

func TestInvoke_DoesNotCompressSmallOtherOrUnrequestedBodies(t *testing.T) {
	long := strings.Repeat("Order the new signs. ", 1000)
	isJSON := map[string]string{"Content-Type": "application/json"}
	for name, test := range map[string]struct {
		accepts string
		header  map[string]string
		body    string
	}{
		"not accepted":  {"", isJSON, long},
		"another kind":  {"br, deflate", isJSON, long},
		"refused":       {"gzip;q=0, br", isJSON, long},
		"refused twice": {"gzip; q=0.000", isJSON, long},
		"refused, loud": {`GZIP;\tQ=0.0`, isJSON, long},
		"a page":        {"gzip", map[string]string{"Content-Type": "text/html; charset=utf-8"}, long},
		"short":         {"gzip", isJSON, `{"text":"Order the new signs."}`},
	} {
		if answer, _ := answered(t, test.accepts, test.header, test.body); answer.IsBase64 || answer.Body != test.body || answer.Headers["Content-Encoding"] != "" {
			t.Errorf("%s: %+v", name, answer.Headers)
		}
	}
	done, body := answered(t, "gzip", map[string]string{"Content-Type": "application/json", "Content-Encoding": "zstd"}, long)
	if body != long || done.Headers["Content-Encoding"] != "zstd" {
		t.Errorf("compressed twice: %v", done.Headers)
	}
}
