package basecamptools

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"basecamp-mcp/internal/basecamp/operations"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fence"
)

// aboutPlaces notes what requests are about, as Basecamp sees them: the places of all that a path, a
// query or a body names. The read of an item by its ID alone is noted apart, because its answer is how
// the server learns the project.
type aboutPlaces struct {
	next   http.RoundTripper
	places func() map[int64]int64
	known  map[int64]int64
	about  map[int64][]string // requests, by place
	bare   map[int64][]string // reads of one item by its ID
	across []string           // reads of all projects
}

func (a *aboutPlaces) begin() {
	a.known, a.about, a.bare, a.across = a.places(), map[int64][]string{}, map[int64][]string{}, nil
}

var (
	bareItem = regexp.MustCompile(`^/[0-9]+/[a-z_/]+/([0-9]+)\.json$`)
	idsIn    = regexp.MustCompile(`[0-9]{4,}`)
)

func (a *aboutPlaces) RoundTrip(r *http.Request) (*http.Response, error) {
	body := ""
	if r.Body != nil {
		body = readAll(r)
	}
	_, below, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	line := fmt.Sprint(r.Method, " ", below, " ", r.URL.RawQuery, " ", body)
	if r.Method == http.MethodGet && !idsIn.MatchString(below) {
		a.across = append(a.across, line)
	}
	named := idsIn.FindAllString(below+" "+r.URL.RawQuery, -1)
	if project, inside := strings.CutPrefix(below, "buckets/"); inside { // it finds only what is in the project
		named = idsIn.FindAllString(project, 1)
	}
	if r.Method != http.MethodGet && json.Valid([]byte(body)) {
		named = append(named, idsIn.FindAllString(body, -1)...)
	}
	for _, text := range named {
		id, _ := strconv.ParseInt(text, 10, 64)
		place := a.known[id]
		switch {
		case place == 0:
		case r.Method == http.MethodGet && bareItem.MatchString(r.URL.Path) && !strings.HasPrefix(below, "projects/"):
			a.bare[place] = append(a.bare[place], line)
		default:
			a.about[place] = append(a.about[place], line)
		}
	}
	return a.next.RoundTrip(r)
}

// fencing runs work in a Fernhill whose requests are noted.
func fencing(t *testing.T, work func(d *toolEnv, a *aboutPlaces)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		a := &aboutPlaces{}
		d := newToolEnvOn(t, sandbox.Options{RateLimit: -1}, func(next http.RoundTripper) http.RoundTripper {
			a.next = next
			return a
		})
		a.places = d.sandbox.Places
		a.begin()
		work(d, a)
	})
}

// heldTo returns the environment of a client that is held to projects.
func (d *toolEnv) heldTo(f fence.Fence) *toolEnv {
	other := *d
	other.who.Fence = f
	return &other
}

func projectsOnly(projects ...int64) *fence.Places { return &fence.Places{Projects: projects} }

// toolUse is a call with arguments.
type toolUse struct {
	tool string
	in   args
}

// callsInLaunch returns calls of all tools and operations about the launch project: the usual ones,
// and count variants of each.
func callsInLaunch(d *toolEnv, count int) (calls []toolUse) {
	usually := typical(d)
	for _, tool := range ofBasecamp() {
		in := usually[tool.Name]
		calls = append(calls, toolUse{tool.Name, in})
		v := variants{Rand: rand.New(rand.NewPCG(7, uint64(len(calls))))}
		if json.Unmarshal(tool.InputSchema(), &v.schema) != nil || len(v.schema.Properties) == 0 {
			continue
		}
		for range count {
			calls = append(calls, toolUse{tool.Name, v.of(in)})
		}
	}
	for row := range operations.All {
		calls = append(calls, toolUse{row.Runner(), args{"operation": row.Name, "arguments": usual(d, row)}})
	}
	return calls
}

func TestFence_NoToolAsksForWhatIsOutside(t *testing.T) {
	t.Parallel()
	fencing(t, func(d *toolEnv, a *aboutPlaces) {
		count := 20
		if testing.Short() {
			count = 2
		}
		kit := d.sandbox.ProjectID(winterKit)
		for _, f := range []fence.Fence{{Read: projectsOnly()}, {Read: projectsOnly(kit)}} {
			held := d.heldTo(f)
			for _, c := range callsInLaunch(d, count) {
				a.begin()
				text, _ := held.raw(c.tool, c.in)
				for place, requests := range a.about {
					if !f.Read.HasProject(place) {
						d.Errorf("%s %v: asked for what is outside: %q; answered %.300s", c.tool, c.in, requests, text)
					}
				}
				if strings.Contains(text, `"name":"Cargo Bike Launch"`) || strings.Contains(text, "s3cret") {
					d.Errorf("%s %v: told %.500s", c.tool, c.in, text)
				}
			}
		}
	})
}
