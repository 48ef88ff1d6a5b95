package authserver

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"basecamp-mcp/internal/report/telemetry"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/signin/pages"
	"basecamp-mcp/internal/signin/provider"
)

// maxCode is longer than any authorization code of a provider. Longer values are not sent to the
// provider, which may block a client that sends many wrong codes.
const maxCode = 1024

// callback answers the redirect from a provider's sign-on. It takes the state exactly once, and
// only from the browser that was sent to the sign-on. Otherwise an attacker could have another
// user complete a sign-in that the attacker started, and receive that user's grant (RFC 9700,
// 4.7).
func (s *Server) callback(w http.ResponseWriter, r *http.Request) error {
	up, ok := s.answering(r)
	if !ok {
		return errNoRoute
	}
	p, repeated := parseParams(r.URL.RawQuery)
	state := p.get("state")
	if repeated != nil || state == "" {
		return stateGone("", ErrNotFound)
	}
	key := HashOf(kindSignIn, state)
	var trip signIn
	cookie := s.cookie(r, stateCookie(key))
	if err := s.take(r.Context(), key, HashOf(cookie), &trip); err != nil {
		return stateGone("take a state", err)
	}
	if trip.Request != nil {
		telemetry.Asked(r.Context(), trip.Request.Client.Name)
	}
	s.dropCookie(w, r, stateCookie(key))
	if err := s.mayLink(r, trip); err != nil {
		return err
	}
	who, err := s.readAnswer(r, s.authorization(r, up, trip, state, cookie), up, trip, p)
	if err != nil {
		return err
	}
	switch trip.Purpose {
	case toLogIn:
		return s.withAccount(w, r, choice{Request: *trip.Request, User: who})
	case toLink:
		return s.finishLink(w, r, up, trip, who)
	case toSeat:
		return s.withAccount(w, r, choice{Seat: trip.Seat, User: who})
	default:
		return s.finishSignIn(w, r, trip, cookie, who)
	}
}

// mayLink checks, before a code is exchanged, that the browser still has the session of the user
// who started a link.
func (s *Server) mayLink(r *http.Request, trip signIn) error {
	if trip.Purpose != toLink {
		return nil
	}
	up, err := s.further(trip.Provider)
	if err != nil {
		return err
	}
	_, err = s.owner(r, up, trip.Subject)
	switch shown := (*pageError)(nil); {
	case err == nil || errors.As(err, &shown):
		return err
	case errors.Is(err, ErrNotFound):
		return stateGone("", err)
	}
	return interrupted("read the session of a link", err)
}

// readAnswer reads the sign-on's answer and exchanges the code for the user's identity and tokens.
// It refuses an answer at the callback of another provider, or with another issuer, before it
// sends the code anywhere (mix-up attack, RFC 9700, 4.4; RFC 9207, 2.4).
func (s *Server) readAnswer(r *http.Request, a provider.Authorization, up Upstream, trip signIn, p params) (upstreamUser, error) {
	started, ok := s.upstream(trip.Provider)
	if iss := p.get("iss"); !ok || started.ID != up.ID || iss != "" && iss != up.Issuer {
		return upstreamUser{}, s.tripFailed(trip, serverError, "the answer came from another sign-on", nil)
	}
	switch p.get("error") {
	case "":
	case accessDenied:
		return upstreamUser{}, s.tripFailed(trip, accessDenied, "the user did not allow the use of "+up.Name, nil)
	default: // the provider's own text is not shown
		return upstreamUser{}, s.tripFailed(trip, serverError, up.Name+" refused the sign-in", nil)
	}
	code := p.get("code")
	if code == "" || len(code) > maxCode {
		return upstreamUser{}, stateGone("", ErrNotFound)
	}
	tokens, err := up.SignOn.Exchange(r.Context(), a, code)
	if err != nil {
		return upstreamUser{}, s.providerFailed(r.Context(), up, trip, fmt.Errorf("exchange a code: %w", err))
	}
	about, err := up.SignOn.Identity(r.Context(), tokens.AccessToken)
	if err != nil {
		s.discard(r, up, tokens)
		return upstreamUser{}, s.providerFailed(r.Context(), up, trip, fmt.Errorf("read a user's identity: %w", err))
	}
	who := upstreamUser{Subject: about.Subject, Name: cleanName(about.Name), tokens: tokens}
	for _, account := range about.Accounts {
		if s.AllowedAccounts.Allow(account.ID) {
			who.Accounts = append(who.Accounts, grantedAccount{ID: account.ID, Name: cleanName(account.Name)})
		}
	}
	return who, nil
}

// providerFailed returns the error for a provider that issued no tokens. Its code says whether
// trying again helps.
func (s *Server) providerFailed(ctx context.Context, up Upstream, trip signIn, err error) error {
	telemetry.ExchangeRefused(ctx)
	var refused *provider.Refusal
	if errors.As(err, &refused) && refused.Cause != provider.Unavailable {
		return s.tripFailed(trip, serverError, up.Name+" did not accept the sign-in", err)
	}
	return s.tripFailed(trip, temporarilyUnavailable, up.Name+" is not responding; try again shortly", err)
}

// failure is what the user of a failed trip is told: what was not done, and where to start again.
type failure struct{ done, what, next, again string }

