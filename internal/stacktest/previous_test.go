package stacktest_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-lambda-go/lambda"

	"basecamp-mcp/internal/mcptest"
)

// TestPreviousRelease_GoesOnWithTheDataOfThisOne runs the binaries of older code next to those of
// this code, on the same table and secrets.
func TestPreviousRelease_GoesOnWithTheDataOfThisOne(t *testing.T) {
	integration(t)
	if _, err := git("rev-parse", "--verify", "HEAD"); err != nil {
		t.Skip("this directory is not a git clone, so it has no older code")
	}
	if ref := older(t); ref != "" {
		sideBySide(t, ref)
	}
}

// older returns the commit in PREVIOUS, or the newest tag vX.Y.Z before the last commit. Without a
// release, there is nothing that must stay readable, and older returns "".
func older(t *testing.T) (ref string) {
	t.Helper()
	if ref = os.Getenv("PREVIOUS"); ref != "" {
		commit, err := git("rev-parse", "--verify", "--end-of-options", ref+"^{commit}")
		if err != nil {
			t.Fatalf("PREVIOUS=%s is no commit of this clone; if the clone is shallow, run git fetch --unshallow --tags", ref)
		}
		return commit
	}
	if _, err := git("rev-parse", "--verify", "HEAD^"); err == nil {
		ref, _ = git("describe", "--tags", "--abbrev=0", "--match", "v[0-9]*.[0-9]*.[0-9]*", "--exclude", "*-*", "HEAD^")
	}
	if ref == "" {
		t.Log("this clone has no release before the last commit; a shallow clone lacks it until git fetch --unshallow --tags")
	}
	return ref
}

// git returns the output of a git command in this module.
func git(arguments ...string) (string, error) {
	out, err := exec.Command("git", append([]string{"-C", root}, arguments...)...).Output()
	return strings.TrimSpace(string(out)), err
}

// module writes the files of a commit to a temporary directory.
func module(t *testing.T, ref string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	archive := filepath.Join(t.TempDir(), "module.tar")
	if _, err := git("archive", "--format=tar", "--output="+archive, ref); err != nil {
		t.Fatalf("git archive %s: %v", ref, err)
	}
	if said, err := exec.Command("tar", "-xf", archive, "-C", dir).CombinedOutput(); err != nil {
		t.Fatalf("tar: %v\n%s", err, said)
	}
	return dir
}

// sideBySide runs this code and older code in turns. The older code has the roles of this template,
// because roles change at once.
func sideBySide(t *testing.T, ref string) {
	t.Logf("the older code is %s", ref)
	olderModule := module(t, ref)
	d := prepare(t)
	at := func(function string) services { return d.services.behind(d.roles[function]) }
	now := d.ship(at)
	d.setUp()
	before := d.shipFrom(olderModule, at)

	d.runs(now)
	ines := d.logIn("ines")
	agent := d.starts(ines.access)
	for i, running := range []fleets{before, now, before, now} {
		turn := i + 1 // the first turn stored what the agent has
		d.runs(running)
		d.wantMe(agent.access, "Ines Albrecht")
		agent.goesOn(turn)
		if turn == 1 { // a token that replaced a refused one must not be refused soon
			d.sandbox.ExpireToken(d.upstreamToken(""))
			d.wantMe(agent.access, "Ines Albrecht") // refreshes the token of Basecamp
		}
		renewed := d.token("grant_type", "refresh_token", "client_id", ines.client, "refresh_token", ines.refresh)
		if renewed["access_token"] == "" || renewed["refresh_token"] == "" {
			t.Fatalf("turn %d: the tokens are not renewed: %v\n%s", turn, renewed, running)
		}
		ines.access, ines.refresh, agent.access = renewed["access_token"], renewed["refresh_token"], renewed["access_token"]
	}

	// Each step of a sign-in reaches another release than the step before.
	d.alternate(before, now)
	d.wantMe(d.logIn("priya").access, "Priya Raman")
	d.alternate(now, before)
	priya := d.logIn("priya")
	d.wantMe(priya.access, "Priya Raman")

	// What one release ends has ended for the other.
	d.runs(before)
	if ended, body := d.ask(http.MethodDelete, "/mcp", agent.access, agent.id, ""); ended.StatusCode != http.StatusNoContent {
		t.Errorf("ending the session: HTTP %d %s", ended.StatusCode, body)
	}
	d.revoke(ines.client, ines.refresh)
	d.runs(now)
	d.wantShutOut(ines.access)
	if left, body := d.ask(http.MethodPost, "/mcp", priya.access, agent.id, mcptest.Message("ping", `{}`)); left.StatusCode != http.StatusNotFound {
		t.Errorf("a call in the ended session: HTTP %d %s", left.StatusCode, body)
	}
	d.disconnect("priya", "Read your name and access")
	d.runs(before)
	d.wantShutOut(priya.access)
}

