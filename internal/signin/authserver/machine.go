package authserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/report/telemetry"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/signin/pages"
)

// A machine is a program without a browser, such as a cron job, that acts for the user who made it.
// It is a family like that of an app, whose client is the machine itself. It has either a token of
// its own, or a secret with which it gets access tokens at /token. Nothing extends it.
const (
	machinePrefix      = "m_" // and the ID of the family: the ID of the client
	machineTokenPrefix = "bcm_pt_"
	checksumLength     = 8
	mostMachines       = 10  // of a user
	mostMachineDays    = 365 // a program that nobody remembers ends within a year
	maxMachineName     = 60  // characters
)

// isMachine reports whether the client is a machine.
func (c Client) isMachine() bool { return strings.HasPrefix(c.ID, machinePrefix) }

// actsFor returns the name of the user of a machine, and "" for an app.
func (f Family) actsFor() string {
	if !f.Client.isMachine() {
		return ""
	}
	return cmp.Or(f.Person, "its user")
}

// MachineEnd returns when the access of a program without a browser ends. It is zero for an app,
// whose access each refresh extends.
func (f Family) MachineEnd() time.Time {
	if !f.Client.isMachine() {
		return time.Time{}
	}
	return f.EndsAt
}

// newMachineToken returns a token that scanners for secrets can recognise: its end is a checksum.
func newMachineToken(family string) string {
	text := newToken(machineTokenPrefix, family)
	return text + checksum(text)
}

func checksum(text string) string { return fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(text))) }

// machineOf returns the family of a machine's token. It returns false if the token has another form
// or checksum.
func machineOf(token string) (family string, ok bool) {
	cut := len(token) - checksumLength
	if cut < 0 || checksum(token[:cut]) != token[cut:] {
		return "", false
	}
	return familyOf(machineTokenPrefix, token[:cut])
}

// machines shows the form that makes a machine: GET /account/machines.
func (s *Server) machines(w http.ResponseWriter, r *http.Request, of session) error {
	view := s.machineForm(of)
	seen := s.projectsHere(r)
	view.Fence = s.fencePart(fieldsOf(fence.Fence{}, true, seen != nil), nil, true, seen)
	pages.Write(w, view)
	return nil
}

func (s *Server) machineForm(of session) pages.NewMachine {
	view := pages.NewMachine{
		Form: s.newForm("/account/machines", "", of.token), Person: of.Name,
		Toolsets: s.Toolsets, Chosen: map[string]bool{"write": false},
	}
	view.Days = "90"
	view.Accounts = accountChoices(of.Accounts, nil)
	return view
}

// makeMachine makes a machine and shows its secret once: POST /account/machines.
func (s *Server) makeMachine(w http.ResponseWriter, r *http.Request, of session, form params) error {
	view := s.machineForm(of)
	f, wrong := s.readMachine(r, form, of)
	var err error
	var limits map[string]string
	if wrong == "" {
		f.Fence, limits = s.machineFence(r.Context(), f, fieldsIn(form))
		if len(limits) > 0 {
			wrong = "Correct what the program may do, below."
		}
	}
	if wrong == "" {
		wrong, err = s.machineRoom(r.Context(), of.Subject)
	}
	if err != nil {
		return fmt.Errorf("make a machine: %w", err)
	}
	if wrong != "" {
		view.Wrong, view.Name, view.Days = wrong, form.get("name"), form.get("days")
		for name := range form.values {
			view.Chosen[name] = true
		}
		view.Chosen[form.get("proof")] = true
		view.Fence = s.fencePart(fieldsIn(form), limits, true, s.projectsHere(r))
		pages.Write(w, view)
		return nil
	}
	made, err := s.storeMachine(r.Context(), f, form.get("proof"))
	if err != nil {
		return fmt.Errorf("make a machine: %w", err)
	}
	made.URL, made.TokenURL = s.Origin(r)+"/mcp", s.Origin(r)+"/token"
	pages.Write(w, made)
	return nil
}

