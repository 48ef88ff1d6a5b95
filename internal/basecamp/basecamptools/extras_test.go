package basecamptools

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/listing"
)

// probe is a call of a tool. Together, the probes make a tool read every kind of item.
type probe struct {
	tool    string
	in      args
	changed string // path of a to-do that is assigned before the call
}

// probes returns calls that make every kind of read, in a fixed order.
func probes(d *toolEnv) []probe {
	var all []probe
	calls := typical(d)
	for _, tool := range ofBasecamp() {
		all = append(all, probe{tool: tool.Name, in: calls[tool.Name]})
	}
	in := func(kind, title string) int64 { return d.sandbox.FindIn(launch, kind, title) }
	for _, item := range []struct {
		path string
		id   int64
	}{
		{"todos", in("Todo", "Sign off the final frame drawing, revision F")}, {"card_tables/cards", d.sandbox.Find("Kanban::Card", kickstand)},
		{"messages", in("Message", colourVote)}, {"uploads", in("Upload", "torque-values.md")}, {"todolists", in("Todolist", "Test rides")},
		{"vaults", d.sandbox.ToolID(launch, "vault")}, {"questions", in("Question", daily)}, {"schedule_entries", in("Schedule::Entry", "Photographer")},
		{"projects", 0},
	} {
		url := d.url(item.path, item.id)
		if item.id == 0 {
			url = fmt.Sprintf("https://3.basecamp.com/%d/projects/%d", d.sandbox.Account(), d.sandbox.ProjectID(launch))
		}
		all = append(all, probe{tool: "get_item", in: args{"url": url}})
	}
	comment, _ := someComment(&worker{toolEnv: d})
	forward := call[listing.Scroll[listedMail]](d, "read_basecamp", args{"operation": "list_forwards", "project": "Customer Care", "detail": "full"}).Items[0]
	card := fmt.Sprintf("card:%d", d.sandbox.Find("Kanban::Card", kickstand))
	assigned := d.sandbox.Find("Todo", "Call the insurer about demo rides")
	return append(all,
		probe{tool: "get_item", in: args{"url": comment}},
		probe{tool: "get_item", in: args{"url": forward.URL}},
		probe{tool: "list_todos", in: args{"project_id": launch}},
		probe{tool: "set_completed", in: args{"item": card, "completed": true}},
		probe{tool: "get_board", in: args{"project": launch, "board": frame, "column": "Done"}},
		probe{"read_basecamp", operation("get_history", args{"item": fmt.Sprint("todo:", assigned)}), todoPath(assigned)},
		probe{tool: "read_basecamp", in: operation("get_history", args{"item": card})},
	)
}

