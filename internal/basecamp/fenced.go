package basecamp

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"

	"basecamp-mcp/internal/basecamp/operations"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/wire/upstream"
	"basecamp-mcp/internal/wire/writeplan"
)

// fenced is a request of a client whose fence bounds it. Every request passes permit before it is
// sent, and every answer passes screen.
type fenced struct {
	client *connection
	fence  fence.Fence
	origin string
	call   *fence.Call
	at     operations.Location
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
		at: operations.Locate(r.path), writes: r.method != http.MethodGet, sent: r,
	}
}

// PermitWrite returns an error if the limits of the client in ctx forbid writes to a project. A
// call asks before it sends what names no project, such as the bytes of a file.
func (c *Client) PermitWrite(ctx context.Context, project int64) error {
	g := c.fencedBy(ctx, request{method: http.MethodPost, path: fmt.Sprintf("projects/%d.json", project)})
	if g == nil || g.allows(g.at.ID) {
		return nil
	}
	return g.refuse(g.at.ID)
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
	switch g.at.Place {
	case operations.OfProject:
		if !g.allows(g.at.ID) {
			return g.refuse(g.at.ID)
		}
	case operations.OfItem:
		return g.permitItem(ctx)
	case operations.OfPings:
		if g.fence.NoPings || g.held() {
			return g.refuse(ping)
		}
	case operations.OfFile:
		if place := g.call.PlaceOf(g.at.ID); !g.allows(place) {
			return g.refuse(place)
		}
	case operations.AcrossProjects, operations.OfAccount:
		if g.held() && g.writes {
			return fence.Denied(g.origin)
		}
	case operations.NoProject:
		if g.held() {
			return fence.Denied(g.origin)
		}
	case operations.OfBody, operations.Anywhere:
	}
	return nil
}

// permitItem checks the project of an item. The answer to the read of the item itself says its
// project, so that read is sent and then screened. An item of any kind, a chat and a boost can be
// in a ping.
func (g *fenced) permitItem(ctx context.Context) error {
	if mayBePing := g.at.Reads == "" || g.at.Reads == "chats" || g.at.Reads == "boosts"; !g.held() && !mayBePing {
		return nil
	}
	if !g.writes && g.at.Self && g.call.PlaceOf(g.at.Key()) == "" {
		return nil
	}
	place, err := g.placeOf(ctx, g.at)
	if err == nil && !g.allows(place) {
		err = g.refuse(place)
	}
	return err
}

// mostAsked is how many projects are asked for an item of an unknown kind.
const mostAsked = 20

// placeOf returns the place of an item: as the call has read it, or as the item itself says, or by
// asking each project that the client may use, where a request finds only what is in it. It returns
// "" if that does not say it.
func (g *fenced) placeOf(ctx context.Context, at operations.Location) (string, error) {
	if place := g.call.PlaceOf(at.Key()); place != "" {
		return place, nil
	}
	if strings.HasPrefix(at.ID, "-") && writeplan.From(ctx) != nil {
		return planned, nil
	}
	if at.Reads != "" {
		_, err := g.finds(ctx, at.Reads+"/"+at.ID+".json")
		return g.call.PlaceOf(at.Key()), err
	}
	var projects []int64
	if places := cmp.Or(g.fence.Read, g.fence.Write); places != nil {
		projects = places.Projects
	}
	for _, project := range projects[:min(len(projects), mostAsked)] {
		place := fmt.Sprint(project)
		switch found, err := g.finds(ctx, "buckets/"+place+"/recordings/"+at.ID+"/events.json"); {
		case err != nil:
			return "", err
		case found:
			g.call.Learn(at.ID, place)
			return place, nil
		}
	}
	return "", nil
}

// finds reports whether a path can be read, and learns what the answer says.
func (g *fenced) finds(ctx context.Context, path string) (bool, error) {
	decode := func(a upstream.Answer, _ any) (any, error) { return writeplan.Decode(a.Body) }
	_, err := read(fence.Aside(ctx), &Client{g.client}, request{path: path}, decode)
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	return err == nil, err
}
