package authserver

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"basecamp-mcp/internal/signin/pages"
)

// Owner is the only user of a server, who has configured their own access tokens.
type Owner struct {
	Configured []string // IDs of the further providers for which there is a token too
	// Code is what a browser must enter once before it can sign in as the owner. The server shows it
	// in its terminal. It keeps out who reaches the server by a proxy that adds no header.
	Code string

	guesses guesses
}

// ownerTTL is how long a browser that has entered the code is remembered.
const ownerTTL = 180 * 24 * time.Hour

// askOwner returns what a page asks of the browser before it signs in: nothing on other servers,
// and nothing of a browser that has entered the code.
func (s *Server) askOwner(r *http.Request) (pages.OwnerCode, error) {
	if s.Owner == nil {
		return pages.OwnerCode{}, nil
	}
	_, err := s.remembered(r, kindOwner, ownerCookie, &struct{}{})
	if err != nil && !errors.Is(err, ErrNotFound) {
		return pages.OwnerCode{}, fmt.Errorf("read a browser of the owner: %w", err)
	}
	return pages.OwnerCode{Asked: err != nil}, nil
}

// admitOwner checks the code in a form, if the browser has not entered it before, and remembers the
// browser. It returns what the page must ask again, or an OwnerCode that asks nothing.
func (s *Server) admitOwner(w http.ResponseWriter, r *http.Request, form params) (pages.OwnerCode, error) {
	ask, err := s.askOwner(r)
	if err != nil || !ask.Asked {
		return ask, err
	}
	if form.get("code") == "" {
		ask.Refused = "Enter the code."
		return ask, nil
	}
	right := s.Owner.isCode(form.get("code"))
	switch {
	case !s.Owner.guesses.allowed(right, s.Now()):
		ask.Refused = "Too many wrong codes were tried. Wait a minute and try again."
	case !right:
		ask.Refused = "This is not the code. A restart of the server makes a new one."
	default:
		if err := s.remember(w, r, kindOwner, ownerCookie, struct{}{}, ownerTTL); err != nil {
			return pages.OwnerCode{}, fmt.Errorf("remember a browser of the owner: %w", err)
		}
		return pages.OwnerCode{}, nil
	}
	return ask, nil
}

// isCode compares a code as people enter it: in any case, with or without the hyphen.
func (o *Owner) isCode(entered string) bool {
	plain := strings.NewReplacer("-", "", " ", "").Replace
	return o.Code != "" && subtle.ConstantTimeCompare([]byte(plain(strings.ToUpper(entered))), []byte(plain(o.Code))) == 1
}

// mostGuesses is how many wrong codes all browsers together can try in a minute. A code has 40
// random bits.
const mostGuesses = 5

// guesses counts the wrong codes that were tried in the current minute.
type guesses struct {
	mu    sync.Mutex
	since time.Time
	wrong int
}

// allowed reports whether a code may count, and counts it if it is wrong.
func (g *guesses) allowed(right bool, now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if now.Sub(g.since) >= time.Minute {
		g.since, g.wrong = now, 0
	}
	allowed := g.wrong < mostGuesses
	if !right {
		g.wrong++
	}
	return allowed
}
