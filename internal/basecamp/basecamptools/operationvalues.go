package basecamptools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/operations"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/memo"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
)

// weekdays returns days as the numbers of Basecamp: 0 is Sunday.
func (p *prepared) weekdays(a *operations.Arg) (any, error) {
	var names []string
	_ = json.Unmarshal(p.given[a.Name], &names) // it is checked already
	var days []string
	for i, name := range names {
		word := strings.ToLower(strings.TrimSpace(name))
		day := weekday(word)
		if day < 0 {
			return nil, fault.Invalid(fmt.Sprintf("%s[%d]", a.Name, i), "must be a weekday such as monday, got %s", plaintext.Quote(name))
		}
		days = append(days, strconv.Itoa(day))
	}
	if len(days) == 0 {
		return nil, fault.Invalid(a.Name, "must have at least one weekday")
	}
	return days, nil
}

// invitation is a new person.
type invitation struct {
	Name    string `json:"name"`
	Email   string `json:"email_address"`
	Title   string `json:"title,omitempty"`
	Company string `json:"company_name,omitempty"`
}

// invitations returns new people.
func (p *prepared) invitations(a *operations.Arg) (any, error) {
	var people []invitation
	decoder := json.NewDecoder(bytes.NewReader(p.given[a.Name]))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&people); err != nil {
		return nil, fault.Invalid(a.Name, "must be a list of {name, email_address}, with title and company_name if known").Because(err)
	}
	for i, person := range people {
		if lookup.Plainly(person.Name) == "" || !strings.Contains(person.Email, "@") {
			return nil, fault.Invalid(fmt.Sprintf("%s[%d]", a.Name, i), "must have a name and an email_address")
		}
	}
	return people, nil
}

// markdown returns a text as Basecamp's HTML, with its mentions.
func (p *prepared) markdown(ctx context.Context, a *operations.Arg, text string) (any, error) {
	old := basecamp.HTML(textIn(p.old, a.Field()))
	composed, err := p.rs.Compose(ctx, lookup.Prose{Project: p.bucket, Argument: a.Name, Markdown: text, Old: old})
	if err != nil {
		return nil, err
	}
	if a.Kind == operations.Append {
		composed.HTML = string(old) + composed.HTML
	}
	p.text, p.writes = composed, true
	return composed.HTML, nil
}

// people returns the IDs of people, and notes whom the operation notifies.
func (p *prepared) people(ctx context.Context, a *operations.Arg) (any, error) {
	project := p.bucket
	if a.Of == "account" {
		project = 0
	}
	if a.Kind == operations.People {
		people, err := p.rs.Persons(ctx, a.Name, p.refs(a.Name), project)
		return lookup.PersonIDs(people), err
	}
	refs := p.refs(a.Name)
	p.notifies = true
	if len(refs) == 1 && strings.EqualFold(refs[0].Name, "default") {
		return "default", nil
	}
	people, ids, err := p.rs.toNotify(ctx, refs, project)
	switch {
	case err != nil || ids != nil && len(ids) == 0:
		return nil, err
	case ids == nil:
		p.notified, err = p.rs.People(ctx, project, memo.Life)
		return "everyone", err
	}
	p.notified = people
	p.set("subscriptions", ids)
	return "custom", nil
}

// several returns the IDs of projects, or of to-do lists of the project.
func (p *prepared) several(ctx context.Context, a *operations.Arg) (any, error) {
	refs := p.refs(a.Name)
	ids, problems := make([]int64, len(refs)), make([]error, len(refs))
	for i, ref := range refs {
		at := fmt.Sprintf("%s[%d]", a.Name, i)
		if a.Kind == operations.Projects {
			ids[i], problems[i] = p.rs.ProjectID(ctx, at, ref)
			continue
		}
		var list basecamp.Todolist
		in := toolargs.Ref{ID: p.bucket}
		list, problems[i] = lookup.ReadItem(ctx, p.rs.Resolver, lookup.ListKind.WithArguments(at, "project"), ref, in, p.rs.BC.Todolist)
		ids[i] = list.ID
	}
	return ids, fault.All(problems...)
}
