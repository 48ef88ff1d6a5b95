package sandbox

import (
	"strings"
	"sync"
)

// routes lists all requests that the sandbox supports, without account, project and .json. The
// canonical form and the legacy form within /buckets/{project} have the same handler.
var routes = []route{
	{pattern: "GET /projects", handle: listProjects},
	{pattern: "POST /projects", handle: createProject},
	{pattern: "GET /projects/{id}", handle: onProject(showProject)},
	{pattern: "PUT /projects/{id}", handle: onProject(updateProject)},
	{pattern: "DELETE /projects/{id}", handle: onProject(trashProject)},
	{pattern: "PUT /projects/{id}/status/{status}", handle: onProject(setProjectStatus)},
	{pattern: "GET /projects/{id}/people", handle: onProject(listProjectPeople)},
	{pattern: "PUT /projects/{id}/people/users", handle: onProject(updateAccess)},
	{pattern: "GET /projects/{id}/timeline", handle: onProject(listProjectTimeline)},
	{pattern: "GET /projects/recordings", handle: listRecordings},

	{pattern: "POST /dock/tools", handle: createTool},
	{pattern: "GET /dock/tools/{id}", handle: onKinds(showEnvelope)},
	{pattern: "PUT /dock/tools/{id}", handle: onKinds(renameTool)},
	{pattern: "POST /recordings/{id}/position", handle: onKinds(enableTool)},
	{pattern: "DELETE /recordings/{id}/position", handle: onKinds(disableTool)},

	{pattern: "GET /account", handle: showAccount},
	{pattern: "GET /events", handle: listFeed},

	{pattern: "GET /people", handle: listPeople},
	{pattern: "GET /people/{id}", handle: showPerson},
	{pattern: "GET /circles/people", handle: listPingable},
	{pattern: "GET /circles", handle: listPings},
	{pattern: "POST /circles", handle: startPing},
	{pattern: "GET /circles/{id}", handle: showPing},
	{pattern: "GET /my/profile", handle: showProfile},
	{pattern: "PUT /my/profile", handle: updateProfile},
	{pattern: "GET /my/preferences", handle: showPreferences},

	{pattern: "GET /message_boards/{id}", handle: onKinds(showBoard, kindBoard)},
	{pattern: "GET /message_boards/{id}/messages", handle: onKinds(listMessages, kindBoard)},
	{pattern: "POST /message_boards/{id}/messages", handle: onKinds(createMessage, kindBoard)},
	{pattern: "GET /messages", handle: everyRecording(kindMessage)},
	{pattern: "GET /messages/{id}", handle: onKinds(showRecording, kindMessage)},
	{pattern: "PUT /messages/{id}", handle: onKinds(updateMessage, kindMessage)},
	{pattern: "GET /categories", handle: listCategories},
	{pattern: "POST /recordings/{id}/pin", handle: onKinds(pinMessage, kindMessage)},
	{pattern: "DELETE /recordings/{id}/pin", handle: onKinds(unpinMessage, kindMessage)},

	{pattern: "GET /comments", handle: everyRecording(kindComment)},
	{pattern: "GET /recordings/{id}/comments", handle: onKinds(listComments)},
	{pattern: "POST /recordings/{id}/comments", handle: onKinds(createComment)},
	{pattern: "GET /comments/{id}", handle: onKinds(showRecording, kindComment)},
	{pattern: "PUT /comments/{id}", handle: onKinds(updateComment, kindComment)},

	{pattern: "GET /todosets/{id}", handle: onKinds(showTodoset, kindTodoset)},
	{pattern: "GET /todosets/{id}/todolists", handle: onKinds(listTodolists, kindTodoset)},
	{pattern: "POST /todosets/{id}/todolists", handle: onKinds(createTodolist, kindTodoset)},
	{pattern: "GET /todosets/{id}/todos", handle: onKinds(listTodos, kindTodoset)},
	{pattern: "POST /todosets/{id}/todos", handle: onKinds(createTodo, kindTodoset)},
	{pattern: "PUT /todosets/todolists/{id}/position", handle: onKinds(repositionList, kindTodolist)},
	{pattern: "GET /todolists/{id}", handle: onKinds(showRecording, kindTodolist)},
	{pattern: "PUT /todolists/{id}", handle: onKinds(updateTodolist, kindTodolist)},
	{pattern: "GET /todolists/{id}/groups", handle: onKinds(listGroups, kindTodolist)},
	{pattern: "POST /todolists/{id}/groups", handle: onKinds(createTodolist, kindTodolist)},
	{pattern: "PUT /todolists/groups/{id}/position", handle: onKinds(repositionGroup, kindTodolist)},
	{pattern: "GET /todolists/{id}/todos", handle: onKinds(listTodos, kindTodolist)},
	{pattern: "POST /todolists/{id}/todos", handle: onKinds(createTodo, kindTodolist)},
	{pattern: "GET /todos/{id}", handle: onKinds(showRecording, kindTodo)},
	{pattern: "PUT /todos/{id}", handle: onKinds(updateTodo, kindTodo)},
	{pattern: "POST /todos/{id}/completion", handle: onKinds(completeTodo, kindTodo)},
	{pattern: "DELETE /todos/{id}/completion", handle: onKinds(reopenTodo, kindTodo)},
	{pattern: "PUT /todos/{id}/position", handle: onKinds(reposition, kindTodo)},

	{pattern: "GET /recordings/{id}/subtasks", handle: onKinds(listSteps, kindTodo, kindCard)},
	{pattern: "POST /recordings/{id}/subtasks", handle: onKinds(createStep, kindTodo, kindCard)},
	{pattern: "GET /subtasks/{id}", handle: onKinds(showRecording, kindStep)},
	{pattern: "PUT /subtasks/{id}", handle: onKinds(updateStep, kindStep)},
	{pattern: "DELETE /subtasks/{id}", handle: onKinds(trashStep, kindStep)},
	{pattern: "POST /subtasks/{id}/completion", handle: onKinds(completeTodo, kindStep)},
	{pattern: "DELETE /subtasks/{id}/completion", handle: onKinds(reopenTodo, kindStep)},
	{pattern: "PUT /subtasks/{id}/position", handle: onKinds(reposition, kindStep)},

	{pattern: "GET /card_tables/{id}", handle: onKinds(showCardTable, kindCardTable)},
	{pattern: "POST /card_tables/{id}/columns", handle: onKinds(createColumn, kindCardTable)},
	{pattern: "POST /card_tables/{id}/moves", handle: onKinds(moveOnTable, kindCardTable)},
	{pattern: "GET /card_tables/columns/{id}", handle: onKinds(showRecording, columnKinds...)},
	{pattern: "PUT /card_tables/columns/{id}", handle: onKinds(updateColumn, columnKinds...)},
	{pattern: "PUT /card_tables/columns/{id}/color", handle: onKinds(colorColumn, columnKinds...)},
	{pattern: "POST /card_tables/columns/{id}/on_hold", handle: onKinds(holdColumn, columnKinds...)},
	{pattern: "DELETE /card_tables/columns/{id}/on_hold", handle: onKinds(unholdColumn, columnKinds...)},
	{pattern: "POST /card_tables/lists/{id}/subscription", handle: onKinds(watchColumn, columnKinds...)},
	{pattern: "DELETE /card_tables/lists/{id}/subscription", handle: onKinds(unsubscribe, columnKinds...)},
	{pattern: "GET /card_tables/lists/{id}/cards", handle: onKinds(listCards, cardHolders...)},
	{pattern: "POST /card_tables/lists/{id}/cards", handle: onKinds(createCard, columnKinds...)},
	{pattern: "GET /card_tables/cards/{id}", handle: onKinds(showRecording, kindCard)},
	{pattern: "PUT /card_tables/cards/{id}", handle: onKinds(updateCard, kindCard)},
	{pattern: "POST /card_tables/cards/{id}/moves", handle: onKinds(moveCard, kindCard)},

	{pattern: "GET /vaults/{id}", handle: onKinds(showRecording, kindVault)},
	{pattern: "PUT /vaults/{id}", handle: onKinds(updateVault, kindVault)},
	{pattern: "GET /vaults/{id}/vaults", handle: onKinds(listVaults, kindVault)},
	{pattern: "POST /vaults/{id}/vaults", handle: onKinds(createVault, kindVault)},
	{pattern: "GET /vaults/{id}/documents", handle: onKinds(listDocuments, kindVault)},
	{pattern: "POST /vaults/{id}/documents", handle: onKinds(createDocument, kindVault)},
	{pattern: "GET /documents/{id}", handle: onKinds(showRecording, kindDocument)},
	{pattern: "PUT /documents/{id}", handle: onKinds(updateDocument, kindDocument)},
	{pattern: "GET /vaults/{id}/uploads", handle: onKinds(listUploads, kindVault)},
	{pattern: "POST /vaults/{id}/uploads", handle: onKinds(createUpload, kindVault)},
	{pattern: "GET /uploads/{id}", handle: onKinds(showRecording, kindUpload)},
	{pattern: "PUT /uploads/{id}", handle: onKinds(updateUpload, kindUpload)},
	{pattern: "GET /uploads/{id}/versions", handle: onKinds(listVersions, kindUpload)},
	{pattern: "POST /uploads/{id}/versions", handle: onKinds(replaceUpload, kindUpload)},
	{pattern: "GET /uploads/{id}/download/{name}", handle: onKinds(downloadUpload, kindUpload)},
	{pattern: "POST /attachments", handle: createAttachment, bytes: true},
	{pattern: "GET /blobs/{key}/download/{name}", handle: downloadBlob},
	{pattern: "GET /files", handle: listFiles},

	{pattern: "GET /todosets/{id}/hill", handle: onKinds(showHill, kindTodoset)},
	{pattern: "PUT /todosets/{id}/hills/settings", handle: onKinds(updateHill, kindTodoset)},
	{pattern: "GET /projects/{id}/gauge/needles", handle: onProject(listNeedles)},
	{pattern: "POST /projects/{id}/gauge/needles", handle: onProject(createNeedle)},
	{pattern: "PUT /projects/{id}/gauge", handle: onProject(toggleGauge)},
	{pattern: "GET /gauge_needles/{id}", handle: onNeedle(showNeedle)},
	{pattern: "PUT /gauge_needles/{id}", handle: onNeedle(updateNeedle)},
	{pattern: "DELETE /gauge_needles/{id}", handle: onNeedle(deleteNeedle)},
	{pattern: "GET /recordings/{id}/timesheet", handle: onKinds(listTimes)},
	{pattern: "POST /recordings/{id}/timesheet/entries", handle: onKinds(createTime, timesheetable...)},
	{pattern: "GET /projects/{id}/timesheet", handle: onProject(listProjectTimes)},
	{pattern: "GET /reports/timesheet", handle: listAllTimes},
	{pattern: "GET /timesheet_entries/{id}", handle: onTime(showTime)},
	{pattern: "PUT /timesheet_entries/{id}", handle: onTime(updateTime)},
	{pattern: "DELETE /timesheet_entries/{id}", handle: onTime(deleteTime)},

	{pattern: "GET /templates", handle: listTemplates},
	{pattern: "POST /templates", handle: createTemplate},
	{pattern: "GET /templates/{id}", handle: onTemplate(showTemplate)},
	{pattern: "PUT /templates/{id}", handle: onTemplate(updateTemplate)},
	{pattern: "DELETE /templates/{id}", handle: onTemplate(trashTemplate)},
	{pattern: "POST /templates/{id}/project_constructions", handle: onTemplate(constructProject)},
	{pattern: "GET /templates/{id}/project_constructions/{construction}", handle: onTemplate(showConstruction)},

	{pattern: "GET /my/notes", handle: showNote},
	{pattern: "PUT /my/notes", handle: updateNote},
	{pattern: "GET /people/{id}/out_of_office", handle: onPerson(showAbsence, false)},
	{pattern: "POST /people/{id}/out_of_office", handle: onPerson(enableAbsence, true)},
	{pattern: "DELETE /people/{id}/out_of_office", handle: onPerson(disableAbsence, true)},

	{pattern: "GET /chats", handle: listChats},
	{pattern: "GET /chats/{id}", handle: onKinds(showChat, kindChat)},
	{pattern: "GET /chats/{id}/lines", handle: onKinds(listLines, kindChat)},
	{pattern: "POST /chats/{id}/lines", handle: onKinds(createLine, kindChat)},
	{pattern: "GET /chats/{id}/lines/{line}", handle: onKinds(showLine, kindChat)},
	{pattern: "PUT /chats/{id}/lines/{line}", handle: onKinds(updateLine, kindChat)},
	{pattern: "DELETE /chats/{id}/lines/{line}", handle: onKinds(deleteLine, kindChat)},

	{pattern: "GET /schedules/{id}", handle: onKinds(showSchedule, kindSchedule)},
	{pattern: "GET /schedules/{id}/entries", handle: onKinds(listEntries, kindSchedule)},
	{pattern: "POST /schedules/{id}/entries", handle: onKinds(createEntry, kindSchedule)},
	{pattern: "GET /schedule_entries/{id}", handle: onKinds(showEntry, kindEntry)},
	{pattern: "GET /schedule_entries/{id}/occurrences/{day}", handle: onKinds(showOccurrence, kindEntry)},
	{pattern: "PUT /schedule_entries/{id}", handle: onKinds(updateEntry, kindEntry)},

	{pattern: "GET /questionnaires/{id}", handle: onKinds(showQuestionnaire, kindQuestionnaire)},
	{pattern: "GET /questionnaires/{id}/questions", handle: onKinds(listQuestions, kindQuestionnaire)},
	{pattern: "POST /questionnaires/{id}/questions", handle: onKinds(createQuestion, kindQuestionnaire)},
	{pattern: "GET /questions/{id}", handle: onKinds(showRecording, kindQuestion)},
	{pattern: "PUT /questions/{id}", handle: onKinds(updateQuestion, kindQuestion)},
	{pattern: "PUT /questions/{id}/notification_settings", handle: onKinds(setQuestionNotifications, kindQuestion)},
	{pattern: "POST /questions/{id}/pause", handle: onKinds(pauseQuestion, kindQuestion)},
	{pattern: "DELETE /questions/{id}/pause", handle: onKinds(resumeQuestion, kindQuestion)},
	{pattern: "GET /questions/{id}/answers", handle: onKinds(listAnswers, kindQuestion)},
	{pattern: "POST /questions/{id}/answers", handle: onKinds(createAnswer, kindQuestion)},
	{pattern: "GET /questions/{id}/answers/by", handle: onKinds(listAnswerers, kindQuestion)},
	{pattern: "GET /questions/{id}/answers/by/{person}", handle: onKinds(listAnswersBy, kindQuestion)},
	{pattern: "GET /question_answers/{id}", handle: onKinds(showRecording, kindAnswer)},
	{pattern: "PUT /question_answers/{id}", handle: onKinds(updateAnswer, kindAnswer)},
	{pattern: "GET /my/question_reminders", handle: listReminders},
	{pattern: "GET /checkins", handle: everyRecording(kindAnswer)},

	{pattern: "GET /inboxes/{id}", handle: onKinds(showInbox, kindInbox)},
	{pattern: "GET /inboxes/{id}/inbox_forwards", handle: onKinds(listForwards, kindInbox)},
	{pattern: "GET /inbox_forwards/{id}", handle: onKinds(showRecording, kindForward)},
	{pattern: "GET /inbox_forwards/{id}/replies", handle: onKinds(listReplies, kindForward)},
	{pattern: "GET /inbox_forwards/{id}/replies/{reply}", handle: onKinds(showReply, kindForward)},
	{pattern: "GET /forwards", handle: everyRecording(kindForward)},

	{pattern: "PUT /recordings/{id}/status/{status}", handle: onKinds(setStatus)},
	{pattern: "POST /recordings/{id}/filing", handle: onKinds(fileRecording, kindVault, kindDocument, kindUpload)},
	{pattern: "PUT /recordings/{id}/client_visibility", handle: onKinds(setVisibility)},
	{pattern: "GET /recordings/{id}/events", handle: onKinds(listEvents)},
	{pattern: "GET /recordings/{id}/subscription", handle: onKinds(showSubscription)},
	{pattern: "POST /recordings/{id}/subscription", handle: onKinds(subscribe)},
	{pattern: "DELETE /recordings/{id}/subscription", handle: onKinds(unsubscribe)},
	{pattern: "PUT /recordings/{id}/subscription", handle: onKinds(updateSubscription)},
	{pattern: "GET /recordings/{id}/boosts", handle: onKinds(listBoosts)},
	{pattern: "POST /recordings/{id}/boosts", handle: onKinds(createBoost)},
	{pattern: "GET /boosts/{id}", handle: showBoost},
	{pattern: "DELETE /boosts/{id}", handle: deleteBoost},
	{pattern: "POST /recordings/{id}/bubble_up", handle: onKinds(bubbleUp)},
	{pattern: "DELETE /recordings/{id}/bubble_up", handle: onKinds(popBubble)},
	{pattern: "GET /recordings/{id}/bookmark", handle: onKinds(showBookmark)},
	{pattern: "POST /recordings/{id}/bookmark", handle: onKinds(createBookmark)},
	{pattern: "DELETE /recordings/{id}/bookmark", handle: onKinds(deleteBookmark)},
	{pattern: "GET /my/bookmarks", handle: listBookmarks},
	{pattern: "GET /my/drafts", handle: listDrafts},

	{pattern: "GET /search", handle: search},

	{pattern: "GET /my/assignments", handle: listAssignments},
	{pattern: "GET /my/assignments/completed", handle: listCompletedAssignments},
	{pattern: "POST /my/priorities", handle: prioritize},
	{pattern: "DELETE /my/priorities/{id}", handle: onKinds(deprioritize)},
	{pattern: "POST /my/priority_moves", handle: movePriority},
	{pattern: "GET /my/readings", handle: listReadings},
	{pattern: "GET /my/readings/bubble_ups", handle: listBubbleUps},
	{pattern: "PUT /my/unreads", handle: markRead},

	{pattern: "GET /reports/todos/assigned", handle: listAssignable},
	{pattern: "GET /reports/todos/assigned/{id}", handle: listAssigned},
	{pattern: "GET /reports/todos/overdue", handle: listOverdue},
	{pattern: "GET /reports/schedules/upcoming", handle: listUpcoming},
	{pattern: "GET /reports/progress", handle: listProgress},
	{pattern: "GET /reports/users/progress/{id}", handle: listPersonTimeline},

	{pattern: "GET /todos/open", handle: everyTask(kindTodo, open)},
	{pattern: "GET /todos/completed", handle: everyTask(kindTodo, (*recording).completed)},
	{pattern: "GET /todos/unassigned", handle: everyTask(kindTodo, unassigned)},
	{pattern: "GET /todos/no_due_date", handle: everyTask(kindTodo, undated)},
	{pattern: "GET /todos/overdue", handle: everyOverdue(kindTodo)},
	{pattern: "GET /cards/open", handle: everyTask(kindCard, openNow)},
	{pattern: "GET /cards/completed", handle: everyTask(kindCard, (*recording).completed)},
	{pattern: "GET /cards/unassigned", handle: everyTask(kindCard, unassigned)},
	{pattern: "GET /cards/no_due_date", handle: everyTask(kindCard, undated)},
	{pattern: "GET /cards/not_now", handle: everyTask(kindCard, notNow)},
	{pattern: "GET /cards/overdue", handle: everyOverdue(kindCard)},
}

