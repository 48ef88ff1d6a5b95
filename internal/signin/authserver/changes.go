package authserver

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"basecamp-mcp/internal/signin/pages"
)

// Changes lists and takes back what a user's apps wrote.
type Changes struct {
	// List returns the last changes, newest first.
	List func(ctx context.Context, subject string) ([]pages.Change, error)
	// TakeBack undoes the change with an ID, and if later is true all later ones of the same app. It
	// says what became of each.
	TakeBack func(ctx context.Context, subject, id string, later bool) ([]pages.TakenBack, error)
}

const (
	changesPath = "/account/changes"
	// andLater begins the step of a form that takes back a change with all later ones of its app.
	andLater = "later:"
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
	id, later := strings.CutPrefix(form.get("step"), andLater)
	taken, err := s.Changes.TakeBack(ctx, of.Subject, id, later)
	if err != nil {
		return fmt.Errorf("take back a change: %w", err)
	}
	return s.showChanges(w, r, of, taken)
}

func (s *Server) showChanges(w http.ResponseWriter, r *http.Request, of session, taken []pages.TakenBack) (err error) {
	view := pages.Changes{Form: s.newForm(changesPath, "", of.token), Taken: taken}
	if view.Changes, err = s.Changes.List(r.Context(), of.Subject); err != nil {
		return fmt.Errorf("list a user's changes: %w", err)
	}
	pages.Write(w, view)
	return nil
}
