package basecamptools

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/proof/docstest"
	"basecamp-mcp/internal/tool/mcptool"
)

// chainUnit is how long Basecamp takes for each request.
const chainUnit = 10 * time.Millisecond

// chain measures a call: how many requests it sends to Basecamp, and the longest chain of them that
// wait for each other.
type chain struct{ requests, length int }

// chain makes a call on a Basecamp that takes exactly one unit of time for each request. The time
// that the call takes is then the length of its longest chain.
func (d *toolEnv) chain(tool string, in args) (chain, []string) {
	d.Helper()
	d.sandbox.Inject(sandbox.Fault{Delay: chainUnit})
	defer d.sandbox.ClearFaults()
	start := time.Now()
	requests := d.asked(func() {
		if text, isError := d.raw(tool, in); isError {
			d.Errorf("%s %v: %s", tool, in, text)
		}
	})
	return chain{len(requests), int(time.Since(start) / chainUnit)}, requests
}

// The wayCount in which a call names its project or its item.
const (
	wayID = iota
	wayName
	wayKnown // one that an earlier call has named
	wayURL
	wayCount
)

var wayNames = [wayCount]string{"by ID", "by name", "by known name", "by URL"}

// chainOf is a tool's row of the table. Why says what makes a chain longer than its target.
type chainOf struct {
	tool    string
	project string // the argument that names a project
	item    string // the argument that names an item
	kind    string // of the item, in Basecamp's words
	title   string // of the item
	anyKind bool   // the argument takes items of several types
	board   bool   // the call names a board, in the same way as the project
	also    string // what the row shows besides the tool's first one
	more    args   // the other arguments
	why     string
	open    bool // whether a chain may be one shorter: of more than five reads, any may be the last
}

// calls returns the row's call for each way; nil if the tool takes no such reference.
func (c chainOf) calls(d *toolEnv) (calls [wayCount]args) {
	with := func(project, item any) args {
		in := clone(c.more)
		if in == nil {
			in = args{}
		}
		if project != nil && c.project != "" {
			in[c.project] = project
		}
		if c.item != "" {
			in[c.item] = item
			if strings.HasSuffix(c.item, "s") {
				in[c.item] = []any{item}
			}
		}
		return in
	}
	project := launchProject
	if c.more["operation"] == "list_forwards" {
		project = "Customer Care" // the only project with forwards
	}
	id := d.sandbox.ProjectID(project)
	url := fmt.Sprintf("https://3.basecamp.com/%d/projects/%d", d.sandbox.Account(), id)
	switch {
	case c.kind == lookup.CommentKind.Upstream:
		comment, _ := someComment(&worker{toolEnv: d})
		link, _ := basecamp.ParseLink(comment)
		calls[wayID], calls[wayURL] = with(nil, link.Comment), with(nil, comment)
	case c.item != "":
		k := lookup.KindOf(c.kind)
		item := d.sandbox.FindIn(project, c.kind, c.title)
		path := k.Links[0]
		if k.Kind == lookup.CardKind.Kind {
			path = "card_tables/cards"
		}
		calls = [wayCount]args{with(nil, c.typed(item)), with(project, c.typed(c.title)), with(project, c.typed(c.title)), with(nil, d.url(path, item))}
		if c.tool == "list_todos" { // it requires a project
			calls[wayID][c.project], calls[wayURL][c.project] = id, url
		}
		if c.project == "" {
			calls[wayName], calls[wayKnown] = nil, nil
		}
	case c.project != "":
		calls = [wayCount]args{with(id, nil), with(project, nil), with(project, nil), with(url, nil)}
		if c.board {
			board := d.sandbox.FindIn(project, "Kanban::Board", frame)
			for way, name := range []any{board, frame, frame, d.url("card_tables", board)} {
				calls[way]["board"] = name
			}
		}
	default:
		calls[wayID] = with(nil, nil)
	}
	return calls
}

// typed returns an ID or a title, with its type where a tool takes items of several types.
func (c chainOf) typed(ref any) any {
	if c.anyKind {
		return fmt.Sprintf("%s:%v", lookup.KindOf(c.kind).Kind, ref)
	}
	return ref
}

