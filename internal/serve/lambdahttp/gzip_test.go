package lambdahttp

import (
	"compress/gzip"
	"encoding/base64"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
)

// sent returns the answer to a request that accepts this encoding, and its body unpacked.
func sent(t *testing.T, h *handler, method, accepts string) (answer events.APIGatewayV2HTTPResponse, body string) {
	t.Helper()
	answer = decode(t, h, []byte(`{"version":"2.0","rawPath":"/","headers":{"accept-encoding":"`+accepts+`"},"requestContext":{"http":{"method":"`+method+`"}}}`))
	body = answer.Body
	if answer.IsBase64Encoded {
		raw, err := base64.StdEncoding.DecodeString(body)
		if err != nil {
			t.Fatal(err)
		}
		body = string(raw)
	}
	if answer.Headers["Content-Encoding"] == "gzip" {
		unpacked, err := gzip.NewReader(strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		unpacked.Multistream(false) // some clients read only the first member
		all, err := io.ReadAll(unpacked)
		if err != nil {
			t.Fatalf("%d bytes, then %v", len(all), err)
		}
		body = string(all)
	}
	return answer, body
}

// answered lets a handler answer a request with these headers, and returns the answer, and its body
// unpacked.
func answered(t *testing.T, accepts string, header map[string]string, body string) (answer events.APIGatewayV2HTTPResponse, unpacked string) {
	t.Helper()
	return sent(t, &handler{http: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
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
		if !answer.IsBase64Encoded || answer.Headers["Content-Encoding"] != "gzip" || answer.Headers["Vary"] != "Origin, Accept-Encoding" {
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
		if answer, _ := answered(t, test.accepts, test.header, test.body); answer.IsBase64Encoded || answer.Body != test.body || answer.Headers["Content-Encoding"] != "" {
			t.Errorf("%s: %+v", name, answer.Headers)
		}
	}
	done, body := answered(t, "gzip", map[string]string{"Content-Type": "application/json", "Content-Encoding": "zstd"}, long)
	if body != long || done.Headers["Content-Encoding"] != "zstd" {
		t.Errorf("compressed twice: %v", done.Headers)
	}
}

func TestZip_KeepsFewAnswers(t *testing.T) {
	var z zippedAnswers
	for id := range 100 {
		long := strings.Repeat(strconv.Itoa(id), mostZipped/20)
		if first := z.zip([]byte(long)); first != zip([]byte(long)) || z.zip([]byte(long)) != first {
			t.Errorf("answer %d is another", id)
		}
	}
	if n := len(z.kept); n < 2 || n > 20 || z.size > mostZipped {
		t.Errorf("%d answers are kept", n)
	}
}
