package githubtools

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/github/sandbox"
)

// pause lets time pass in a bubble.
func pause(t *testing.T, d time.Duration) {
	t.Helper()
	timer := time.NewTimer(d)
	select {
	case <-timer.C:
	case <-t.Context().Done():
	}
}

// The clock of a bubble begins at 946684800, 2000-01-01 in UTC.
func TestRESTLimits_AHeaderWithoutAMeaningNeitherMeansNowNorZero(t *testing.T) {
	minute := told{Code: fault.RateLimited, Message: later + "60 s", Retryable: true, Wait: 60}
	saying := func(figures *fault.RateLimit) told {
		want := minute
		want.RateLimit = figures
		return want
	}
	for name, x := range map[string]struct {
		headers []string
		want    told
	}{
		"absent": {nil, minute},
		"empty":  {[]string{"Retry-After", "", "X-RateLimit-Limit", "", "X-RateLimit-Remaining", "", "X-RateLimit-Reset", ""}, minute},
		"negative": {[]string{"Retry-After", "-5", "X-RateLimit-Limit", "-1", "X-RateLimit-Remaining", "-1", "X-RateLimit-Reset", "-946685100"},
			minute},
		"garbage":                 {[]string{"Retry-After", "planted", "X-RateLimit-Limit", "0x1388", "X-RateLimit-Remaining", "none", "X-RateLimit-Reset", "1e12"}, minute},
		"fractions":               {[]string{"Retry-After", "0.5", "X-RateLimit-Remaining", "0.0", "X-RateLimit-Reset", "946685100.5"}, minute},
		"zero":                    {[]string{"Retry-After", "0"}, minute},
		"a date in the past":      {[]string{"Retry-After", "Fri, 31 Dec 1999 23:59:59 GMT"}, minute},
		"a reset in the past":     {[]string{"X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "946684799"}, saying(&fault.RateLimit{Remaining: new(0)})},
		"a reset of now":          {[]string{"X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "946684800"}, saying(&fault.RateLimit{Remaining: new(0)})},
		"a reset in milliseconds": {[]string{"X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "946685100000"}, saying(&fault.RateLimit{Remaining: new(0)})},
		"the largest reset":       {[]string{"X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "9223372036854775807"}, saying(&fault.RateLimit{Remaining: new(0)})},
		"a wait of years":         {[]string{"Retry-After", "2147483647"}, minute},
		"a date in 9999":          {[]string{"Retry-After", "Fri, 31 Dec 9999 23:59:59 GMT"}, minute},
		"points left":             {[]string{"X-RateLimit-Remaining", "12", "X-RateLimit-Reset", "946685100"}, saying(&fault.RateLimit{Remaining: new(12), Reset: new(int64(946685100))})},
		"a date": {[]string{"Retry-After", "Sat, 01 Jan 2000 00:01:30 GMT"},
			told{Code: fault.RateLimited, Message: later + "90 s", Retryable: true, Wait: 90, RateLimit: &fault.RateLimit{RetryAfter: new(90)}}},
	} {
		want := x.want
		want.About = fault.Resource{Type: "issue", ID: configurator + "#77"}
		want.Upstream = upstreamOf(429, "rate limited")
		row := restRefusal{fault: answers(429, "planted", x.headers...)}
		row.rest(t, name, "GET", "get_issue", args{"issue": configurator + "#77"}, want, 1)
		row.rest(t, name, "PATCH", "update_issue", args{"issue": configurator + "#77", "title": "Bell"}, want, 1)
	}
}

// sends returns the requests that a user has sent.
func sends(d *toolEnv, login string) (rest, graphql int) {
	for _, r := range d.sandbox.Requests() {
		switch {
		case r.Person != login:
		case r.Operation == "":
			rest++
		default:
			graphql++
		}
	}
	return rest, graphql
}

func TestRESTLimits_ALimitedUserSendsNothingMoreOfThatResourceUntilTheReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newToolEnv(t)
		figures := &fault.RateLimit{Limit: new(5000), Remaining: new(0), Reset: new(int64(946685100))}
		limited := answers(403, "", "X-RateLimit-Limit", "5000", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "946685100", "X-RateLimit-Resource", "core")
		limited.Times = 1
		d.sandbox.Inject(limited)
		d.refusal("get_issue", args{"issue": configurator + "#77"})
		pause(t, 100*time.Second)
		d.sandbox.ResetRequests()
		unasked := told{
			Code: fault.RateLimited, Message: later + "200 s", Retryable: true, Wait: 200, RateLimit: figures,
			Upstream: fault.Upstream{Provider: "github", Message: "not asked, because this user's rate limit is used up"},
		}
		for _, x := range []struct {
			tool  string
			with  args
			about fault.Resource
		}{
			{"get_issue", args{"issue": configurator + "#77"}, fault.Resource{Type: "issue", ID: configurator + "#77"}},
			{"create_issue", args{"repo": configurator, "title": "Bell"}, fault.Resource{Type: "repository", ID: configurator}},
			{"create_milestone", args{"repo": configurator, "title": "Autumn"}, fault.Resource{Type: "repository", ID: configurator}},
			{"add_issue_comment", args{"issue": configurator + "#77", "body": "Fixed"}, fault.Resource{Type: "issue", ID: configurator + "#77"}},
		} {
			want := unasked
			want.About = x.about
			if diff := cmp.Diff(want, d.refusal(x.tool, x.with)); diff != "" {
				t.Errorf("%s: %s", x.tool, diff)
			}
		}
		call[map[string]any](d, "get_project", args{"project": launch})
		if rest, graphql := sends(d, ines); rest != 0 || graphql != 2 {
			t.Errorf("%d requests of REST and %d of GraphQL", rest, graphql)
		}
		pause(t, 200*time.Second)
		call[issueDetails](d, "get_issue", args{"issue": configurator + "#77", "include_comments": false})
		if rest, _ := sends(d, ines); rest != 1 {
			t.Errorf("%d requests after the reset", rest)
		}
	})
}

func TestRESTLimits_OfGraphQLAreNotThoseOfREST(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newToolEnv(t)
		d.sandbox.Inject(sandbox.Fault{PathPrefix: "/api/graphql", Times: 1, Status: 200, Body: `{"errors": [{"type": "RATE_LIMITED", "message": "planted"}]}`})
		for range 2 {
			if f := d.refusal("get_project", args{"project": launch}); f.Code != fault.RateLimited || f.Wait != 60 || f.RateLimit != nil {
				t.Errorf("%+v", f)
			}
		}
		call[issueDetails](d, "get_issue", args{"issue": configurator + "#77", "include_comments": false})
		call[milestone](d, "create_milestone", args{"repo": configurator, "title": "Autumn"})
		if rest, graphql := sends(d, ines); rest != 2 || graphql != 1 {
			t.Errorf("%d requests of REST and %d of GraphQL", rest, graphql)
		}
	})
}

func TestRESTLimits_OfOneUserAreNotThoseOfAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newToolEnv(t)
		other := d.another("lieke-vdmeer")
		limited := answers(429, "", "Retry-After", "300")
		limited.Times = 1
		d.sandbox.Inject(limited)
		d.fails(fault.RateLimited, "get_issue", args{"issue": configurator + "#77"})
		if i := call[issueDetails](other, "get_issue", args{"issue": configurator + "#77"}); i.Number != 77 {
			t.Errorf("%+v", i)
		}
		d.fails(fault.RateLimited, "get_issue", args{"issue": configurator + "#77"})
		if rest, _ := sends(d, ines); rest != 1 {
			t.Errorf("%d requests of the limited user", rest)
		}
	})
}