// runs puts the functions of a release behind the gateway.
func (d *deployed) runs(running fleets) {
	for function, fleet := range running {
		d.gateway.functions[function] = fleet
	}
	d.log = running
}

// alternate sends every second request for a function to another release.
func (d *deployed) alternate(first, second fleets) {
	both := fleets{}
	for function := range d.gateway.functions {
		if first[function] == nil || second[function] == nil {
			continue
		}
		d.gateway.functions[function] = &alternating{releases: [2]lambda.Handler{first[function], second[function]}}
		both[function] = &fleet{all: append(first[function].all[:fleetSize:fleetSize], second[function].all...)}
	}
	d.log = both
}

type alternating struct {
	releases [2]lambda.Handler
	turn     atomic.Int64
}

func (a *alternating) Invoke(ctx context.Context, event []byte) ([]byte, error) {
	return a.releases[(a.turn.Add(1)-1)%2].Invoke(ctx, event)
}

// agent is an agent that works through several releases.
type agent struct {
	session
	made map[string]string // the IDs of what the idempotent calls made, by tool
}

// idempotent are calls that make something once, by their tool.
var idempotent = map[string]string{
	"add_task":        `{"title":"Order brake pads","idempotency_key":"pads"}`,
	"create_todolist": `{"project":"Cargo Bike Launch","name":"Before the launch","idempotency_key":"launch"}`,
}

// starts stores something of each kind: a session with a checklist, a task, results by idempotency
// key, and the record of these calls.
func (d *deployed) starts(access string) *agent {
	d.Helper()
	a := &agent{session: d.begin(access), made: map[string]string{}}
	a.sets(0)
	for tool := range idempotent {
		a.made[tool] = a.makes(tool)
	}
	a.wantCalls("todolist__set", "add_task", "create_todolist")
	return a
}

// sets stores a checklist of one item, whose text is the number of the turn.
func (a *agent) sets(turn int) {
	a.Helper()
	list := fmt.Sprintf(`{"todos":[{"content":"Turn %d","status":"in_progress","activeForm":"Turn %d runs"}]}`, turn, turn)
	a.wantSaid("todolist__set", list, fmt.Sprintf(`"revision":%d`, turn+1))
}

// makes makes an idempotent call and returns the ID of what it made.
func (a *agent) makes(tool string) string {
	a.Helper()
	said := a.wantSaid(tool, idempotent[tool], `"structuredContent":{`)
	found := madeID.FindStringSubmatch(said)
	if found == nil {
		a.Fatalf("%s made something without an ID: %s", tool, said)
	}
	return found[1]
}

var madeID = regexp.MustCompile(`"structuredContent":\{.*?"id":"?([\w-]+)`)

// goesOn reads and changes everything that the agent stored before this turn.
func (a *agent) goesOn(turn int) {
	a.Helper()
	a.wantSaid("todolist__get", `{}`, fmt.Sprintf(`"Turn %d"`, turn-1))
	a.wantSaid("todolist__get", `{"lists":true}`, fmt.Sprintf("Turn %d runs", turn-1))
	a.sets(turn)
	for tool, made := range a.made {
		if again := a.makes(tool); again != made {
			a.Errorf("turn %d: %s with the same key made %s, then %s", turn, tool, made, again)
		}
	}
	is, becomes := `"completed":false`, `"completed":true`
	if turn%2 == 0 {
		is, becomes = becomes, is
	}
	a.wantSaid("list_tasks", `{"status":"all"}`, is)
	a.wantSaid("complete_task", `{"task_id":"`+a.made["add_task"]+`",`+becomes+`}`, becomes)
	a.wantSaid("list_tasks", `{"status":"all"}`, `"total":1`)
	a.wantSaid("connections", `{}`, `"status":"active"`)
	a.wantCalls("create_todolist", "complete_task")
}
