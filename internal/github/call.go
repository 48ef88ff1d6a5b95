package github

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/wire/upstream"
)

// call is one request on behalf of one user.
type call struct {
	client     *common
	sent       request
	credential Credential
	refused    *fault.Error // of the latest 401
	fenced     *fenced      // nil: no fence bounds the client
}

// request describes one request to either API.
type request struct {
	method string
	url    *url.URL
	wrong  error    // why it cannot be sent; nil if it can
	body   []byte   // nil for none
	list   *url.URL // of a further page: the list
	about  fault.Resource
	of     resource
	writes bool
	reads  string            // what the variables of a query name, for a fence
	does   string            // the mutation, by the field that it asks for; empty in REST
	parts  int               // the mutations that it carries, by the aliases m0, m1, ...; 0 for one without an alias
	again  bool              // sending it twice has the same result as sending it once
	names  map[string]string // our arguments by GitHub's fields, where they differ
	spoken map[string]string // our arguments by the words with which GitHub's sentences about them begin
	judge  func(a upstream.Answer) *fault.Error
	// inRepository means that a private repository can be the reason for a 404.
	inRepository bool
}

var _ upstream.Call = (*call)(nil)

func (c *common) newCall(ctx context.Context, r request) (*call, error) {
	if r.wrong != nil {
		return nil, r.wrong
	}
	credential, err := c.credential(ctx, "")
	if err != nil {
		return nil, err
	}
	made := &call{client: c, sent: r, credential: credential}
	if made.fenced = c.fencedBy(ctx, r); made.fenced != nil {
		made.sent = made.fenced.sent
		err = made.fenced.permit(ctx)
	}
	return made, err
}

func (c *common) credential(ctx context.Context, refused string) (Credential, error) {
	credential, err := c.tokens(ctx, refused)
	if err != nil {
		return Credential{}, err
	}
	if credential.AccessToken == "" || credential.Person == "" {
		return Credential{}, errors.New("the token source returned no token or no person")
	}
	return credential, nil
}

// user returns a key of the user's link: another link of the same user may see other things.
func (c Credential) user() string { return c.Person + "\x00" + c.Link }

// request returns the request to send. Reads of the REST API are sent up to three times; queries,
// updates and deletes are sent twice, because each costs points; what creates is sent only once.
func (c *call) request() upstream.Request {
	r := upstream.Request{
		Call: c, User: c.credential.user(), Method: c.sent.method, URL: c.sent.url, Body: c.sent.body,
		ContentType: "application/json", Accept: "application/vnd.github+json",
		About: c.sent.about, Attempts: 1, Judge: c.judge,
		Admit: func(ctx context.Context) (leave func(), err error) {
			return c.client.people.enter(ctx, c.credential.Person, c.sent.of, c.sent.writes)
		},
	}
	if c.fenced != nil {
		r.Screen = c.fenced.screen
	}
	switch {
	case !c.sent.writes && c.sent.of != graphql:
		r.Attempts = 3
	case !c.sent.writes:
		r.Effect, r.Attempts = upstream.Reads, 2
	case c.sent.again:
		r.Effect, r.Attempts = upstream.Repeatable, 2
	}
	return r
}

// judge notes GitHub's clock, and a limit that a success reaches. It returns the fault that a
// success describes.
func (c *call) judge(a upstream.Answer) *fault.Error {
	now := c.client.now()
	if at, err := http.ParseTime(a.Header.Get("Date")); err == nil {
		ahead := at.Sub(now)
		c.client.ahead.Store(&ahead)
	}
	if l, _ := limitOf(a.Header, now); l.said.Remaining != nil && *l.said.Remaining == 0 && l.said.Reset != nil && cmp.Or(a.Header.Get("X-RateLimit-Resource"), string(c.sent.of)) == string(c.sent.of) {
		l.until, l.waits = time.Unix(*l.said.Reset, 0), false
		c.client.people.block(c.credential.Person, c.sent.of, l.capped(now))
	}
	if c.sent.judge == nil {
		return nil
	}
	return c.fenced.told(c.sent.judge(a))
}

// Authorize adds the user's access token and the version of the API.
func (c *call) Authorize(h http.Header) {
	h.Set("Authorization", "Bearer "+c.credential.AccessToken)
	h.Set("X-GitHub-Api-Version", apiVersion)
}

// Renew replaces the access token that GitHub refused.
func (c *call) Renew(ctx context.Context) error {
	old := c.credential
	renewed, err := c.client.credential(ctx, old.AccessToken)
	if err != nil {
		return c.about(err)
	}
	if renewed.Person != old.Person {
		return errors.New("the token source changed the user during a call")
	}
	c.credential = renewed
	return nil
}

// about adds to the fault of a link what GitHub answered to its token.
func (c *call) about(err error) error {
	f, known := errors.AsType[*fault.Error](err)
	if !known || c.refused == nil || f.Upstream != nil {
		return err
	}
	told := *f
	told.Upstream, told.Resource = c.refused.Upstream, c.refused.Resource
	return &told
}

// Fault returns the fault for an answer whose status is not a success.
func (c *call) Fault(a upstream.Answer) *fault.Error {
	f := c.refusal(replyOf(a))
	if a.Status == http.StatusUnauthorized {
		c.refused = f
	}
	return f
}
