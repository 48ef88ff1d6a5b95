package app

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
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

// team has users with one account each.
var team = []string{"ines", "priya", "jonas", "hanna", "tomas"}

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
			access := p.LogIn(team[n]).Access
			p.sandbox.RevokeGrants(p.person(team[n]).IdentityID)
			p.whoAmI(access)
		}},
		"the sign-on refuses codes": {"SignOnAlarm", 3, refused, func(p *place, _ int) { p.SignIn(p.Register(), "ines") }},
		"the sign-on refuses the deployment": {"SignOnAlarm", 1, sandbox.Fault{PathPrefix: "/none"}, func(p *place, _ int) {
			access := p.LogIn("ines").Access
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
