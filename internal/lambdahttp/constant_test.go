package lambdahttp

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// constantEnd returns the end of an answer, with every kind of escape.
func constantEnd(length int) []byte {
	var text strings.Builder
	for i := 0; text.Len() < length; i++ {
		fmt.Fprintf(&text, `{"id":%d,"title":"Order the \"new\" signs\n\tand – größer – 标牌"},`, i*7919%10007)
	}
	return []byte(text.String()[:length-1] + "\n")
}

// ending answers with a head and a constant end, in one of the ways to write them.
func ending(head string, end []byte, write func(w *response, head string, end []byte)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		write(w.(*response), head, end)
	})
}

func constantly(w *response, head string, end []byte) {
	_, _ = w.WriteString(head)
	_, _ = w.WriteConstant(end)
}

func plainly(w *response, head string, end []byte) { _, _ = w.Write(append([]byte(head), end...)) }

type sentAnswer struct {
	Headers  map[string]string
	Body     string
	IsBase64 bool `json:"isBase64Encoded"`
}

// sent returns the answer to a request that accepts this encoding, and its body unpacked.
func sent(t *testing.T, h handler, method, accepts string) (answer sentAnswer, body string) {
	t.Helper()
	said, err := h.Invoke(t.Context(), []byte(`{"version":"2.0","rawPath":"/","headers":{"accept-encoding":"`+accepts+`"},"requestContext":{"http":{"method":"`+method+`"}}}`))
	if err == nil {
		err = json.Unmarshal(said, &answer)
	}
	if err != nil {
		t.Fatal(err)
	}
	body = answer.Body
	if answer.IsBase64 {
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

func TestWriteConstant_SendsWhatWriteSends(t *testing.T) {
	kept := &constants{}
	for _, length := range []int{leastZipped - 1, leastZipped, leastZipped + 1, leastZipped + 2, 150_000} {
		end := constantEnd(length)
		heads := 40
		if length > 100_000 {
			heads = 4 // base64 begins anew every three bytes
		}
		for n := range heads {
			head := strings.Repeat(`"é`, n)
			for _, accepts := range []string{"", "gzip"} {
				for _, method := range []string{"POST", "HEAD"} {
					plain, want := sent(t, handler{http: ending(head, end, plainly)}, method, accepts)
					answer, got := sent(t, handler{http: ending(head, end, constantly), constants: kept}, method, accepts)
					if got != want || method == "POST" && got != head+string(end) {
						t.Fatalf("%s, %q, %d and %d bytes: %d instead of %d bytes", method, accepts, len(head), length, len(got), len(want))
					}
					if diff := cmp.Diff(plain.Headers, answer.Headers); diff != "" || plain.IsBase64 != answer.IsBase64 {
						t.Errorf("%s, %q: %s", method, accepts, diff)
					}
					if accepts == "" && answer.Body != plain.Body {
						t.Errorf("%s: another body", method)
					}
				}
			}
		}
	}
}

func TestWriteConstant_LeavesUnusualAnswersToWrite(t *testing.T) {
	end := constantEnd(5000)
	long := strings.Repeat("0123456789", 7000)
	for name, write := range map[string]func(w *response, head string, end []byte){
		"more afterwards":   func(w *response, _ string, end []byte) { constantly(w, "a", end); _, _ = w.WriteString("b") },
		"two constants":     func(w *response, _ string, end []byte) { constantly(w, "a", end); _, _ = w.WriteConstant(end) },
		"no type":           func(w *response, head string, end []byte) { w.Header().Del("Content-Type"); constantly(w, head, end) },
		"a long head":       func(w *response, _ string, end []byte) { constantly(w, long, end) },
		"not text":          func(w *response, _ string, end []byte) { constantly(w, "\xff", end) },
		"a character apart": func(w *response, _ string, end []byte) { constantly(w, "\xc3", append([]byte("\xa9"), end...)) },
	} {
		t.Run(name, func(t *testing.T) {
			var want bytes.Buffer
			record := func(w *response, head string, end []byte) {
				write(w, head, end)
				want.Reset()
				want.Write(w.body.Bytes())
				want.Write(w.ended)
			}
			for _, accepts := range []string{"", "gzip"} {
				_, got := sent(t, handler{http: ending("", end, record), constants: &constants{}}, "POST", accepts)
				if got != want.String() {
					t.Errorf("%q: %d bytes instead of %d", accepts, len(got), want.Len())
				}
			}
		})
	}
}

func TestWriteConstant_EncodesEachConstantOnce(t *testing.T) {
	kept := &constants{}
	ends := make([][]byte, mostConstants+1)
	for i := range ends {
		ends[i] = constantEnd(leastZipped + i)
		first, ok := kept.find(ends[i])
		again, _ := kept.find(ends[i])
		if usual, _ := kept.find(ends[0]); !ok || first != again || &usual.plain[0] != &ends[0][0] {
			t.Fatalf("constant %d is encoded twice", i)
		}
	}
	if len(kept.kept) != mostConstants {
		t.Errorf("%d constants are kept", len(kept.kept))
	}
	if &kept.kept[0].plain[0] != &ends[0][0] {
		t.Error("the constant that is used most was dropped")
	}
}

func TestMultiply_CombinesChecksums(t *testing.T) {
	text := constantEnd(3000)
	for split := range text {
		a, b := text[:split], text[split:]
		if got, want := multiply(power(len(b)), crc32.ChecksumIEEE(a))^crc32.ChecksumIEEE(b), crc32.ChecksumIEEE(text); got != want {
			t.Fatalf("%d + %d bytes: %08x instead of %08x", len(a), len(b), got, want)
		}
	}
}
