package github

import (
	"context"
	"fmt"
	"strings"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/wire/writeplan"
)

// fenced is a request of a client whose fence bounds it. Every request passes permit before it is
// sent, and every answer passes screen.
type fenced struct {
	client    *common
	fence     fence.Fence
	origin    string
	call      *fence.Call
	sent      request
	variables fields // of a document
}

// fencedBy returns the request as one of the client in ctx, or nil if no fence bounds that client.
func (c *common) fencedBy(ctx context.Context, r request) *fenced {
	caller, _ := identity.From(ctx)
	if !caller.Fence.Bounds() {
		return nil
	}
	// GitHub names the repository of a page by its ID, which does not say whether the client may read
	// it.
	if r.list != nil {
		page := *r.list
		page.RawQuery = r.url.RawQuery
		r.url = &page
	}
	return &fenced{client: c, fence: caller.Fence, origin: identity.Origin(ctx), call: fence.CallFrom(ctx), sent: r}
}

// Unfound returns the error of a search in all that the client may read.
func Unfound(ctx context.Context, err error) error {
	caller, _ := identity.From(ctx)
	return caller.Fence.Unfound(err, identity.Origin(ctx))
}

// held reports whether the request must be about named repositories and boards.
func (g *fenced) held() bool { return g.fence.Read != nil || g.sent.writes && g.fence.Write != nil }

// boardPlace returns the place of a board: owner/#number. A repository is owner/name, and no name
// begins with #.
func boardPlace(owner string, number any) string { return fmt.Sprint(owner, "/#", number) }

// allows reports whether the client may use a place; "" is one that is not known.
func (g *fenced) allows(place string) bool {
	return in(g.fence.Read, place) && (!g.sent.writes || in(g.fence.Write, place))
}

func in(places *fence.Places, place string) bool {
	owner, number, isBoard := strings.Cut(place, "/#")
	if isBoard {
		return places.HasBoard(owner + "/" + number)
	}
	return places.HasRepo(place)
}

func (g *fenced) refuse(place string) error {
	if g.sent.writes && in(g.fence.Read, place) {
		return fence.Denied(g.origin)
	}
	return fence.Hidden(g.origin)
}

// permit returns an error unless the client may send the request.
func (g *fenced) permit(ctx context.Context) error {
	if !g.held() {
		return nil
	}
	if g.sent.url.String() == g.client.graphql.String() {
		return g.permitDocument(ctx)
	}
	return g.permitPath()
}

// permitPath checks the repository in a path of the REST API. What is in no repository is closed,
// except the user, the search, and the types and fields of issues that an organization has.
func (g *fenced) permitPath() error {
	below, _ := strings.CutPrefix(g.sent.url.Path, g.client.rest.Path)
	words := strings.Split(below, "/")
	switch {
	case words[0] == "repos" && len(words) > 2:
		if place := words[1] + "/" + words[2]; !g.allows(place) {
			return g.refuse(place)
		}
		return g.permitNested()
	case g.sent.writes:
	case below == searchIssues:
		return g.permitSearch()
	case below == "user", words[0] == "orgs" && (words[len(words)-1] == "issue-types" || words[len(words)-1] == "issue-fields"):
		return nil
	}
	return fence.Denied(g.origin)
}

const searchIssues = "search/issues"

// permitSearch checks the repositories that a search names. One that names none is screened.
func (g *fenced) permitSearch() error {
	for word := range strings.FieldsSeq(g.sent.url.Query().Get("q")) {
		if place, ok := strings.CutPrefix(word, "repo:"); ok && !g.allows(strings.Trim(place, `"`)) {
			return g.refuse(place)
		}
	}
	return nil
}

// permitNested checks the issues that the body of a request names by their numbers in GitHub.
func (g *fenced) permitNested() error {
	body, _ := writeplan.Decode(g.sent.body)
	f, _ := body.(fields)
	for _, name := range []string{"sub_issue_id", "after_id", "issue_id"} {
		if id := writeplan.Text(f[name]); id != "" {
			if place := g.call.PlaceOf("issue " + id); !g.allows(place) {
				return g.refuse(place)
			}
		}
	}
	return nil
}

// What the variables of a query name, as documents.graphql says it. A client that is held to places
// may not send a query that says none of it.
const (
	byName  = "by-name"  // owners, repositories and boards by their names; lists are screened
	itself  = "by-id"    // a thing by its node ID, and the answer says its place
	ofBoard = "of-board" // a part of a board, by its node ID
	ofIssue = "of-issue" // an issue or pull request, by its node ID
)

