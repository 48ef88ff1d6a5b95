package authserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"basecamp-mcp/internal/serve/mcphttp"
	"basecamp-mcp/internal/signin/identity"
)

// Verifier checks bearer tokens. It accepts only tokens that this server issued (MCP
// authorization, "Token Handling"). It caches nothing: a revocation takes effect with the next
// request.
type Verifier struct {
	accesses Accesses
	now      func() time.Time
	// Machines is that of Config. If false, machines that users made earlier act no more.
	Machines bool
}

var _ mcphttp.Authenticator = (*Verifier)(nil)

// NewVerifier returns a verifier. A nil now means time.Now.
func NewVerifier(accesses Accesses, now func() time.Time) *Verifier {
	if now == nil {
		now = time.Now
	}
	return &Verifier{accesses: accesses, now: now}
}

// Authenticate returns the caller of an access token. It reads once, and writes once at the first
// use after a refresh. It returns mcphttp.ErrInvalidToken if the token is unknown, expired,
// revoked or issued for another origin than the one in the context (RFC 6750, 3.1).
func (v *Verifier) Authenticate(ctx context.Context, bearer, session string) (c identity.Caller, ended bool, err error) {
	family, ok := familyOf(accessPrefix, bearer)
	if !ok {
		family, ok = machineOf(bearer)
	}
	if !ok {
		return c, false, mcphttp.ErrInvalidToken
	}
	var id Hash
	if session != "" {
		id = HashOf(session)
	}
	f, a, ended, err := v.accesses.Access(ctx, family, HashOf(bearer), id)
	if errors.Is(err, ErrNotFound) {
		return c, false, mcphttp.ErrInvalidToken
	}
	if err != nil {
		return c, false, fmt.Errorf("read an access token: %w", err)
	}
	now := v.now()
	if !f.Live(now) || f.Client.isMachine() && !v.Machines || !now.Before(a.ExpiresAt) || !covers(identity.Origin(ctx), f.Resource) {
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
		Fence:      f.Fence,
		Account:    f.Home().ID,
		Key:        f.Key,
		Toolsets:   f.Client.Toolsets,
		ActsFor:    f.actsFor(),
	}, ended, nil
}

// confirm records the first use of an access token that was issued with the family's newest
// refresh token. The client has received both, so from now on their predecessor counts as a
// replay. Each rotation causes one write. A family read just before its rotation has an older
// generation than the token; a token without a generation may belong to the newest.
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

// covers reports whether a resource is the MCP endpoint of the origin, or a part of it. There is
// one audience: a token for a part can be used for the whole endpoint, within its scopes.
func covers(origin, resource string) bool {
	rest, ok := strings.CutPrefix(resource, origin+"/mcp")
	return ok && origin != "" && (rest == "" || rest[0] == '/')
}

// End marks the session as ended for the longest lifetime of a connection. A session ID does not
// expire by itself and would be accepted again.
func (v *Verifier) End(ctx context.Context, id string) error {
	caller, ok := identity.From(ctx)
	if !ok {
		return errors.New("end a session: the context has no caller")
	}
	return v.accesses.EndSession(ctx, caller.Connection, HashOf(id), v.now().Add(familyEnd))
}
