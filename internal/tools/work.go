package tools

import (
	"cmp"
	"context"
	"strings"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/richtext"
)

func workTools(ws *workspace) []mcptool.Tool {
	return []mcptool.Tool{
		search(ws), getMyWork(ws), listWork(ws), getActivity(ws), getUpcoming(ws), getNotifications(ws), getHistory(ws),
	}
}

// overviewLimit is how much an overview gives unasked: its point is to be whole.
const overviewLimit = 100

// overviewInput is how overviews are paged, whose items are small.
type overviewInput struct {
	Limit  int    `json:"limit,omitzero" jsonschema:"Default 100" limits:"min=1 max=100"`
	Cursor string `json:"cursor,omitzero" jsonschema:"From next_cursor" limits:"maxlen=2000"`
}

func (in overviewInput) paging() pageInput {
	return pageInput{Limit: cmp.Or(in.Limit, overviewLimit), Cursor: in.Cursor}
}

func (in scrollInput) paging() pageInput { return pageInput{Limit: in.Limit, Cursor: in.Cursor} }

// readWhole is a source of what Basecamp gives without pages.
func readWhole[T any](read func(context.Context) ([]T, error)) source[T] {
	return func(ctx context.Context, page int) (basecamp.Page[T], error) {
		if page > 1 {
			return basecamp.Page[T]{}, nil
		}
		items, err := read(ctx)
		return basecamp.Page[T]{Items: items, Total: len(items)}, err
	}
}

// filterProject resolves a project that a list is kept to, 0 when there is none. It is read even if its id is given: a list that
// is kept to a project that does not exist would just be empty.
func (ws *workspace) filterProject(ctx context.Context, ref mcptool.Ref) (int64, error) {
	if ref.IsZero() {
		return 0, nil
	}
	project, err := ws.project(ctx, "project", ref)
	return project.ID, err
}

// filterPerson resolves a person whom a list is kept to, 0 when there is none. Those on the project come first, as a first name
// may be shared; but somebody who has left it may still be asked about.
func (ws *workspace) filterPerson(ctx context.Context, argument string, ref mcptool.Ref, project int64) (int64, error) {
	if ref.IsZero() {
		return 0, nil
	}
	if strings.EqualFold(ref.Name, "me") {
		project = 0
	}
	who, err := ws.person(ctx, argument, ref, project)
	if project != 0 && fault.Is(err, fault.InvalidInput) {
		who, err = ws.person(ctx, argument, ref, 0)
	}
	return who.ID, err
}

// spans are the ranges of time that Basecamp's search knows, and how far they reach back.
var spans = []struct {
	word         string
	months, days int
}{{"last_7_days", 0, 7}, {"last_30_days", 0, 30}, {"last_90_days", 0, 90}, {"last_12_months", 12, 0}}

// since reads the beginning of a time that ends now: a date, a time, or one of the spans.
func (ws *workspace) since(ctx context.Context, argument, text string) (time.Time, error) {
	for _, s := range spans {
		if text == s.word {
			return ws.now().AddDate(0, -s.months, -s.days), nil
		}
	}
	begin, err := ws.moment(ctx, argument, text)
	switch {
	case fault.Is(err, fault.InvalidInput):
		return begin, fault.Invalid(argument, "must be a date such as 2026-01-31, a time such as 2026-01-31T09:00:00Z, or one of last_7_days, "+
			"last_30_days, last_90_days, last_12_months; got %q", shorten(text))
	case err == nil && begin.After(ws.now()):
		return begin, fault.Invalid(argument, "must not be in the future, got %q", shorten(text))
	}
	return begin, err
}

// typeWords are the words for those of Basecamp's types that only lists of all kinds hold.
var typeWords = map[string]string{
	"Comment": commentKind.kind, "Question": questionKind.kind, "Inbox::Forward": forwardKind.kind,
	"Chat::Lines::Text": lineKind.kind, "Chat::Lines::RichText": lineKind.kind, "Chat::Lines::Upload": lineKind.kind,
	"step": subtaskKind.kind, // as reports spell it
}

// typeWord is the word by which tools take an item of one of Basecamp's types. What they do not take has one all the same.
func typeWord(upstream string) string {
	if word, ok := typeWords[upstream]; ok {
		return word
	}
	return typeOf(upstream)
}

func viewBucket(b basecamp.Bucket) projectRef { return projectRef{b.ID, richtext.Clean(b.Name)} }
