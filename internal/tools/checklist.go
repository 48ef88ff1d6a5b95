package tools

import (
	"context"
	"encoding/json"
	"time"

	"basecamp-mcp/internal/checklist"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/hub"
	"basecamp-mcp/internal/listing"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/toolanswer"
)

// checklists returns the toolset for the plan that an agent keeps while it works. It is called a
// checklist because "to-do list" means one in Basecamp.
func checklists(lists *checklist.Lists, links *hub.Hub) mcptool.Toolset {
	return mcptool.Toolset{
		Name:        Todolist,
		ClosedWorld: true,
		Writing:     `todolist__set replaces this session's checklist, your own plan for the current work: send it whole each time, with at most one item in progress. If an answer has a list_id, pass it in later calls. The checklist is not in Basecamp; it expires after 7 days without use.`,
		Tools:       []mcptool.Tool{getChecklist(lists, links), setChecklist(lists), listChecklists(lists)},
	}
}

type getChecklistInput struct {
	ListID   string `json:"list_id,omitzero" jsonschema:"Default: this session's, or this connection's last"`
	Revision int64  `json:"revision,omitzero" jsonschema:"Default: the newest; only the one before is kept too" limits:"min=1"`
}

type checklistItem struct {
	Content    string           `json:"content" jsonschema:"What to do: Run tests" limits:"minlen=1 maxlen=1000"`
	Status     checklist.Status `json:"status" jsonschema:"At most one in_progress" limits:"enum=pending|in_progress|completed"`
	ActiveForm string           `json:"activeForm" jsonschema:"The same in progress: Running tests" limits:"minlen=1 maxlen=1000"`
}

// checklistAnswer has no ID before the first write.
type checklistAnswer struct {
	Todos    []checklistItem   `json:"todos"`
	Summary  checklist.Summary `json:"summary"`
	ListID   string            `json:"list_id,omitempty"`
	Revision int64             `json:"revision"`
	Promoted []promotedContent `json:"promoted,omitempty"`
}

// promotedContent is what was made of an item of a checklist.
type promotedContent struct {
	Content string `json:"content"`
	Ref     string `json:"ref"`
}

func getChecklist(lists *checklist.Lists, links *hub.Hub) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:  "todolist__get",
		Title: "Read this session's checklist",
		Description: "Returns this session's checklist, your own plan for the current work, not in Basecamp. " +
			"It expires after 7 days without use.",
	}, func(ctx context.Context, in getChecklistInput) (checklistAnswer, error) {
		list, err := lists.Get(ctx, in.ListID, in.Revision)
		if err != nil {
			return checklistAnswer{}, err
		}
		items := make([]checklistItem, len(list.Todos))
		for i, t := range list.Todos {
			items[i] = checklistItem(t)
		}
		v := checklistAnswer{Todos: items, Summary: checklist.Summarize(list.Todos), ListID: list.ID, Revision: list.Revision}
		if list.ID == "" {
			return v, nil
		}
		made, err := links.LinksOf(ctx, hub.ChecklistSide+"/"+list.ID)
		for _, t := range list.Todos {
			for _, link := range made[hub.ChecklistItem(list.ID, t.Content)] {
				v.Promoted = append(v.Promoted, promotedContent{t.Content, link.To.ID})
			}
		}
		return v, err
	})
}

type setChecklistInput struct {
	Todos      []checklistItem `json:"todos" jsonschema:"All items; [] clears" limits:"maxitems=200"`
	ListID     string          `json:"list_id,omitzero" jsonschema:"Default: this session's; without a session, a new list" limits:"minlen=1"`
	IfRevision *int64          `json:"if_revision,omitempty" jsonschema:"Fail unless at this revision; 0: not set yet" limits:"min=0"`
}

// checklistProgress omits the list, which the caller has just sent.
type checklistProgress struct {
	Summary  checklist.Summary `json:"summary"`
	ListID   string            `json:"list_id"`
	Revision int64             `json:"revision"`
}