// permitDocument checks the places that the variables of a document name.
func (g *fenced) permitDocument(ctx context.Context) error {
	value, _ := writeplan.Decode(g.sent.body)
	body, _ := value.(fields)
	g.variables, _ = body["variables"].(fields)
	if g.sent.writes {
		return g.permitInputs(ctx)
	}
	switch g.sent.reads {
	case "":
		return fence.Denied(g.origin)
	case ofBoard:
		return g.permitBoard(ctx, writeplan.Text(g.variables["id"]))
	case itself:
		return nil
	}
	for name, value := range g.variables {
		if err := g.permitNamed(name, value); err != nil {
			return err
		}
	}
	return nil
}

// permitNamed checks what one variable names, with the one that belongs to it. Those of a document
// with several parts end in the number of the part.
func (g *fenced) permitNamed(name string, value any) error {
	word := strings.TrimRight(name, "0123456789")
	part := strings.TrimPrefix(name, word)
	other := func(name string) string { return writeplan.Text(g.variables[name+part]) }
	var place string
	switch {
	case word == "id" && g.sent.reads == ofIssue:
		place = g.call.PlaceOf(writeplan.Text(value))
	case word == "name":
		place = other("owner") + "/" + writeplan.Text(value)
	case word == "n":
		place = other("o") + "/" + writeplan.Text(value)
	case word == "number" && other("login") != "":
		place = boardPlace(other("login"), value)
	default:
		return nil
	}
	if !g.allows(place) {
		return g.refuse(place)
	}
	return nil
}

// issueIDs are the fields of inputs with the node ID of an issue, of the repository of a new one,
// or of what is on a board or an issue.
var issueIDs = []string{
	"contentId", "subjectId", "issueId", "duplicateIssueId", "repositoryId", "id", "parentIssueId", "statusUpdateId",
}

// permitInputs checks the boards and issues that the inputs of a mutation name. An input that names
// neither is about no place, and so is a new board.
func (g *fenced) permitInputs(ctx context.Context) error {
	if len(g.variables) == 0 {
		return fence.Denied(g.origin)
	}
	for _, value := range g.variables {
		input, _ := value.(fields)
		if err := g.permitInput(ctx, input); err != nil {
			return err
		}
	}
	return nil
}

func (g *fenced) permitInput(ctx context.Context, input fields) error {
	board := writeplan.Text(input["projectId"])
	if board != "" {
		if err := g.permitBoard(ctx, board); err != nil {
			return err
		}
	}
	known := board != ""
	for _, field := range issueIDs {
		id := writeplan.Text(input[field])
		if id == "" {
			continue
		}
		if place := g.call.PlaceOf(id); !g.allows(place) && !isMadeUp(ctx, id) {
			return g.refuse(place)
		}
		known = true
	}
	if !known || input["ownerId"] != nil {
		return fence.Denied(g.origin)
	}
	return nil
}

// isMadeUp reports whether a plan makes what has an ID. What that is in was checked.
func isMadeUp(ctx context.Context, id string) bool {
	return writeplan.From(ctx) != nil && strings.HasPrefix(id, "-")
}

// permitBoard checks a board by its node ID. If the call has not read the board, it is read first.
func (g *fenced) permitBoard(ctx context.Context, id string) error {
	if isMadeUp(ctx, id) {
		return nil
	}
	place := g.call.PlaceOf(id)
	if place == "" {
		// Of the board, only the place matters, which is learned from the answer.
		_, _, err := ask[nodeState](fence.Aside(ctx), &Client{g.client}, "ProjectByID", fault.Resource{Type: "project", ID: id}, map[string]any{"id": id, "after": nil})
		if err != nil {
			return err
		}
		place = g.call.PlaceOf(id)
	}
	if !g.allows(place) {
		return g.refuse(place)
	}
	return nil
}

// told returns the fault of a thing that was asked for by its node ID: a client that is held to
// places is not told whether it exists.
func (g *fenced) told(f *fault.Error) *fault.Error {
	if g == nil || f == nil || f.Code != fault.NotFound || g.fence.Read == nil || g.sent.of != graphql || g.sent.reads == byName {
		return f
	}
	return fence.Hidden(g.origin)
}
