package tools

import (
	"context"
	"encoding/json"
	"time"

	"basecamp-mcp/internal/own/checklist"
	"basecamp-mcp/internal/own/hub"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/mcptool"
)

// checklists returns the toolset for the plan that an agent keeps while it works. It is called a
// checklist because "to-do list" means one in Basecamp.
func checklists(lists *checklist.Lists, links *hub.Hub) mcptool.Toolset {
	return mcptool.Toolset{
		Name:        Todolist,
		ClosedWorld: true,
		Writing:     `todolist__set replaces this session's checklist, your own plan for the current work: send it whole each time, with at most one item in progress. If an answer has a list_id, pass it in later calls. The checklist is not in Basecamp; it expires after 7 days without use.`,
		Tools:       []mcptool.Tool{getChecklist(lists, links), setChecklist(lists)},
	}
}

type getChecklistInput struct {
	ListID   string `json:"list_id,omitzero" jsonschema:"Default: this session's, or this connection's last"`
	Revision int64  `json:"revision,omitzero" jsonschema:"Default: the newest; only the one before is kept too" limits:"min=1"`
	Lists    bool   `json:"lists,omitzero" jsonschema:"Also your lists of all sessions"`
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
	Lists    []checklistHead   `json:"lists,omitzero"`
	More     bool              `json:"more_lists,omitzero"`
}

// checklistHead is a checklist of any session, the last written first.
type checklistHead struct {
	ListID    string            `json:"list_id"`
	Summary   checklist.Summary `json:"summary"`
	Doing     string            `json:"doing,omitempty"`
	Revision  int64             `json:"revision"`
	UpdatedAt time.Time         `json:"updated_at"`
}

// mostChecklists is the number of checklists in an answer.
const mostChecklists = 50

// promotedContent is what was made of an item of a checklist.
type promotedContent struct {
	Content string `json:"content"`
	Ref     string `json:"ref"`
}

func getChecklist(lists *checklist.Lists, links *hub.Hub) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "todolist__get",
		Title:       "Read this session's checklist",
		Description: "Returns this session's checklist, your own plan for the current work, not in Basecamp.",
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
		if in.Lists {
			heads, err := lists.Live(ctx)
			if err != nil {
				return v, err
			}
			v.Lists = make([]checklistHead, min(mostChecklists, len(heads)))
			for i := range v.Lists {
				h := heads[i]
				v.Lists[i] = checklistHead{h.ID, h.Summary, h.Doing, h.Revision, h.WrittenAt.UTC().Truncate(time.Second)}
			}
			v.More = len(v.Lists) < len(heads)
		}
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
		Description: "Replaces this session's whole checklist. At most 200 items of 1,000 characters a text, 64 " +
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
