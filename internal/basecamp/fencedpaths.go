package basecamp

import (
	"slices"
	"strings"

	"basecamp-mcp/internal/writeplan"
)

// pathKind says where what a path is about is.
type pathKind int

const (
	// ofNoProject is what belongs to a person or to the account and to no project: drafts, notes,
	// templates. Paths that no table has are such paths too.
	ofNoProject pathKind = iota
	inProject            // the path names the project
	ofItem               // the project is that of an item
	ofFile               // a file in a text, by its key
	ofPings
	ofAccount      // people and the account itself, which every client may read
	acrossProjects // a list or report of all projects, whose answer is screened
	byReferences   // the body names what it is about
)

type placedPath struct {
	kind  pathKind
	words string // what comes before the first ID
	item  string // the words of the request that reads the item; "" if there is none for its kind
	id    string // of the project or the item, or the key of the file
	last  string // the last ID of the path
	more  bool   // something follows the ID
}

// key returns what the call has learned the place of the item by. Boosts have IDs of their own.
func (p placedPath) key() string {
	if p.item == "boosts" {
		return "boosts/" + p.id
	}
	return p.id
}

// identifies reports whether the path is that of the item itself.
func (p placedPath) identifies() bool {
	return p.kind == ofItem && !p.more && p.item == p.words && p.item != ""
}

// mayBePing reports whether the item can be in a ping: a chat, or something of any kind.
func (p placedPath) mayBePing() bool { return p.item == "" || p.item == "chats" || p.item == "boosts" }

// itemReads has the words of the request that reads an item, by those before its ID. The answer
// says the project. Of recordings, no request does.
var itemReads = map[string]string{
	"recordings": "", "my/priorities": "",
	"todos": "todos", "todolists": "todolists", "todosets": "todosets", "todolists/groups": "todolists", "todosets/todolists": "todolists",
	"subtasks": "subtasks", "card_tables/steps": "subtasks", "card_tables": "card_tables", "card_tables/cards": "card_tables/cards",
	"card_tables/columns": "card_tables/columns", "card_tables/lists": "card_tables/columns",
	"messages": "messages", "message_boards": "message_boards", "comments": "comments", "boosts": "boosts",
	"documents": "documents", "vaults": "vaults", "uploads": "uploads", "google_documents": "google_documents", "cloud_files": "cloud_files",
	"chats": "chats", "schedules": "schedules", "schedule_entries": "schedule_entries",
	"questionnaires": "questionnaires", "questions": "questions", "question_answers": "question_answers",
	"inboxes": "inboxes", "inbox_forwards": "inbox_forwards", "client/approvals": "client/approvals",
	"client/correspondences": "client/correspondences", "dock/tools": "dock/tools", "gauge_needles": "gauge_needles",
	"timesheet_entries": "timesheet_entries",
}

// accountPaths has where the other paths are, by the words before an ID. What is not in it is
// closed to a client that is held to projects.
var accountPaths = map[string]pathKind{
	"account": ofAccount, "people": ofAccount, "my/profile": ofAccount, "my/preferences": ofAccount, "attachments": ofAccount,
	"circles": ofPings, "circles/people": ofPings,
	"my/unreads": byReferences, "my/priorities": byReferences, "my/priority_moves": byReferences,
	"projects": acrossProjects, "projects/recordings": acrossProjects, "search": acrossProjects, "events": acrossProjects,
	"chats": acrossProjects, "messages": acrossProjects, "comments": acrossProjects, "checkins": acrossProjects,
	"forwards": acrossProjects, "files": acrossProjects,
	"my/assignments": acrossProjects, "my/assignments/completed": acrossProjects, "my/assignments/due": acrossProjects,
	"my/bookmarks": acrossProjects, "my/question_reminders": acrossProjects, "my/readings": acrossProjects,
	"my/readings/bubble_ups": acrossProjects, "my/recent_projects": acrossProjects,
	"reports/gauges": acrossProjects, "reports/progress": acrossProjects, "reports/users/progress": acrossProjects,
	"reports/schedules/upcoming": acrossProjects, "reports/timesheet": acrossProjects, "reports/todos/overdue": acrossProjects,
	"reports/todos/assigned": acrossProjects,
}

func placeInPath(path string) placedPath {
	segments := strings.Split(strings.TrimSuffix(path, ".json"), "/")
	at := slices.IndexFunc(segments, isID)
	p := placedPath{words: strings.Join(segments, "/")}
	if at >= 0 {
		p.words, p.id, p.more = strings.Join(segments[:at], "/"), segments[at], at+1 < len(segments)
		for _, segment := range segments {
			if isID(segment) {
				p.last = segment
			}
		}
	}
	item, isItem := itemReads[p.words]
	switch {
	case segments[0] == "blobs" && len(segments) > 1:
		p.kind, p.id = ofFile, "blobs/"+segments[1]
	case at < 0 && (segments[0] == "todos" || segments[0] == "cards") && len(segments) == 2:
		p.kind = acrossProjects
	case at < 0 && p.words == "reports/todos/assigned": // people
		p.kind = ofAccount
	case at < 0:
		p.kind = accountPaths[p.words]
	case p.words == "buckets" || p.words == "projects":
		p.kind = inProject
	case isItem:
		p.kind, p.item = ofItem, item
	case p.words == "people" && p.more || p.words != "people" && !strings.HasPrefix(p.words, "reports/") && p.words != "circles":
		p.kind = ofNoProject
	default:
		p.kind = accountPaths[p.words]
	}
	return p
}

// isID reports whether a segment of a path is an ID. What a plan makes has a negative one.
func isID(segment string) bool {
	digits := strings.TrimPrefix(segment, "-")
	return digits != "" && strings.Trim(digits, "0123456789") == ""
}

// projectFields are the fields of queries and bodies that name projects.
var projectFields = []string{"bucket", "bucket_id", "bucket_ids", "buckets", "project_ids", "destination_project_id"}

// referredTo has the fields of bodies that name an item, with the words of the request that reads
// it, or "" if it can be of several kinds.
var referredTo = map[string]string{
	"column_id": "card_tables/columns", "parent_id": "", "source_id": "", "target_id": "card_tables/columns", "id": "",
	"recording_id": "", "destination_recording_id": "card_tables/columns", "destination_parent_id": "", "template_recording_id": "",
	"tracked": "todolists", "untracked": "todolists", "readables": "",
}

// eachReference calls a function for each item and project that a body names, until it returns an
// error.
func (p placedPath) eachReference(value any, do func(field, id string) error) error {
	return eachValue("", value, func(field string, value any) error {
		_, item := referredTo[field]
		id := writeplan.Text(value)
		if id == "" || !item && !slices.Contains(projectFields, field) || field == "id" && p.words != "my/priorities" {
			return nil
		}
		return do(field, id)
	})
}

// eachValue calls a function for each text and number in a value, with the field that holds it,
// until it returns an error.
func eachValue(field string, value any, do func(field string, value any) error) error {
	switch v := value.(type) {
	case []any:
		for _, entry := range v {
			if err := eachValue(field, entry, do); err != nil {
				return err
			}
		}
	case fields:
		for name, member := range v {
			if err := eachValue(name, member, do); err != nil {
				return err
			}
		}
	default:
		return do(field, value)
	}
	return nil
}
