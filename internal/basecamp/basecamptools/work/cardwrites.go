package work

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolargs"
)

// CreateCardInput are the arguments of create_card.
type CreateCardInput struct {
	Project   toolargs.Ref  `json:"project" jsonschema:"Id, name or URL"`
	Board     toolargs.Ref  `json:"board,omitzero" jsonschema:"If there are several"`
	Column    toolargs.Ref  `json:"column,omitzero" jsonschema:"Default Triage"`
	Title     string        `json:"title" jsonschema:"Plain text" limits:"minlen=1 maxlen=1500"`
	Body      string        `json:"body,omitzero" jsonschema:"Markdown" limits:"maxlen=500000"`
	Assignees toolargs.Refs `json:"assignees,omitzero" jsonschema:"Ids, names or me" limits:"maxitems=20"`
	DueOn     string        `json:"due_on,omitzero" jsonschema:"2026-01-31, friday or in 2 weeks"`
	Steps     []newStep     `json:"steps,omitzero" jsonschema:"Subtasks" limits:"maxitems=20"`
	lookup.MentionsInput
}

// ChangedCard is a card that was created or changed.
type ChangedCard struct {
	WrittenCard
	lookup.Reach
}

// CreateCard returns the tool create_card.
func CreateCard(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "create_card",
		Title:       "Create a card",
		Description: "Adds a card to a column of a Basecamp card table.",
		Words:       "new card on a board",
		Effect:      mcptool.Creates,
	}, func(ctx context.Context, in CreateCardInput) (ChangedCard, error) {
		plan, err := rs.PlanCard(ctx, in)
		if err != nil {
			return ChangedCard{}, err
		}
		made, reached, err := rs.MakeCard(ctx, plan, basecamp.Card{})
		if err != nil {
			return ChangedCard{}, err
		}
		v := ChangedCard{rs.writtenCard(made), reached}
		v.Seen = v.ViewClients()
		return v, nil
	})
}

// CardPlan is a card that is ready to be created: all names are resolved.
type CardPlan struct {
	Table     basecamp.CardTable
	Column    int64
	Card      basecamp.NewCard
	body      lookup.Composed
	assignees []int64
	steps     []basecamp.NewSubtask
}

// PlanCard resolves what a card needs before it is made.
func (rs *Resolver) PlanCard(ctx context.Context, in CreateCardInput) (CardPlan, error) {
	rs.expectTable(ctx, in.Board)
	var plan CardPlan
	project, err := rs.Project(ctx, "project", in.Project)
	if err != nil {
		err = listing.WithShared(err, rs.planContent(ctx, 0, in, &plan))
		return plan, err
	}
	var where, what error
	err = listing.Together(ctx,
		func(ctx context.Context) error {
			plan.Table, plan.Column, where = rs.columnFor(ctx, project, in)
			return unlessOfArguments(where)
		},
		func(ctx context.Context) error {
			what = rs.planContent(ctx, project.ID, in, &plan)
			return unlessOfArguments(what)
		},
	)
	return plan, cmp.Or(err, fault.All(where, what))
}

// unlessOfArguments returns an error after which it is of no use to look for problems of other
// arguments.
func unlessOfArguments(err error) error {
	if fault.OfArguments(err) {
		return nil
	}
	return err
}

func (rs *Resolver) columnFor(ctx context.Context, project basecamp.Project, in CreateCardInput) (basecamp.CardTable, int64, error) {
	table, err := rs.Board(ctx, project, in.Board, in.Column)
	if err == nil {
		err = lookup.NotPutAway("board", table.Recording)
	}
	if err != nil {
		return table, 0, err
	}
	if in.Column.IsZero() {
		triage, err := columnOfType(table, basecamp.TriageColumn)
		return table, triage.ID, err
	}
	named, err := rs.ColumnOf(ctx, table, in.Column)
	if err == nil {
		err = lookup.NotPutAway("column", named.Recording)
	}
	return table, named.ID, err
}

