package basecamptools

import (
	"context"
	"strings"

	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/toolargs"
)

func workTools(rs *resolver) []mcptool.Tool {
	return []mcptool.Tool{
		search(rs), getMyWork(rs), listWork(rs), getActivity(rs), getChanges(rs), getReport(rs), getUpcoming(rs), getNotifications(rs), markNotificationsRead(rs), getHistory(rs),
	}
}

// filterProject resolves a filter by project. It reads the project even if the caller names it by
// id: otherwise a list filtered by a project that does not exist would be empty instead of an
// error.
func (rs *resolver) filterProject(ctx context.Context, ref toolargs.Ref) (projectFilter, error) {
	var f projectFilter
	var err error
	if ref.IsZero() {
		return f, nil
	}
	if f.id, err = rs.ProjectID(ctx, "project", ref); err != nil || ref.Name != "" {
		return f, err
	}
	f.unread = true
	lookup.Expect(ctx, f.id, rs.ProjectByID)
	return f, nil
}

// projectFilter is a filter by project. A project that the call names by ID or URL is read while
// the call goes on.
type projectFilter struct {
	id     int64 // 0 without a filter
	unread bool  // it is not known yet whether the project exists
}

// verifyProject returns the error of a filter's project if that cannot be read, and otherwise the
// error of what was read with the filter.
func (rs *resolver) verifyProject(ctx context.Context, f projectFilter, err error) error {
	if f.unread {
		if _, missing := rs.ProjectByID(ctx, f.id); missing != nil {
			return missing
		}
	}
	return err
}

// filterPerson resolves a filter by person to the person's id. It returns 0 if there is no
// filter. It prefers people on the project, because others may share a first name. A person who
// has left the project is found in the account.
func (rs *resolver) filterPerson(ctx context.Context, argument string, ref toolargs.Ref, in projectFilter) (int64, error) {
	project := in.id
	if ref.IsZero() {
		return 0, nil
	}
	if err := rs.verifyProject(ctx, in, nil); err != nil {
		return 0, err
	}
	if strings.EqualFold(ref.Name, "me") {
		project = 0
	}
	who, err := rs.Person(ctx, argument, ref, project)
	if project != 0 && (fault.Is(err, fault.InvalidInput) || fault.Is(err, fault.NotFound)) {
		who, err = rs.Person(ctx, argument, ref, 0)
	}
	return who.ID, err
}
