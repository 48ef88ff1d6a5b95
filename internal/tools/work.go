package tools

import (
	"context"
	"strings"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/mcptool"
)

func workTools(ws *workspace) []mcptool.Tool {
	return []mcptool.Tool{
		search(ws), getMyWork(ws), listWork(ws), getActivity(ws), getUpcoming(ws), getNotifications(ws), getHistory(ws),
	}
}

// filterProject resolves a project that a list is kept to, 0 when there is none. It is read even if its id is given: a list that
// is kept to a project that does not exist would just be empty.
func (ws *workspace) filterProject(ctx context.Context, ref mcptool.Ref) (int64, error) {
	if ref.IsZero() {
		return 0, nil
	}
	project, err := ws.project(ctx, "project", ref)
	return project.ID, err
}

// filterPerson resolves a person whom a list is kept to, 0 when there is none. Those on the project come first, as a first name
// may be shared; but somebody who has left it may still be asked about.
func (ws *workspace) filterPerson(ctx context.Context, argument string, ref mcptool.Ref, project int64) (int64, error) {
	if ref.IsZero() {
		return 0, nil
	}
	if strings.EqualFold(ref.Name, "me") {
		project = 0
	}
	who, err := ws.person(ctx, argument, ref, project)
	if project != 0 && fault.Is(err, fault.InvalidInput) {
		who, err = ws.person(ctx, argument, ref, 0)
	}
	return who.ID, err
}
