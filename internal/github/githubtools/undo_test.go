package githubtools

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/store/memory"
	"basecamp-mcp/internal/tool/mcptool"
)

// undone is the answer of undo.
type undone struct {
	Undone []struct {
		ID, Tool, Result, Reason string
		Except                   []string
		Writes                   []struct {
			What, Type, ID, Result, Reason, At string
			Left, Now                          map[string]any
		}
	}
	Changes []struct {
		Items []struct{ Type, ID, Title string }
	}
}

// withUndo returns the environment of a server that keeps how writes are undone.
func withUndo(t testing.TB) *toolEnv { return newToolEnv(t).withUndo() }

func (d *toolEnv) withUndo() *toolEnv {
	d.calls = calls.New(memory.New(nil), slog.New(slog.DiscardHandler), nil)
	return d.as(d.login, d.scope)
}

// elsewhere returns the environment of another server, which keeps nothing.
func (d *toolEnv) elsewhere() *toolEnv {
	other := *d
	other.calls = nil
	return other.as(d.login, d.scope)
}

// undoes calls undo.
func undoes(d *toolEnv, in args) undone {
	d.Helper()
	return mcptest.Call[undone](d.caller(), "undo", in)
}

// taken takes the last call back.
func (d *toolEnv) taken() undone {
	d.Helper()
	u := undoes(d, args{"last": 1})
	if len(u.Undone) != 1 || len(u.Undone[0].Writes) == 0 && u.Undone[0].Result != "cannot" {
		d.Fatalf("%+v", u)
	}
	return u
}

func differences(before, after map[string]string) (lines []string) {
	for name := range maps.Collect(func(yield func(string, bool) bool) {
		for _, world := range []map[string]string{before, after} {
			for name := range world {
				if before[name] != after[name] && !yield(name, true) {
					return
				}
			}
		}
	}) {
		lines = append(lines, fmt.Sprintf("%s\n was: %s\n now: %s", name, before[name], after[name]))
	}
	return lines
}

func TestUndo_PutsTheWorldBackAfterEveryTool(t *testing.T) {
	for _, test := range costs {
		if effectOf(test.tool) == mcptool.Reads {
			continue
		}
		t.Run(test.tool, func(t *testing.T) {
			d := withUndo(t)
			before := d.sandbox.World()
			call[map[string]any](d, test.tool, test.with)
			written := d.sandbox.World()
			if len(differences(before, written)) == 0 {
				t.Error("the call changed nothing")
			}
			u := d.taken().Undone[0]
			never := map[string]string{"delete_project": "permanently", "remove_project_item": "a new item"}[test.tool]
			if test.with["parent"] != nil || test.with["add_sub_issues"] != nil || test.with["blocked_by"] != nil {
				never = "not taken back"
			}
			if never != "" {
				if u.Result != "cannot" || !strings.Contains(u.Reason, never) {
					t.Errorf("%+v", u)
				}
				return
			}
			if u.Result != "undone" {
				t.Errorf("%+v", u)
			}
			for _, line := range differences(before, d.sandbox.World()) {
				t.Error(line)
			}
			listed := undoes(d, nil).Changes[1].Items[0]
			if listed.Title == "" && listed.Type != "repository" && listed.Type != "project_item" {
				t.Errorf("%+v", listed)
			}
		})
	}
}

// An issue on more boards than are read may be on this one already. Undo leaves it there.
func TestUndo_LeavesAnItemThatWasOnTheBoard(t *testing.T) {
	for tool, document := range map[string]string{"item": "Content(", "items": "Places("} {
		hidden := emptied{document: document}
		d := newToolEnvOn(t, func(next http.RoundTripper) http.RoundTripper { hidden.next = next; return &hidden }).withUndo()
		before := d.sandbox.World()
		with := onLaunch(args{tool: second})
		if tool == "items" {
			with[tool] = []string{second}
		}
		call[map[string]any](d, "add_project_item", with)
		if hidden.document != "" {
			t.Errorf("%s: no %s was sent", tool, document)
		}
		undoes(d, args{"last": 1})
		if lines := differences(before, d.sandbox.World()); len(lines) > 0 {
			t.Errorf("%s: %s", tool, lines)
		}
	}
}

var projectItems = regexp.MustCompile(`"projectItems":\{.*\},"repository":\{`)

// emptied removes the projects of an issue from the answer to a document.
type emptied struct {
	next     http.RoundTripper
	document string
}

func (e *emptied) RoundTrip(r *http.Request) (*http.Response, error) {
	sent, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(sent))
	answer, err := e.next.RoundTrip(r)
	if err == nil && e.document != "" && bytes.Contains(sent, []byte("query "+e.document)) {
		body, _ := io.ReadAll(answer.Body)
		e.document, body = "", projectItems.ReplaceAll(body, []byte(`"projectItems":{"nodes":[],"totalCount":0},"repository":{`))
		answer.Body = io.NopCloser(bytes.NewReader(body))
	}
	return answer, err
}

func TestUndo_SaysWhatIsClosedInPlaceOfDeleted(t *testing.T) {
	d := withUndo(t)
	for tool, in := range map[string]args{
		"create_issue":   {"repo": configurator, "title": "Frame numbers"},
		"create_project": {"title": "Autumn"},
	} {
		call[map[string]any](d, tool, in)
		if u := d.taken().Undone[0]; u.Result != "undone" || !strings.Contains(u.Writes[0].Reason, "closed") {
			t.Errorf("%s: %+v", tool, u)
		}
	}
}

// issueFields are arguments of update_issue, with the call's values and a colleague's.
var issueFields = []struct {
	argument     string
	mine, theirs any
}{
	{"title", "Mine", "Theirs"},
	{"body", "Mine\r\nand more", "Theirs"},
	{"state", "closed", "open"},
	{"labels", []string{"bug"}, []string{}},
	{"assignees", []string{ines}, []string{"sam-lindqvist"}},
	{"milestone", 1, "none"},
}

// A board keeps what colleagues did since.
func TestUndo_KeepsColleaguesValuesOnABoard(t *testing.T) {
	d := withUndo(t)
	call[map[string]any](d, "set_field_value", onLaunch(args{"item": second, "field": "Status", "value": "Done"}))
	call[map[string]any](d.elsewhere(), "set_field_value", onLaunch(args{"item": second, "field": "Status", "value": "Ready"}))
	if u := undoes(d, args{"ids": d.codes(1)}).Undone[0]; u.Result != "undone" { // it is as before
		t.Errorf("%+v", u)
	}
	added := onLaunch(args{"item": configurator + "#142"})
	call[map[string]any](d, "add_project_item", added)
	call[map[string]any](d.elsewhere(), "set_field_value", onLaunch(args{"item": configurator + "#142", "field": "Notes", "value": "Mine"}))
	if u := d.taken().Undone[0]; u.Result != "refused" || len(u.Writes[0].Now) != 1 {
		t.Errorf("%+v", u)
	}
	if v := call[map[string]any](d, "get_field_value", onLaunch(args{"item": configurator + "#142", "field": "Notes"})); v["value"] != "Mine" {
		t.Errorf("%v", v)
	}
}

// codes returns the IDs of the person's last changes.
func (d *toolEnv) codes(n int) (ids []string) {
	d.Helper()
	type listed struct{ Changes []struct{ ID string } }
	for _, c := range mcptest.Call[listed](d.caller(), "undo", nil).Changes[:n] {
		ids = append(ids, c.ID)
	}
	slices.Sort(ids)
	return ids
}
