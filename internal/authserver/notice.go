package authserver

import (
	"net/http"
	"strings"
	"time"
)

// Values of the notice cookie, which says what the user has just done. The notice is in a cookie
// because a link of another site could set it in a URL.
const (
	oneDone    = "one"
	allDone    = "all"
	limitDone  = "limit"
	forgotDone = "forgot"
	linkDone   = "linked:"   // and the ID of a provider
	lessDone   = "less:"     // and the ID of a provider: the user allowed less than this server asked for
	unlinkDone = "unlinked:" // and the ID of a provider
)

// notify makes the account page show a notice once.
func (s *Server) notify(w http.ResponseWriter, r *http.Request, done string) {
	s.setCookie(w, r, noticeCookie, done, time.Minute)
}

// notice returns the text for a value of the cookie, or "" for an unknown one.
func (s *Server) notice(done string) string {
	switch done {
	case oneDone:
		return "Disconnected. The app no longer has access."
	case allDone:
		return "Disconnected. No app has access any longer, and this server deleted its own access."
	case forgotDone:
		return "Forgotten. Your apps no longer take these two to be the same person."
	case limitDone:
		return "Saved. The limits hold from the app’s next request."
	}
	kind, id, _ := strings.Cut(done, ":")
	up, err := s.further(id)
	if err != nil {
		return ""
	}
	switch kind + ":" {
	case linkDone:
		return up.Name + " is linked."
	case lessDone:
		return up.Name + " is linked, but you allowed less than this server asked for."
	case unlinkDone:
		return up.Name + " is unlinked. This server deleted its access."
	}
	return ""
}
