package work

import (
	"context"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
)

// CardItem is a card as a board lists it. The board shows column and project.
type CardItem struct {
	lookup.Head
	lookup.Seen
	Title         string          `json:"title"`
	Content       string          `json:"content"`
	Truncated     bool            `json:"truncated,omitempty"`
	OnHold        bool            `json:"on_hold,omitempty"`
	Completed     bool            `json:"completed"`
	CompletedAt   *time.Time      `json:"completed_at"`
	DueOn         *string         `json:"due_on"`
	Assignees     []lookup.Person `json:"assignees"`
	CommentsCount int             `json:"comments_count"`
	StepsDone     int             `json:"steps_done,omitempty"`
	StepsTotal    int             `json:"steps_total,omitempty"`
	URL           string          `json:"url"`
	Author        lookup.Person   `json:"author"`
	CreatedAt     time.Time       `json:"created_at"`
	UpdatedAt     time.Time       `json:"updated_at"`
}

// Trim shortens the texts, as [listing.Answer] needs it.
func (c *CardItem) Trim(characters int) { listing.Trim(characters, &c.Truncated, &c.Content, &c.Title) }

func (rs *Resolver) viewCard(c basecamp.Card) CardItem {
	m := lookup.ViewMeta(c.Recording)
	return CardItem{
		Head:          lookup.Head{ID: c.ID, Type: lookup.CardKind.Kind},
		Seen:          m.Seen,
		Title:         plaintext.Clean(c.Title),
		Content:       rs.Markdown(c.Content, c.Attachments...),
		Completed:     c.Completed,
		CompletedAt:   lookup.CompletedAt(c.Completable),
		DueOn:         lookup.DateOrNil(c.DueOn),
		Assignees:     lookup.ViewPeople(c.Assignees),
		CommentsCount: c.CommentsCount,
		StepsDone:     lookup.CompletedOf(c.Steps),
		StepsTotal:    len(c.Steps),
		URL:           m.URL, Author: m.Author, CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt,
	}
}

// WrittenCard is a card in the answer of a tool that has written it.
type WrittenCard struct {
	CardItem
	Column  *lookup.Ref       `json:"column"`
	Project lookup.ProjectRef `json:"project"`
}

// writtenCard returns the view of a card with its column and project, and a short text.
func (rs *Resolver) writtenCard(c basecamp.Card) WrittenCard {
	v := WrittenCard{CardItem: rs.viewCard(c), Column: lookup.ViewParent(c.Recording), Project: lookup.ViewBucket(c.Bucket)}
	v.Trim(parts.MaxWritten)
	return v
}

// Card is a card with its text, steps and first comments.
type Card struct {
	CardItem
	NextOffset  int               `json:"next_offset,omitempty"`
	Status      string            `json:"status"`
	Attachments []parts.File      `json:"content_attachments,omitempty"`
	Column      *lookup.Ref       `json:"column"`
	Project     lookup.ProjectRef `json:"project"`
	LastMove    *cardMove         `json:"last_move"`
	Steps       []parts.Subtask   `json:"steps"`
	parts.Discussion
	parts.WithBoosts
	listing.Gaps
}

type cardMove struct {
	At   time.Time     `json:"at"`
	By   lookup.Person `json:"by"`
	From string        `json:"from"`
	To   string        `json:"to"`
}

