package githubtools

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/report/fault"
)

// cutting fails one request, counted from 1, in a way.
type cutting struct {
	next      http.RoundTripper
	how       string
	at, count int
}

var errCut = errors.New("the connection was reset")

func (c *cutting) RoundTrip(r *http.Request) (*http.Response, error) {
	c.count++
	if c.count != c.at {
		return c.next.RoundTrip(r)
	}
	answer := http.Response{Header: http.Header{}, Body: io.NopCloser(strings.NewReader(complaint("UNPROCESSABLE", "No"))), Request: r}
	answer.StatusCode, _ = strconv.Atoi(c.how)
	switch c.how {
	case "lost":
		if a, err := c.next.RoundTrip(r); err == nil {
			a.Body.Close()
		}
		return nil, errCut
	case "reset":
		return nil, errCut
	case "secondary limit":
		answer.StatusCode = http.StatusForbidden
		answer.Header.Set("Retry-After", "60")
		answer.Body = io.NopCloser(strings.NewReader(`{"message": "You have exceeded a secondary rate limit."}`))
	}
	return &answer, nil
}

// cut does work with each of its requests failed once, in each way. Of these cases, a quarter
// is tried, and with -short a twelfth.
func cut(t *testing.T, what string, work func(d *toolEnv, begin, end func())) {
	for _, how := range []string{"lost", "reset", "502", "secondary limit", "403", "404", "422", "200"} {
		for at, reached := 1, true; reached; at++ {
			if turn := at + len(how) + len(what); turn%4 != 0 || testing.Short() && turn%12 != 0 {
				continue
			}
			synctest.Test(t, func(t *testing.T) {
				c := &cutting{how: how}
				d := newToolEnvOn(t, func(next http.RoundTripper) http.RoundTripper { c.next = next; return c })
				d.TB = namedTest{t, fmt.Sprintf("%s, %s at %d", what, how, at)}
				work(d.withUndo(), func() { c.at, c.count = at, 0 }, func() {
					reached = c.count >= at
					c.at = 0
					time.Sleep(2 * time.Minute) // the limit ends
				})
			})
		}
	}
}

// namedTest says in failures which case they are of.
type namedTest struct {
	testing.TB
	name string
}

func (n namedTest) Errorf(format string, a ...any) {
	n.Helper()
	n.TB.Errorf("%s: "+format, append([]any{n.name}, a...)...)
}

// whole reports whether an answer says that all of a call was done.
func whole(answer string, isError bool) bool {
	return !isError && !strings.Contains(answer, `"ok":false`) && !strings.Contains(answer, `"not_attempted"`) && !notApplied.MatchString(answer)
}

var notApplied = regexp.MustCompile(`"not_applied":\["`)

// undoLast takes the last call back, and reports whether the answer says that all of it is back.
func (d *toolEnv) undoLast() (answer string, back bool) {
	answer, isError := d.caller().Raw("undo", args{"last": 1})
	return answer, !isError && strings.Contains(answer, `"tool":"github_`) && strings.Contains(answer, `"result":"undone"`) &&
		!strings.Contains(answer, `"result":"cannot"`) && !strings.Contains(answer, `"result":"refused"`)
}

