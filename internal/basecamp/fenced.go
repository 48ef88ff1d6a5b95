package basecamp

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/fence"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/upstream"
	"basecamp-mcp/internal/writeplan"
)

// fenced is a request of a client whose fence bounds it. Every request passes permit before it is
// sent, and every answer passes screen.
type fenced struct {
	client *connection
	fence  fence.Fence
	origin string
	call   *fence.Call
	path   placedPath
	writes bool
	sent   request
}

// fencedBy returns the request as one of the client in ctx, or nil if no fence bounds that client.
func (c *connection) fencedBy(ctx context.Context, r request) *fenced {
	caller, _ := identity.From(ctx)
	if !caller.Fence.Bounds() {
		return nil
	}
	return &fenced{
		client: c, fence: caller.Fence.In(caller.Account), origin: identity.Origin(ctx), call: fence.CallFrom(ctx),
		path: placeInPath(r.path), writes: r.method != http.MethodGet, sent: r,
	}
}

// PermitWrite returns an error if the limits of the client in ctx forbid writes to a project. A
// call asks before it sends what names no project, such as the bytes of a file.
func (c *Client) PermitWrite(ctx context.Context, project int64) error {
	g := c.fencedBy(ctx, request{method: http.MethodPost, path: fmt.Sprintf("projects/%d.json", project)})
	if g == nil || g.allows(g.path.id) {
		return nil
	}
	return g.refuse(g.path.id)
}

// held reports whether the request must be about named projects.
func (g *fenced) held() bool { return g.fence.Read != nil || g.writes && g.fence.Write != nil }

// ping is the place of a ping, and planned that of what a plan makes, whose container was checked.
const (
	ping    = "ping"
	planned = "planned"
)

// allows reports whether the client may use a place: the ID of a project, ping or planned. An
// unknown place is "".
func (g *fenced) allows(place string) bool {
	switch place {
	case planned:
		return true
	case ping:
		return !g.held() && !g.fence.NoPings
	}
	project := linkID(place)
	if project == 0 {
		return !g.held()
	}
	return g.fence.Read.HasProject(project) && (!g.writes || g.fence.Write.HasProject(project))
}

// refuse returns the fault about a place that the client may not use.
func (g *fenced) refuse(place string) error {
	if project := linkID(place); g.writes && project != 0 && g.fence.Read.HasProject(project) || place == ping {
		return fence.Denied(g.origin)
	}
	return fence.Hidden(g.origin)
}

// permit returns an error unless the client may send the request.
func (g *fenced) permit(ctx context.Context) error {
	if !g.held() && !g.fence.NoPings {
		return nil
	}
	if err := g.permitPath(ctx); err != nil {
		return err
	}
	if g.held() {
		return g.permitReferences(ctx)
	}
	return nil
}

func (g *fenced) permitPath(ctx context.Context) error {
	switch p := g.path; p.kind {
	case inProject:
		if !g.allows(p.id) {
			return g.refuse(p.id)
		}
	case ofItem:
		return g.permitItem(ctx, p)
	case ofPings:
		if g.fence.NoPings || g.held() {
			return g.refuse(ping)
		}
	case ofFile:
		if place := g.call.PlaceOf(p.id); !g.allows(place) {
			return g.refuse(place)
		}
	case acrossProjects, ofAccount:
		if g.held() && g.writes && p.words != "attachments" {
			return fence.Denied(g.origin)
		}
	case ofNoProject:
		if g.held() {
			return fence.Denied(g.origin)
		}
	case byReferences:
	}
	return nil
}

// permitItem checks the project of an item. The answer to the read of the item itself says its
// project, so that read is sent and then screened.
func (g *fenced) permitItem(ctx context.Context, p placedPath) error {
	if !g.held() && !p.mayBePing() {
		return nil
	}
	if !g.writes && p.identifies() && g.call.PlaceOf(p.key()) == "" {
		return nil
	}
	place, err := (&Client{g.client}).placeOf(ctx, g, p)
	if err == nil && !g.allows(place) {
		err = g.refuse(place)
	}
	return err
}

// placeOf returns the place of an item: as the call has read it, or as the item itself says, or by
// asking each project that the client may use. It returns "" if that does not say it.
func (c *Client) placeOf(ctx context.Context, g *fenced, p placedPath) (string, error) {
	if place := g.call.PlaceOf(p.key()); place != "" {
		return place, nil
	}
	if strings.HasPrefix(p.id, "-") && writeplan.From(ctx) != nil {
		return planned, nil
	}
	ctx = fence.Aside(ctx)
	if p.item != "" {
		_, err := read(ctx, c, request{path: p.item + "/" + p.id + ".json"}, decodeAny)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return "", err
		}
		return g.call.PlaceOf(p.key()), nil
	}
	return c.placeAmong(ctx, g, p.id)
}

// mostAsked is how many projects are asked for an item of an unknown kind.
const mostAsked = 20

// placeAmong asks the projects that the client may use for an item of any kind: a request within a
// project finds only what is in it.
func (c *Client) placeAmong(ctx context.Context, g *fenced, id string) (string, error) {
	var projects []int64
	if g.fence.Read != nil {
		projects = g.fence.Read.Projects
	} else if g.fence.Write != nil {
		projects = g.fence.Write.Projects
	}
	for _, project := range projects[:min(len(projects), mostAsked)] {
		_, err := read(ctx, c, request{path: fmt.Sprintf("buckets/%d/recordings/%s/events.json", project, id)}, decodeAny)
		if err == nil {
			place := fmt.Sprint(project)
			g.call.Learn(id, place)
			return place, nil
		}
		if !fault.Is(err, fault.NotFound) {
			return "", err
		}
	}
	return "", nil
}

// decodeAny accepts any JSON.
func decodeAny(a upstream.Answer, _ any) (any, error) { return writeplan.Decode(a.Body) }

// permitReferences checks the items and projects that the query and the body name.
func (g *fenced) permitReferences(ctx context.Context) error {
	named := 0
	for name, values := range g.sent.query {
		if !slices.Contains(projectFields, strings.TrimSuffix(name, "[]")) {
			continue
		}
		for id := range strings.SplitSeq(strings.Join(values, ","), ",") {
			if !g.allows(id) {
				return g.refuse(id)
			}
		}
	}
	if g.sent.contentType != "" {
		return nil // a file
	}
	value, _ := writeplan.Decode(g.sent.body)
	err := g.path.eachReference(value, func(field, id string) error {
		named++
		return g.permitReference(ctx, field, id)
	})
	if err == nil && g.path.kind == byReferences && named == 0 {
		err = fence.Denied(g.origin)
	}
	return err
}

func (g *fenced) permitReference(ctx context.Context, field, id string) error {
	place := id
	switch {
	case slices.Contains(projectFields, field):
	case field == "readables":
		place = g.call.PlaceOf(id)
	default:
		var err error
		if place, err = (&Client{g.client}).placeOf(ctx, g, placedPath{kind: ofItem, id: id, item: referredTo[field]}); err != nil {
			return err
		}
	}
	if !g.allows(place) {
		return g.refuse(place)
	}
	return nil
}
