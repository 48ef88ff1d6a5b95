package basecamp

import (
	"maps"
	"net/url"
	"strconv"
)

// itemPaths has the path of an item by kind, in the words of this server. A chat line has no path
// of its own kind, because it is read through its chat.
var itemPaths = map[string]string{
	"message":        "messages/%d.json",
	"comment":        "comments/%d.json",
	"todolist":       "todolists/%d.json",
	"todo":           "todos/%d.json",
	"subtask":        "subtasks/%d.json",
	"document":       "documents/%d.json",
	"folder":         "vaults/%d.json",
	"upload":         "uploads/%d.json",
	"question":       "questions/%d.json",
	"answer":         "question_answers/%d.json",
	"schedule_entry": "schedule_entries/%d.json",
	"card":           "card_tables/cards/%d.json",
	"forward":        "inbox_forwards/%d.json",
	"project":        "projects/%d.json",
}

// ItemAt returns the endpoint of an item of a kind, such as todo or schedule_entry. It returns
// NOT_FOUND if the item with this ID has another kind. An unknown kind is an error of each request.
func ItemAt[T any](kind string) Endpoint[T] { return Endpoint[T]{kind: kind, path: itemPaths[kind]} }

// The endpoints of single items. PUT changes an item that can be changed.
var (
	MessageAt  = ItemAt[Message]("message")
	CommentAt  = ItemAt[Comment]("comment")
	TodolistAt = ItemAt[Todolist]("todolist") // or of a group
	TodoAt     = Endpoint[Todo]{kind: "todo", path: itemPaths["todo"], beside: besideTodo}
	SubtaskAt  = ItemAt[Subtask]("subtask")
	DocumentAt = ItemAt[Document]("document")
	FolderAt   = ItemAt[Vault]("folder")
	UploadAt   = ItemAt[Upload]("upload")
	QuestionAt = ItemAt[Question]("question")
	AnswerAt   = ItemAt[CheckinAnswer]("answer")         // PUT does not return the answer
	EntryAt    = ItemAt[ScheduleEntry]("schedule_entry") // of a recurring entry, its first occurrence
	CardAt     = Endpoint[Card]{kind: "card", path: itemPaths["card"], beside: besideCard}
	ForwardAt  = ItemAt[Forward]("forward")
	ReplyAt    = Endpoint[Comment]{kind: "reply", path: "inbox_forwards/%d/replies/%d.json"}
	ProjectAt  = ItemAt[Project]("project")
	// TodosetAt has what holds lists, and to-dos outside of them.
	TodosetAt = Endpoint[Recording]{kind: "todoset", path: "todosets/%d.json"}
	BoardAt   = Endpoint[CardTable]{kind: "card_table", path: "card_tables/%d.json"}
	ColumnAt  = Endpoint[Column]{kind: "column", path: "card_tables/columns/%d.json"}
	// ChatAt has a Campfire: the continuous conversation of a project.
	ChatAt = Endpoint[Recording]{kind: "chat", path: "chats/%d.json"}
	// LineAt replaces the text (HTML) with PUT, and does not return the line. Only its author may.
	LineAt   = Endpoint[ChatLine]{kind: "chat_line", path: "chats/%d/lines/%d.json"}
	PingAt   = Endpoint[Ping]{kind: "ping", path: "circles/%d.json"}
	PersonAt = Endpoint[Person]{kind: "person", path: "people/%d.json"}
	BoostAt  = Endpoint[Boost]{kind: "boost", path: "boosts/%d.json"} // only DELETE
)

