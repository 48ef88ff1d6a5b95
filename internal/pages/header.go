package pages

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
)

// setHeaders sets what every page is sent with (B3). There is no form-action on purpose: browsers hold every redirect that
// follows a form against it, and ours lead to Basecamp's sign-on and to the client (B3a). Strict-Transport-Security is left to
// the server, which knows whether this is https.
func setHeaders(h http.Header, script string, alone bool) {
	policy := "default-src 'none'; style-src " + hash(string(style)) + "; frame-ancestors 'none'; base-uri 'none'"
	if script != "" {
		policy += "; script-src " + hash(script)
	}
	h.Set("Content-Security-Policy", policy)
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	if alone {
		Isolate(h)
	}
	h.Set("Permissions-Policy", "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
}

// Isolate cuts a page off from whatever opened it. The pages of a client's login must not be: a web client may wait for its
// popup to come back, and its own callback page would find window.opener gone for good.
func Isolate(h http.Header) { h.Set("Cross-Origin-Opener-Policy", "same-origin") }

// hash names one inline style or script in a policy (CSP 3, 2.3.1).
func hash(inline string) string {
	sum := sha256.Sum256([]byte(inline))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
