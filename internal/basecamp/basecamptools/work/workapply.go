package work

import (
	"context"
	"slices"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/own/hub"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	requests "basecamp-mcp/internal/wire/upstream"
)

// apply changes the items.
func (w *workBatch) apply(ctx context.Context, planned []workPlan) (workAnswer, error) {
	beside := w.Audience(ctx)
	for _, p := range planned {
		beside.KnowTable(p.table)
		if p.list != nil {
			beside.Know(p.list.Recording)
		}
	}
	beside.Start(lookup.Mapped(planned, workPlan.after)...)
	reach := lookup.Reach{Mentioned: []string{}, Notified: []string{}}
	order := listing.Order(!slices.ContainsFunc(planned, func(p workPlan) bool { return p.moves || p.complete != nil && p.complete.moves() }))
	all, err := listing.Apply(ctx, "items", planned, order, workPlan.reference, func(ctx context.Context, p workPlan) (workItem, error) {
		if _, err := w.CallerOf(ctx, p.text); err != nil {
			return workItem{}, err
		}
		return w.change(ctx, p)
	})
	if err != nil {
		return workAnswer{}, err
	}
	var done []hub.Ref
	for _, r := range all.Results {
		p := planned[r.Index]
		if !r.OK {
			continue
		}
		by, _ := w.CallerOf(ctx, p.text) // known from before the write
		reach.Add(p.reached(beside, by))
		if p.completes() {
			done = append(done, parts.RefOf(p.Kind.Kind, p.now.ID))
		}
	}
	v := workAnswer{ChangedWork: w.answer(all), Seen: reach.ViewClients(), Reach: reach}
	v.Everywhere, err = w.Finish(ctx, w.in.Everywhere, done...)
	return v, err
}

// completes reports whether an item is done after the change that completes it.
func (p workPlan) completes() bool {
	return p.complete != nil && p.complete.Then.Completed || p.column != nil && p.column.Type == basecamp.DoneColumn
}

func (p workPlan) reached(beside *lookup.Audience, by int64) lookup.Reach {
	c := p.toDone
	if p.complete != nil {
		c = *p.complete
	}
	return beside.Reached(max(by, c.by), p.after(), p.text, c.notified...).Without(c.left)
}

// change makes one change: first the fields, because Basecamp may refuse them, then the place, the
// completion, and who sees it. It writes only what differs.
func (w *workBatch) change(ctx context.Context, p workPlan) (workItem, error) {
	if err := w.refresh(ctx, &p); err != nil {
		return workItem{}, err
	}
	v := workItem{Head: lookup.Head{ID: p.now.ID, Type: p.Kind.Kind}, Title: plaintext.Clean(p.now.Title), URL: p.now.AppURL}
	var was workBefore
	for _, step := range []struct {
		name  string
		wants bool
		make  func() error
	}{
		{"changing it", len(p.fields.differ(p.now.Fields)) > 0, func() error { return w.writeFields(ctx, p, &v, &was) }},
		{"moving it", p.moves, func() error { p.showMove(&v, &was); return p.move(ctx, w.BC, p) }},
		{"completing it", p.complete != nil && p.complete.Then.Changed, func() error { p.showCompletion(&v, &was); return p.complete.write(ctx) }},
		{"showing it to clients", p.setsVisibility(), func() error {
			was.Visible, v.Visible = p.now.VisibleToClients, &p.change.VisibleToClients.To
			return basecamp.ClientsSee.Set(ctx, w.BC, map[string]any{"visible_to_clients": p.change.VisibleToClients.To}, p.now.ID)
		}},
	} {
		if !step.wants {
			continue
		}
		if err := step.make(); err != nil {
			if v.previous != nil {
				err = parts.AfterOthers(err, "the other changes were made, but "+step.name+" failed: ")
			}
			return workItem{}, err
		}
		v.previous = &was
	}
	return v, nil
}

// setsVisibility reports whether the change shows an item to clients, or hides it, that is not so
// yet.
func (p workPlan) setsVisibility() bool {
	to, now := p.change.VisibleToClients, p.now.VisibleToClients
	return to.Given && (now == nil || *now != to.To)
}

// refresh reads an item again that was read too long ago, if its old fields go into the update.
func (w *workBatch) refresh(ctx context.Context, p *workPlan) error {
	merges := p.sends.all || len(p.texts.Edits) > 0 || len(p.change.AddAssignees)+len(p.change.RemoveAssignees) > 0
	if !merges || time.Since(p.since) <= basecamp.Fresh || len(p.fields.differ(p.now.Fields)) == 0 {
		return nil
	}
	text := p.now.Text()
	now, err := p.Read(requests.Afresh(ctx), w.BC, lookup.Thing{Kind: p.WithArguments("items", "project"), ID: p.now.ID})
	if err == nil {
		err = lookup.NotPutAway("items", now.Recording)
	}
	if err != nil {
		return err
	}
	p.now = now
	return w.setFields(ctx, p, &text).all()
}

func (w *workBatch) writeFields(ctx context.Context, p workPlan, v *workItem, was *workBefore) error {
	now, err := p.Write(ctx, w.BC, p.now, p.fields)
	if err != nil {
		return parts.EditInput{Edits: p.texts.Edits}.Doubted(err)
	}
	v.Title = plaintext.Clean(now.Title)
	for _, name := range p.fields.differ(p.now.Fields) {
		switch name {
		case "title":
			was.Title = plaintext.Clean(p.now.Title)
		case "notes":
			before, after := w.Markdown(p.now.Text(), p.now.Files...), w.Markdown(now.Text(), now.Files...)
			gone, added := parts.PreviousText(before, after), parts.PreviousText(after, before)
			was.Notes, v.Notes = &gone, &added
		case "due_on":
			was.DueOn, v.DueOn = lookup.DateOrNil(p.now.Fields.dueOn), lookup.DateOrNil(now.Fields.dueOn)
		case "starts_on":
			was.StartsOn, v.StartsOn = lookup.DateOrNil(p.now.Fields.startsOn), lookup.DateOrNil(now.Fields.startsOn)
		case "assignees":
			before, after := lookup.ViewNames(p.now.assignees), lookup.ViewNames(now.assignees)
			was.Assignees, v.Assignees = &before, &after
		}
	}
	return nil
}

// showMove shows where an item was, and where it moves to.
func (p workPlan) showMove(v *workItem, was *workBefore) {
	v.Position = p.position
	if !p.leaves() {
		was.Position = p.now.Position
		return
	}
	to := &lookup.Ref{ID: p.to.ID, Name: plaintext.Clean(p.to.Title)}
	switch {
	case p.list != nil:
		v.List = to
		was.List, was.Todoset = lookup.ViewTodoParent(p.now.Recording)
	case p.column != nil:
		was.Column, v.Column = lookup.ViewParent(p.now.Recording), to
		if v.Assignees == nil && len(p.now.assignees) > 0 { // who goes on with it
			people := lookup.ViewNames(p.now.assignees)
			v.Assignees = &people
		}
		if done := p.column.Type == basecamp.DoneColumn; done != p.now.done.Completed {
			was.Completed, v.Completed = &p.now.done.Completed, &done
		}
	default:
		was.Folder, v.Folder = lookup.ViewParent(p.now.Recording), to
	}
}

// showCompletion shows that an item is completed or reopened. A card moves.
func (p workPlan) showCompletion(v *workItem, was *workBefore) {
	was.Completed, v.Completed = &p.now.done.Completed, &p.complete.Then.Completed
	if p.complete.Then.Column != nil {
		was.Column, v.Column = lookup.ViewParent(p.now.Recording), p.complete.Then.Column
	}
}