// ShowCard returns a card as get_item shows it: with its comments and its last move.
func (rs *Resolver) ShowCard(ctx context.Context, id int64, in parts.CommentsInput) (Card, error) {
	rs.ExpectComments(ctx, id, in)
	listing.Expect(ctx, id, rs.findMove)
	c, err := basecamp.CardAt.Get(ctx, rs.BC, id)
	if err != nil {
		return Card{}, err
	}
	v := Card{
		Status:      c.Status,
		Attachments: parts.ViewFiles(c.Content, c.Attachments),
		Column:      lookup.ViewParent(c.Recording),
		Project:     lookup.ViewBucket(c.Bucket),
		Steps:       parts.ViewSubtasks(c.Steps),
	}
	item := c.Recording // the last extra writes into c
	v.Gaps, err = listing.Extras(ctx,
		rs.CommentsInto(&v.Discussion, item, in),
		rs.BoostsInto(&v.WithBoosts, item),
		listing.Into("last_move", &v.LastMove, func(ctx context.Context) (*cardMove, error) { return rs.lastMove(ctx, item) }),
		rs.Audience(ctx).SeenInto(&c.Recording),
	)
	if err != nil {
		return Card{}, err
	}
	v.CardItem = rs.viewCard(c)
	v.NextOffset, err = listing.Part(&v.Content, in.Offset, &v.Truncated)
	return v, err
}

// lastMove returns a card's latest move, or nil if it has never moved.
func (rs *Resolver) lastMove(ctx context.Context, card basecamp.Recording) (*cardMove, error) {
	move, err := rs.findMove(ctx, card.ID)
	if err != nil || move.ID == 0 {
		return nil, err
	}
	names, err := rs.Holders(ctx, lookup.CardKind, card, []basecamp.Event{move})
	return &cardMove{
		At: move.CreatedAt.UTC(), By: lookup.ViewPerson(move.Creator), From: names[move.Details.From], To: names[move.Details.To],
	}, err
}

// maxHistory is the number of pages of a card's history that are read to find a move: about 300
// changes.
const maxHistory = 5

// findMove returns a card's latest move between columns, or an event without an ID if it has never
// moved. It reads the card's history only up to that move.
func (rs *Resolver) findMove(ctx context.Context, id int64) (basecamp.Event, error) {
	page := 1
	for range maxHistory {
		events, err := basecamp.EventsOf.Page(ctx, rs.BC, page, id)
		if err != nil {
			return basecamp.Event{}, err
		}
		for _, e := range events.Items {
			if e.Action == "adopted" { // the card got another parent
				return e, nil
			}
		}
		if page = events.Next; page == 0 {
			break
		}
	}
	return basecamp.Event{}, nil
}

// cardOnBoard reads a card and its card table. For one of several cards, it reads all tables of the
// project, which the others need too.
func (rs *Resolver) cardOnBoard(ctx context.Context, k lookup.Kind, id int64, within lookup.Place) (basecamp.Card, basecamp.CardTable, error) {
	var c basecamp.Card
	var tables []basecamp.CardTable
	project := within.ID
	readCard := func(ctx context.Context) (err error) {
		c, err = lookup.ReadIn(ctx, within, k, id, basecamp.CardAt.Reader(rs.BC))
		return err
	}
	readTables := func(ctx context.Context) (err error) {
		tables, _, err = rs.tables(ctx, project)
		return err
	}
	var err error
	if project != 0 {
		err = listing.Together(ctx, readCard, readTables)
	} else if err = readCard(ctx); err == nil {
		project = c.Bucket.ID
		err = readTables(ctx)
	}
	if err != nil {
		return c, basecamp.CardTable{}, err
	}
	if c.Parent == nil {
		return c, basecamp.CardTable{}, fault.New(fault.NotFound, "%s: Basecamp does not say which column this card is in", k.Argument)
	}
	table, err := tableWith(tables, c.Parent.ID)
	if fault.Is(err, fault.NotFound) { // the card table is newer than the cached project, or could not be read
		table, err = rs.tableOf(ctx, c.Parent.ID)
	}
	return c, table, err
}

func (rs *Resolver) tableOf(ctx context.Context, column int64) (basecamp.CardTable, error) {
	c, err := basecamp.ColumnAt.Get(ctx, rs.BC, column)
	if err != nil {
		return basecamp.CardTable{}, err
	}
	if c.Parent == nil {
		return basecamp.CardTable{}, fault.New(fault.NotFound, "Basecamp does not say which card table column %d belongs to", column)
	}
	return basecamp.BoardAt.Get(ctx, rs.BC, c.Parent.ID)
}