// The endpoints of what belongs to one item. They list it in pages, and POST adds to it.
var (
	PeopleIn     = Endpoint[Person]{kind: "project", path: "projects/%d/people.json"}      // active ones
	CategoriesIn = Endpoint[Category]{kind: "project", path: "buckets/%d/categories.json"} // without pages
	MessagesIn   = Endpoint[Message]{kind: "message_board", path: "message_boards/%d/messages.json"}
	TodolistsIn  = Endpoint[Todolist]{kind: "todoset", path: "todosets/%d/todolists.json"}
	// GroupsIn has the groups of a list. A group has a name and a color, and no groups.
	GroupsIn = Endpoint[Todolist]{kind: "todolist", path: "todolists/%d/groups.json"}
	// TodosIn has the to-dos of a list without those of its groups; see CompletedTodos.
	TodosIn = Endpoint[Todo]{kind: "todolist", path: "todolists/%d/todos.json"}
	// LooseTodosIn has the to-dos in no list. It is NOT_FOUND in an older account.
	LooseTodosIn = Endpoint[Todo]{kind: "todoset", path: "todosets/%d/todos.json"}
	SubtasksOf   = Endpoint[Subtask]{kind: "item", path: "recordings/%d/subtasks.json"} // only POST
	// CardsIn has the top card first, without those on hold (see [Section]).
	CardsIn     = Endpoint[Card]{kind: "column", path: "card_tables/lists/%d/cards.json"}
	FoldersIn   = Endpoint[Vault]{kind: "folder", path: "vaults/%d/vaults.json"}
	DocumentsIn = Endpoint[Document]{kind: "folder", path: "vaults/%d/documents.json"} // in full
	UploadsIn   = Endpoint[Upload]{kind: "folder", path: "vaults/%d/uploads.json"}
	// VersionsOf replaces the file with POST. It tells no one, and no request takes it back.
	VersionsOf = Endpoint[Upload]{kind: "upload", path: "uploads/%d/versions.json"}
	EntriesIn  = Endpoint[ScheduleEntry]{kind: "schedule", path: "schedules/%d/entries.json"}
	// QuestionsIn: paused ones too
	QuestionsIn = Endpoint[Question]{kind: "questionnaire", path: "questionnaires/%d/questions.json"}
	AnswersTo   = Endpoint[CheckinAnswer]{kind: "question", path: "questions/%d/answers.json"} // the latest first
	RepliesTo   = Endpoint[Comment]{kind: "forward", path: "inbox_forwards/%d/replies.json"}   // of the team to an email
	CommentsOn  = Endpoint[Comment]{kind: "item", path: "recordings/%d/comments.json"}         // the oldest first
	BoostsOn    = Endpoint[Boost]{kind: "item", path: "recordings/%d/boosts.json"}
	EventsOf    = Endpoint[Event]{kind: "item", path: "recordings/%d/events.json"} // the latest first
	// LinesIn has the newest lines first. It requests this order, because Basecamp's default order
	// has been observed to be the opposite.
	LinesIn = Endpoint[ChatLine]{kind: "chat", path: "chats/%d/lines.json", query: Sorted("created_at", "desc")}
	// TimelineOf and TimelineBy have the changes in a project and those of a person, the latest
	// first.
	TimelineOf = Endpoint[Happening]{kind: "project", path: "projects/%d/timeline.json"}
	TimelineBy = Endpoint[Happening]{kind: "person", path: "reports/users/progress/%d.json", list: "events"}
)

// The endpoints of the account and of the user.
var (
	OwnAccount    = Endpoint[Account]{path: "account.json"}
	Me            = Endpoint[Person]{path: "my/profile.json"}
	People        = Endpoint[Person]{path: "people.json"} // all that the user may see
	Projects      = Endpoint[Project]{path: "projects.json"}
	Timeline      = Endpoint[Happening]{path: "reports/progress.json"} // the latest first
	MyAssignments = Endpoint[Assignments]{path: "my/assignments.json"} // the user's open tasks
	// UpcomingDays has the entries and tasks from window_starts_on to window_ends_on (YYYY-MM-DD),
	// both included, in all projects. Basecamp does not split them into pages.
	UpcomingDays = Endpoint[Upcoming]{path: "reports/schedules/upcoming.json"}
	MyCompleted  = Endpoint[Assignment]{path: "my/assignments/completed.json"}
	Reminders    = Endpoint[Reminder]{path: "my/question_reminders.json"} // what the user has not answered
	Drafts       = Endpoint[Draft]{path: "my/drafts.json"}                // the last changed first
	// BubbleUps have those that bubbled up, the latest first, and then the scheduled ones.
	BubbleUps = Endpoint[Reading]{path: "my/readings/bubble_ups.json"}
	Pingable  = Endpoint[Person]{path: "circles/people.json"} // whom the user can ping
	// Pings are those of the user that have a line, the last updated first. POST returns the ping
	// with exactly these people, and makes it if there is none. It drops people whom the user
	// cannot ping.
	Pings = Endpoint[Ping]{path: "circles.json", again: true}
)

