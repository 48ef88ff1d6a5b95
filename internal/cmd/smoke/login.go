package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

const (
	// redirectURI is an address without a server: no login gets that far.
	redirectURI = "http://127.0.0.1/smoke"
	form        = "application/x-www-form-urlencoded"
	// pkce is the code_challenge of RFC 7636 appendix B.
	pkce = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
)

var errUnregistered = errors.New("no client could register; fix that check first")

// registers registers a client. Repeated runs register the same client, which the server forgets
// when it is not used.
func (s *site) registers(ctx context.Context) error {
	a, err := s.wants(ctx, http.StatusCreated, "application/json", http.MethodPost, "/register",
		`{"client_name":"Smoke test","redirect_uris":["`+redirectURI+`"],"token_endpoint_auth_method":"none"}`, "Content-Type", "application/json")
	if err != nil {
		return err
	}
	var client struct {
		ID string `json:"client_id"`
	}
	if err := a.decode(&client); err != nil {
		return err
	}
	if client.ID == "" {
		return errors.New("the answer contains no client_id")
	}
	s.clientID = client.ID
	return nil
}

// authorize requests a login with a redirect URI.
func (s *site) authorize(ctx context.Context, to string) (answer, error) {
	if s.clientID == "" {
		return answer{}, errUnregistered
	}
	query := url.Values{
		"response_type": {"code"}, "client_id": {s.clientID}, "redirect_uri": {to}, "state": {"smoke"}, "scope": {"read"},
		"code_challenge": {pkce}, "code_challenge_method": {"S256"}, "resource": {s.origin + "/mcp"},
	}
	return s.ask(ctx, http.MethodGet, "/authorize?"+query.Encode(), "", "Accept", "text/html")
}

func (s *site) asksConsent(ctx context.Context) error {
	a, err := s.authorize(ctx, redirectURI)
	if err != nil {
		return err
	}
	if a.status == http.StatusServiceUnavailable && strings.Contains(string(a.body), "not set up") {
		return fmt.Errorf("not configured, so that no user can log in yet: register an application at https://launchpad.37signals.com/integrations "+
			"with the redirect URI %s/oauth/callback, and store its ID and secret with the SetupCommand of the stack (%[1]s/ shows both); with BasecampApiUrl=sandbox, logins are not possible", s.origin)
	}
	if err := a.want(http.StatusOK, "text/html"); err != nil {
		return err
	}
	if !strings.Contains(a.header.Get("Content-Security-Policy"), "frame-ancestors 'none'") { // against clickjacking
		return errors.New("Content-Security-Policy is missing, so that the page could be framed: a proxy in front of the server removes headers")
	}
	if !strings.Contains(a.header.Get("Set-Cookie"), "SameSite=Lax") { // binds the login to the browser
		return errors.New("the answer sets no cookie, so that the login cannot finish: a proxy in front of the server removes headers")
	}
	return nil
}

// refusesStrangers checks that an unregistered redirect URI is reported on a page, without a
// redirect (RFC 6749 section 4.1.2.1).
func (s *site) refusesStrangers(ctx context.Context) error {
	a, err := s.authorize(ctx, "https://stranger.example/callback")
	if err != nil {
		return err
	}
	if to := a.header.Get("Location"); to != "" {
		return fmt.Errorf("the server redirects to %s: shut the server down and report this bug", to)
	}
	return a.want(http.StatusBadRequest, "text/html")
}

func (s *site) refusesCodes(ctx context.Context) error { // RFC 6749 sections 5.1 and 5.2
	if s.clientID == "" {
		return errUnregistered
	}
	body := url.Values{
		"grant_type": {"authorization_code"}, "client_id": {s.clientID}, "code": {"no-such-code"}, "redirect_uri": {redirectURI},
		"code_verifier": {strings.Repeat("v", 43)},
	}
	a, err := s.wants(ctx, http.StatusBadRequest, "application/json", http.MethodPost, "/token", body.Encode(), "Content-Type", form, "Origin", inspector)
	if err != nil {
		return err
	}
	var said struct{ Error string }
	if err := a.decode(&said); err != nil {
		return err
	}
	switch {
	case said.Error != "invalid_grant":
		return fmt.Errorf("the error for an unknown code is %q instead of invalid_grant", said.Error)
	case !a.lists("Cache-Control", "no-store"):
		return errors.New("Cache-Control is not no-store: a proxy in front of the server changes it")
	case !s.shares(a):
		return errors.New("web pages cannot read this answer; " + ownCORS)
	}
	return nil
}

func (s *site) hasFrontPage(ctx context.Context) error {
	_, err := s.wants(ctx, http.StatusOK, "text/html", http.MethodGet, "/", "", "Accept", "text/html")
	return err
}
