package authserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/mcphttp"
)

// Verifier knows the bearer tokens that were issued here, and no others (R21). It keeps nothing in memory: a connection that
// is revoked is shut out by the next request.
type Verifier struct {
	accesses Accesses
	now      func() time.Time
}

var (
	_ mcphttp.SessionAuthenticator = (*Verifier)(nil)
	_ mcphttp.Sessions             = (*Verifier)(nil)
)

// NewVerifier makes a verifier; now may be nil for the real time.
func NewVerifier(accesses Accesses, now func() time.Time) *Verifier {
	if now == nil {
		now = time.Now
	}
	return &Verifier{accesses: accesses, now: now}
}

// Authenticate finds the caller behind an access token, in one read, and one write at its first use after a refresh. It fails with mcphttp.ErrInvalidToken when the token is
// unknown, expired, revoked or meant for another origin than the one in the context (R12, R19).
func (v *Verifier) Authenticate(ctx context.Context, bearer string) (identity.Caller, error) {
	c, _, err := v.verify(ctx, bearer, "")
	return c, err
}

// AuthenticateSession also tells whether a session of the caller's was ended, in the same read.
func (v *Verifier) AuthenticateSession(ctx context.Context, bearer, session string) (c identity.Caller, ended bool, err error) {
	return v.verify(ctx, bearer, hashOf(session))
}

func (v *Verifier) verify(ctx context.Context, bearer string, session Hash) (c identity.Caller, ended bool, err error) {
	family, ok := familyOf(accessPrefix, bearer)
	if !ok {
		return c, false, mcphttp.ErrInvalidToken
	}
	f, a, ended, err := v.accesses.Access(ctx, family, hashOf(bearer), session)
	if errors.Is(err, ErrNotFound) {
		return c, false, mcphttp.ErrInvalidToken
	}
	if err != nil {
		return c, false, fmt.Errorf("read an access token: %w", err)
	}
	now := v.now()
	if !f.Live(now) || !now.Before(a.ExpiresAt) || !covers(identity.Origin(ctx), f.Resource) {
		return c, false, mcphttp.ErrInvalidToken
	}
	if err := confirm(ctx, v.accesses, f, a); err != nil {
		return c, false, err
	}
	return identity.Caller{
		Subject:    f.Subject,
		Connection: f.ID,
		Client:     f.Client.Name,
		Scopes:     a.Scopes,
		Account:    f.Account,
		Key:        f.Key,
	}, ended, nil
}

// confirm notes the first use of an access token that came with the family's newest refresh token: the client has both, and
// their predecessor is a replay from now on (T12). That is one write for each rotation, and none for the uses that follow. A
// family read a moment before its rotation has an older generation than the token; a token that says none may be the newest.
func confirm(ctx context.Context, in Accesses, f Family, a Access) error {
	used := cmp.Or(a.Generation, f.Generation)
	if used < f.Generation || used == f.Generation && !f.isUnconfirmed() {
		return nil
	}
	if err := in.Confirm(ctx, f.ID, used); err != nil {
		return fmt.Errorf("confirm a refresh: %w", err)
	}
	return nil
}

// covers reports whether a resource is the MCP endpoint of the origin, or a part of it. There is one audience: a token that
// was asked for with a part's URL opens the whole, within its scopes.
func covers(origin, resource string) bool {
	rest, ok := strings.CutPrefix(resource, origin+"/mcp")
	return ok && origin != "" && (rest == "" || rest[0] == '/')
}

// End remembers the session as ended for as long as any connection lives: its id has no end of its own, and would be good
// again.
func (v *Verifier) End(ctx context.Context, id string) error {
	caller, ok := identity.From(ctx)
	if !ok {
		return errors.New("end a session: nobody calls")
	}
	return v.accesses.EndSession(ctx, caller.Connection, hashOf(id), v.now().Add(familyEnd))
}

// Ended always fails, for it would take a read of its own: the guard learns it from AuthenticateSession.
func (v *Verifier) Ended(context.Context, string) (bool, error) {
	return false, errors.New("a session is looked up with its token")
}
