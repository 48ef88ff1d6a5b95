package github

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"basecamp-mcp/internal/lazyregexp"
	"basecamp-mcp/internal/plaintext"
)

const (
	ssoHeader = "X-GitHub-SSO"
	docsHost  = "docs.github.com"
	maxURL    = 1000 // bytes
)

// ssoURL reports whether an organization requires single sign-on, and where GitHub offers it.
func ssoURL(h http.Header) (required bool, address string) {
	word, rest, _ := strings.Cut(h.Get(ssoHeader), ";")
	if !strings.EqualFold(strings.TrimSpace(word), "required") {
		return false, ""
	}
	address, _ = strings.CutPrefix(strings.TrimSpace(rest), "url=")
	return true, address
}

// ssoOrganizations returns the IDs of the organizations whose part a success leaves out, because
// they require single sign-on.
func ssoOrganizations(h http.Header) []int64 {
	word, rest, _ := strings.Cut(h.Get(ssoHeader), ";")
	list, named := strings.CutPrefix(strings.TrimSpace(rest), "organizations=")
	if !strings.EqualFold(strings.TrimSpace(word), "partial-results") || !named {
		return nil
	}
	var ids []int64
	for text := range strings.SplitSeq(list, ",") {
		if id, err := strconv.ParseInt(digits(strings.TrimSpace(text)), 10, 64); err == nil && len(ids) < 100 {
			ids = append(ids, id)
		}
	}
	return ids
}

// onWeb reports whether an address is on GitHub's site, so that a user may be sent there.
func (c *call) onWeb(address string) bool {
	u, ok := parseShown(address)
	return ok && u.Scheme == c.client.web.Scheme && strings.EqualFold(u.Host, c.client.web.Host)
}

// forBrowser returns the address at which a user's browser reaches an address on GitHub's site.
func (c *common) forBrowser(address string) string {
	u, err := url.Parse(address)
	if err != nil || c.browser == "" {
		return address
	}
	return c.browser + u.RequestURI()
}

// documentation returns the address of a page of GitHub's documentation, or an empty string if the
// address leads elsewhere.
func (c *call) documentation(address string) string {
	u, ok := parseShown(address)
	if !ok || u.RawQuery != "" || !(u.Scheme == "https" && strings.EqualFold(u.Host, docsHost)) && !c.onWeb(address) {
		return ""
	}
	return address
}

// parseShown parses a foreign address that may be shown: visible ASCII without characters of
// markup.
func parseShown(address string) (*url.URL, bool) {
	strange := func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\"'<>\\^`{|}", r) }
	if len(address) > maxURL || strings.ContainsFunc(address, strange) {
		return nil, false
	}
	u, err := url.Parse(address)
	return u, err == nil && u.User == nil && u.Host != ""
}

// Path returns the segments of the path of an address, and whether the address is on GitHub's site.
// It ignores the query and the fragment.
func (c *Client) Path(address string) (segments []string, ok bool) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != c.web.Scheme || !strings.EqualFold(u.Host, c.web.Host) || u.User != nil {
		return nil, false
	}
	return strings.Split(strings.Trim(u.Path, "/"), "/"), true
}

const maxSentence = 200 // characters

var tag = lazyregexp.New(`<[^>]*>?`)

// sentence returns GitHub's words as one line of plain text, without the secret, in case GitHub
// repeats it.
func sentence(words, secret string) string {
	if secret != "" {
		words = strings.ReplaceAll(words, secret, "")
	}
	return plaintext.Label(tag.ReplaceAllString(words, " "), maxSentence)
}
