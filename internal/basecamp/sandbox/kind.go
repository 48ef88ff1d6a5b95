package sandbox

// A kind is a recording's type, in Basecamp's own words.
type kind string

// The kinds of recordings.
const (
	kindBoard         kind = "Message::Board"
	kindMessage       kind = "Message"
	kindComment       kind = "Comment"
	kindTodoset       kind = "Todoset"
	kindTodolist      kind = "Todolist" // a group is a to-do list inside another one
	kindTodo          kind = "Todo"
	kindStep          kind = "Kanban::Step"
	kindVault         kind = "Vault"
	kindDocument      kind = "Document"
	kindUpload        kind = "Upload"
	kindChat          kind = "Chat::Transcript"
	kindTextLine      kind = "Chat::Lines::Text"
	kindRichLine      kind = "Chat::Lines::RichText"
	kindUploadLine    kind = "Chat::Lines::Upload"
	kindSchedule      kind = "Schedule"
	kindEntry         kind = "Schedule::Entry"
	kindQuestionnaire kind = "Questionnaire"
	kindQuestion      kind = "Question"
	kindAnswer        kind = "Question::Answer"
	kindInbox         kind = "Inbox"
	kindForward       kind = "Inbox::Forward"
	kindReply         kind = "Inbox::Reply"
	kindCardTable     kind = "Kanban::Board"
	kindTriage        kind = "Kanban::Triage"
	kindColumn        kind = "Kanban::Column"
	kindNotNow        kind = "Kanban::NotNowColumn"
	kindDone          kind = "Kanban::DoneColumn"
	kindOnHold        kind = "Kanban::OnHold" // a column's section for cards on hold
	kindCard          kind = "Kanban::Card"
	kindAttachment    kind = "Attachment" // a file within a text: listed like a recording, but not one
)

var (
	lineKinds   = []kind{kindTextLine, kindRichLine, kindUploadLine}
	columnKinds = []kind{kindTriage, kindColumn, kindNotNow, kindDone}
	cardHolders = []kind{kindTriage, kindColumn, kindNotNow, kindDone, kindOnHold}
)

// traits are the properties of a kind that its JSON and routes depend on.
type traits struct {
	path      string // segment in URLs
	tool      string // name in the dock
	commented bool   // can have comments
	watched   bool   // has a subscription_url
	placed    bool   // has a position
	boosted   bool   // can have boosts
}

var kinds = map[kind]traits{
	kindBoard:         {path: "message_boards", tool: "message_board", placed: true},
	kindMessage:       {path: "messages", commented: true, watched: true, boosted: true},
	kindComment:       {path: "comments", boosted: true},
	kindTodoset:       {path: "todosets", tool: "todoset", watched: true, placed: true},
	kindTodolist:      {path: "todolists", commented: true, watched: true, placed: true, boosted: true},
	kindTodo:          {path: "todos", commented: true, watched: true, placed: true, boosted: true},
	kindStep:          {path: "card_tables/steps", placed: true},
	kindVault:         {path: "vaults", tool: "vault", placed: true},
	kindDocument:      {path: "documents", commented: true, watched: true, placed: true, boosted: true},
	kindUpload:        {path: "uploads", commented: true, watched: true, placed: true, boosted: true},
	kindChat:          {path: "chats", tool: "chat", watched: true, placed: true},
	kindTextLine:      {path: "lines", boosted: true},
	kindRichLine:      {path: "lines", boosted: true},
	kindUploadLine:    {path: "lines", boosted: true},
	kindSchedule:      {path: "schedules", tool: "schedule", placed: true},
	kindEntry:         {path: "schedule_entries", commented: true, watched: true, boosted: true},
	kindQuestionnaire: {path: "questionnaires", tool: "questionnaire", placed: true},
	kindQuestion:      {path: "questions", watched: true},
	kindAnswer:        {path: "question_answers", commented: true, watched: true, boosted: true},
	kindInbox:         {path: "inboxes", tool: "inbox", placed: true},
	kindForward:       {path: "inbox_forwards", watched: true},
	kindReply:         {path: "inbox_replies", boosted: true},
	kindCardTable:     {path: "card_tables", tool: "kanban_board", watched: true, placed: true},
	kindTriage:        {path: "card_tables/columns", watched: true},
	kindColumn:        {path: "card_tables/columns", watched: true, placed: true},
	kindNotNow:        {path: "card_tables/columns", watched: true},
	kindDone:          {path: "card_tables/columns", watched: true},
	kindOnHold:        {path: "card_tables/columns"},
	kindAttachment:    {boosted: true},
	kindCard:          {path: "card_tables/cards", commented: true, watched: true, placed: true, boosted: true},
}

// tool returns the kind's name in the dock, or "" if it is not a tool of the dock.
func (k kind) tool() string { return kinds[k].tool }

// toolTitles are Basecamp's titles for the tools of a new project, by kind.
var toolTitles = map[kind]string{
	kindBoard:         "Message Board",
	kindTodoset:       "To-dos",
	kindVault:         "Docs & Files",
	kindChat:          "Chat",
	kindSchedule:      "Schedule",
	kindQuestionnaire: "Automatic Check-ins",
	kindInbox:         "Email Forwards",
	kindCardTable:     "Card Table",
}

// dockOrder is the order of a new project's tools.
var dockOrder = []kind{kindBoard, kindTodoset, kindVault, kindSchedule, kindChat, kindCardTable, kindQuestionnaire, kindInbox}
