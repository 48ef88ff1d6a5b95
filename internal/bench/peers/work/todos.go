package work

import (
	"context"
	"fmt"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
)

// TodosInput has the arguments of list_todos.
type TodosInput struct {
	Project  int64 `json:"project_id"`
	Todolist int64 `json:"todolist_id"`
	Limit    int   `json:"limit"`
}

// Todos is the answer of list_todos.
type Todos struct {
	All      shared `json:"all_items"`
	Items    []todo `json:"items"`
	HasMore  bool   `json:"has_more"`
	NextPage *int   `json:"next_page"`
	Total    int    `json:"total"`
}

type ref struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

type shared struct {
	Type    string `json:"type"`
	Project ref    `json:"project"`
	List    ref    `json:"list"`
}

type todo struct {
	ID            int64      `json:"id"`
	Title         string     `json:"title"`
	Description   string     `json:"description"`
	Completed     bool       `json:"completed"`
	CompletedAt   *string    `json:"completed_at"`
	DueOn         string     `json:"due_on"`
	Assignees     []assignee `json:"assignees"`
	CommentsCount int        `json:"comments_count"`
	Author        string     `json:"author"`
	CreatedAt     string     `json:"created_at"`
}

type assignee struct {
	Name  string `json:"name"`
	Email string `json:"email"`
}

// document is a to-do as the upstream sends it.
type document struct {
	ID            int64    `json:"id"`
	Title         string   `json:"title"`
	Description   string   `json:"description"`
	Completed     bool     `json:"completed"`
	DueOn         string   `json:"due_on"`
	CommentsCount int      `json:"comments_count"`
	CreatedAt     string   `json:"created_at"`
	Creator       person   `json:"creator"`
	Assignees     []person `json:"assignees"`
	Parent        struct {
		ID    int64  `json:"id"`
		Title string `json:"title"`
	} `json:"parent"`
	Bucket ref `json:"bucket"`
}

// Todos reads a page of to-dos and turns their descriptions into Markdown.
func (u *Upstream) Todos(ctx context.Context, in TodosInput) (Todos, error) {
	var page []document
	if err := u.get(ctx, fmt.Sprintf("todolists/%d/todos.json", in.Todolist), &page); err != nil {
		return Todos{}, err
	}
	if len(page) > in.Limit {
		page = page[:in.Limit]
	}
	markdown := converter.NewConverter(converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), strikethrough.NewStrikethroughPlugin()))
	answer := Todos{Items: make([]todo, len(page)), Total: len(page)}
	for i, d := range page {
		description, err := markdown.ConvertString(d.Description)
		if err != nil {
			return Todos{}, fmt.Errorf("convert the description of to-do %d: %w", d.ID, err)
		}
		answer.All = shared{"todo", d.Bucket, ref{d.Parent.ID, d.Parent.Title}}
		answer.Items[i] = todo{
			ID: d.ID, Title: d.Title, Description: description, Completed: d.Completed, DueOn: d.DueOn,
			Assignees: make([]assignee, len(d.Assignees)), CommentsCount: d.CommentsCount,
			Author: d.Creator.Name, CreatedAt: d.CreatedAt,
		}
		for n, p := range d.Assignees {
			answer.Items[i].Assignees[n] = assignee{p.Name, p.Email}
		}
	}
	return answer, nil
}
