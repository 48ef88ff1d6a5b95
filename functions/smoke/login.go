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
	// redirectURI is where nobody listens: no login goes that far.
	redirectURI = "http://127.0.0.1/smoke"
	form        = "application/x-www-form-urlencoded"
	// pkce is the code_challenge of RFC 7636's own example.
	pkce = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
)

var errUnregistered = errors.New("nothing could register; mend that first")

// registers makes a client. It is the same client each time, and forgotten when it has not been used for a while.
func (s *site) registers(ctx context.Context) error {
	a, err := s.ask(ctx, http.MethodPost, "/register",
		`{"client_name":"Smoke test","redirect_uris":["`+redirectURI+`"],"token_endpoint_auth_method":"none"}`, "Content-Type", "application/json")
	if err != nil {
		return err
	}
	if err := a.want(http.StatusCreated, "application/json"); err != nil {
		return err
	}
	var client struct {
		ID string `json:"client_id"`
	}
	if err := a.decode(&client); err != nil {
		return err
	}
	if client.ID == "" {
		return errors.New("the answer names no client_id")
	}
	s.clientID = client.ID
	return nil
}

// authorize asks for a login that leads to a redirect URI.
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
		return fmt.Errorf("not configured, so nobody can log in yet: register an application at https://launchpad.37signals.com/integrations "+
			"with the redirect URI %s/oauth/callback, and store what you get there with the SetupCommand of the stack (%[1]s/ shows both); with BasecampApiUrl=sandbox nobody ever can", s.origin)
	}
	if err := a.want(http.StatusOK, "text/html"); err != nil {
		return err
	}
	if !strings.Contains(a.header.Get("Content-Security-Policy"), "frame-ancestors 'none'") { // B3
		return errors.New("Content-Security-Policy is missing, so that the page could be framed: something in front of the server takes headers away")
	}
	if !strings.Contains(a.header.Get("Set-Cookie"), "SameSite=Lax") { // B7
		return errors.New("it sets no cookie, so that the login could not be finished: something in front of the server takes headers away")
	}
	return nil
}

// refusesStrangers: what is not registered is told to the person and never redirected to (A20).
func (s *site) refusesStrangers(ctx context.Context) error {
	a, err := s.authorize(ctx, "https://stranger.example/callback")
	if err != nil {
		return err
	}
	if to := a.header.Get("Location"); to != "" {
		return fmt.Errorf("it redirects to %s: take the server down and report this", to)
	}
	return a.want(http.StatusBadRequest, "text/html")
}

func (s *site) refusesCodes(ctx context.Context) error { // T2, T3
	if s.clientID == "" {
		return errUnregistered
	}
	body := url.Values{
		"grant_type": {"authorization_code"}, "client_id": {s.clientID}, "code": {"no-such-code"}, "redirect_uri": {redirectURI},
		"code_verifier": {strings.Repeat("v", 43)},
	}
	a, err := s.ask(ctx, http.MethodPost, "/token", body.Encode(), "Content-Type", form, "Origin", inspector)
	if err != nil {
		return err
	}
	if err := a.want(http.StatusBadRequest, "application/json"); err != nil {
		return err
	}
	var said struct{ Error string }
	if err := a.decode(&said); err != nil {
		return err
	}
	switch {
	case said.Error != "invalid_grant":
		return fmt.Errorf("an unknown code is %q instead of invalid_grant", said.Error)
	case !a.lists("Cache-Control", "no-store"):
		return errors.New("Cache-Control is not no-store: something in front of the server changes it")
	case !s.shares(a):
		return errors.New("web pages may not read it; " + ownCORS)
	}
	return nil
}

func (s *site) hasFrontPage(ctx context.Context) error {
	a, err := s.ask(ctx, http.MethodGet, "/", "", "Accept", "text/html")
	if err != nil {
		return err
	}
	return a.want(http.StatusOK, "text/html")
}
