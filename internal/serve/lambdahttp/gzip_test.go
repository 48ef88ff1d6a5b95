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
	"github.com/google/go-cmp/cmp"
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

// constantly answers with parts, of which those with odd numbers never change.
func constantly(parts ...string) http.Handler {
	constants := make([][]byte, len(parts))
	for i, part := range parts {
		constants[i] = []byte(part)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i, part := range parts {
			if i%2 == 0 {
				_, _ = io.WriteString(w, part)
			} else {
				_, _ = w.(*response).WriteConstant(constants[i])
			}
		}
	})
}

func TestWriteConstant_SendsWhatWriteSends(t *testing.T) {
	end := strings.Repeat(`{"title":"Order the \"new\" signs\n – größer – 标牌"},`, 100)
	for name, parts := range map[string][]string{
		"an ID":             {"1", end},
		"nothing before":    {"", end},
		"short":             {"1", end[:100]},
		"more afterwards":   {"1", end, "2"},
		"two constants":     {"1", end, "", end},
		"a long head":       {strings.Repeat("0123456789", 7000), end},
		"not text":          {"\xff", end},
		"a character apart": {"\xc3", "\xa9" + end},
	} {
		constant, plain := &handler{http: constantly(parts...)}, &handler{http: constantly(strings.Join(parts, ""))}
		for _, accepts := range []string{"", "gzip", "gzip"} {
			for _, method := range []string{http.MethodPost, http.MethodHead} {
				want, body := sent(t, plain, method, accepts)
				got, same := sent(t, constant, method, accepts)
				if same != body || method == http.MethodPost && body != strings.Join(parts, "") {
					t.Errorf("%s, %s, %q: %d instead of %d bytes", name, method, accepts, len(same), len(body))
				}
				if diff := cmp.Diff(want.Headers, got.Headers); diff != "" || want.IsBase64Encoded != got.IsBase64Encoded {
					t.Errorf("%s, %s, %q: %s", name, method, accepts, diff)
				}
			}
		}
	}
}

func TestZip_KeepsFewAnswers(t *testing.T) {
	var z zippedAnswers
	end := []byte(strings.Repeat("constant ", 1000))
	for id := range 3 * mostZipped {
		z.zip([]byte(strconv.Itoa(id)), end)
	}
	z.zip(make([]byte, longestHead+1), end)
	if len(z.kept) > mostZipped {
		t.Errorf("%d answers are kept", len(z.kept))
	}
	last := z.zip([]byte("95"), end)
	if kept := z.kept[zippedKey{"95", &end[0], len(end)}]; kept != last {
		t.Error("the last answer is not kept")
	}
	if other := z.zip([]byte("94"), end); other == last {
		t.Error("two IDs get the same answer")
	}
}
