package parts

import (
	"context"
	"strings"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/toolargs"
)

// FilterProject resolves a filter by project. It reads the project even if the caller names it by
// id: otherwise a list filtered by a project that does not exist would be empty instead of an
// error.
func (rs *Base) FilterProject(ctx context.Context, ref toolargs.Ref) (ProjectFilter, error) {
	var f ProjectFilter
	var err error
	if ref.IsZero() {
		return f, nil
	}
	if f.ID, err = rs.ProjectID(ctx, "project", ref); err != nil || ref.Name != "" {
		return f, err
	}
	f.unread = true
	listing.Expect(ctx, f.ID, rs.ProjectByID)
	return f, nil
}

// ProjectFilter is a filter by project. A project that the call names by ID or URL is read while
// the call goes on.
type ProjectFilter struct {
	ID     int64 // 0 without a filter
	unread bool  // it is not known yet whether the project exists
}

// VerifyProject returns the error of a filter's project if that cannot be read, and otherwise the
// error of what was read with the filter.
func (rs *Base) VerifyProject(ctx context.Context, f ProjectFilter, err error) error {
	if f.unread {
		if _, missing := rs.ProjectByID(ctx, f.ID); missing != nil {
			return missing
		}
	}
	return err
}

// FilterPerson resolves a filter by person to the person's id. It returns 0 if there is no
// filter. It prefers people on the project, because others may share a first name. A person who
// has left the project is found in the account.
func (rs *Base) FilterPerson(ctx context.Context, argument string, ref toolargs.Ref, in ProjectFilter) (int64, error) {
	project := in.ID
	if ref.IsZero() {
		return 0, nil
	}
	if err := rs.VerifyProject(ctx, in, nil); err != nil {
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

// AccountInput is part of the input of tools that need no item.
type AccountInput struct {
	Account string `json:"account,omitzero" jsonschema:"Id, name or all" limits:"maxlen=200"`
}
