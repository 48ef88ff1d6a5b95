package authserver

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// Cookies bind a sign-in to the browser that started it. Each login state has its own cookie,
// named after the state, so that sign-ins in several tabs are independent. The prefix __Host-
// makes browsers refuse a cookie that another host of the domain sets. It requires Secure, so
// plain http on the user's own machine has no prefix.
const (
	cookiePrefix  = "bcm_"
	hostPrefix    = "__Host-"
	sessionCookie = "me"    // session on the account page
	startCookie   = "start" // forms at /oauth/start
	noticeCookie  = "done"  // what the user has just disconnected
	ownerCookie   = "owner" // the browser has entered the owner's code
	maxCookies    = 10      // of login states
)

// isStateCookie reports whether a cookie belongs to a login state.
func isStateCookie(name string) bool {
	return name != sessionCookie && name != startCookie && name != noticeCookie && name != ownerCookie
}

// cookieName returns the full name of a cookie. Only this spelling is accepted.
func (s *Server) cookieName(r *http.Request, name string) string {
	if s.https(r) {
		return hostPrefix + cookiePrefix + name
	}
	return cookiePrefix + name
}

func (s *Server) https(r *http.Request) bool { return strings.HasPrefix(s.Origin(r), "https://") }

// stateCookie returns the name of a login state's cookie. The name reveals nothing about the
// secret.
func stateCookie(key Hash) string { return string(key[:12]) }

// cookie returns the value of a cookie. It returns "" if the request has none, or more than one.
func (s *Server) cookie(r *http.Request, name string) string {
	found := r.CookiesNamed(s.cookieName(r, name))
	if len(found) != 1 {
		return ""
	}
	return found[0].Value
}

func (s *Server) setCookie(w http.ResponseWriter, r *http.Request, name, value string, life time.Duration) {
	http.SetCookie(w, &http.Cookie{
		Name:     s.cookieName(r, name),
		Value:    value,
		Path:     "/",
		MaxAge:   int(life.Seconds()), // a negative age removes the cookie
		Secure:   s.https(r),
		HttpOnly: true,
		SameSite: http.SameSiteLaxMode, // browsers would not send Strict after the sign-on's redirect
	})
}

func (s *Server) dropCookie(w http.ResponseWriter, r *http.Request, name string) {
	s.setCookie(w, r, name, "", -time.Second)
}

// makeRoom removes the oldest state cookies if there is no room for one more. Browsers send the
// oldest first (RFC 6265, 5.4). The cookie named answered is removed before all others: its form
// was submitted, and the sign-in continues with the next cookie.
func (s *Server) makeRoom(w http.ResponseWriter, r *http.Request, answered string) {
	prefix := s.cookieName(r, "")
	var names []string
	for _, c := range r.Cookies() {
		name, ok := strings.CutPrefix(c.Name, prefix)
		switch {
		case !ok || !isStateCookie(name) || slices.Contains(names, name) || isDropped(w, c.Name):
		case name == answered:
			names = slices.Insert(names, 0, name)
		default:
			names = append(names, name)
		}
	}
	for _, name := range names[:max(0, len(names)+1-maxCookies)] {
		s.dropCookie(w, r, name)
	}
}

// isDropped reports whether this answer already removes a cookie.
func isDropped(w http.ResponseWriter, fullName string) bool {
	return slices.ContainsFunc(w.Header().Values("Set-Cookie"), func(set string) bool { return strings.HasPrefix(set, fullName+"=;") })
}
