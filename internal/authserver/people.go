package authserver

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"

	"basecamp-mcp/internal/pages"
)

// Known is a person whom a user's apps know in two systems, by an ID.
type Known struct {
	ID, Name, Login, How string
}

// People lists and takes back whom a user's apps know in two systems.
type People interface {
	List(ctx context.Context, subject string) ([]Known, error)
	// Forget takes a person away; one that is not there is no error.
	Forget(ctx context.Context, subject, id string) error
}

// forgetStep begins the step of a form that takes a person away; the ID follows.
const forgetStep = "forget:"

// known returns whom a user's apps know in two systems. The page must be able to disconnect apps
// also if that cannot be read.
func (s *Server) known(ctx context.Context, subject string, form pages.Form) (all []pages.Known) {
	if s.People == nil {
		return nil
	}
	found, err := s.People.List(ctx, subject)
	if err != nil {
		s.note(ctx, slog.LevelError, fmt.Errorf("read whom a user knows: %w", err))
	}
	for _, k := range found {
		form.Step = forgetStep + k.ID
		all = append(all, pages.Known{Name: k.Name, Login: k.Login, How: k.How, Forget: form})
	}
	return all
}

// forget takes a person away.
func (s *Server) forget(w http.ResponseWriter, r *http.Request, subject, id string) error {
	if s.People == nil {
		return errNoRoute
	}
	if err := s.People.Forget(r.Context(), subject, id); err != nil {
		return fmt.Errorf("forget who is who: %w", err)
	}
	s.notify(w, r, forgotDone)
	redirect(w, r, "/account")
	return nil
}