// A route is a method, a path without account, project and .json, and a handler. Package documented
// says whether the path exists with a project, without a project, or in both forms.
type route struct {
	pattern  string
	handle   handler
	bytes    bool // takes a body that is not JSON
	segments []string
}

// byShape returns the routes by method and number of segments. It makes the map at its first use:
// most processes that contain the sandbox do not run it.
var byShape = sync.OnceValue(func() map[shape][]*route { return index(routes) })

type shape struct {
	method string
	length int
}

func index(routes []route) map[shape][]*route {
	all := map[shape][]*route{}
	for _, r := range routes {
		method, path, _ := strings.Cut(r.pattern, " /")
		r.segments = strings.Split(path, "/")
		key := shape{method, len(r.segments)}
		all[key] = append(all[key], &r)
	}
	return all
}

// lookup returns the route of a request and its path parameters, or nil. If several routes match,
// it prefers the one with the most literal segments: /projects/recordings before /projects/{id}.
func lookup(method string, segments []string) (*route, map[string]string) {
	var best *route
	var bestParams map[string]string
	for _, r := range byShape()[shape{method, len(segments)}] {
		params, ok := r.match(segments)
		if ok && (best == nil || len(params) < len(bestParams)) {
			best, bestParams = r, params
		}
	}
	return best, bestParams
}

// match compares a path segment by segment. {name} matches any segment that is not empty.
func (r *route) match(segments []string) (map[string]string, bool) {
	params := map[string]string{}
	for i, want := range r.segments {
		got := segments[i]
		if name, ok := strings.CutPrefix(want, "{"); ok && got != "" {
			params[strings.TrimSuffix(name, "}")] = got
		} else if want != got {
			return nil, false
		}
	}
	return params, true
}