func TestRESTLimits_AShortWaitPassesInsideTheCallExceptForACreate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newToolEnv(t)
		short := answers(429, "", "Retry-After", "7")
		short.Times = 1
		d.sandbox.Inject(short)
		start := time.Now()
		call[issueDetails](d, "get_issue", args{"issue": configurator + "#77", "include_comments": false})
		if took := time.Since(start); took != 7*time.Second {
			t.Errorf("took %s", took)
		}
		d.sandbox.Inject(short)
		start = time.Now()
		f := d.refusal("create_issue", args{"repo": configurator, "title": "Bell"})
		if f.Code != fault.RateLimited || f.Wait != 7 || f.Doubt || time.Since(start) != 0 {
			t.Errorf("%+v after %s", f, time.Since(start))
		}
	})
}

func TestRESTLimits_AWaitOfZeroInAnOutageIsNotTakenAtItsWord(t *testing.T) {
	for name, x := range map[string]struct {
		wait  string
		least time.Duration
	}{
		"zero": {"0", 3 * time.Second}, "past": {"Fri, 31 Dec 1999 23:59:59 GMT", 3 * time.Second}, "garbage": {"soon", 3 * time.Second},
		"years": {"2147483647", 3 * time.Second}, "five": {"5", 10 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			d := newToolEnv(t)
			d.sandbox.Inject(answers(http.StatusServiceUnavailable, "", "Retry-After", x.wait))
			start := time.Now()
			f := d.refusal("get_issue", args{"issue": configurator + "#77"})
			if took := time.Since(start); took < x.least || took > x.least+time.Second || len(d.sandbox.Requests()) != 3 || f.RateLimit != nil {
				t.Errorf("%s: %d requests in %s, %+v", name, len(d.sandbox.Requests()), took, f)
			}
			if want := map[string]int{"five": 5}[name]; f.Wait != want {
				t.Errorf("%s: wait %d", name, f.Wait)
			}
		})
	}
}

func TestRESTLimits_ASuccessThatSpendsTheLastRequestStopsTheUser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := (&toolEnv{TB: t, sandbox: sandbox.New(sandbox.Options{CoreLimit: 2})}).as(ines, "repo project read:org")
		call[issueDetails](d, "get_issue", args{"issue": configurator + "#12", "include_comments": false})
		call[page[issue]](d, "list_issues", args{"repo": configurator}) // spends the last request
		d.sandbox.ResetRequests()
		f := d.refusal("get_issue", args{"issue": configurator + "#77"})
		if f.Code != fault.RateLimited || *f.RateLimit.Remaining != 0 || *f.RateLimit.Limit != 2 || f.Wait != 3600 || len(d.sandbox.Requests()) != 0 {
			t.Errorf("%+v after %d requests", f, len(d.sandbox.Requests()))
		}
	})
}
