package authserver

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// Cookies tie a login to the browser it began in (B6, B7). Each step has its own, named after the step, so that logins in
// several tabs do not disturb each other. The __Host- prefix makes browsers refuse one that another host of the domain tries
// to set; it demands Secure, which only plain http on this machine goes without.
const (
	cookiePrefix = "bcm_"
	hostPrefix   = "__Host-"
	browserName  = "me"    // of a person looking at their account
	startName    = "start" // of a person about to log in without a client
	doneName     = "done"  // of a person who has just disconnected something
	maxCookies   = 10      // of steps; the others are one of a kind
)

// isStepName reports whether a cookie is of a step.
func isStepName(name string) bool {
	return name != browserName && name != startName && name != doneName
}

// cookieName is the full name of a cookie of ours. Only one spelling is ever accepted.
func (b *Broker) cookieName(r *http.Request, name string) string {
	if b.https(r) {
		return hostPrefix + cookiePrefix + name
	}
	return cookiePrefix + name
}

func (b *Broker) https(r *http.Request) bool { return strings.HasPrefix(b.Origin(r), "https://") }

// stepName names a step's cookie without giving anything of its secret away.
func stepName(key Hash) string { return string(key[:12]) }

// cookie is the value of a cookie of ours, "" when there is none, or several that we cannot tell apart.
func (b *Broker) cookie(r *http.Request, name string) string {
	found := r.CookiesNamed(b.cookieName(r, name))
	if len(found) != 1 {
		return ""
	}
	return found[0].Value
}

func (b *Broker) setCookie(w http.ResponseWriter, r *http.Request, name, value string, life time.Duration) {
	http.SetCookie(w, &http.Cookie{
		Name:     b.cookieName(r, name),
		Value:    value,
		Path:     "/",
		MaxAge:   int(life.Seconds()), // negative removes it
		Secure:   b.https(r),
		HttpOnly: true,
		SameSite: http.SameSiteLaxMode, // Strict would not come along from Basecamp's sign-on
	})
}

func (b *Broker) dropCookie(w http.ResponseWriter, r *http.Request, name string) {
	b.setCookie(w, r, name, "", -time.Second)
}

// makeRoom removes the oldest step cookies when there are too many for one more. Browsers send the oldest first (RFC 6265 5.4).
// The cookie named answered goes before all others: its form was sent, and the login goes on with the cookie that comes next.
func (b *Broker) makeRoom(w http.ResponseWriter, r *http.Request, answered string) {
	prefix := b.cookieName(r, "")
	var names []string
	for _, c := range r.Cookies() {
		name, ok := strings.CutPrefix(c.Name, prefix)
		switch {
		case !ok || !isStepName(name) || slices.Contains(names, name) || isDropped(w, c.Name):
		case name == answered:
			names = slices.Insert(names, 0, name)
		default:
			names = append(names, name)
		}
	}
	for _, name := range names[:max(0, len(names)+1-maxCookies)] {
		b.dropCookie(w, r, name)
	}
}

// isDropped reports whether this answer removes a cookie already.
func isDropped(w http.ResponseWriter, fullName string) bool {
	return slices.ContainsFunc(w.Header().Values("Set-Cookie"), func(set string) bool { return strings.HasPrefix(set, fullName+"=;") })
}
