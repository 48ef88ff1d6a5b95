// Package icon owns the icon of this server: browsers show it with its pages, and clients with its
// name. It is drawn for this project.
package icon

import (
	_ "embed"
	"encoding/base64"
	"net/http"
)

//go:embed icon.svg
var svg []byte

// Type is the media type of the icon.
const Type = "image/svg+xml"

// Path is the path of the icon on every server.
const Path = "/favicon.svg"

// URI returns the icon as a data URI, which clients need not fetch.
func URI() string { return "data:" + Type + ";base64," + base64.StdEncoding.EncodeToString(svg) }

// Handle adds the icon to a server. The path that browsers ask for without a page leads to it.
func Handle(mux *http.ServeMux) {
	mux.HandleFunc("GET "+Path, func(w http.ResponseWriter, _ *http.Request) {
		h := cacheable(w)
		h.Set("Content-Type", Type)
		h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
		h.Set("X-Content-Type-Options", "nosniff")
		_, _ = w.Write(svg) // fails only if the browser has gone away
	})
	mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, r *http.Request) {
		cacheable(w)
		http.Redirect(w, r, Path, http.StatusMovedPermanently)
	})
}

func cacheable(w http.ResponseWriter) http.Header {
	w.Header().Set("Cache-Control", "public, max-age=86400")
	return w.Header()
}
