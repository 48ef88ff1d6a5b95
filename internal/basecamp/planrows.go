package basecamp

import (
	"strconv"
	"strings"
)

// planRow says what a write does.
type planRow struct {
	what  string         // in words
	makes string         // the type of the item that it makes, as Basecamp calls it; "other" for anything else
	sets  map[string]any // what it changes besides the fields of its body
}

// planRows has what the writes of Basecamp's API do, by method and path with # for IDs. What it
// lacks is described by the words of the path.
var planRows = map[string]planRow{
	"POST attachments":                        {what: "send a file"},
	"POST boosts/#":                           {what: "boost"},
	"POST buckets/#/categories":               {what: "add a message category", makes: "other"},
	"POST buckets/#/dock/tools":               {what: "add a tool to a project", makes: "other"},
	"POST buckets/#/webhooks":                 {what: "add a webhook", makes: "other"},
	"POST card_tables/#/columns":              {what: "add a column", makes: OwnColumn},
	"POST card_tables/#/moves":                {what: "move a column"},
	"POST card_tables/cards/#/moves":          {what: "move a card"},
	"POST card_tables/cards/#/positions":      {what: "move a subtask"},
	"POST card_tables/cards/#/steps":          {what: "add a subtask", makes: "Kanban::Step"},
	"POST card_tables/columns/#/on_hold":      {what: "add an on-hold section to a column", sets: on("on_hold")},
	"DELETE card_tables/columns/#/on_hold":    {what: "remove the on-hold section of a column", sets: off("on_hold")},
	"PUT card_tables/columns/#/color":         {what: "colour a column"},
	"PUT card_tables/cards/#":                 {what: "change a card"},
	"PUT card_tables/columns/#":               {what: "change a column"},
	"POST card_tables/lists/#/cards":          {what: "create a card", makes: "Kanban::Card"},
	"POST card_tables/lists/#/subscription":   {what: "watch a column", sets: on("subscribed")},
	"DELETE card_tables/lists/#/subscription": {what: "stop watching a column", sets: off("subscribed")},
	"PUT card_tables/steps/#/completions":     {what: "complete or reopen a subtask"},
	"POST chats/#/lines":                      {what: "post a chat line", makes: "Chat::Lines::Text"},
	"PUT chats/#/lines/#":                     {what: "change a chat line"},
	"DELETE chats/#/lines/#":                  {what: "delete a chat line permanently"},
	"POST chats/#/uploads":                    {what: "post a file in a chat", makes: "Chat::Lines::Upload"},
	"POST circles":                            {what: "start a ping, or find it", makes: "Circle"},
	"PUT comments/#":                          {what: "change a comment"},
	"PUT messages/#":                          {what: "change a message"},
	"PUT documents/#":                         {what: "change a document"},
	"POST message_boards/#/messages":          {what: "post a message", makes: "Message"},
	"POST my/priorities":                      {what: "put on Up Next"},
	"DELETE my/priorities/#":                  {what: "take off Up Next"},
	"POST my/priority_moves":                  {what: "move on Up Next"},
	"PUT my/unreads":                          {what: "mark notifications as read"},
	"POST people/#/out_of_office":             {what: "set out of office"},
	"DELETE people/#/out_of_office":           {what: "end out of office"},
	"POST projects":                           {what: "create a project", makes: "Project"},
	"PUT projects/#":                          {what: "change a project"},
	"DELETE projects/#":                       {what: "move a project to the trash", sets: status("trashed")},
	"PUT projects/#/people/users":             {what: "change who is on a project"},
	"PUT projects/#/status/active":            {what: "restore a project", sets: status("active")},
	"PUT projects/#/status/archived":          {what: "archive a project", sets: status("archived")},
	"POST projects/#/gauge/needles":           {what: "post a needle", makes: "other"},
	"PUT question_answers/#":                  {what: "change a check-in answer"},
	"POST questionnaires/#/questions":         {what: "add a check-in question", makes: "Question"},
	"POST questions/#/answers":                {what: "answer a check-in", makes: "Question::Answer"},
	"POST questions/#/pause":                  {what: "pause a check-in", sets: on("paused")},
	"DELETE questions/#/pause":                {what: "resume a check-in", sets: off("paused")},
	"POST recordings/#/bookmark":              {what: "bookmark", sets: on("bookmarked")},
	"DELETE recordings/#/bookmark":            {what: "remove a bookmark", sets: off("bookmarked")},
	"POST recordings/#/boosts":                {what: "boost", makes: "Boost"},
	"POST recordings/#/events/#/boosts":       {what: "boost an event", makes: "Boost"},
	"POST recordings/#/bubble_up":             {what: "set a reminder"},
	"DELETE recordings/#/bubble_up":           {what: "remove a reminder"},
	"PUT recordings/#/client_visibility":      {what: "change whether clients see it"},
	"POST recordings/#/comments":              {what: "comment", makes: "Comment"},
	"POST recordings/#/filing":                {what: "move to a folder"},
	"POST recordings/#/pin":                   {what: "pin a message", sets: on("pinned")},
	"DELETE recordings/#/pin":                 {what: "unpin a message", sets: off("pinned")},
	"POST recordings/#/position":              {what: "enable a tool of a project", sets: on("enabled")},
	"DELETE recordings/#/position":            {what: "disable a tool of a project", sets: off("enabled")},
	"PUT recordings/#/position":               {what: "move a tool of a project"},
	"PUT recordings/#/status/active":          {what: "restore", sets: status("active")},
	"PUT recordings/#/status/archived":        {what: "archive", sets: status("archived")},
	"PUT recordings/#/status/trashed":         {what: "move to the trash", sets: status("trashed")},
	"POST recordings/#/subscription":          {what: "subscribe", sets: on("subscribed")},
	"DELETE recordings/#/subscription":        {what: "unsubscribe", sets: off("subscribed")},
	"PUT recordings/#/subscription":           {what: "change the subscribers"},
	"POST recordings/#/subtasks":              {what: "add a subtask", makes: "Kanban::Step"},
	"POST recordings/#/timesheet/entries":     {what: "log time", makes: "other"},
	"POST schedules/#/entries":                {what: "add a schedule entry", makes: "Schedule::Entry"},
	"PUT schedule_entries/#":                  {what: "change a schedule entry"},
	"PUT subtasks/#":                          {what: "change a subtask"},
	"DELETE subtasks/#":                       {what: "move a subtask to the trash", sets: status("trashed")},
	"POST subtasks/#/completion":              {what: "complete a subtask", sets: on("completed")},
	"DELETE subtasks/#/completion":            {what: "reopen a subtask", sets: off("completed")},
	"PUT subtasks/#/position":                 {what: "move a subtask"},
	"POST templates/#/project_constructions":  {what: "create a project from a template", makes: "other"},
	"POST todolists/#/groups":                 {what: "add a group to a to-do list", makes: "Todolist"},
	"PUT todolists/#":                         {what: "change a to-do list"},
	"PUT todolists/groups/#/position":         {what: "move a group"},
	"POST todolists/#/todos":                  {what: "create a to-do", makes: "Todo"},
	"PUT todos/#":                             {what: "change a to-do"},
	"POST todos/#/completion":                 {what: "complete a to-do", sets: on("completed")},
	"DELETE todos/#/completion":               {what: "reopen a to-do", sets: off("completed")},
	"PUT todos/#/position":                    {what: "move a to-do"},
	"POST todosets/#/todolists":               {what: "create a to-do list", makes: "Todolist"},
	"POST todosets/#/todos":                   {what: "create a to-do outside of lists", makes: "Todo"},
	"PUT todosets/todolists/#/position":       {what: "move a to-do list"},
	"POST uploads/#/versions":                 {what: "upload a new version of a file"},
	"PUT uploads/#":                           {what: "change a file"},
	"POST vaults/#/documents":                 {what: "create a document", makes: "Document"},
	"POST vaults/#/uploads":                   {what: "upload a file", makes: "Upload"},
	"POST vaults/#/vaults":                    {what: "create a folder", makes: "Vault"},
	"PUT vaults/#":                            {what: "change a folder"},
}

func on(field string) map[string]any   { return map[string]any{field: true} }
func off(field string) map[string]any  { return map[string]any{field: false} }
func status(now string) map[string]any { return map[string]any{"status": now} }

// planRowOf returns the row of a method and a path, and the last ID in the path. Without a row, it
// returns one made of the words of the path.
func planRowOf(method, path string) (row planRow, target string) {
	parts := strings.Split(strings.TrimSuffix(path, ".json"), "/")
	noun := ""
	for i, part := range parts {
		if _, err := strconv.ParseInt(part, 10, 64); err == nil {
			parts[i], target = "#", part
		} else {
			noun = strings.ReplaceAll(strings.TrimSuffix(part, "s"), "_", " ")
		}
	}
	for _, shape := range []string{strings.Join(parts, "/"), strings.TrimPrefix(strings.Join(parts, "/"), "buckets/#/")} {
		if row, known := planRows[method+" "+shape]; known {
			return row, target
		}
	}
	switch {
	case method == "POST" && parts[len(parts)-1] != "#":
		row = planRow{what: "add: " + noun, makes: "other"}
	case method == "DELETE":
		row = planRow{what: "remove: " + noun}
	default:
		row = planRow{what: "change: " + noun}
	}
	return row, target
}
