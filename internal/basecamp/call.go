package basecamp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"

	"basecamp-mcp/internal/wire/upstream"
	"basecamp-mcp/internal/wire/writeplan"
)

type call struct {
	client     *connection
	sent       request
	credential Credential
	fenced     *fenced // nil: no fence bounds the client
}

var _ upstream.Call = (*call)(nil)

func (c *connection) newCall(ctx context.Context, r request) (*call, error) {
	credential, err := c.tokens(ctx, "")
	if err != nil {
		return nil, err
	}
	if credential.AccessToken == "" || credential.Account <= 0 {
		return nil, errors.New("the token source returned no token or no account")
	}
	if r.path == "" {
		return nil, fmt.Errorf("read or change %s %s: unknown kind of item", r.about.Type, r.about.ID)
	}
	if strings.Contains(r.path, "/-") && !r.file && writeplan.From(ctx) == nil {
		return nil, fmt.Errorf("read or change %s %s: a made-up ID outside of a plan", r.about.Type, r.about.ID)
	}
	if r.method == "" {
		r.method = http.MethodGet
	}
	noteWrite(ctx, r)
	made := &call{client: c, sent: r, credential: credential, fenced: c.fencedBy(ctx, r)}
	if made.fenced != nil {
		err = made.fenced.permit(ctx)
	}
	return made, err
}

// request returns the request to send. Its URL contains the account, so that the cache separates a
// user's accounts.
func (c *call) request() upstream.Request {
	r := upstream.Request{
		Call:         c,
		User:         c.credential.Person,
		Method:       c.sent.method,
		URL:          c.url(),
		Body:         c.sent.body,
		ContentType:  c.sent.contentType,
		KeepRedirect: c.sent.file,
		About:        c.sent.about,
	}
	if c.sent.file {
		r.Accept = "*/*"
	} else if c.fenced != nil {
		r.Screen = c.fenced.screen
	}
	if c.sent.repeatable {
		r.Effect = upstream.Repeatable
	}
	return r
}

func (c *call) url() *url.URL {
	u := c.at(c.sent.path)
	u.RawQuery = c.sent.query.Encode()
	return u
}

// at returns the address of a path below that of the account.
func (c *call) at(path string) *url.URL {
	return c.client.base.JoinPath(strconv.FormatInt(c.credential.Account, 10), path)
}

// Authorize adds the user's access token.
func (c *call) Authorize(h http.Header) {
	h.Set("Authorization", "Bearer "+c.credential.AccessToken)
}

// Renew replaces the access token that Basecamp refused.
func (c *call) Renew(ctx context.Context) error {
	old := c.credential
	renewed, err := c.client.tokens(ctx, old.AccessToken)
	if err != nil {
		return err
	}
	if renewed.Person != old.Person || renewed.Account != old.Account {
		return errors.New("the token source changed the user during a call")
	}
	c.credential = renewed
	return nil
}

type writesKey struct{}

// WatchWrites returns a context whose requests note when one of them writes.
func WatchWrites(ctx context.Context) (context.Context, *atomic.Bool) {
	wrote := new(atomic.Bool)
	return context.WithValue(ctx, writesKey{}, wrote), wrote
}

// noteWrite notes that a request which writes is about to be sent.
func noteWrite(ctx context.Context, r request) {
	wrote, ok := ctx.Value(writesKey{}).(*atomic.Bool)
	if ok && r.method != http.MethodGet && writeplan.From(ctx) == nil {
		wrote.Store(true)
	}
}
