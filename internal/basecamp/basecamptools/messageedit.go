package basecamptools

import (
	"context"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
)

// messageEdit is a change of a message that is ready to be written.
type messageEdit struct {
	fields    basecamp.MessageChange
	text      lookup.Composed
	by        int64             // the caller, if the edit may notify people
	followers []basecamp.Person // whom Basecamp notifies when it publishes the draft
	lookup.Gaps
}

// messageEdit returns the fields in which the message differs from the caller's request.
func (rs *resolver) messageEdit(ctx context.Context, old basecamp.Message, in updateMessageInput) (messageEdit, error) {
	var e messageEdit
	var category int64
	publishes := in.Publish && old.Status == lookup.Drafted
	err := listing.Together(ctx,
		func(ctx context.Context) (err error) {
			if e.text, err = rs.edited(ctx, old.Bucket.ID, old.Content, in.editInput); err != nil {
				return err
			}
			if publishes {
				e.text, err = rs.Published(ctx, old.Bucket.ID, e.text)
			}
			return err
		},
		func(ctx context.Context) (err error) {
			category, err = rs.category(ctx, old.Bucket.ID, in.Category.To)
			return err
		},
		func(ctx context.Context) (err error) {
			if publishes {
				e.Gaps, err = lookup.Extras(ctx, rs.SubscribersInto(&e.followers, old.Bucket.ID, old.ID))
			}
			return err
		},
	)
	if err != nil {
		return e, err
	}
	if subject := lookup.Plainly(in.Subject); subject != old.Subject {
		e.fields.Subject = subject
	}
	if e.text.HTML != string(old.Content) {
		e.fields.Content = &e.text.HTML
	}
	var had int64
	if old.Category != nil {
		had = old.Category.ID
	}
	if in.Category.Given && category != had {
		now := basecamp.CategoryID(category)
		e.fields.Category = &now
	}
	if publishes {
		e.fields.Status, e.by = lookup.Active, old.Creator.ID // only its author can see a draft
		return e, nil
	}
	e.by, err = rs.CallerOf(ctx, e.text)
	return e, err
}

// changeMessage writes the changes, then sets the pin. If only the pin fails, the error says that
// the changes were made.
func (rs *resolver) changeMessage(ctx context.Context, m basecamp.Message, e messageEdit, in updateMessageInput) (writtenMessage, error) {
	changed, old := e.fields != (basecamp.MessageChange{}), m.Content
	beside := rs.AudienceBeside(ctx, m.Recording)
	if changed {
		var err error
		if m, err = rs.BC.UpdateMessage(ctx, m.ID, e.fields); err != nil {
			return writtenMessage{}, in.doubted(err)
		}
	}
	v := rs.writtenMessage(m, beside.Reached(e.by, m.Recording, e.text, e.followers...).Without(e.Gaps))
	if e.fields.Content != nil {
		rs.showEdit(in.editInput, old, m.Content, &v.Content, &v.Truncated, m.Attachments)
	}
	if !in.Pin.Given {
		v.Unchanged = !changed
		return v, nil
	}
	v.Pinned = &in.Pin.To
	err := rs.BC.PinMessage(ctx, m.ID, in.Pin.To)
	if err != nil && changed {
		f := *fault.From(err)
		f.Message, f.Retryable = "the message was changed, but setting its pin failed; repeat the call with only message and pin: "+f.Message, false
		return writtenMessage{}, &f
	}
	return v, err
}
