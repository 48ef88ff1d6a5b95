package authserver

import (
	"encoding/json"
	"net/http"

	"basecamp-mcp/internal/report/telemetry"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/signin/pages"
	"basecamp-mcp/internal/signin/provider"
)

// choice is a login that waits for the user to choose an account. The tokens are encrypted with
// the browser's cookie, so that nothing stored can read them before the login is finished.
type choice struct {
	Request authRequest  `json:"login"`
	Seat    string       `json:"seat,omitempty"` // then there is no Request
	User    upstreamUser `json:"person"`
	Tokens  []byte       `json:"tokens"`
}

// withAccount ends a login of a user with one account. It asks a user with several which of them
// the client may use, and refuses a user with none.
func (s *Server) withAccount(w http.ResponseWriter, r *http.Request, c choice) error {
	switch len(c.User.Accounts) {
	case 0:
		return s.noAccount(c.User)
	case 1:
		return s.chosen(w, r, c, []fence.Account{{ID: c.User.Accounts[0].ID, Name: c.User.Accounts[0].Name}})
	default:
		return s.askAccount(w, r, c)
	}
}

// chosen ends a login with accounts, the default first.
func (s *Server) chosen(w http.ResponseWriter, r *http.Request, c choice, accounts []fence.Account) error {
	if c.Seat != "" {
		return s.takeSeat(w, r, c.Seat, c.User, accounts)
	}
	if len(c.User.Accounts) > 1 {
		c.Request.Fence = c.Request.Fence.PlacedIn(accounts[0].ID)
		c.Request.Fence.Accounts = accounts
	}
	return s.complete(w, r, c.Request, c.User, accounts[0])
}

// askAccount shows the user's accounts. No code exists yet.
func (s *Server) askAccount(w http.ResponseWriter, r *http.Request, c choice) error {
	s.markSuspended(r.Context(), c.User.tokens.AccessToken, c.User.Accounts)
	f := newFormState()
	plain, err := json.Marshal(c.User.tokens)
	if err == nil {
		c.Tokens = seal(f.cookie, kindChoice, plain)
		err = s.addForm(w, r, kindChoice, f, c)
	}
	if err != nil {
		return interrupted("ask for the account", err)
	}
	view := pages.Choose{
		Form:     s.newForm("/oauth/choose", f.secret, f.token),
		Provider: s.first().Name,
		Client:   c.Request.Client.Name,
		Person:   c.User.Name,
	}
	view.Accounts = accountChoices(c.User.Accounts, nil)
	pages.Write(w, view)
	return nil
}

// choose reads the accounts from the form: POST /oauth/choose.
func (s *Server) choose(w http.ResponseWriter, r *http.Request, form params) error {
	f := s.formStateOf(r, kindChoice, form)
	var c choice
	if err := s.peek(r.Context(), f.key(kindChoice), f.binding(), &c); err != nil {
		return stateGone("read a choice", err)
	}
	telemetry.Asked(r.Context(), c.Request.Client.Name)
	chosen := chosenAccounts(form, c.User.Accounts)
	if chosen == nil {
		return show(pages.Failure{
			Status: http.StatusBadRequest, Title: "No account was chosen",
			Message: "The form named no default account that you can use.", Next: "Go back and choose an account.",
		})
	}
	if err := s.take(r.Context(), f.key(kindChoice), f.binding(), &c); err != nil {
		return stateGone("take a choice", err)
	}
	s.dropCookie(w, r, stateCookie(f.key(kindChoice)))
	tokens, err := openTokens(f.cookie, c.Tokens)
	if err != nil {
		return interrupted("decrypt the tokens of a choice", err)
	}
	c.User.tokens = tokens
	return s.chosen(w, r, c, chosen)
}

func openTokens(cookie string, sealed []byte) (t provider.Tokens, err error) {
	plain, err := unseal(cookie, kindChoice, sealed)
	if err == nil {
		err = json.Unmarshal(plain, &t)
	}
	return t, err
}
