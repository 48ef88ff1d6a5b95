package lambdahttp

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// answered lets a handler answer a request with these headers, and returns the answer.
func answered(t *testing.T, accepts string, header map[string]string, body string) (answer struct {
	Headers  map[string]string
	Body     string
	IsBase64 bool `json:"isBase64Encoded"`
}) {
	t.Helper()
	h := handler{http: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for name, value := range header {
			w.Header().Set(name, value)
		}
		_, _ = io.WriteString(w, body)
	})}
	event := `{"version":"2.0","rawPath":"/","headers":{"accept-encoding":"` + accepts + `"},"requestContext":{"http":{"method":"GET"}}}`
	said, err := h.Invoke(t.Context(), []byte(event))
	if err == nil {
		err = json.Unmarshal(said, &answer)
	}
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestInvoke_CompressesLongJSONIfTheClientAcceptsGzip(t *testing.T) {
	long := `{"text":"` + strings.Repeat("Order the new signs. ", 1000) + `"}`
	for range 3 { // the compressor is reused
		answer := answered(t, "deflate, GZIP;q=0.8, br", map[string]string{"Content-Type": "application/json", "Vary": "Origin"}, long)
		packed, err := base64.StdEncoding.DecodeString(answer.Body)
		if err != nil || !answer.IsBase64 || answer.Headers["Content-Encoding"] != "gzip" || answer.Headers["Vary"] != "Origin, Accept-Encoding" {
			t.Fatalf("%v, %+v", err, answer)
		}
		unpacked, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		if body, err := io.ReadAll(unpacked); string(body) != long || err != nil || len(answer.Body) > len(long)/20 {
			t.Errorf("%d bytes for %d: %v, %.40s", len(answer.Body), len(long), err, body)
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
		if answer := answered(t, test.accepts, test.header, test.body); answer.IsBase64 || answer.Body != test.body || answer.Headers["Content-Encoding"] != "" {
			t.Errorf("%s: %+v", name, answer.Headers)
		}
	}
	done := answered(t, "gzip", map[string]string{"Content-Type": "application/json", "Content-Encoding": "zstd"}, long)
	if packed, err := base64.StdEncoding.DecodeString(done.Body); err != nil || string(packed) != long || done.Headers["Content-Encoding"] != "zstd" {
		t.Errorf("compressed twice: %v, %v", err, done.Headers)
	}
}
