package sandbox

import (
	"slices"
	"sync"
)

// routes returns the handlers of all requests that the sandbox supports, by the names of the
// documented routes. It makes the map at its first use: most processes that contain the sandbox do
// not run it.
var routes = sync.OnceValue(func() map[string]handler {
	return withUsual(map[string]handler{
		"GET /projects":                      listProjects,
		"POST /projects":                     createProject,
		"GET /projects/{id}":                 onProject(shows((*call).project)),
		"PUT /projects/{id}":                 onProject(updateProject),
		"DELETE /projects/{id}":              onProject(setProjectStatus(trashed)),
		"PUT /projects/{id}/status/active":   onProject(setProjectStatus(active)),
		"PUT /projects/{id}/status/archived": onProject(setProjectStatus(archived)),
		"GET /projects/{id}/people":          onProject(listProjectPeople),
		"PUT /projects/{id}/people/users":    onProject(updateAccess),
		"GET /projects/{id}/timeline":        onProject(listProjectTimeline),
		"GET /projects/recordings":           listRecordings,
		"GET /my/recent_projects":            listRecentProjects,

		"POST /dock/tools":                 createTool,
		"GET /dock/tools/{id}":             onKinds(shows((*call).envelope)),
		"PUT /dock/tools/{id}":             onKinds(renameTool),
		"POST /recordings/{id}/position":   onKinds(enableTool),
		"DELETE /recordings/{id}/position": onKinds(silently(disableTool)),

		"GET /account": showAccount,
		"GET /events":  listFeed,

		"GET /people":         listPeople,
		"GET /people/{id}":    onVisible(shows((*call).person)),
		"GET /circles/people": listPingable,
		"GET /circles":        listPings,
		"POST /circles":       startPing,
		"GET /circles/{id}":   showPing,
		"GET /my/profile":     showProfile,
		"PUT /my/profile":     updateProfile,
		"GET /my/preferences": showPreferences,

		"GET /message_boards/{id}/messages": onKinds(sortedChildren(kindMessage), kindBoard),
		"GET /messages":                     everyRecording(kindMessage),
		"GET /categories":                   listCategories,
		"GET /categories/{id}":              on((*call).findCategory, shows((*call).category)),
		"POST /recordings/{id}/pin":         onKinds(silently(pinMessage), kindMessage),
		"DELETE /recordings/{id}/pin":       onKinds(silently(unpinMessage), kindMessage),

		"GET /comments":                  everyRecording(kindComment),
		"GET /recordings/{id}/comments":  onKinds(listComments),
		"POST /recordings/{id}/comments": onKinds(makes(comments)),

		"GET /todosets/{id}/todos":              onKinds(listTodos, kindTodoset),
		"PUT /todosets/todolists/{id}/position": onKinds(repositionList, kindTodolist),
		"GET /todolists/{id}/groups":            onKinds(listGroups, kindTodolist),
		"POST /todolists/{id}/groups":           onKinds(makes(todolists), kindTodolist),
		"PUT /todolists/groups/{id}/position":   onKinds(repositionGroup, kindTodolist),
		"GET /todolists/{id}/todos":             onKinds(listTodos, kindTodolist),
		"POST /todos/{id}/completion":           onKinds(silently((*call).complete), kindTodo),
		"DELETE /todos/{id}/completion":         onKinds(silently((*call).reopen), kindTodo),
		"PUT /todos/{id}/position":              onKinds(reposition, kindTodo),

		"GET /recordings/{id}/subtasks":    onKinds(listSteps, kindTodo, kindCard),
		"POST /recordings/{id}/subtasks":   onKinds(makes(steps), kindTodo, kindCard),
		"GET /subtasks/{id}":               onKinds(shows((*call).show), kindStep),
		"PUT /subtasks/{id}":               onKinds(changes(steps), kindStep),
		"DELETE /subtasks/{id}":            onKinds(silently((*call).trash), kindStep),
		"POST /subtasks/{id}/completion":   onKinds(silently((*call).complete), kindStep),
		"DELETE /subtasks/{id}/completion": onKinds(silently((*call).reopen), kindStep),
		"PUT /subtasks/{id}/position":      onKinds(reposition, kindStep),

		"POST /card_tables/{id}/columns":              onKinds(makes(columns), kindCardTable),
		"POST /card_tables/{id}/moves":                onKinds(moveOnTable, kindCardTable),
		"GET /card_tables/columns/{id}":               onKinds(shows((*call).show), columnKinds...),
		"PUT /card_tables/columns/{id}":               onKinds(changes(columns), columnKinds...),
		"PUT /card_tables/columns/{id}/color":         onKinds(colorColumn, columnKinds...),
		"POST /card_tables/columns/{id}/on_hold":      onKinds(holdColumn, columnKinds...),
		"DELETE /card_tables/columns/{id}/on_hold":    onKinds(unholdColumn, columnKinds...),
		"POST /card_tables/lists/{id}/subscription":   onKinds(silently(watch), columnKinds...),
		"DELETE /card_tables/lists/{id}/subscription": onKinds(silently(unsubscribe), columnKinds...),
		"GET /card_tables/lists/{id}/cards":           onKinds(children(kindCard), cardHolders...),
		"POST /card_tables/lists/{id}/cards":          onKinds(makes(cards), columnKinds...),
		"POST /card_tables/cards/{id}/moves":          onKinds(moveCard, kindCard),

		"GET /uploads/{id}/versions":        onKinds(listVersions, kindUpload),
		"POST /uploads/{id}/versions":       onKinds(replaceUpload, kindUpload),
		"GET /uploads/{id}/download/{name}": onKinds(downloadUpload, kindUpload),
		"POST /attachments":                 createAttachment,
		"GET /blobs/{key}/download/{name}":  downloadBlob,
		"GET /files":                        listFiles,

		"GET /todosets/{id}/hill":                 onKinds(showAs("hill"), kindTodoset),
		"PUT /todosets/{id}/hills/settings":       onKinds(updateHill, kindTodoset),
		"GET /reports/gauges":                     listGauges,
		"GET /projects/{id}/gauge/needles":        onGauge(listNeedles),
		"POST /projects/{id}/gauge/needles":       onGauge(makes(needles)),
		"PUT /projects/{id}/gauge":                onGauge(toggleGauge),
		"GET /gauge_needles/{id}":                 onActive(shows((*call).show), kindNeedle),
		"PUT /gauge_needles/{id}":                 onActive(changes(needles), kindNeedle),
		"DELETE /gauge_needles/{id}":              onActive(silently((*call).trash), kindNeedle),
		"GET /recordings/{id}/timesheet":          onKinds(listTimes(func(e *recording) *recording { return e.Parent })),
		"POST /recordings/{id}/timesheet/entries": onKinds(makes(times), timesheetable...),
		"GET /projects/{id}/timesheet":            on((*call).findTimesheet, listTimes(func(e *recording) *project { return e.Bucket })),
		"GET /reports/timesheet":                  listAllTimes,
		"GET /timesheet_entries/{id}":             onActive(shows((*call).show), kindTime),
		"PUT /timesheet_entries/{id}":             onActive(changes(times), kindTime),
		"DELETE /timesheet_entries/{id}":          onActive(silently((*call).trash), kindTime),

		"GET /templates":                                 listTemplates,
		"POST /templates":                                createTemplate,
		"GET /templates/{id}":                            on((*call).findTemplate, shows((*call).template)),
		"PUT /templates/{id}":                            on((*call).findTemplate, updateTemplate),
		"DELETE /templates/{id}":                         on((*call).findTemplate, silently(trashTemplate)),
		"POST /templates/{id}/project_constructions":     on((*call).findTemplate, constructProject),
		"GET /templates/{id}/project_constructions/{id}": on((*call).findTemplate, showConstruction),

		"GET /my/notes":                     showNote,
		"PUT /my/notes":                     updateNote,
		"GET /people/{id}/out_of_office":    onPerson(showAbsence, false),
		"POST /people/{id}/out_of_office":   onPerson(enableAbsence, true),
		"DELETE /people/{id}/out_of_office": onPerson(silently(disableAbsence), true),

		"GET /chats":                    listChats,
		"GET /chats/{id}/lines":         onKinds(listLines(lineKinds...), kindChat),
		"GET /chats/{id}/uploads":       onKinds(listLines(kindUploadLine), kindChat),
		"POST /chats/{id}/lines":        onKinds(createLine, kindChat),
		"GET /chats/{id}/lines/{id}":    on((*call).findLine, shows((*call).show)),
		"PUT /chats/{id}/lines/{id}":    on((*call).findLine, updateLine),
		"DELETE /chats/{id}/lines/{id}": on((*call).findLine, deleteLine),

		"GET /schedules/{id}/entries":                  onKinds(listEntries, kindSchedule),
		"GET /schedule_entries/{id}":                   onKinds(showEntry, kindEntry),
		"GET /schedule_entries/{id}/occurrences/{day}": onKinds(showOccurrence, kindEntry),

		"PUT /questions/{id}/notification_settings": onKinds(setQuestionNotifications, kindQuestion),
		"POST /questions/{id}/pause":                onKinds(setPaused(true), kindQuestion),
		"DELETE /questions/{id}/pause":              onKinds(setPaused(false), kindQuestion),
		"GET /questions/{id}/answers":               onKinds(listAnswers, kindQuestion),
		"GET /questions/{id}/answers/by":            onKinds(listAnswerers, kindQuestion),
		"GET /questions/{id}/answers/by/{id}":       onKinds(listAnswersBy, kindQuestion),
		"GET /my/question_reminders":                listReminders,
		"GET /checkins":                             everyRecording(kindAnswer),

		"GET /inboxes/{id}/inbox_forwards":      onKinds(sortedChildren(kindForward), kindInbox),
		"GET /inbox_forwards/{id}/replies":      onKinds(listReplies, kindForward),
		"GET /inbox_forwards/{id}/replies/{id}": onKinds(showReply, kindForward),
		"GET /forwards":                         everyRecording(kindForward),

		"PUT /recordings/{id}/status/active":     onKinds(setStatus(active)),
		"PUT /recordings/{id}/status/archived":   onKinds(setStatus(archived)),
		"PUT /recordings/{id}/status/trashed":    onKinds(setStatus(trashed)),
		"POST /recordings/{id}/filing":           onKinds(fileRecording, kindVault, kindDocument, kindUpload),
		"PUT /recordings/{id}/client_visibility": onKinds(setVisibility),
		"GET /recordings/{id}/events":            onKinds(listEvents),
		"GET /recordings/{id}/subscription":      onKinds(showSubscription),
		"POST /recordings/{id}/subscription":     onKinds(subscribe),
		"DELETE /recordings/{id}/subscription":   onKinds(silently(unsubscribe)),
		"PUT /recordings/{id}/subscription":      onKinds(updateSubscription),
		"GET /recordings/{id}/boosts":            onKinds(listBoosts),
		"POST /recordings/{id}/boosts":           onKinds(createBoost),
		"GET /boosts/{id}":                       on((*call).findBoost, shows((*call).wholeBoost)),
		"DELETE /boosts/{id}":                    on((*call).findBoost, deleteBoost),
		"POST /recordings/{id}/bubble_up":        onKinds(bubbleUp),
		"DELETE /recordings/{id}/bubble_up":      onKinds(silently(popBubble)),
		"GET /recordings/{id}/bookmark":          onKinds(showBookmark),
		"POST /recordings/{id}/bookmark":         onKinds(createBookmark),
		"DELETE /recordings/{id}/bookmark":       onKinds(silently(deleteBookmark)),
		"GET /my/bookmarks":                      listBookmarks,
		"GET /my/drafts":                         listDrafts,

		"GET /search": search,

		// The company has none of these.
		"GET /recordings/{id}/events/{id}/boosts": onKinds(listNothing),
		"GET /client/approvals":                   nothing,
		"GET /client/correspondences":             nothing,
		"GET /client/recordings/{id}/replies":     onKinds(listNothing),
		"GET /webhooks":                           nothing,

		"GET /my/assignments":           listAssignments,
		"GET /my/assignments/completed": listCompletedAssignments,
		"POST /my/priorities":           prioritize,
		"DELETE /my/priorities/{id}":    onKinds(silently(deprioritize)),
		"POST /my/priority_moves":       movePriority,
		"GET /my/readings":              listReadings,
		"GET /my/readings/bubble_ups":   listBubbleUps,
		"PUT /my/unreads":               markRead,

		"GET /reports/todos/assigned":      listAssignable,
		"GET /reports/todos/assigned/{id}": onVisible(listAssigned),
		"GET /reports/todos/overdue":       listOverdue,
		"GET /reports/schedules/upcoming":  listUpcoming,
		"GET /reports/progress":            listProgress,
		"GET /reports/users/progress/{id}": onVisible(listPersonTimeline),

		"GET /todos/open":        everyTask(kindTodo, open),
		"GET /todos/completed":   everyTask(kindTodo, (*recording).completed),
		"GET /todos/unassigned":  everyTask(kindTodo, unassigned),
		"GET /todos/no_due_date": everyTask(kindTodo, undated),
		"GET /todos/overdue":     everyOverdue(kindTodo),
		"GET /cards/open":        everyTask(kindCard, openNow),
		"GET /cards/completed":   everyTask(kindCard, (*recording).completed),
		"GET /cards/unassigned":  everyTask(kindCard, unassigned),
		"GET /cards/no_due_date": everyTask(kindCard, undated),
		"GET /cards/not_now":     everyTask(kindCard, notNow),
		"GET /cards/overdue":     everyOverdue(kindCard),
	})
})

// withUsual adds the routes that the kinds have alike: one shows a recording. If requests make
// recordings of the kind, one changes one, one makes one in its holder, and one lists those in it.
func withUsual(routes map[string]handler) map[string]handler {
	add := func(name string, handle handler) {
		if routes[name] == nil {
			routes[name] = handle
		}
	}
	for k, t := range kinds {
		if !k.apart() && !slices.Contains(slices.Concat(lineKinds, []kind{kindOnHold, kindReply}), k) {
			add("GET /"+t.path+"/{id}", onKinds(shows((*call).show), k))
		}
	}
	for _, w := range []writing{messages, comments, todolists, todos, cards, vaults, documents, uploads, entries, questions, answers} {
		add("PUT /"+kinds[w.kind].path+"/{id}", onKinds(changes(w), w.kind))
		for _, holder := range w.within {
			path := " /" + kinds[holder].path + "/{id}/" + w.list
			add("GET"+path, onKinds(children(w.kind), holder))
			add("POST"+path, onKinds(makes(w), holder))
		}
	}
	return routes
}
