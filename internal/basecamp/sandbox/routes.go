package sandbox

import (
	"slices"
	"strings"
	"sync"
)

// A route is a request, by the name of the documented route. Its handle is a handler, or a function
// of what {id} in the path is. A handle without a result answers with nothing.
type route struct {
	name   string
	handle any
}

// routes returns the handlers of all requests that the sandbox supports, by the names of the
// documented routes. It makes the map at its first use: most processes that contain the sandbox do
// not run it.
var routes = sync.OnceValue(func() map[string]handler {
	all := map[string]handler{}
	for _, r := range slices.Concat(
		usualRoutes(), assignmentRoutes, boostRoutes, cardRoutes, chatRoutes, checkinRoutes, documentRoutes, feedRoutes, fileRoutes,
		historyRoutes, messageRoutes, peopleRoutes, personalRoutes, progressRoutes, projectRoutes, readingRoutes, recordingRoutes,
		reportRoutes, scheduleRoutes, searchRoutes, templateRoutes, timelineRoutes, todolistRoutes, todoRoutes,
	) {
		all[r.name] = r.handler()
	}
	return all
})

// usualRoutes returns the routes that the kinds have alike: one shows a recording. If requests make
// recordings of the kind, one changes one, one makes one in its holder, and one lists those in it.
func usualRoutes() (usual []route) {
	for k, t := range kinds() {
		if !k.apart() && !slices.Contains(slices.Concat(lineKinds, []kind{kindOnHold, kindReply}), k) {
			usual = append(usual, route{"GET /" + t.Path + "/{id}", (*call).show})
		}
	}
	for _, w := range []writing{messages, comments, todolists, todos, columns, cards, vaults, documents, uploads, entries, questions, answers} {
		usual = append(usual, route{"PUT /" + kinds()[w.kind].Path + "/{id}", changes(w)})
		for _, holder := range w.within {
			path := " /" + kinds()[holder].Path + "/{id}/" + w.list
			usual = append(usual, route{"GET" + path, children(w.kind)}, route{"POST" + path, makes(w)})
		}
	}
	return usual
}

// kindsAt has the kinds of {id} after paths that are not the path of one kind.
var kindsAt = map[string][]kind{
	"card_tables/columns": columnKinds, "card_tables/lists": cardHolders, "subtasks": {kindStep}, "todolists/groups": {kindTodolist},
	"todosets/todolists": {kindTodolist}, "gauge_needles": {kindNeedle}, "timesheet_entries": {kindTime},
}

// kinds returns what {id} in the path of a route may be: any recording if there is none.
func (r route) kinds() []kind {
	_, path, _ := strings.Cut(r.name, " /")
	path, _, _ = strings.Cut(path, "/{id}")
	if at := kindsAt[path]; at != nil {
		return at
	}
	for k, t := range kinds() {
		if t.Path == path {
			return []kind{k}
		}
	}
	return nil
}

func (r route) handler() handler {
	switch handle := r.handle.(type) {
	case func(*call) reply:
		return handle
	case handler:
		return handle
	case func(*call, *recording) reply:
		return onKinds(handle, r.kinds()...)
	case func(*call, *recording) view:
		return onKinds(shows(handle), r.kinds()...)
	case func(*call, *recording):
		return onKinds(silently(handle), r.kinds()...)
	case func(*call, *project) reply:
		return on(theProject, handle)
	case func(*call, *project) view:
		return on(theProject, shows(handle))
	case func(*call, *Person) reply:
		return on(thePerson, handle)
	}
	panic("sandbox: the handle of " + r.name)
}
