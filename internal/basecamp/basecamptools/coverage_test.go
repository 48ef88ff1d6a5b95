package basecamptools

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/basecamp/operations"
	"basecamp-mcp/internal/proof/docstest"
)

// byTool says which tool does what an operation of Basecamp's SDK does, if no row does it.
var byTool = map[string]string{
	"get_me":                "GetAccount GetMyProfile",
	"upload_file":           "CreateAttachment CreateUpload CreateUploadVersion",
	"boost":                 "CreateRecordingBoost DeleteBoost",
	"get_item":              "ListRecordingBoosts GetCampfire GetCampfireLine GetCard GetAnswer GetQuestion GetComment GetForward GetForwardReply GetPing GetScheduleEntry GetScheduleEntryOccurrence GetSubtask GetVault GetTodolistOrGroup",
	"post_chat_line":        "CreateCampfireLine CreatePing ListPingablePeople",
	"list_campfire_lines":   "ListCampfireLines",
	"edit_text":             "UpdateCampfireLine UpdateAnswer UpdateComment ReplaceDocument UpdateMessage PinMessage UnpinMessage",
	"get_board":             "GetCardColumn ListCards",
	"add_subtasks":          "CreateSubtask",
	"update_work":           "MoveCard UpdateCard SetClientVisibility MoveRecordingToVault RepositionSubtask UpdateSubtask RepositionTodolistGroup RepositionTodolist UpdateTodolistOrGroup ReplaceTodo RepositionTodo UpdateUpload UpdateVault",
	"set_completed":         "CompleteSubtask UncompleteSubtask CompleteTodo UncompleteTodo",
	"create_card":           "CreateCard",
	"answer_checkin":        "CreateAnswer",
	"list_checkins":         "GetQuestionReminders ListQuestions",
	"create_comment":        "CreateComment",
	"list_comments":         "ListComments",
	"create_document":       "CreateDocument",
	"get_document":          "GetDocument",
	"list_documents":        "ListDocuments ListVaults",
	"list_work":             "GetEverythingCompletedCards GetEverythingCompletedTodos GetEverythingNoDueDateCards GetEverythingNoDueDateTodos GetEverythingOpenCards GetEverythingOpenTodos GetEverythingOverdueCards GetEverythingOverdueTodos GetEverythingUnassignedCards GetEverythingUnassignedTodos",
	"get_project_tools":     "GetProject GetTodoset",
	"create_message":        "CreateMessage",
	"get_message":           "GetMessage",
	"list_messages":         "ListMessages",
	"get_my_work":           "GetMyAssignments GetMyCompletedAssignments",
	"get_notifications":     "GetBubbleUps GetMyNotifications",
	"list_people":           "ListPeople ListProjectPeople",
	"list_projects":         "ListProjects",
	"set_item_status":       "ArchiveProject TrashProject UnarchiveProject ArchiveRecording TrashRecording UnarchiveRecording",
	"get_activity":          "GetPersonProgress GetProgressReport GetProjectTimeline",
	"get_upcoming":          "GetUpcomingSchedule",
	"create_schedule_entry": "CreateScheduleEntry",
	"update_schedule_entry": "ReplaceScheduleEntry",
	"search":                "Search",
	"create_todolist":       "CreateTodolistGroup CreateTodolist",
	"list_todolists":        "ListTodolistGroups ListTodolists",
	"create_todos":          "CreateTodo CreateTodosetTodo",
	"get_todo":              "GetTodo",
	"list_todos":            "ListTodos",
	"get_file":              "GetUpload",
	"list_attachments":      "ListUploads",
}

// notByUs says why neither a tool nor a row does something.
var notByUs = map[string]string{
	"UpdateAccountLogo":      "takes an image: it belongs into Basecamp's settings",
	"UpdateProjectWallpaper": "takes an image: it belongs into Basecamp's settings",
	"CreateCampfireUpload":   "takes the bytes of a file; upload_file puts it into Docs & Files, and a line can link to it",
	"CreateEmbed":            "an embed is a part of rich text that Markdown does not hold",
	"GetEmbed":               "an embed is a part of rich text that Markdown does not hold",
	"CreateStreamTicket":     "for browsers and other clients that keep a stream open",
	"PollInbox":              "for agent accounts only",
	"PollEvents":             "`get_waiting` reads only its boosts",
	"GetSearchMetadata":      "search knows the types and periods",
	"CreateCardStep":         "CreateSubtask does it, for to-dos too",
	"GetCardStep":            "GetSubtask does it, for to-dos too",
	"RepositionCardStep":     "RepositionSubtask does it, for to-dos too",
	"SetCardStepCompletion":  "CompleteSubtask does it, for to-dos too",
	"UpdateCardStep":         "UpdateSubtask does it, for to-dos too",
	"ListSubtasks":           "to-dos and cards come with their subtasks",
	"DeleteSubtask":          "only `undo` sends it; `set_item_status` trashes a subtask as every item",
	"UpdateBoost":            "a boost is taken back, and another one given",
	"GetAnswersByPerson":     "`list_checkin_answers` picks the answers of a person from all",
	"GetQuestionnaire":       "a project names it, and ListQuestions has its questions",
	"GetInbox":               "a project names it, and ListForwards has its e-mails",
	"GetMessageBoard":        "a project names it, and ListMessages has its messages",
	"GetMyDueAssignments":    "GetMyAssignments has them too",
	"ListScheduleEntries":    "`list_schedule_entries` reads GetUpcomingSchedule, which has each occurrence",
}