// The endpoints of what an item is besides its fields.
var (
	SubscriptionTo = Endpoint[Subscription]{kind: "item", path: "recordings/%d/subscription.json"}
	AccessTo       = Endpoint[AccessChange]{kind: "project", path: "projects/%d/people/users.json"}
	TodoDone       = Endpoint[struct{}]{kind: "todo", path: "todos/%d/completion.json"}
	SubtaskDone    = Endpoint[struct{}]{kind: "subtask", path: "subtasks/%d/completion.json"}
	// Pinned: to the top of its board
	Pinned = Endpoint[struct{}]{kind: "message", path: "recordings/%d/pin.json"}
	// ClientsSee takes visible_to_clients. Basecamp answers PERMISSION_DENIED for an item that
	// inherits it.
	ClientsSee = Endpoint[struct{}]{kind: "item", path: "recordings/%d/client_visibility.json"}
	// Filing takes the folder in which a document, a file or a folder goes, and a position or 0.
	Filing = Endpoint[struct{}]{kind: "item", path: "recordings/%d/filing.json"}
	// CardMoves takes a column of the table and a position. In Done a card is completed, elsewhere
	// it is open.
	CardMoves = Endpoint[struct{}]{kind: "card", path: "card_tables/cards/%d/moves.json"}
	// TodoPlace takes a position in a list, and parent_id if it is another list.
	TodoPlace     = Endpoint[struct{}]{kind: "todo", path: "todos/%d/position.json"}
	SubtaskPlace  = Endpoint[struct{}]{kind: "subtask", path: "subtasks/%d/position.json"}
	TodolistPlace = Endpoint[struct{}]{kind: "todolist", path: "todosets/todolists/%d/position.json"}
	GroupPlace    = Endpoint[struct{}]{kind: "todolist", path: "todolists/groups/%d/position.json"}
)

// StatusOf archives, trashes or restores an item of any kind with PUT. status is archived, trashed
// or active.
func StatusOf(status string) Endpoint[struct{}] {
	return Endpoint[struct{}]{kind: "item", path: "recordings/%d/status/" + status + ".json"}
}

// OccurrenceOn returns the endpoint of the occurrence of a recurring entry on a day, YYYYMMDD.
func OccurrenceOn(day string) Endpoint[ScheduleEntry] {
	return Endpoint[ScheduleEntry]{kind: "schedule_entry", path: "schedule_entries/%d/occurrences/" + day + ".json"}
}

// RecordingsIn returns the recordings of a type and a status in a project, or in all active
// projects for 0, by a date. Types are Comment, Document, Kanban::Card, Kanban::Step, Message,
// Question::Answer, Schedule::Entry, Todo, Todolist, Upload and Vault.
func RecordingsIn[T any](kind string, project int64, status string, sorted url.Values) Endpoint[T] {
	e := Endpoint[T]{path: "projects/recordings.json", query: sorted}
	sorted.Set("type", kind)
	if project != 0 {
		e.about = about("project", project)
		sorted.Set("bucket", e.about.ID)
	}
	maps.Copy(sorted, WithStatus(status))
	return e
}

// WithStatus returns the query for items with a status. Active items need no query: Basecamp
// returns them by default, and does not accept active as a status.
func WithStatus(status string) url.Values {
	if status == "" || status == "active" {
		return nil
	}
	return url.Values{"status": {status}}
}

// Sorted returns the query for an order: asc or desc, by a date such as created_at.
func Sorted(by, direction string) url.Values {
	return url.Values{"sort": {by}, "direction": {direction}}
}

// CompletedTodos returns the query for completed or for open to-dos. Basecamp never returns both at
// once.
func CompletedTodos(completed bool) url.Values {
	if completed {
		return url.Values{"completed": {"true"}}
	}
	return nil
}

// AnswersOn returns the query for the answers to a question for a day (YYYY-MM-DD), unless day is
// empty, and by a person, unless person is 0.
func AnswersOn(day string, person int64) url.Values {
	q := url.Values{}
	if day != "" {
		q.Set("date", day)
	}
	if person != 0 {
		q.Set("creator_id", strconv.FormatInt(person, 10))
	}
	return q
}

func besideTodo(t Todo) (int64, Endpoint[Todo]) {
	if t.Parent == nil || t.Parent.Type != "Todolist" {
		return 0, TodosIn
	}
	return t.Parent.ID, TodosIn.Where(CompletedTodos(t.Completed))
}

func besideCard(c Card) (int64, Endpoint[Card]) {
	if c.Parent == nil {
		return 0, CardsIn
	}
	return c.Parent.ID, CardsIn
}
