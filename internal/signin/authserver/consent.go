package authserver

import (
	"errors"
	"net/http"
	"slices"

	"basecamp-mcp/internal/report/telemetry"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/signin/pages"
)

// consent reads the user's answer on the consent page: POST /authorize. Only after it does this
// server contact the provider's sign-on: the sign-on knows one client, this server, and may let
// users through without asking (MCP Security Best Practices, "Confused Deputy Problem").
func (s *Server) consent(w http.ResponseWriter, r *http.Request, form params) error {
	f := s.formStateOf(r, kindConsent, form)
	var asked authRequest
	err := s.peek(r.Context(), f.key(kindConsent), f.binding(), &asked)
	if errors.Is(err, ErrNotFound) {
		if trip, gone := s.onItsWay(r, f.departure()); gone == nil {
			telemetry.Asked(r.Context(), trip.Request.Client.Name)
			return s.answeredTwice(w, r, f.departure(), trip, form)
		}
	}
	if err != nil {
		return stateGone("read a consent", err)
	}
	telemetry.Asked(r.Context(), asked.Client.Name)
	switch form.get("decision") {
	case "approve":
		bounds, wrong := readFence(fieldsIn(form), true)
		ask, err := s.askOwner(r)
		if err == nil && len(wrong) == 0 {
			ask, err = s.admitOwner(w, r, form)
		}
		if err != nil {
			return err
		}
		if ask.Asked || len(wrong) > 0 {
			pages.Write(w, s.consentAgain(r, f, asked, form, ask, wrong))
			return nil
		}
		asked.Scopes, asked.Fence = granted(asked, form), bounds
		return s.sendToSignOn(w, r, signIn{Purpose: toLogIn, Provider: s.first().ID, Request: &asked}, f.departure())
	case "deny":
		if err := s.take(r.Context(), f.key(kindConsent), f.binding(), &asked); err != nil {
			return stateGone("take a consent", err)
		}
		s.dropCookie(w, r, stateCookie(f.key(kindConsent)))
		return tellClient(asked, &oauthError{code: accessDenied, description: "the user denied access"})
	default:
		return refuseUser(invalidRequest, pages.Failure{
			Status: http.StatusBadRequest, Title: "No answer was given",
			Message: "The form arrived without an answer.", Next: "Go back and press Approve or Deny.",
		})
	}
}

// consentAgain returns the page that asks once more, with what the user has chosen and typed.
func (s *Server) consentAgain(r *http.Request, f formState, asked authRequest, form params, ask pages.OwnerCode, wrong map[string]string) pages.Consent {
	view := s.consentPage(f, asked, ask)
	view.Unticked = len(form.values["scope"]) == 0
	view.Fence = s.fencePart(fieldsIn(form), wrong, view.WantsWrite, s.projectsHere(r))
	return view
}

// granted returns the scopes that the user allowed.
func granted(asked authRequest, form params) []identity.Scope {
	if slices.Contains(form.values["scope"], string(identity.Write)) {
		return asked.Scopes
	}
	return []identity.Scope{identity.Read}
}

// answeredTwice handles a second answer to one consent. The same answer leads to the same place. A
// different answer ends the login, so that the first does not go on without the user's knowledge.
func (s *Server) answeredTwice(w http.ResponseWriter, r *http.Request, leave departure, trip signIn, form params) error {
	approved := *trip.Request
	bounds, _ := readFence(fieldsIn(form), true)
	if form.get("decision") == "approve" && slices.Equal(granted(approved, form), approved.Scopes) && bounds.Equal(approved.Fence) {
		return s.repeat(w, r, trip, leave)
	}
	if err := s.take(r.Context(), leave.key(), HashOf(leave.cookie), &signIn{}); err != nil {
		return stateGone("end a login", err)
	}
	return tellClient(approved, &oauthError{code: accessDenied, description: "the user changed their answer"})
}
