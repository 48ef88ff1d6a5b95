package basecamptools

import (
	"context"
	"strings"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/mcptool"
)

func workTools(rs *resolver) []mcptool.Tool {
	return []mcptool.Tool{
		search(rs), getMyWork(rs), listWork(rs), getActivity(rs), getReport(rs), getUpcoming(rs), getNotifications(rs), markNotificationsRead(rs), getHistory(rs),
	}
}

// filterProject resolves a filter by project to the project's id. It returns 0 if there is no
// filter. It reads the project even if the caller names it by id: otherwise a list filtered by a
// project that does not exist would be empty instead of an error.
func (rs *resolver) filterProject(ctx context.Context, ref mcptool.Ref) (int64, error) {
	if ref.IsZero() {
		return 0, nil
	}
	project, err := rs.project(ctx, "project", ref)
	return project.ID, err
}

// filterPerson resolves a filter by person to the person's id. It returns 0 if there is no
// filter. It prefers people on the project, because others may share a first name. A person who
// has left the project is found in the account.
func (rs *resolver) filterPerson(ctx context.Context, argument string, ref mcptool.Ref, project int64) (int64, error) {
	if ref.IsZero() {
		return 0, nil
	}
	if strings.EqualFold(ref.Name, "me") {
		project = 0
	}
	who, err := rs.person(ctx, argument, ref, project)
	if project != 0 && fault.Is(err, fault.InvalidInput) {
		who, err = rs.person(ctx, argument, ref, 0)
	}
	return who.ID, err
}
