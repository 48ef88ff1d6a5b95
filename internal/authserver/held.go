package authserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"basecamp-mcp/internal/held"
	"basecamp-mcp/internal/pages"
	"basecamp-mcp/internal/writeplan"
)

// heldStep begins the step of a form that decides about a held call; its ID and revision follow.
const heldStep = "held:"

// heldCall shows a held call to the user who can approve it: GET /account?held=ID.
func (s *Server) heldCall(w http.ResponseWriter, r *http.Request, of session) error {
	c, err := s.findHeld(r.Context(), of.Subject, r.URL.Query().Get("held"))
	if err != nil {
		return err
	}
	step := heldStep + c.ID + ":" + strconv.FormatInt(c.Revision, 10)
	pages.Write(w, heldPage(c, pages.Form{Action: "/account", Step: step, Token: of.token}))
	return nil
}

// findHeld returns a held call, or the error that says why it cannot be decided.
func (s *Server) findHeld(ctx context.Context, subject, id string) (held.Call, error) {
	c, err := s.Held.Find(ctx, subject, id)
	if errors.Is(err, held.ErrNotFound) {
		return held.Call{}, errHeldGone
	}
	if err != nil {
		return held.Call{}, fmt.Errorf("read a held call: %w", err)
	}
	return c, nil
}

var errHeldGone = show(pages.Failure{
	Status: http.StatusNotFound, Title: "This is no longer waiting",
	Message: "It has been done, more than a day has passed, or it belongs to another user.",
	Next:    "Your account page shows what waits for you.", Link: "/account",
})

var errHeldChanged = show(pages.Failure{
	Status: http.StatusConflict, Title: "This has changed",
	Message: "Since you opened the page, it was decided in another window, or is something else now. No changes were made.",
	Next:    "Open it again and look at what it shows.", Link: "/account",
})

var errHeldDisconnected = show(pages.Failure{
	Status: http.StatusConflict, Title: "The app is disconnected",
	Message: "The app that wanted to do this no longer has access, so it cannot be approved. No changes were made.",
	Next:    "Your account page shows what is connected.", Link: "/account",
})

// decideHeld approves or refuses a held call: POST /account. It sends nothing: the app must repeat
// its call.
func (s *Server) decideHeld(w http.ResponseWriter, r *http.Request, subject, which string, form params) error {
	id, revision, _ := strings.Cut(which, ":")
	c, err := s.findHeld(r.Context(), subject, id)
	if err != nil {
		return err
	}
	approve := form.get("decision") == "approve"
	if strconv.FormatInt(c.Revision, 10) != revision || c.State == held.Sending || !approve && form.get("decision") != "deny" {
		return errHeldChanged
	}
	if approve {
		families, err := s.Store.FamiliesOf(r.Context(), subject)
		if err != nil {
			return fmt.Errorf("read an account: %w", err)
		}
		if !slices.ContainsFunc(families, func(f Family) bool { return f.ID == c.Connection }) {
			return errHeldDisconnected
		}
		if s.doubts(w, r, "let an app write what the page showed", form) {
			return nil
		}
	}
	err = s.Held.Decide(r.Context(), subject, c.Record, approve)
	if errors.Is(err, held.ErrChanged) {
		return errHeldChanged
	}
	if err != nil {
		return fmt.Errorf("decide about a held call: %w", err)
	}
	redirect(w, r, "/account?held="+id)
	return nil
}

// waiting returns the held calls of a user, for the account page.
func (s *Server) waiting(ctx context.Context, subject string) (all []pages.Waiting) {
	records, err := s.Held.Waiting(ctx, subject)
	if err != nil { // the page must be able to disconnect apps
		s.note(ctx, slog.LevelError, fmt.Errorf("read held calls: %w", err))
	}
	for _, r := range records {
		all = append(all, pages.Waiting{Link: "/account?held=" + r.ID, Client: r.Client, Time: r.At, Approved: r.State == held.Approved})
	}
	return all
}

// heldPage returns the page of a held call.
func heldPage(c held.Call, form pages.Form) pages.Held {
	view := pages.Held{
		Form: form, Client: c.Client, Time: c.At, Expires: c.ExpiresAt,
		Approved: c.State == held.Approved, Refused: c.State == held.Refused, Sending: c.State == held.Sending,
		Reach: heldReach(c.Plan.Reach),
	}
	for _, kind := range c.Why {
		view.Why = append(view.Why, string(kind))
	}
	for _, w := range c.Plan.Writes {
		shown := pages.HeldWrite{What: w.What, Reach: heldReach(w.Reach), Request: requestText(w.Request)}
		if w.On != nil {
			shown.On = strings.TrimSpace(w.On.Type + " " + w.On.Title)
		}
		names := slices.Sorted(maps.Keys(w.After))
		for name := range maps.Keys(w.Before) {
			if _, both := w.After[name]; !both {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		for _, name := range names {
			shown.Fields = append(shown.Fields, pages.HeldField{Name: name, Before: valueText(w.Before[name]), After: valueText(w.After[name])})
		}
		view.Writes = append(view.Writes, shown)
	}
	return view
}

func heldReach(r held.Reach) pages.Reach {
	shown := pages.Reach{Notified: r.Notified, Clients: r.ClientsSee != nil}
	names, _ := r.ClientsSee.([]any)
	for _, name := range names {
		shown.ClientNames = append(shown.ClientNames, valueText(name))
	}
	return shown
}

// valueText returns a value of a plan as text.
func valueText(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case []any:
		texts := make([]string, len(v))
		for i, entry := range v {
			texts[i] = valueText(entry)
		}
		return strings.Join(texts, ", ")
	}
	return encodedText(value, "")
}

// requestText returns a request as it would be sent, without its headers.
func requestText(r held.Request) string {
	if r.Method == "" {
		return "" // the request before carries it
	}
	text := r.Method + " " + r.URL
	body, err := writeplan.Decode([]byte(r.Body))
	switch {
	case err == nil:
		return text + "\n\n" + encodedText(body, "  ")
	case r.Size > 0:
		return text + "\n\n" + strconv.Itoa(r.Size) + " bytes, SHA-256 " + r.Sum
	}
	return text
}

func encodedText(value any, indent string) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	if encoder.Encode(value) != nil {
		return "" // what was decoded from JSON can be encoded
	}
	return strings.TrimSpace(b.String())
}