// optionalReads maps the reads that a tool can answer without to what the answer then contains. A
// failure of any other read fails the call.
var optionalReads = map[string]string{
	"get_project_tools /projects/N/people.json":                `"left_out":["people_count: Basecamp has no people of project `,
	"get_me /account.json":                                     `"left_out":["name of the account: `,
	"get_message /recordings/N/comments.json":                  `"left_out":["comments: Basecamp has no comments of item `,
	"get_todo /todolists/N.json":                               `"left_out":["group: Basecamp has no todolist `,
	"get_activity /chats/N/lines.json":                         `"left_out":["numbers of chat lines: `,
	"list_comments /projects/N/people.json":                    `"left_out":["clients_see: `,
	"search /my/drafts.json":                                   `"left_out":["drafts: `,
	"search /projects/N/people.json":                           `"left_out":["clients_see: `,
	"search /todolists/N.json":                                 `"left_out":["clients_see: `,
	"get_report /projects/N/people.json":                       `"left_out":["seen_by: `,
	"get_activity /my/profile.json":                            `"left_out":["time zone (times are in UTC): `,
	"get_report /todos/completed.json":                         `"left_out":["completed to-dos: `,
	"get_report /cards/completed.json":                         `"left_out":["completed cards: `,
	"get_report /todos/overdue.json":                           `"left_out":["overdue to-dos: `,
	"get_report /cards/overdue.json":                           `"left_out":["overdue cards: `,
	"get_report /reports/schedules/upcoming.json":              `"left_out":["upcoming: `,
	"get_report /projects/recordings.json":                     `"left_out":["messages: `,
	"read_basecamp /people.json":                               `"left_out":["names of assignees: `,
	"read_basecamp /card_tables/columns/N.json":                `"what":"moved it`,
	"get_item /card_tables/columns/N.json":                     `"last_move":{"at":`,
	"get_file /blobs/download":                                 `"shown":"nothing","why_not":"the content could not be read: `,
	"get_file /storage":                                        `"shown":"nothing","why_not":"the content could not be read: `,
	"list_documents /vaults/N/vaults.json":                     `"left_out":["folders: Basecamp has no folders of folder `,
	"list_todolists /projects/recordings.json":                 `"left_out":["groups: Basecamp has no list of items of project `,
	"list_todos /projects/recordings.json":                     `"left_out":["to-dos in groups: `,
	"list_todos /todolists/N/groups.json":                      `"left_out":["to-dos in groups: Basecamp has no groups of todolist `,
	"list_checkins /my/question_reminders.json":                `"left_out":["pending_for: `,
	"list_checkins /questions/N/answers.json":                  `"left_out":["last_answers: Basecamp has no answers of question `,
	"get_board /card_tables/lists/N/cards.json":                `"left_out":["cards of \"`,
	"get_item /projects/N/people.json":                         `"left_out":["clients_see: `,
	"get_item /recordings/N/comments.json":                     `"left_out":["comments: `,
	"get_item /recordings/N/events.json":                       `"left_out":["last_move: `,
	"get_item /todolists/N.json of a to-do":                    `"left_out":["group: `,
	"get_item /todolists/N/groups.json":                        `"left_out":["groups: `,
	"get_item /vaults/N/vaults.json":                           `"left_out":["folders: `,
	"get_item /vaults/N/documents.json":                        `"left_out":["documents: `,
	"get_item /vaults/N/uploads.json":                          `"left_out":["files: `,
	"get_item /my/question_reminders.json":                     `"left_out":["pending_for: `,
	"get_item /questions/N/answers.json":                       `"left_out":["last_answers: `,
	"get_item /my/profile.json":                                `"left_out":["time zone (times are in UTC): `,
	"get_item /inbox_forwards/N/replies.json":                  `"left_out":["replies: `,
	"get_item /comments/N.json":                                `"note":"what this URL scrolls to no longer exists`,
	"get_item /blobs/download":                                 `"shown":"nothing","why_not":"the content could not be read: `,
	"get_item /storage":                                        `"shown":"nothing","why_not":"the content could not be read: `,
	"set_completed /card_tables/N.json, another":               `"changed":true`,
	"create_comment /recordings/N/subscription.json":           `"left_out":["notified: Basecamp has no `,
	"answer_checkin /buckets/N/recordings/N/subscription.json": `"left_out":["notified: Basecamp has no `,
}

// unneeded are the reads that are sent together with an item, and that the item then does not need:
// it has no comments. Their failures do not matter.
var unneeded = []string{"get_todo /recordings/N/comments.json", "get_file /recordings/N/comments.json"}

// besideWrites reports whether a read is sent next to a write to tell which clients see the item.
// Its failure never fails the call, because the write is done.
func besideWrites(read string) bool {
	tool, path, _ := strings.Cut(read, " ")
	switch path {
	case "/projects/N/people.json":
		return slices.Contains([]string{"set_item_status", "create_comment", "edit_text", "update_work", "set_completed", "add_subtasks"}, tool)
	case "/todolists/N.json":
		return tool == "set_item_status" || tool == "set_completed" || tool == "update_work"
	case "/card_tables/columns/N.json":
		return tool == "create_comment" || tool == "update_work" || tool == "add_subtasks"
	}
	return read == "edit_text /card_tables/cards/N.json"
}

var longDigits = regexp.MustCompile(`\d{3,}`)

