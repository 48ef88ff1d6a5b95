package authserver

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"basecamp-mcp/internal/telemetry"
)

const (
	clientCredentials = "client_credentials"
	assertionType     = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
)

// grants returns the grant types of /token. Clients cannot register for that of machines.
func (s *Server) grants() []string {
	if s.MachineLife == 0 {
		return grantTypes()
	}
	return append(grantTypes(), clientCredentials)
}

// machineTokens returns an access token for a machine, without a refresh token (RFC 6749, 4.4). The
// machine proves itself with its secret, or with an assertion that its key signed (RFC 7523, 2.2).
func (s *Server) machineTokens(r *http.Request, form clientForm) (tokens, error) {
	ctx, now := r.Context(), s.Now()
	f, err := s.machine(ctx, form.id, now)
	if err != nil {
		return tokens{}, err
	}
	telemetry.Asked(ctx, f.Client.Name)
	if err := s.proveMachine(r, form, f, now); err != nil {
		return tokens{}, err
	}
	if !covers(s.Origin(r), f.Resource) || !s.AllowedAccounts.Allow(f.Home().ID) {
		return tokens{}, form.unknown()
	}
	if err := s.checkTarget(r, form.resources(), f.Resource); err != nil {
		return tokens{}, err
	}
	scopes, err := narrow(f.Scopes, form.get("scope"))
	if err != nil {
		return tokens{}, err
	}
	access, issued := s.newTokens(f, "", scopes, now)
	switch err := s.Store.AddAccess(ctx, f.ID, access); {
	case errors.Is(err, ErrConflict): // revoked meanwhile
		return tokens{}, form.unknown()
	case err != nil:
		return tokens{}, fmt.Errorf("add a machine's access token: %w", err)
	}
	return issued, nil
}

// machine returns the living machine with an ID, or an empty Family.
func (s *Server) machine(ctx context.Context, id string, now time.Time) (Family, error) {
	family, ok := strings.CutPrefix(id, machinePrefix)
	if !ok || len(family) != familyLength {
		return Family{}, nil
	}
	f, _, err := s.Store.Refresh(ctx, family, machinePlace(family))
	switch {
	case errors.Is(err, ErrNotFound):
		return Family{}, nil
	case err != nil:
		return Family{}, fmt.Errorf("read a machine: %w", err)
	case !f.Live(now) || !machineLives(f, s.MachineLife, now):
		return Family{}, nil
	}
	return f, nil
}

// proveMachine returns an error unless the client has proved that it is the machine. A machine that
// does not exist and a wrong proof have one answer.
func (s *Server) proveMachine(r *http.Request, form clientForm, f Family, now time.Time) error {
	switch given := form.get("client_assertion"); {
	case given == "" && f.Client.AuthMethod == authBasic && form.secret != "" && f.Client.accepts(form.secret):
		return nil
	case given == "" || f.Client.AuthMethod != authKey || form.secret != "":
		return form.unknown()
	}
	if form.get("client_assertion_type") != assertionType {
		return refuse(invalidRequest, "client_assertion_type must be "+assertionType)
	}
	origin := s.Origin(r)
	jti, expires, err := checkAssertion(form.get("client_assertion"), assertionWanted{
		client: f.Client.ID, key: f.Client.Key, audiences: []string{origin, origin + "/", origin + "/token"}, now: now,
	})
	if err != nil {
		refused := refuseClient("the client assertion was not accepted: " + err.Error())
		refused.basic = form.basic
		return refused
	}
	// An assertion counts once (RFC 7523, 3).
	once := LoginState{Kind: "assertion", Key: hashOf("jti", f.ID, jti), ExpiresAt: expires.Add(assertionLeeway)}
	switch err := s.Store.AddLoginState(r.Context(), once); {
	case errors.Is(err, ErrConflict):
		return refuseClient("the client assertion was used before; sign a new one with another jti")
	case err != nil:
		return fmt.Errorf("note a client assertion: %w", err)
	}
	return nil
}
