package authserver

import (
	"net/http"
	"time"

	"basecamp-mcp/internal/pages"
)

// refuseDocument returns the error for a document whose URL or content is wrong, or whose host
// answers something else. Only the people who run the client can correct that.
func refuseDocument(description string) *oauthError {
	f := refuseClient(description)
	f.next = "Only the people who run the app can correct this. Tell them, or use another app."
	return f
}

// unfetched returns the error for a document whose host cannot be reached, or fails. This server
// is not to blame: clients choose the host. The cause is for the log only: a client could
// use it to explore this network.
func (s *Server) unfetched(cause error) *oauthError {
	f := refuseClient("the client's metadata document could not be fetched over the internet")
	f.cause = cause
	f.next = "Go back to the app and try again shortly."
	if s.WithoutDocuments != "" {
		f.next += " " + s.WithoutDocuments
	}
	return f
}

// tooManyDocuments returns the error for a document that this server does not fetch now, because
// it fetches several already.
func tooManyDocuments() *oauthError {
	return &oauthError{
		status: http.StatusTooManyRequests, code: temporarilyUnavailable, retryAfter: 2 * time.Second,
		description: "this server is fetching the metadata documents of other apps; try again shortly",
		next:        "Go back to the app and try again shortly.",
	}
}

// documentPage returns the page for a client whose document cannot be used. It names the host of
// the document.
func documentPage(id string, f *oauthError) pages.Failure {
	host := "another host"
	if validDocumentID(id) {
		host = documentHost(id)
	}
	status := http.StatusBadRequest
	if f.status == http.StatusTooManyRequests {
		status = f.status
	}
	return pages.Failure{
		Status: status, Title: "This app could not be checked",
		Message: "The app that sent you here describes itself in a document on " + host + ". The check failed: " + f.description + ".",
		Next:    f.next,
	}
}