// A call that is cut at any request did what it answers as done, nothing that it answers as surely
// failed, and nothing twice. What undo then answers as taken back is back.
func TestCalls_OfManyPartsThatAreCutSayWhatIsDone(t *testing.T) {
	for _, x := range slices.Concat(manyParts, notTakenBack) {
		var want map[string]string
		synctest.Test(t, func(t *testing.T) {
			d := newToolEnv(t)
			d.does(append(x.first, x.toolUse)...)
			want = d.sandbox.World()
		})
		cut(t, x.what, func(d *toolEnv, begin, end func()) {
			d.elsewhere().does(x.first...)
			before := d.sandbox.World()
			begin()
			answer, isError := d.caller().Raw("github_"+x.tool, x.with)
			end()
			written := d.sandbox.World()
			if lines := differences(want, written); whole(answer, isError) && len(lines) > 0 {
				d.Errorf("%s answered %.600s", strings.Join(lines, "\n"), answer)
			}
			said := strings.Contains(answer, `"may_have_happened":true`) || strings.Contains(answer, "is changed, but")
			if lines := differences(before, written); isError && !said && len(lines) > 0 {
				d.Errorf("%s answered %.600s", strings.Join(lines, "\n"), answer)
			}
			answer, back := d.undoLast()
			if lines := differences(before, d.sandbox.World()); back && len(lines) > 0 {
				d.Errorf("%s undo answered %.900s", strings.Join(lines, "\n"), answer)
			}
		})
	}
}

// A refusal of the first write is certain: nothing was written.
func TestCalls_OfManyPartsARefusalIsCertain(t *testing.T) {
	kinds := map[string]fault.Code{
		"NOT_FOUND": fault.NotFound, "FORBIDDEN": fault.PermissionDenied, "RATE_LIMITED": fault.RateLimited, "UNPROCESSABLE": fault.InvalidInput,
		"INSUFFICIENT_SCOPES": fault.PermissionDenied,
	}
	statuses := map[int]fault.Code{
		401: fault.TokenExpired, 403: fault.PermissionDenied, 404: fault.NotFound, 409: fault.Conflict, 410: fault.NotFound, 422: fault.InvalidInput, 429: fault.RateLimited,
	}
	refuse := func(x partsOf, refused []sandbox.Fault, code fault.Code) {
		d := newToolEnv(t)
		d.does(x.first...)
		before := d.sandbox.World()
		for _, f := range refused {
			d.sandbox.Inject(f)
		}
		var got told
		requests, _ := d.asked(func() { got = d.refusal(x.tool, x.with) })
		sent := slices.Sorted(slices.Values(writes(requests)))
		if got.Code != code || got.Doubt || len(slices.Compact(slices.Clone(sent))) != len(sent) || len(differences(before, d.sandbox.World())) > 0 {
			t.Errorf("%s of %s: %v, %+v", code, x.what, sent, got)
		}
	}
	for _, x := range slices.Concat(manyParts, notTakenBack) {
		d := newToolEnv(t)
		d.does(x.first...)
		requests, _ := d.asked(func() { call[map[string]any](d, x.tool, x.with) })
		for status, code := range statuses {
			refused := []sandbox.Fault{answers(status, `{"message": "x"}`)}
			refused[0].Document = "mutation "
			for _, method := range []string{"POST", "PATCH", "DELETE"} {
				f := answers(status, `{"message": "x"}`)
				f.Method, f.PathPrefix = method, "/repos"
				refused = append(refused, f)
			}
			refuse(x, refused, code)
		}
		for kind, code := range kinds {
			f := answers(200, complaint(kind, "x"))
			if f.Document = "mutation "; strings.Contains(writes(requests)[0], "graphql") {
				refuse(x, []sandbox.Fault{f}, code)
			}
		}
	}
}

// An undo that is cut says what is not back. What can be tried again is back then.
func TestUndo_OfManyPartsThatIsCutSaysWhatIsLeft(t *testing.T) {
	for _, x := range manyParts {
		cut(t, x.what, func(d *toolEnv, begin, end func()) {
			d.elsewhere().does(x.first...)
			before := d.sandbox.World()
			call[map[string]any](d, x.tool, x.with)
			begin()
			answer, back := d.undoLast()
			end()
			again := answer
			if named := regexp.MustCompile("may have|no longer exists"); named.MatchString(answer) {
				return
			}
			if !back {
				again, _ = d.undoLast()
			}
			if lines := differences(before, d.sandbox.World()); len(lines) > 0 {
				d.Errorf("%s answered %.900s and %.900s", strings.Join(lines, "\n"), answer, again)
			}
		})
	}
}