// failure returns that of a trip, by its purpose.
func (trip signIn) failure() failure {
	const askAgain = "Ask your assistant to try again. It will show you a new link."
	f := failure{"connected", "sign-in", "You can start again at any time.", "/oauth/start"}
	switch {
	case trip.Purpose == toIdentify:
		f.next, f.again = "Open the link that your assistant showed again.", ""
	case trip.Purpose == toSeat:
		f.next, f.again = askAgain, ""
	case trip.Purpose == toLink && trip.Link.Assistant:
		f = failure{"linked", "link", askAgain, ""}
	case trip.Purpose == toLink:
		f = failure{"linked", "link", "Start again from your account page.", "/account"}
	}
	return f
}

// tripFailed returns the error for a trip that brought no user. The client receives it; if the
// sign-in was not for a client, the user sees a page.
func (s *Server) tripFailed(trip signIn, code, description string, cause error) error {
	if trip.Request != nil {
		return &clientError{request: *trip.Request, failure: &oauthError{code: code, description: description}, cause: cause}
	}
	up, ok := s.upstream(trip.Provider)
	if !ok { // removed from the deployment meanwhile
		up = s.first()
	}
	f := trip.failure()
	page := pages.Failure{
		Status: http.StatusBadGateway, Title: up.Name + " did not complete the " + f.what,
		Message: up.Name + " did not confirm the sign-in.", Next: f.next, Link: f.again,
	}
	var refused *provider.Refusal
	switch {
	case code == accessDenied:
		page.Status, page.Title = http.StatusForbidden, up.Name+" was not "+f.done
		page.Message = "You did not allow this server to use " + up.Name + "."
	case cause == nil:
	case !errors.As(cause, &refused) || refused.Cause == provider.Unavailable:
		page.Message = up.Name + " is not responding."
		page.Next = "Wait a minute. " + f.next
	case refused.Cause == provider.Misconfigured:
		page.Message = up.Name + " refused this server itself."
		page.Next = "Ask the operator of this server to check the client ID, the client secret and the callback URL at " + up.Name + "."
	}
	page.Message += " No changes were made."
	return &pageError{cause: cause, page: page}
}

// complete stores the user's grant and then sends the client its code.
func (s *Server) complete(w http.ResponseWriter, r *http.Request, to authRequest, who upstreamUser, account fence.Account) error {
	if err := s.seesPlaces(r.Context(), to, who, account); err != nil {
		return err
	}
	_, err := s.first().Keeper.Connect(r.Context(), who.Subject, who.Name, who.tokens)
	var code string
	if err == nil {
		code, err = s.newCode(r.Context(), to, who, account)
	}
	if err != nil {
		return &clientError{request: to, cause: fmt.Errorf("store a login: %w", err), failure: &oauthError{
			code: temporarilyUnavailable, description: "the login could not be stored; try again shortly",
		}}
	}
	s.redirectToClient(w, r, to, url.Values{"code": {code}})
	return nil
}

// finishSignIn ends a sign-in with the first provider that was not for a client. The user of a link
// must be the link's user: otherwise one user's assistant would act in another user's account.
func (s *Server) finishSignIn(w http.ResponseWriter, r *http.Request, trip signIn, cookie string, who upstreamUser) error {
	if trip.Subject != "" && who.Subject != trip.Subject {
		return s.anotherUser(who)
	}
	if err := s.admitUser(w, r, trip.Purpose, who); err != nil {
		return err
	}
	switch trip.Purpose {
	case toManage:
		redirect(w, r, "/account")
	case toIdentify: // the link goes on
		secret, err := unseal(cookie, kindLink, trip.Sealed)
		if err != nil {
			return interrupted("decrypt a link", err)
		}
		redirect(w, r, "/oauth/start?t="+string(secret))
	default:
		pages.Write(w, pages.Connected{Provider: s.first().Name, Person: who.Name, Reconnected: trip.Purpose == toReconnect})
	}
	return nil
}

// admitUser stores the grant of a user who signed in with the first provider, and opens the account
// page to this browser for a while. A link to reconnect always replaces the grant, and does not
// open the account page.
func (s *Server) admitUser(w http.ResponseWriter, r *http.Request, why purpose, who upstreamUser) error {
	if len(who.Accounts) == 0 {
		return s.noAccount(who)
	}
	store := s.first().Keeper.Connect
	if why == toReconnect {
		store = s.first().Keeper.Reconnect
	}
	if _, err := store(r.Context(), who.Subject, who.Name, who.tokens); err != nil {
		return interrupted("store a grant", err)
	}
	if why == toReconnect {
		return nil
	}
	of := session{Subject: who.Subject, Name: who.Name, Accounts: who.Accounts}
	if err := s.remember(w, r, kindSession, sessionCookie, of, sessionTTL); err != nil {
		return interrupted("start a session", err)
	}
	return nil
}

// anotherUser returns the page for a user who signed in by the link of another one.
func (s *Server) anotherUser(who upstreamUser) error {
	name := s.first().Name
	return show(pages.Failure{
		Status: http.StatusForbidden, Title: "You signed in as another user",
		Message: "You signed in to " + name + " as " + who.Name + ", but the link belongs to another user. No changes were made.",
		Next:    "Sign in to " + name + " as the user whose assistant showed the link. If the link has ended, ask the assistant for a new one.",
	})
}

// noAccount returns the page for a user who has no account that may use this deployment.
func (s *Server) noAccount(who upstreamUser) error {
	name := s.first().Name
	return show(pages.Failure{
		Status: http.StatusForbidden, Title: "This server is not for your " + name + " account",
		Message: "You signed in to " + name + " as " + who.Name + ". None of your accounts may use this server. No changes were made.",
		Next:    "Sign in to " + name + " as another user and start again, or ask the operator of this server to allow your account.",
	})
}
