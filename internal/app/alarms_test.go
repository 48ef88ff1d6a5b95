package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/proof/stacktest"
)

// rings returns the alarms of the template whose metrics are at their thresholds, if all lines are
// of one moment. Tests of telemetry and of the template hold that the fields are these metrics, and
// those of the stores and of grant hold which failures count.
func (p *place) rings() (ringing string) {
	p.Helper()
	sums := map[string]float64{}
	for line := range bytes.Lines(p.log.Bytes()) {
		var fields map[string]any
		if err := json.Unmarshal(line, &fields); err != nil {
			p.Fatal(err)
		}
		for _, name := range []string{"Faults", "SignOnFailures"} {
			n, _ := fields[name].(float64)
			sums[name] += n
		}
	}
	for _, id := range []string{"ErrorAlarm", "SignOnAlarm"} {
		alarm := must(stacktest.Resource(id))
		if threshold, err := strconv.ParseFloat(alarm["Threshold"].(string), 64); err != nil || sums[alarm["MetricName"].(string)] >= threshold {
			ringing += id
		}
	}
	return ringing
}

func (p *place) tool(bearer, name, arguments string) string {
	p.Helper()
	_, _, body := send(p.T, p.url+"/mcp/x/basecamp,github", bearer, "tools/call", `{"name":"`+name+`","arguments":`+arguments+`}`)
	return body
}

// team has users with one account each.
var team = []string{"ines", "priya", "jonas", "hanna", "tomas"}

// atOnce makes the server repeat a request without a pause.
var atOnce = http.Header{"Retry-After": {"0"}}

func TestAlarms_RingOnlyOnceAFailureIsRepeatedOftenEnough(t *testing.T) {
	refused := sandbox.Fault{PathPrefix: "/authorization/token", Status: http.StatusUnauthorized, Body: `{"error":"invalid_client"}`}
	for name, test := range map[string]struct {
		alarm string
		times int
		fault sandbox.Fault
		fail  func(p *place, n int)
	}{
		"a defect": {"ErrorAlarm", 1, sandbox.Fault{Status: http.StatusNotAcceptable}, func(p *place, _ int) { p.whoAmI("sandbox-ines") }},
		"connections end": {"SignOnAlarm", 5, sandbox.Fault{PathPrefix: "/none"}, func(p *place, n int) {
			access, _ := p.logIn(team[n])
			p.sandbox.RevokeGrants(p.person(team[n]).IdentityID)
			p.whoAmI(access)
		}},
		"the sign-on refuses codes": {"SignOnAlarm", 3, refused, func(p *place, _ int) { p.signIn(p.register("http://127.0.0.1/done"), "ines") }},
		"the sign-on refuses the deployment": {"SignOnAlarm", 1, sandbox.Fault{PathPrefix: "/none"}, func(p *place, _ int) {
			access, _ := p.logIn("ines")
			p.expire("ines")
			p.sandbox.Inject(refused)
			p.whoAmI(access)
		}},
	} {
		p := openFunction(t, "fernhill")
		p.sandbox.Inject(test.fault)
		for n := range test.times {
			if rings := p.rings(); rings != "" {
				t.Errorf("%s: after %d, there rings %s", name, n, rings)
			}
			test.fail(p, n)
		}
		if rings := p.rings(); rings != test.alarm {
			t.Errorf("%s: %q rings", name, rings)
		}
	}
}

func TestAlarms_StayQuietInNormalUse(t *testing.T) {
	w := openFunction(t, "fernhill")
	var bearers []string
	for _, handle := range team {
		access, _ := w.logIn(handle)
		bearers = append(bearers, access)
	}
	for n := range 10 {
		bearer := bearers[n%len(bearers)]
		w.whoAmI(bearer)
		w.tool(bearer, "get_todo", fmt.Sprintf(`{"todo_id":"%d"}`, 404+n))
		w.tool(bearer, "get_todo", `{"todo_id":"`+strings.Repeat("9", 40)+`"}`)
		w.tool(bearer, "github_list_projects", `{}`) // of a user who never linked GitHub
		w.tool("sandbox-ines-readonly", "create_todos", `{"project":"Cargo Bike Launch","todos":[{"content":"Oil the chains"}]}`)
		send(t, w.url+"/mcp", "unknown", "tools/list", `{}`)
		w.token("grant_type", "authorization_code", "client_id", "unknown", "code", "unknown")
		w.sandbox.Inject(sandbox.Fault{Status: http.StatusTooManyRequests, Header: atOnce, Times: 1})
		w.whoAmI(bearer)
		w.sandbox.Inject(sandbox.Fault{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"600"}}, Times: 1})
		w.tool(bearer, "list_projects", `{}`)
		w.sandbox.Inject(sandbox.Fault{Status: http.StatusBadGateway, Header: atOnce, Times: 1})
		w.whoAmI(bearer)
	}
	w.expire("ines")
	w.whoAmI(bearers[0])
	w.sandbox.Inject(sandbox.Fault{Status: http.StatusServiceUnavailable, Header: atOnce, Times: 3})
	w.tool(bearers[1], "list_projects", `{}`)
	w.sandbox.RevokeGrants(w.person(team[3]).IdentityID)
	w.whoAmI(bearers[3])
	w.sandbox.Inject(sandbox.Fault{PathPrefix: "/authorization/token", Status: http.StatusBadRequest, Body: `{"error":"invalid_grant"}`, Times: 1})
	w.signIn(w.register("http://127.0.0.1/done"), "ines") // with a code that has expired
	for _, code := range []string{"NOT_FOUND", "INVALID_INPUT", "RATE_LIMITED", "TOKEN_EXPIRED", "UPSTREAM_ERROR"} {
		if !strings.Contains(w.log.String(), `"outcome":"`+code+`"`) {
			t.Errorf("no call failed with %s: %s", code, regexp.MustCompile(`"outcome":"\w+"`).FindAllString(w.log.String(), -1))
		}
	}
	if rings := w.rings(); rings != "" {
		t.Errorf("%s rings", rings)
	}
}
