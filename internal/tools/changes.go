package tools

import (
	"context"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/hub"
)

// linking makes the failures that the user can repair say where.
func (s Sources) linking(read hub.ReadChanges) hub.ReadChanges {
	return func(ctx context.Context, of hub.ChangesOf) hub.Changes {
		got := read(ctx, of)
		for i, part := range got.Failed {
			if f := fault.From(part.Err); f.Link != nil {
				told := *f
				told.Message += s.whereToLink(ctx)
				got.Failed[i].Err = &told
			}
		}
		return got
	}
}

// whereToLink returns the address at which the caller links GitHub, in words; "" if it is not
// known.
func (s Sources) whereToLink(ctx context.Context) string {
	if s.Connections == nil {
		return ""
	}
	all, err := s.Connections(ctx)
	if err != nil { // without the address, the message still says what to do
		return ""
	}
	for _, u := range all.Upstreams {
		if u.Provider == "GitHub" && u.ReconnectURL != "" {
			return "; ask the user to open " + u.ReconnectURL + " (good for ten minutes) and link it"
		}
	}
	if all.AccountURL == "" {
		return ""
	}
	return "; ask the user to open " + all.AccountURL
}
