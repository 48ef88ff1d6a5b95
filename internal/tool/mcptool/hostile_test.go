package mcptool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/serve/mcphttp"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolargs"
)

// hostileValues returns JSON values of about n bytes. Each is slow to read in its own way.
func hostileValues(n int) map[string]string {
	repeat := func(s string) string { return strings.Repeat(s, n/len(s)) }
	deep := func(open, end string) string {
		one := strings.Repeat(open, 4000) + "1" + strings.Repeat(end, 4000)
		return "[" + one + strings.Repeat(","+one, max(0, n/len(one)-2)) + "]"
	}
	var names strings.Builder
	for i := range n / 16 {
		fmt.Fprintf(&names, `"a%08x":%d,`, i*2654435761%(1<<32), i%10)
	}
	return map[string]string{
		"a text":                   `"` + repeat("x") + `"`,
		"quotes":                   `"` + repeat(`\"`) + `"`,
		"backslashes":              `"` + repeat(`\\`) + `"`,
		"escapes":                  `"` + repeat(`\u00e9`) + `"`,
		"half surrogates":          `"` + repeat(`\ud800`) + `"`,
		"commas in a text":         `"` + repeat(",") + `"`,
		"braces in a text":         `"` + repeat("{}[]") + `"`,
		"a list of numbers":        "[" + repeat("0,") + "0]",
		"a list of lists":          "[" + repeat("[],") + "0]",
		"a list of objects":        "[" + repeat("{},") + "0]",
		"a list of texts":          "[" + repeat(`"",`) + `""]`,
		"deep lists":               deep("[", "]"),
		"deep objects":             deep(`{"a":`, "}"),
		"one name again and again": "{" + repeat(`"text":0,`) + `"text":1}`,
		"many names":               "{" + names.String() + `"z":1}`,
		"escaped names":            "{" + repeat(`"\u0074":0,`) + `"z":1}`,
		"a long number":            "1" + repeat("0"),
		"a long exponent":          "1e" + repeat("9"),
		"a JSON text in a text":    string(must(json.Marshal("[" + strings.Repeat("[],", n/8) + "0]"))),
		"blanks":                   "[" + repeat(" ") + "]",
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// everything has an argument of every kind.
type everything struct {
	Text   string        `json:"text,omitempty" jsonschema:"A text" limits:"maxlen=100"`
	Number int64         `json:"number,omitempty" jsonschema:"A number"`
	Yes    bool          `json:"yes,omitempty" jsonschema:"Yes or no"`
	Item   toolargs.Ref  `json:"item,omitzero" jsonschema:"An item"`
	Items  toolargs.Refs `json:"items,omitempty" jsonschema:"Some items"`
	Texts  []string      `json:"texts,omitempty" jsonschema:"Some texts" limits:"maxitems=50"`
	Parts  []part        `json:"parts,omitempty" jsonschema:"Some parts"`
}

type part struct {
	Text string `json:"text,omitempty" jsonschema:"A text"`
}

func newHostileGuard() *mcphttp.Guard {
	return newGuard(mcptool.Define(mcptool.Spec{
		Name: "try", Title: "Try", Description: "Tries.", Effect: mcptool.Reads, Scope: identity.Read,
	}, func(context.Context, everything) (part, error) { return part{Text: "done"}, nil }))
}

// hostileMessages returns messages of every kind that consist almost only of one hostile value, and
// URIs that are hard to match.
func hostileMessages() iter.Seq2[string, string] {
	const rpc = `{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`
	return func(yield func(what, message string) bool) {
		for what, value := range hostileValues(24_000) {
			calls := []string{value}
			for _, name := range []string{"text", "item", "items", "parts", "another"} {
				calls = append(calls, fmt.Sprintf(`{%q:%s}`, name, value))
			}
			for i, arguments := range calls {
				if !yield(fmt.Sprintf("tools/call %d with %s", i, what), fmt.Sprintf(rpc, "tools/call", `"name":"try","arguments":`+arguments)) {
					return
				}
			}
		}
		for what, value := range hostileValues(12_000) {
			for method, members := range map[string][]string{
				"initialize":             {"clientInfo", "capabilities", "protocolVersion"},
				"tools/list":             {"cursor"},
				"tools/call":             {"_meta", "requestState", "inputResponses"},
				"prompts/get":            {"name", "arguments"},
				"resources/read":         {"uri", "arguments"},
				"resources/subscribe":    {"uri"},
				"completion/complete":    {"ref", "argument", "context"},
				"notifications/progress": {"progressToken"},
				"another":                {"_meta", "another"},
			} {
				for _, member := range members {
					params := fmt.Sprintf(`"name":"try",%q:%s`, member, value)
					if member == "name" {
						params = fmt.Sprintf(`"name":%s`, value)
					}
					if !yield(method+" with "+what+" as "+member, fmt.Sprintf(rpc, method, params)) {
						return
					}
				}
			}
		}
		for _, c := range "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ aé" {
			for _, text := range []string{string(c), string(c) + "a,"} {
				for _, start := range []string{"basecamp://bikes/", "audit://calls?cursor="} {
					uri := string(must(json.Marshal(start + strings.Repeat(text, 4000/len(text)))))
					if !yield(fmt.Sprintf("%s and %q again and again", start, text), fmt.Sprintf(rpc, "resources/read", `"uri":`+uri)) {
						return
					}
				}
			}
		}
	}
}

// quickest returns the shortest time of a few runs, so that other work on the machine does not
// count.
func quickest(runs int, enough time.Duration, run func()) time.Duration {
	least := time.Duration(math.MaxInt64)
	for range runs {
		start := time.Now()
		run()
		if least = min(least, time.Since(start)); least <= enough {
			break
		}
	}
	return least
}

func answer(guard http.Handler, message string) *httptest.ResponseRecorder {
	return mcptest.Post(context.Background(), guard, identity.Caller{}, message, bearer)
}

// oneLook returns the time that this machine takes to scan a megabyte of JSON once: some 4 ms, and
// ten times as long with the race detector.
func oneLook() time.Duration {
	megabyte := []byte(`"` + strings.Repeat("x", 1<<20) + `"`)
	return quickest(5, 0, func() { json.Valid(megabyte) })
}

func TestMessages_TakeTimeInProportionToTheirLength(t *testing.T) {
	most := 50 * oneLook()
	guard := newHostileGuard()
	for what, message := range hostileMessages() {
		if took := quickest(3, most, func() { answer(guard, message) }); took > most {
			t.Errorf("%s: %s, more than %s", what, took, most)
		}
	}
}

func TestResourcesRead_OfAMegabyteIsRefusedInFiveMilliseconds(t *testing.T) {
	most := max(5*time.Millisecond, oneLook()) // the latter on a slow machine
	guard := newHostileGuard()
	for _, c := range []string{",", "x", "/", "{", "%2C"} {
		message := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"basecamp://bikes/%s"}}`,
			strings.Repeat(c, (1<<20-200)/len(c)))
		var w *httptest.ResponseRecorder
		if took := quickest(50, most, func() { w = answer(guard, message) }); took > most || w.Code != http.StatusRequestEntityTooLarge {
			t.Errorf("%q: HTTP %d after %s", c, w.Code, took)
		}
	}
}
