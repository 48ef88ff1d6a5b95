package pages

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
)

// setHeaders sets the headers of every page. They forbid framing, scripts that are not in the
// policy, and caching (MCP Security Best Practices, "Consent UI"). The policy has no form-action:
// browsers apply it to every redirect after a form, and these lead to the provider's sign-on and
// to the client. Strict-Transport-Security is set by the server, which knows whether it is on
// https.
func setHeaders(h http.Header, script string, alone bool) {
	policy := "default-src 'none'; style-src " + hash(string(style)) + "; img-src 'self'; frame-ancestors 'none'; base-uri 'none'"
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

// Isolate separates a page from the window that opened it. The pages of a client's sign-in are not
// isolated: a web client may wait for its popup to return, and its callback page needs
// window.opener.
func Isolate(h http.Header) { h.Set("Cross-Origin-Opener-Policy", "same-origin") }

// hash returns the source expression of an inline style or script in a policy (CSP Level 3,
// 2.3.1).
func hash(inline string) string {
	sum := sha256.Sum256([]byte(inline))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