// shape returns the tool and path of a read, with N instead of ids.
func (p probe) shape(path string, frameTable int64) string {
	shape := longDigits.ReplaceAllString(path, "N")
	switch {
	case strings.HasPrefix(path, "/blobs/"):
		shape = "/blobs/download"
	case !strings.HasSuffix(path, ".json"):
		shape = "/storage"
	case shape == "/card_tables/N.json" && path != fmt.Sprintf("/card_tables/%d.json", frameTable):
		shape += ", another"
	case p.in["column"] != nil:
		shape += " of a column"
	case shape == "/todolists/N.json" && strings.Contains(fmt.Sprint(p.in["url"]), "/todos/"):
		shape += " of a to-do"
	}
	return p.tool + " " + shape
}

func (p probe) prepare(d *toolEnv) {
	if p.changed != "" {
		d.meanwhile("PUT", p.changed, fmt.Sprintf(`{"content":"Call the insurer","assignee_ids":[%d]}`, d.sandbox.Person("Dele Adeyemi").ID))
	}
}

// reads returns the paths that a probe reads. Basecamp takes a moment for each, so that no read
// that is started early is cancelled before it is sent.
func (p probe) reads(t *testing.T) []string {
	d := newToolEnv(t, sandbox.Options{RateLimit: -1})
	p.prepare(d)
	d.sandbox.Inject(sandbox.Fault{Delay: time.Millisecond})
	var paths []string
	seen := map[string]bool{}
	for _, line := range d.asked(func() { d.raw(p.tool, p.in) }) {
		path, isRead := strings.CutPrefix(line, "GET ")
		path, _, _ = strings.Cut(path, "?")
		if isRead && !seen[path] {
			paths = append(paths, path)
		}
		seen[path] = true
	}
	return paths
}

// callWith calls the probe's tool in a new environment with a fault.
func (p probe) callWith(t *testing.T, f sandbox.Fault) (text string, isError bool, written []string) {
	d := newToolEnv(t, sandbox.Options{RateLimit: -1})
	p.prepare(d)
	d.sandbox.Inject(f)
	written = d.written(func() { text, isError = d.raw(p.tool, p.in) })
	return text, isError, written
}

// Each read must either fail the call or be in the table of optional reads.
func TestEveryTool_AnswersWithoutOptionalReads(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	if underRace {
		t.Skip("the race detector slows this test down too much")
	}
	others := []sandbox.Fault{
		{Status: 403}, {Status: 429, Header: http.Header{"Retry-After": {"900"}}}, {Status: 500}, {Garbage: true}, {Drop: true}, {Status: 507}, {Status: 422}, {Hang: true},
	}
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		met := map[string]bool{}
		d := newToolEnv(t, sandbox.Options{RateLimit: -1})
		for _, p := range probes(d) {
			for _, path := range p.reads(t) {
				read := p.shape(path, d.sandbox.ToolID(launch, "kanban_board"))
				if met[read] {
					continue
				}
				met[read] = true
				f := sandbox.Fault{Method: http.MethodGet, PathPrefix: path, Status: 404}
				text, isError, written := p.callWith(t, f)
				answer, optional := optionalReads[read]
				if slices.Contains(unneeded, read) {
					answer, optional = `"comments_count":0`, true
				}
				if besideWrites(read) {
					optional = true
				}
				if isError == optional || isError && len(written) > 0 || !strings.Contains(text, answer) {
					t.Errorf("%s: fails %v, wrote %v: %s", read, isError, written, text)
				}
				if !optional {
					continue
				}
				f = others[len(met)%len(others)]
				f.Method, f.PathPrefix = http.MethodGet, path
				if text, isError, _ := p.callWith(t, f); isError {
					t.Errorf("%s, %+v: %s", read, f, text)
				}
				text, _, _ = p.callWith(t, sandbox.Fault{Method: http.MethodGet, PathPrefix: path, Status: 401})
				// The storage is read without a token.
				if expired := strings.Contains(text, string(fault.TokenExpired)); expired == (besideWrites(read) || slices.Contains(append(unneeded, "get_file /storage", "get_item /storage"), read)) {
					t.Errorf("%s, 401: %s", read, text)
				}
			}
		}
		for _, read := range append(slices.Collect(maps.Keys(optionalReads)), unneeded...) {
			if !met[read] {
				t.Errorf("no probe makes the read %s", read)
			}
		}
	})
}