// knowing makes the call that names the project and the item first.
func (c chainOf) knowing(d *toolEnv, in args, writes bool) {
	switch {
	case !writes:
		d.raw(c.tool, in)
	case c.item != "":
		d.raw("read_basecamp", operation("get_history", args{"item": lookup.KindOf(c.kind).Kind + ":" + c.title, "project": launchProject}))
	default:
		d.raw("get_project_tools", args{"project_id": launchProject})
	}
}

// target returns the longest chain that needs no reason: one for the request itself, one more for
// each name that is not known, and one more for the read that a write merges with.
func (c chainOf) target(way int, writes bool) int {
	length := 1
	if way == wayName {
		length++
		if c.item != "" {
			length++
		}
	}
	if writes {
		length++
	}
	return length
}

// told returns the lengths of the row's chains in testdata/chains.md; 0 for a way that the tool
// does not have.
func (c chainOf) told(page string) (lengths [wayCount]int) {
	_, cells, _ := strings.Cut(page, "\n| "+c.tool+c.also+" | ")
	for way := range wayCount {
		var cell string
		cell, cells, _ = strings.Cut(cells, " | ")
		_, _ = fmt.Sscanf(cell, "%d (", &lengths[way])
	}
	return lengths
}

// measured returns the row's chains in fresh environments. Five requests run at a time, and which
// of several goes first is open. So a chain that is not as in the table is measured again.
func (c chainOf) measured(t *testing.T, tool mcptool.Tool, told [wayCount]int) (chains [wayCount]chain) {
	writes := tool.Effect != mcptool.Reads
	for way := range wayCount {
		var requests []string
		for range 10 {
			if chains[way], requests = c.once(t, way, writes); chains[way].length == told[way] {
				break
			}
		}
		if c.open && chains[way].length == told[way]-1 {
			chains[way].length++ // the longer of the two is in the table
		}
		length := chains[way].length
		if length > c.target(way, writes) && c.why == "" {
			t.Errorf("%s %s: a chain of %d requests has no reason: %s", c.tool, wayNames[way], length, strings.Join(requests, "; "))
		}
		if length != told[way] {
			t.Logf("%s %s: a chain of %d requests, and %d in the table: %s", c.tool, wayNames[way], length, told[way], strings.Join(requests, "; "))
		}
	}
	return chains
}

// once measures one of the row's chains. The requests are nil if the tool has no such way.
func (c chainOf) once(t *testing.T, way int, writes bool) (measured chain, requests []string) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(recipeClock)) // synctest's clock
		d := newToolEnv(t, sandbox.Options{RateLimit: -1})
		d.short = true
		in := c.calls(d)[way]
		if in == nil {
			return
		}
		if way == wayKnown {
			c.knowing(d, in, writes)
		}
		measured, requests = d.chain(c.tool, in)
	})
	return measured, requests
}

// line returns the row as a line of the table in testdata/chains.md.
func (c chainOf) line(chains [wayCount]chain) string {
	cells := make([]string, wayCount)
	for way, measured := range chains {
		cells[way] = "–"
		if measured.length > 0 {
			cells[way] = fmt.Sprintf("%d (%d)", measured.length, measured.requests)
		}
	}
	return fmt.Sprintf("| %s | %s | %s |\n", c.tool+c.also, strings.Join(cells, " | "), c.why)
}

// A longer chain fails, and so does a shorter one until UPDATE_GOLDEN=1 writes it into the table.
func TestChains_AreAsLongAsTheTableSays(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	if underRace {
		t.Skip("the race detector slows this test down too much")
	}
	tools := map[string]mcptool.Tool{}
	for _, tool := range ofBasecamp() {
		tools[tool.Name] = tool
	}
	named := map[string]bool{}
	var table strings.Builder
	table.WriteString("| tool | " + strings.Join(wayNames[:], " | ") + " | why longer than the target |\n|---|---|---|---|---|---|\n")
	page, err := os.ReadFile(filepath.Join("testdata", "chains.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range chains {
		named[c.tool] = true
		table.WriteString(c.line(c.measured(t, tools[c.tool], c.told(string(page)))))
	}
	for name := range tools {
		if !named[name] && name != "find_operation" { // it asks Basecamp for nothing
			t.Errorf("%s has no row in chains_table_test.go", name)
		}
	}
	docstest.Section(t, "internal/basecamp/basecamptools/testdata/chains.md", "chains", table.String())
}