// planContent resolves everything except the place of a card. An error names everything that is
// wrong.
func (rs *Resolver) planContent(ctx context.Context, project int64, in CreateCardInput, plan *CardPlan) error {
	plan.Card.Title = lookup.Plainly(in.Title)
	people, who := rs.Persons(ctx, "assignees", in.Assignees, project)
	plan.assignees = lookup.PersonIDs(people)
	var steps, when, body error
	plan.steps, steps = rs.planSteps(ctx, nil, in.Steps, project)
	plan.Card.DueOn, when = rs.DateOrNone(ctx, "due_on", in.DueOn)
	if in.Body == "" && len(in.Mentions) > 0 {
		body = parts.NowhereToMention("body")
	} else {
		plan.body, body = rs.Compose(ctx, lookup.Prose{Project: project, Argument: "body", Markdown: in.Body, Mentions: in.Mentions})
		plan.Card.Content = plan.body.HTML
	}
	return fault.All(parts.NotBlank("title", in.Title), who, steps, when, body)
}

// MakeCard creates a card, unless it was made before, finishes it, and returns whom that reached.
// With an error, it returns the card if it was created without some of its parts.
func (rs *Resolver) MakeCard(ctx context.Context, plan CardPlan, made basecamp.Card) (whole basecamp.Card, r lookup.Reach, err error) {
	beside := rs.AudienceBeside(ctx, plan.Table.Recording)
	beside.KnowTable(plan.Table)
	if made.ID == 0 {
		if made, err = basecamp.CardsIn.Post(ctx, rs.BC, plan.Card, plan.Column); err != nil {
			return basecamp.Card{}, r, err
		}
	}
	if whole, err = rs.finishCard(ctx, made, plan); err != nil {
		return whole, r, err
	}
	return whole, beside.Created(whole.Recording, plan.body), nil
}

// finishCard adds to a new card what Basecamp accepts only after creation: assignees and steps.
func (rs *Resolver) finishCard(ctx context.Context, c basecamp.Card, plan CardPlan) (basecamp.Card, error) {
	var missing []string
	var failures []*fault.Error
	var stop error
	incomplete := func(what string, err error) {
		f := fault.From(err)
		missing, failures = append(missing, fmt.Sprintf("%s (%s)", what, f.Message)), append(failures, f)
		if stop == nil && listing.Hopeless(err) {
			stop = listing.NotTried(err)
		}
	}
	if len(plan.assignees) > 0 {
		assigned, err := basecamp.CardAt.Put(ctx, rs.BC, map[string]any{"assignee_ids": plan.assignees}, c.ID)
		if err != nil {
			incomplete("its assignees", err)
		} else {
			c = assigned
		}
	}
	for _, subtask := range plan.steps {
		var step basecamp.Subtask
		err := cmp.Or(stop, listing.TimeLeft(ctx))
		if err == nil {
			step, err = basecamp.SubtasksOf.Post(ctx, rs.BC, subtask, c.ID)
		}
		if err != nil {
			incomplete(fmt.Sprintf("its step %s", plaintext.Quote(subtask.Title)), err)
			continue
		}
		c.Steps = append(c.Steps, step)
	}
	if len(failures) > 0 {
		return c, unfinished(c, missing, failures)
	}
	return c, nil
}

// unfinished returns the error for a card that was created without some of its parts. It tells the
// client not to create the card again. If a write has an unknown outcome, the part may exist.
func unfinished(c basecamp.Card, missing []string, failures []*fault.Error) error {
	f := *failures[0]
	lacks, then := "lacks", "Complete"
	if slices.ContainsFunc(failures, func(f *fault.Error) bool { return f.MayHaveHappened }) {
		lacks, then = "may lack", "Check it with get_item, then complete"
	}
	f.Message = fmt.Sprintf("the card was created (card:%d, %s), but it %s %s. %s it with update_work or add_subtasks; do not create it again",
		c.ID, c.AppURL, lacks, strings.Join(missing, ", "), then)
	f.Retryable, f.RetryAfter, f.MayHaveHappened = false, 0, true
	f.Resource = &fault.Resource{Type: lookup.CardKind.Kind, ID: fmt.Sprint(c.ID)}
	return &f
}
