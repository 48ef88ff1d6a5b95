package authserver

import (
	"errors"
	"log/slog"
	"net/http"

	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/pages"
)

// page shows a person what went wrong.
func (b *Broker) page(w http.ResponseWriter, r *http.Request, f pages.Failure) {
	f.RequestID = identity.RequestID(r.Context())
	if r.URL.Path == "/" || r.URL.Path == "/account" {
		pages.Isolate(w.Header())
	}
	f.Write(w)
}

// form reads a form of ours. Other sites may not submit one (B4); the step's token and cookie are checked where it is read.
func (b *Broker) form(w http.ResponseWriter, r *http.Request) (params, bool) {
	protection := http.NewCrossOriginProtection()
	if err := errors.Join(protection.AddTrustedOrigin(b.Origin(r)), protection.Check(r)); err != nil {
		b.page(w, r, pages.Failure{
			Status: http.StatusForbidden, Title: "That did not come from this page",
			Message: "The form was sent by another site, so nothing was done.", Next: "If you were logging in, start again from your application.",
		})
		return params{}, false
	}
	form, f := readForm(r)
	if f != nil {
		b.page(w, r, pages.Failure{Status: f.status, Title: "That form cannot be read", Message: "Nothing was done.", Next: "Start again from your application."})
		return params{}, false
	}
	return form, true
}

// lost tells that a step is not there: it is too old, was taken already, or belongs to another browser.
func (b *Broker) lost(w http.ResponseWriter, r *http.Request, doing string, err error) {
	if !errors.Is(err, ErrNotFound) && !errors.Is(err, ErrConflict) {
		b.storeDown(w, r, doing, err)
		return
	}
	b.page(w, r, pages.Failure{
		Status: http.StatusBadRequest, Title: "This login has ended",
		Message: "It took longer than ten minutes, was finished already, or was begun in another browser.",
		Next:    "Start again from your application, and stay in one browser.",
	})
}

var tryAgain = pages.Failure{
	Status: http.StatusServiceUnavailable, Title: "Please try again",
	Message: "Something this server depends on does not answer at the moment. Nothing is lost.",
	Next:    "Wait a minute and reload this page.",
}

// storeDown is the page for what is our trouble, and tells the log.
func (b *Broker) storeDown(w http.ResponseWriter, r *http.Request, doing string, err error) {
	b.note(r.Context(), slog.LevelError, doing, err)
	b.page(w, r, tryAgain)
}

// cutShort is storeDown where the visit's one state is spent: reloading the page would only say that it has ended.
func (b *Broker) cutShort(w http.ResponseWriter, r *http.Request, doing string, err error) {
	b.note(r.Context(), slog.LevelError, doing, err)
	b.page(w, r, pages.Failure{
		Status: http.StatusServiceUnavailable, Title: "This login could not be finished",
		Message: "Something this server depends on does not answer at the moment.",
		Next:    "Wait a minute and begin again where you began.",
	})
}