// readMachine returns the machine that a form describes, or what is wrong with it.
func (s *Server) readMachine(r *http.Request, form params, of session) (f Family, wrong string) {
	now := s.Now()
	name := cleanName(form.get("name"))
	days, err := strconv.Atoi(form.get("days"))
	account := slices.IndexFunc(of.Accounts, func(a grantedAccount) bool { return strconv.FormatInt(a.ID, 10) == form.get("account") })
	if len(of.Accounts) == 1 {
		account = 0
	}
	switch {
	case name == "" || len([]rune(name)) > maxMachineName:
		return f, "Give a name of at most 60 characters."
	case err != nil || days < 1 || days > mostMachineDays:
		return f, fmt.Sprintf("Give a number of days from 1 to %d.", mostMachineDays)
	case account < 0:
		return f, "Choose one of the accounts."
	}
	end := now.Add(time.Duration(days) * 24 * time.Hour)
	f = newFamily(newFamilyID(), Permit{
		Subject: of.Subject, Person: of.Name, Account: of.Accounts[account].ID, AccountName: of.Accounts[account].Name,
		Scopes: []identity.Scope{identity.Read}, Resource: s.Origin(r) + "/mcp",
	}, now, end, end)
	if form.get("write") != "" {
		f.Scopes = identity.AllScopes()
	}
	f.Client = Client{ID: machinePrefix + f.ID, Name: name, AuthMethod: authNone, CreatedAt: now, ExpiresAt: f.EndsAt}
	for _, toolset := range s.Toolsets {
		if form.get("toolset "+toolset) != "" {
			f.Client.Toolsets = append(f.Client.Toolsets, toolset)
		}
	}
	slices.Sort(f.Client.Toolsets)
	if len(f.Client.Toolsets) == 0 {
		return f, "Choose at least one toolset."
	}
	switch form.get("proof") {
	case "token":
	case "secret":
		f.Client.AuthMethod = authBasic
	default:
		return f, "Choose how the program proves who it is."
	}
	return f, ""
}

// machineFence returns the fence that a form gives a machine, and what is wrong with its fields.
func (s *Server) machineFence(ctx context.Context, f Family, fields map[string]string) (fence.Fence, map[string]string) {
	next, wrong := readFence(fields, slices.Contains(f.Scopes, identity.Write))
	if len(wrong) == 0 && len(projectsIn(next)) > 0 {
		refuseUnseen(next, fence.Fence{}, s.projectsOf(ctx, f.Subject, f.placesIn()), wrong)
	}
	return next, wrong
}

// machineRoom returns what is wrong if a user has as many machines as are allowed.
func (s *Server) machineRoom(ctx context.Context, subject string) (wrong string, err error) {
	families, err := s.Store.FamiliesOf(ctx, subject)
	made := slices.DeleteFunc(families, func(f Family) bool { return !f.Client.isMachine() })
	if len(made) >= mostMachines {
		wrong = fmt.Sprintf("You have %d programs already. Disconnect one on your account page first.", len(made))
	}
	return wrong, err
}

// storeMachine stores a machine, in the way in which a code becomes a family, so that disconnecting
// everything ends it too. The refresh token is only the place where /token finds the machine: it is
// the hash of no text that is a token.
func (s *Server) storeMachine(ctx context.Context, f Family, proof string) (made pages.Machine, err error) {
	made = pages.Machine{Name: f.Client.Name, Client: f.Client.ID, Scope: identity.ScopeString(f.Scopes), ExpiresAt: f.EndsAt, Proof: proof}
	access := Access{Hash: HashOf(newSecret()), Scopes: f.Scopes, Generation: f.Generation, ExpiresAt: f.CreatedAt.Add(codeTTL)}
	switch proof {
	case "token":
		made.Secret = newMachineToken(f.ID)
		access.Hash, access.ExpiresAt = HashOf(made.Secret), f.EndsAt
	case "secret":
		made.Secret = newSecret()
		f.Client.SecretHash = HashOf(made.Secret)
	}
	code := Code{Hash: HashOf(newSecret()), Family: f.ID, Permit: f.Permit, ExpiresAt: f.CreatedAt.Add(codeTTL)}
	if err := s.Store.AddCode(ctx, code); err != nil {
		return made, err
	}
	place := Refresh{Hash: machinePlace(f.ID), Generation: f.Generation, ExpiresAt: f.EndsAt}
	return made, s.Store.Redeem(ctx, code, s.Now(), f, access, place)
}

func machinePlace(family string) Hash { return HashOf("machine", family) }

const clientCredentials = "client_credentials"

// grants returns the grant types of /token. Clients cannot register for that of machines.
func (s *Server) grants() []string {
	if !s.Machines {
		return grantTypes()
	}
	return append(grantTypes(), clientCredentials)
}

// machineTokens returns an access token for a machine that proves itself with its secret, without a
// refresh token (RFC 6749, 4.4). A machine that does not exist and a wrong secret have one answer.
func (s *Server) machineTokens(r *http.Request, form clientForm) (tokens, error) {
	ctx, now := r.Context(), s.Now()
	f, err := s.machine(ctx, form.id, now)
	if err != nil {
		return tokens{}, err
	}
	telemetry.Asked(ctx, f.Client.Name)
	proved := f.Client.AuthMethod == authBasic && f.Client.accepts(form.secret)
	if !proved || !covers(s.Origin(r), f.Resource) || !s.AllowedAccounts.Allow(f.Home().ID) {
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
	case !f.Live(now):
		return Family{}, nil
	}
	return f, nil
}
