package github

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/writeplan"
)

// Restore undoes a step of this package, unless what it wrote has changed since. Between the read
// and the write, GitHub may still accept a change of another person.
func (c *Client) Restore(ctx context.Context, s writeplan.Step) (writeplan.Restored, error) {
	var u undoing
	if err := writeplan.DecodeInto(s.Opposite, &u); err != nil {
		return writeplan.Restored{}, fmt.Errorf("restore %s: %w", s.What, err)
	}
	if u.With["contentId"] != nil {
		return c.putBack(ctx, u)
	}
	now, err := c.state(ctx, u.Read, u.Node, slices.Collect(maps.Keys(u.Left)))
	if fault.Is(err, fault.NotFound) {
		return writeplan.Restored{Result: writeplan.Refused, Reason: "it no longer exists, or you no longer have access to it"}, nil
	}
	if err != nil {
		return writeplan.Restored{}, err
	}
	if u.Node == itemNode && len(u.Was) == 0 { // what others have set is lost with the item
		all := fields{}
		for name := range now {
			if name != updated && name != "contentId" {
				all[name] = u.Left[name]
			}
		}
		u.Left = all
	}
	show := shownPlain
	if c.locked(ctx) && byOutsider(now) {
		show = func(any) any { return Withheld }
	}
	if refused, is := u.Refusal(now, show); is {
		refused.At = writeplan.Text(now[updated])
		return refused, nil
	}
	if len(u.Was) > 0 && !u.Pending(now) {
		return writeplan.Restored{Result: writeplan.Undone, Reason: "it was as before already"}, nil
	}
	return writeplan.Restored{Result: writeplan.Undone, Reason: u.Note}, c.undo(ctx, u, fault.Resource{Type: s.Type, ID: s.ID})
}

// shownPlain returns a value without hidden characters.
func shownPlain(value any) any {
	if text, ok := value.(string); ok {
		return plaintext.Clean(text)
	}
	return value
}

// undo sends the write that undoes another.
func (c *Client) undo(ctx context.Context, u undoing, about fault.Resource) error {
	body := fields{}
	maps.Copy(body, u.With)
	switch {
	case u.Node == itemNode && len(u.Was) > 0:
		return c.undoValue(ctx, u)
	case u.Node == "":
		maps.Copy(body, u.Was)
		if text, was := body["body"]; was && text == nil {
			body["body"] = ""
		}
		return c.sendPlain(ctx, u.By, u.Read, body, about)
	}
	maps.Copy(body, u.Was)
	return c.mutateByName(ctx, u.By, body, about)
}

// undoValue puts the old value of a field of an item back, or clears it.
func (c *Client) undoValue(ctx context.Context, u undoing) error {
	for field, value := range u.Was {
		input := fields{"projectId": u.With["projectId"], "itemId": u.Read, "fieldId": field}
		does := "clearProjectV2ItemFieldValue"
		if value != nil {
			does, input["value"] = "updateProjectV2ItemFieldValue", value
		}
		if err := c.mutateByName(ctx, does, input, fault.Resource{Type: "project_item", ID: u.Read}); err != nil {
			return err
		}
	}
	return nil
}

// putBack adds a removed item to its project again, with its values. GitHub gives it a new ID and
// the last place.
func (c *Client) putBack(ctx context.Context, u undoing) (writeplan.Restored, error) {
	project, content := writeplan.Text(u.With["projectId"]), writeplan.Text(u.With["contentId"])
	switch _, _, err := c.Item(ctx, u.Read); {
	case err == nil:
		return writeplan.Restored{Result: writeplan.Undone, Reason: "it was as before already"}, nil
	case !fault.Is(err, fault.NotFound):
		return writeplan.Restored{}, err
	}
	made, err := c.AddItem(ctx, project, content)
	if fault.Is(err, fault.NotFound) {
		return writeplan.Restored{Result: writeplan.Refused, Reason: "the issue or the project no longer exists, or you no longer have access to it"}, nil
	}
	if err != nil {
		return writeplan.Restored{}, err
	}
	now := itemState(made)
	for field, value := range u.Was {
		if now[field] != nil {
			continue // another person added it again, or GitHub set the field
		}
		one := undoing{Read: made.ID, With: u.With, Kept: writeplan.Kept{Was: fields{field: value}}}
		if err := c.undoValue(ctx, one); err != nil {
			return writeplan.Restored{}, err
		}
	}
	return writeplan.Restored{Result: writeplan.Undone, Reason: "it has the last place on the board now"}, nil
}

// sendPlain sends a write to a path of the REST API. Its answer does not matter.
func (c *Client) sendPlain(ctx context.Context, method, path string, body fields, about fault.Resource) error {
	r := request{method: method, url: c.rest.JoinPath(path), about: about, of: core, inRepository: true, again: true}
	if method != http.MethodDelete {
		var err error
		if r.body, err = encode(body); err != nil {
			return fmt.Errorf("encode %s %s: %w", method, about.Type, err)
		}
	}
	return c.carryOut(ctx, r)
}

// mutateByName sends a mutation of GitHub's and asks for nothing of what it changed.
func (c *Client) mutateByName(ctx context.Context, does string, input fields, about fault.Resource) error {
	kind := strings.ToUpper(does[:1]) + does[1:] + "Input!"
	d := document{
		thing: []string{does}, mutation: true, again: true,
		text: "mutation Undo($input: " + kind + ") { " + does + "(input: $input) { clientMutationId } }",
	}
	_, err := mutate[happened](ctx, c, d, about, input)
	return err
}

// ItemTitle returns the title of what a step wrote, and the repository of an issue; "" if it cannot
// be read.
func (c *Client) ItemTitle(ctx context.Context, kind, id string) (title, within string) {
	switch kind {
	case "repository":
		return id, ""
	case "issue":
		repo, number := parseAbout(id)
		i, _ := c.Issue(ctx, repo, number)
		return plaintext.Clean(i.Title), repo.String()
	case "project_item":
		i, _, _ := c.Item(ctx, id)
		return plaintext.Clean(i.Title), ""
	case "project":
		f, _ := c.state(ctx, id, "ProjectV2", []string{"title"})
		return plaintext.Clean(writeplan.Text(f["title"])), ""
	}
	return "", ""
}
