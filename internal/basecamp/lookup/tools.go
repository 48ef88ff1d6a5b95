package lookup

import (
	"context"
	"fmt"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolargs"
)

// Link parses a Basecamp URL, which must belong to the caller's account.
func (rs *projectFinder) Link(ctx context.Context, argument, url string) (basecamp.Link, error) {
	link, err := basecamp.ParseLink(url)
	if err != nil {
		return basecamp.Link{}, fault.Invalid(argument, "must be the URL of a project, item or person in Basecamp").Because(err)
	}
	if err := rs.InAccount(ctx, argument, link.Account); err != nil {
		return link, err
	}
	return link, withinFence(ctx, link)
}

// InAccount returns an error unless the account of a URL is that of the call.
func (rs *projectFinder) InAccount(ctx context.Context, argument string, account int64) error {
	own, err := rs.BC.Account(ctx)
	if err != nil || account == own {
		return err
	}
	caller, _ := identity.From(ctx)
	if _, held := caller.In(account); held {
		return crosses(argument, "this", fence.Account{ID: account, Name: accountName(caller, account)}, caller)
	}
	return notConnected(ctx, argument, account, own)
}

// Tool is a kind of tool that a project's dock can hold.
type Tool struct {
	Noun
	Argument string // the argument by which a caller chooses one of several
}

// The tools of a project.
var (
	MessageBoard = Tool{Noun{"message board", "message boards", "message_board"}, "message_board_id"}
	Todoset      = Tool{Noun{"to-do set", "to-do sets", "todoset"}, "todoset_id"}
	Vault        = Tool{Noun{"Docs & Files", "Docs & Files", "vault"}, "folder"}
	Chat         = Tool{Noun{"chat", "chats", "chat"}, "chat"}
	CardTable    = Tool{Noun{"card table", "card tables", "kanban_board"}, "board"}
	Schedule     = Tool{Noun{"schedule", "schedules", "schedule"}, "schedule"}
	Checkins     = Tool{Noun{"automatic check-ins", "sets of automatic check-ins", "questionnaire"}, "questionnaire"}
	Inbox        = Tool{Noun{"e-mail forwards", "inboxes for e-mail forwards", "inbox"}, "inbox"}
)

// Docks returns a project's enabled tools of a kind. If there are none, it returns
// TOOL_NOT_ENABLED.
func (rs *projectFinder) Docks(project basecamp.Project, t Tool) ([]basecamp.DockItem, error) {
	enabled := Matching(project.Dock, func(d basecamp.DockItem) bool { return d.Name == t.Kind && d.Enabled })
	if len(enabled) > 0 {
		return enabled, nil
	}
	e := fault.New(fault.ToolNotEnabled, "the project %s has no %s enabled; name another project, or ask the user to switch it on in Basecamp (%s); get_project_tools lists its tools",
		plaintext.Quote(project.Name), t.One, project.AppURL)
	e.Resource = &fault.Resource{Type: projectNoun.Kind, ID: fmt.Sprint(project.ID)}
	return nil, e
}

// Dock returns a project's tool of a kind: the named one, or the only one.
func (rs *projectFinder) Dock(ctx context.Context, project basecamp.Project, t Tool, named toolargs.Ref) (basecamp.DockItem, error) {
	if mcptool.Writes(ctx) && (project.Status == Archived || project.Status == Trashed) {
		return basecamp.DockItem{}, fault.Invalid("project", "%s is %s, so users would not see new content there; restore it first with set_item_status", plaintext.Quote(project.Name), project.Status)
	}
	enabled, err := rs.Docks(project, t)
	if err != nil {
		return basecamp.DockItem{}, err
	}
	options := Choice[basecamp.DockItem]{
		Argument: t.Argument, Noun: t.Noun, Items: enabled,
		Name:  func(d basecamp.DockItem) string { return d.Title },
		ID:    func(d basecamp.DockItem) int64 { return d.ID },
		Where: func(basecamp.DockItem) string { return project.Name },
		Few:   true,
	}
	switch {
	case named.URL != "":
		link, err := rs.Link(ctx, t.Argument, named.URL)
		if err != nil {
			return basecamp.DockItem{}, err
		}
		return options.ByRef(toolargs.Ref{ID: link.ID})
	case !named.IsZero():
		return options.ByRef(named)
	case len(enabled) == 1:
		return enabled[0], nil
	}
	return basecamp.DockItem{}, options.Ambiguous(enabled, "the project %s has %d %s; name one", plaintext.Quote(project.Name), len(enabled), t.Many)
}
