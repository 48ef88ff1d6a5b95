package parts

import (
	"context"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/toolargs"
)

// Draft is an item that a call is about to make.
type Draft struct {
	Project  int64
	In       basecamp.Recording // the folder that holds it; zero: it is visible by itself
	Clients  ClientsInput
	Body     map[string]any    // what is sent
	Text     lookup.Composed   // of the body
	Notified []basecamp.Person // whom Basecamp notifies, besides those whom the text mentions
	listing.Gaps
}

// ClientsInput is part of every tool that makes what can be visible to clients by itself.
type ClientsInput struct {
	Clients toolargs.Change[bool] `json:"visible_to_clients" jsonschema:"Clients see it"`
}

// Draft puts into the body of an item whether clients see it, and its text.
func (rs *Base) Draft(ctx context.Context, d *Draft, field string, p lookup.Prose) error {
	shown, err := rs.Visible(ctx, d.Clients, d.Project, d.In)
	if err != nil {
		return err
	}
	if shown != nil {
		d.Body["visible_to_clients"] = *shown
	}
	p.Project = d.Project
	if d.Text, err = rs.Compose(ctx, p); d.Text.HTML != "" {
		d.Body[field] = d.Text.HTML
	}
	return err
}

// Make posts an item, and returns it with whom it reached.
func Make[T interface{ Common() basecamp.Recording }](ctx context.Context, rs *Base, d Draft, at basecamp.Endpoint[T], in int64) (made T, r lookup.Reach, err error) {
	var beside *lookup.Audience
	if d.In.ID != 0 {
		beside = rs.AudienceBeside(ctx, d.In)
	} else {
		beside = rs.BesideIn(ctx, d.Project)
	}
	if made, err = at.Post(ctx, rs.BC, d.Body, in); err != nil {
		return made, r, err
	}
	return made, beside.Created(made.Common(), d.Text, d.Notified...).Without(d.Gaps), nil
}

// Visible returns whether a new item is visible to clients, or nil if the call does not say so. It
// refuses an item that inherits that from the folder or the list in which it is, and one to show in
// a project without clients.
func (rs *Base) Visible(ctx context.Context, in ClientsInput, project int64, holder basecamp.Recording) (*bool, error) {
	switch {
	case !in.Clients.Given:
		return nil, nil
	case holder.Parent != nil: // not the top folder
		return nil, fault.Invalid("visible_to_clients", "clients see what is in the %s %s exactly if they see that %[1]s; leave visible_to_clients out, and let the user change that %[1]s in Basecamp",
			lookup.KindOf(holder.Type).One, plaintext.Quote(holder.Title))
	case in.Clients.To:
		p, err := rs.ProjectByID(ctx, project)
		if err != nil {
			return nil, err
		}
		if p.ClientsEnabled != nil && !*p.ClientsEnabled {
			return nil, fault.Invalid("visible_to_clients", "the project %s has no clients; leave visible_to_clients out", plaintext.Quote(p.Name))
		}
	}
	return &in.Clients.To, nil
}