// newer are requests of pages that are newer than the list of operations, or that it leaves out.
var newer = []struct{ request, page, by string }{
	{"GET /projects/recordings?type=Door", "external_links", "`read_basecamp` with `list_external_links`"},
	{"GET /buckets/{project}/dock/doors/{id}", "external_links", "not by us: it redirects to an address that anyone may have chosen"},
	{"POST /buckets/{project}/dock/doors", "external_links", "not by us: it answers without the new link; `link_file` puts links into Docs & Files"},
	{"POST /integrations/{key}/buckets/{project}/chats/{id}/lines", "chatbots", "not by us: it needs a key in place of the user's token"},
	{"GET /template_library", "template_library", "`read_basecamp` with `list_list_templates`, at its present address"},
}

func TestCoverage_NamesAToolOrAnOperationForEverythingThatBasecampDocuments(t *testing.T) {
	tools := map[string]bool{}
	for _, tool := range ofBasecamp() {
		tools[tool.Name] = true
	}
	by := map[string]string{}
	for tool, covered := range byTool {
		if !tools[tool] {
			t.Errorf("there is no tool %s; correct byTool", tool)
		}
		for name := range strings.FieldsSeq(covered) {
			by[name] = "`" + tool + "`"
		}
	}
	for row := range operations.All {
		if tools[row.Name] {
			t.Errorf("%s is the name of a tool and of an operation: delete the row in internal/basecamp/operations", row.Name)
		}
		for name := range strings.FieldsSeq(row.Covers) {
			by[name] = strings.TrimPrefix(by[name]+", `"+row.Runner()+"` with `"+row.Name+"`", ", ")
		}
	}
	for name, why := range notByUs {
		if by[name] != "" {
			t.Errorf("%s has %s, and a reason not to: %s", name, by[name], why)
		}
		by[name] = "not by us: " + why
	}
	var b strings.Builder
	b.WriteString(coverageHead)
	data, err := os.ReadFile("testdata/sdk.txt")
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		if f[0] == "#" {
			continue
		}
		count++
		if by[f[1]] == "" {
			t.Errorf("nothing does %s %s, and nothing says why not: add %s to byTool or notByUs in coverage_test.go", f[2], f[3], f[1])
		}
		fmt.Fprintf(&b, "| %s | %s | `%s %s` | %s |\n", f[0], f[1], f[2], f[3], by[f[1]])
		delete(by, f[1])
	}
	for name := range by {
		t.Errorf("%s is not an operation of Basecamp", name)
	}
	if count != 287 {
		t.Errorf("%d operations", count)
	}
	b.WriteString("\n## What the list leaves out\n\n| request | page | done by |\n|---|---|---|\n")
	for _, n := range newer {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", n.request, n.page, n.by)
	}
	compareCoverage(t, b.String())
}

// The sources of the client have each path that it sends, and often the method in the same line.
// The paths of GetEverything are made of words.
func TestCoverage_NamesOnlyWhatTheClientSends(t *testing.T) {
	type sent struct {
		path    *regexp.Regexp
		methods string
	}
	var all []sent
	files, err := filepath.Glob("../*.go")
	if err != nil {
		t.Fatal(err)
	}
	path := regexp.MustCompile(`"([a-z_%]+(/[a-z_%]+)*/?)(\.json)?"`)
	for _, file := range files {
		if name := filepath.Base(file); strings.HasSuffix(name, "_test.go") || slices.Contains([]string{"fencedreferences.go", "errors.go"}, name) {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(source)) {
			methods := strings.ToUpper(strings.Join(regexp.MustCompile(`http\.Method\w+`).FindAllString(line, -1), " "))
			for _, found := range path.FindAllStringSubmatch(line, -1) {
				if found[3] != "" || strings.HasSuffix(found[1], "/") {
					as := strings.NewReplacer("%d", `\{\w+\}`, "%s", `[^/]+`).Replace(found[1])
					if strings.HasSuffix(as, "/") { // a word follows
						as += `(\w+|\{\w+\})`
					}
					all = append(all, sent{regexp.MustCompile(`^(buckets/\{\w+\}/)?` + as + "$"), methods})
				}
			}
		}
	}
	data, err := os.ReadFile("testdata/sdk.txt")
	if err != nil {
		t.Fatal(err)
	}
	claimed := " " + strings.Join(slices.Collect(maps.Values(byTool)), " ") + " "
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		if f[0] == "#" || !strings.Contains(claimed, " "+f[1]+" ") || strings.HasPrefix(f[1], "GetEverything") {
			continue
		}
		if !slices.ContainsFunc(all, func(s sent) bool {
			return s.path.MatchString(strings.TrimPrefix(f[3], "/")) && (s.methods == "" || strings.Contains(s.methods, f[2]))
		}) {
			t.Errorf("the client never sends %s %s, which byTool names as %s", f[2], f[3], f[1])
		}
	}
}

const coverageHead = `# What of Basecamp's API the tools reach

For operators and developers who look for a certain part of Basecamp. The first table has the 287 operations of Basecamp's SDK (the Python
package basecamp-sdk 0.29.1), the second what Basecamp's documentation (https://github.com/basecamp/bc-api) has besides. What says *with* is an operation of that
tool: ` + "`find_operation`" + ` shows its arguments. Tests of ` + "`internal/basecamp/basecamptools`" + ` make this file; its rows come from
` + "`internal/basecamp/operations`" + `.

| service | operation | request | done by |
|---|---|---|---|
`

func compareCoverage(t *testing.T, want string) {
	t.Helper()
	file := filepath.Join(docstest.Root(t), "docs", "coverage.md")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != want {
		t.Errorf("docs/coverage.md is not current; write it with UPDATE_GOLDEN=1: %v", err)
	}
}