func setChecklist(lists *checklist.Lists) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:  "todolist__set",
		Title: "Set this session's checklist",
		Description: "Replaces this session's whole checklist. At most 200 items, one of them in_progress, 1,000 characters a text, 64 " +
			"KB in total. Keep list_id: it opens the list from other sessions. Give each sub-agent its own list.",
		Effect:  mcptool.Updates,
		Invalid: checklistWords,
	}, func(ctx context.Context, in setChecklistInput) (checklistProgress, error) {
		todos := make([]checklist.Todo, len(in.Todos))
		for i, item := range in.Todos {
			todos[i] = checklist.Todo(item)
		}
		list, err := lists.Set(ctx, checklist.Change{ID: in.ListID, Todos: todos, IfRevision: in.IfRevision})
		return checklistProgress{checklist.Summarize(todos), list.ID, list.Revision}, err
	})
}

// checklistWords describes an invalid checklist in the words of its own rules. An absent text and
// null count as an empty one. It returns nil for mistakes that have no own words, such as a number
// in place of a text; the common words describe them.
func checklistWords(arguments json.RawMessage, _ []fault.Violation) *fault.Error {
	var given struct {
		Todos []*struct {
			Content    string `json:"content"`
			Status     any    `json:"status"`
			ActiveForm string `json:"activeForm"`
		} `json:"todos"`
	}
	if shaped := json.Unmarshal(arguments, &given) == nil; !shaped {
		return nil
	}
	todos := make([]checklist.Todo, len(given.Todos))
	for i, item := range given.Todos {
		if item == nil {
			return nil
		}
		status, _ := item.Status.(string)
		todos[i] = checklist.Todo{Content: item.Content, Status: checklist.Status(status), ActiveForm: item.ActiveForm}
	}
	return checklist.Check(todos)
}

type listChecklistsInput struct {
	Limit  int    `json:"limit,omitzero" jsonschema:"How many" limits:"min=1 max=100 default=25"`
	Cursor string `json:"cursor,omitzero" jsonschema:"next_cursor" limits:"maxlen=2000"`
	toolanswer.DetailInput
}

type checklistHead struct {
	ListID    string            `json:"list_id"`
	Summary   checklist.Summary `json:"summary"`
	Doing     string            `json:"doing,omitempty"`
	Revision  int64             `json:"revision"`
	UpdatedAt time.Time         `json:"updated_at"`
}

// Trim does nothing: the text in progress is short already.
func (*checklistHead) Trim(int) {}

type checklistPage struct {
	Items      []checklistHead `json:"items"`
	HasMore    bool            `json:"has_more"`
	NextCursor *string         `json:"next_cursor"`
	Total      int             `json:"total"`
}

func listChecklists(lists *checklist.Lists) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "todolist__lists",
		Title:       "List session checklists",
		Description: "Lists your session checklists of the last 7 days from all sessions, with list_id and progress.",
	}, func(ctx context.Context, in listChecklistsInput) (checklistPage, error) {
		heads, err := lists.Live(ctx)
		if err != nil {
			return checklistPage{}, err
		}
		return pageOfChecklists(heads, in)
	})
}

// checklistPosition is the last list of an answer; the next answer continues with those written
// before it. A list that is written meanwhile moves to the front, and no other list is skipped.
type checklistPosition struct {
	WrittenAt time.Time `json:"t"`
	ID        string    `json:"i"`
}

func pageOfChecklists(heads []checklist.Head, in listChecklistsInput) (checklistPage, error) {
	p := checklistPage{Total: len(heads)}
	if in.Cursor != "" {
		var last checklistPosition
		if !listing.DecodeCursor(in.Cursor, &last) || last.ID == "" {
			return checklistPage{}, listing.BadCursor("was not issued by this server")
		}
		heads = heads[behindChecklist(heads, last):]
	}
	items := make([]checklistHead, min(in.Limit, len(heads)))
	for i := range items {
		h := heads[i]
		items[i] = checklistHead{h.ID, h.Summary, h.Doing, h.Revision, h.WrittenAt.UTC().Truncate(time.Second)}
	}
	p.Items = items[:listing.Fit(items, listing.MaxAnswer)]
	if p.HasMore = len(p.Items) < len(heads); p.HasMore {
		last := heads[len(p.Items)-1]
		p.NextCursor = new(listing.EncodeCursor(checklistPosition{last.WrittenAt, last.ID}))
	}
	return p, nil
}

// behindChecklist returns the number of lists up to a position.
func behindChecklist(heads []checklist.Head, last checklistPosition) int {
	i := 0
	for i < len(heads) && checklist.Newest(heads[i], checklist.Head{ID: last.ID, WrittenAt: last.WrittenAt}) <= 0 {
		i++
	}
	return i
}
