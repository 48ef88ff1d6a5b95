package authserver

import (
	"errors"
	"net/http"

	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/pages"
	"basecamp-mcp/internal/provider"
)

// finishLink stores the grant of a further provider under the subject of the user who started the
// link.
func (s *Server) finishLink(w http.ResponseWriter, r *http.Request, up Upstream, trip signIn, who upstreamUser) error {
	asked := trip.Link
	if asked.Account != "" && asked.Account != who.Subject { // unlinked meanwhile: the grant no longer says so
		s.discard(r, up, who.tokens)
		return otherAccount(up, asked, who)
	}
	_, err := up.Keeper.Link(r.Context(), trip.Subject, provider.Identity{Subject: who.Subject, Name: who.Name}, who.tokens)
	if errors.Is(err, grant.ErrOtherAccount) {
		return otherAccount(up, asked, who)
	}
	if err != nil {
		return linkInterrupted(up, trip, err)
	}
	var refused []string
	granted := provider.Names(who.tokens.Scope)
	if len(granted) > 0 {
		refused = up.Scopes.Missing(granted, asked.all(up))
	}
	if asked.Assistant {
		pages.Linked{
			Provider: up.Name, Account: marked(up, who.Name), May: up.Scopes.Words(granted), Refused: up.Scopes.Words(refused),
		}.Write(w)
		return nil
	}
	done := linkDone
	if len(refused) > 0 {
		done = lessDone
	}
	s.notify(w, r, done+up.ID)
	redirect(w, r, "/account")
	return nil
}

// discard revokes tokens that no grant holds. A failure is only logged.
func (s *Server) discard(r *http.Request, up Upstream, t provider.Tokens) {
	if !up.Revokes {
		return
	}
	if err := up.SignOn.Revoke(r.Context(), t); err != nil {
		s.Log.WarnContext(r.Context(), "authserver: tokens were not revoked at the provider", "provider", up.ID, "err", err)
	}
}

// otherAccount returns the page for a user who came back with another account than the linked one.
func otherAccount(up Upstream, asked linking, who upstreamUser) error {
	linked := "another account"
	if asked.Login != "" {
		linked = marked(up, asked.Login)
	}
	return show(pages.Failure{
		Status: http.StatusForbidden, Title: "Another " + up.Name + " account is linked",
		Message: "You signed in to " + up.Name + " as " + marked(up, who.Name) + ", but " + linked + " is linked. No changes were made.",
		Next:    "To link this account, unlink " + up.Name + " on your account page first.", Link: "/account",
	})
}

// linkFailed returns the page for a trip that brought no account of a further provider.
func (s *Server) linkFailed(up Upstream, trip signIn, denied bool, cause error) error {
	next, again := startOver(trip)
	if denied {
		return show(pages.Failure{
			Status: http.StatusForbidden, Title: up.Name + " was not linked",
			Message: "You did not allow this server to use " + up.Name + ". No changes were made.", Next: next, Link: again,
		})
	}
	page := pages.Failure{
		Status: http.StatusBadGateway, Title: up.Name + " did not complete the link",
		Message: up.Name + " did not confirm the sign-in. No changes were made.", Next: next, Link: again,
	}
	var refused *provider.Refusal
	switch {
	case cause == nil:
	case !errors.As(cause, &refused) || refused.Cause == provider.Unavailable:
		page.Message = up.Name + " is not responding. No changes were made."
		page.Next = "Wait a minute. " + next
	case refused.Cause == provider.Misconfigured:
		page.Message = up.Name + " refused this server itself. No changes were made."
		page.Next = "Ask the operator of this server to check the client ID, the client secret and the callback URL at " + up.Name + "."
	}
	return &pageError{cause: cause, page: page}
}

// linkInterrupted returns the page for a failure of this server's storage after a link's state was
// used. Reloading the page would not help.
func linkInterrupted(up Upstream, trip signIn, cause error) error {
	next, again := startOver(trip)
	return &pageError{cause: cause, page: pages.Failure{
		Status: http.StatusServiceUnavailable, Title: up.Name + " could not be linked",
		Message: "A service this server needs is not responding.", Next: "Wait a minute. " + next, Link: again,
	}}
}

// startOver says how a user starts a link again, and where.
func startOver(trip signIn) (next, path string) {
	if trip.Link.Assistant {
		return "Ask your assistant to try again. It will show you a new link.", ""
	}
	return "Start again from your account page.", "/account"
}
