package basecamptools

import (
	"context"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/toolargs"
)

func workTools(rs *resolver) []mcptool.Tool {
	return []mcptool.Tool{
		search(rs), getMyWork(rs), listWork(rs), getActivity(rs), getReport(rs), getUpcoming(rs), getNotifications(rs), markNotificationsRead(rs), getHistory(rs),
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
	if f.id, err = rs.projectID(ctx, "project", ref); err != nil || ref.Name != "" {
		return f, err
	}
	f.read = listing.Ahead(ctx, func(ctx context.Context) (basecamp.Project, error) { return rs.projectByID(ctx, f.id) })
	return f, nil
}

// projectFilter is a filter by project. A project that the call names by ID or URL is read while
// the call goes on.
type projectFilter struct {
	id   int64 // 0 without a filter
	read func() (basecamp.Project, error)
}

// exists waits for the project. It returns its error if the project cannot be read, and otherwise
// the error of what was read with the filter.
func (f projectFilter) exists(err error) error {
	if f.read != nil {
		if _, missing := f.read(); missing != nil {
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
	if err := in.exists(nil); err != nil {
		return 0, err
	}
	if strings.EqualFold(ref.Name, "me") {
		project = 0
	}
	who, err := rs.person(ctx, argument, ref, project)
	if project != 0 && (fault.Is(err, fault.InvalidInput) || fault.Is(err, fault.NotFound)) {
		who, err = rs.person(ctx, argument, ref, 0)
	}
	return who.ID, err
}
