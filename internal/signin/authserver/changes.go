package authserver

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"basecamp-mcp/internal/signin/pages"
)

// Changes lists and undoes what a user's apps wrote.
type Changes struct {
	// List returns the last changes, newest first.
	List func(ctx context.Context, subject string) ([]pages.Run, error)
	// TakeBack undoes what the step of a form says. It says what became of each change.
	TakeBack func(ctx context.Context, subject, step string) ([]pages.TakenBack, error)
}

const (
	changesPath = "/account/changes"
	// takeBackTime is how long a press may take; the gateway ends a request after 30 s.
	takeBackTime = 24 * time.Second
)

// changes shows what a user's apps wrote: GET /account/changes.
func (s *Server) changes(w http.ResponseWriter, r *http.Request, of session) error {
	return s.showChanges(w, r, of, nil)
}

// takeBack undoes what the user chose: POST /account/changes.
func (s *Server) takeBack(w http.ResponseWriter, r *http.Request, of session, form params) error {
	ctx, cancel := context.WithTimeout(r.Context(), takeBackTime)
	defer cancel()
	taken, err := s.Changes.TakeBack(ctx, of.Subject, form.get("step"))
	if err != nil {
		return fmt.Errorf("undo a change: %w", err)
	}
	return s.showChanges(w, r, of, taken)
}

func (s *Server) showChanges(w http.ResponseWriter, r *http.Request, of session, taken []pages.TakenBack) (err error) {
	view := pages.Changes{Form: s.newForm(changesPath, "", of.token), Now: s.Now(), Taken: taken}
	if view.Runs, err = s.Changes.List(r.Context(), of.Subject); err != nil {
		return fmt.Errorf("list a user's changes: %w", err)
	}
	pages.Write(w, view)
	return nil
}
