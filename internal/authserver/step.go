package authserver

import (
	"context"
	"encoding/json"
	"net/http"
)

// The stations of a login. Each is kept under a Hash made with its kind, so that the secret of one opens no other.
const (
	atConsent  = "consent"  // the person is looking at the consent page
	atUpstream = "upstream" // the person is at Basecamp's sign-on
	atChoice   = "choice"   // the person is choosing an account
	atLink     = "link"     // a link to reconnect was given out
	atAccount  = "account"  // the person is looking at their account
)

// formStep is a step that is waiting for a form: the secrets that go into the form, and the one that goes into a cookie.
// The form's token is a secret of its own: what an attacker reads in a page made for them is of no use with another
// browser's cookie (B4).
type formStep struct{ secret, token, cookie string }

func newFormStep() formStep { return formStep{newSecret(), newSecret(), newSecret()} }

func (s formStep) key(kind string) Hash { return hashOf(kind, s.secret) }
func (s formStep) binding() Hash        { return hashOf(s.token, s.cookie) }

// readFormStep finds the step a form belongs to.
func (b *Broker) readFormStep(r *http.Request, kind string, form params) formStep {
	s := formStep{secret: form.get("step"), token: form.get("csrf")}
	s.cookie = b.cookie(r, stepName(s.key(kind)))
	return s
}

// begin stores a step that waits for a form, and gives its cookie to the browser.
func (b *Broker) begin(w http.ResponseWriter, r *http.Request, kind string, s formStep, body any) error {
	stored, err := b.newStep(s.key(kind), s.binding(), body)
	if err != nil {
		return err
	}
	if err := b.Store.AddStep(r.Context(), stored); err != nil {
		return err
	}
	b.makeRoom(w, r, "")
	b.setCookie(w, r, stepName(stored.Key), s.cookie, stepTTL)
	return nil
}

func (b *Broker) newStep(key, binding Hash, body any) (Step, error) {
	encoded, err := json.Marshal(body)
	return Step{Key: key, Binding: binding, Body: encoded, ExpiresAt: b.Now().Add(stepTTL)}, err
}

// peek reads the body of a step without taking it. ErrNotFound, also for another browser's.
func (b *Broker) peek(ctx context.Context, key, binding Hash, body any) error {
	s, err := b.Store.Step(ctx, key)
	if err != nil {
		return err
	}
	if s.Binding != binding { // hashes of secrets: their timing tells nothing
		return ErrNotFound
	}
	return json.Unmarshal(s.Body, body)
}

// take reads the body of a step that nobody can take again.
func (b *Broker) take(ctx context.Context, key, binding Hash, body any) error {
	s, err := b.Store.TakeStep(ctx, key, binding)
	if err != nil {
		return err
	}
	return json.Unmarshal(s.Body, body)
}
