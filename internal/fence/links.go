package fence

import (
	"html"
	"slices"
	"strings"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/lazyregexp"
)

// linkForms match what the providers and browsers make links of: an address with a scheme, whatever
// slashes follow it; an address without one in an attribute or in Markdown; www; and an address of
// e-mail. The last group is the link without its scheme.
var linkForms = []lazyregexp.Regexp{
	lazyregexp.New(`(?i)(?:https?|ftp|wss?):[/\\]*([^\s/\\?#"'<>)\]][^\s"'<>)\]]*)`),
	lazyregexp.New(`(?i)\b[a-z][a-z0-9+.-]*:[/\\]{2,}([^\s/\\?#"'<>)\]][^\s"'<>)\]]*)`),
	lazyregexp.New(`(?i)(?:(?:href|src|action|background|poster|srcset)\s*=\s*["']?\s*|\]\(\s*<?|\]:\s*<?)[/\\]{2,}([^\s"'<>)\]]+)`),
	lazyregexp.New(`(?i)\b(www\.[^\s"'<>)\]]+)`),
	lazyregexp.New(`(?i)mailto:[^\s"'<>]*?@([^\s"'<>)\]]+)`),
}

// Links returns the links in a text, Markdown or HTML, without their schemes.
func Links(text string) []string {
	var links []string
	whole := html.UnescapeString(text)
	joined := strings.NewReplacer("\t", "", "\r", "", "\n", "").Replace(whole) // as browsers read an address
	for _, shape := range []string{whole, joined} {
		if !strings.ContainsAny(shape, ":/\\") && !strings.Contains(strings.ToLower(shape), "www.") {
			continue
		}
		for _, form := range linkForms {
			for _, match := range form.FindAllStringSubmatch(shape, -1) {
				if link := strings.TrimRight(match[len(match)-1], ".,;:!?*_"); !slices.Contains(links, link) {
					links = append(links, link)
				}
			}
		}
	}
	return links
}

// HostOf returns the host of a link in lower case. If it is not plain, as in user@host or host\x,
// HostOf returns all that stands in its place, which is no listed host.
func HostOf(link string) string {
	host, _, _ := strings.Cut(strings.ToLower(link), "/")
	if end := strings.IndexAny(host, `?#`); end >= 0 {
		host = host[:end]
	}
	name, port, _ := strings.Cut(host, ":")
	if strings.Trim(port, "0123456789") == "" {
		return strings.TrimSuffix(name, ".")
	}
	return host
}

// Refused returns the host of the first link that the client must not write, or "". own are hosts
// of the provider that the text is for, with their subdomains; known reports whether a link stands
// in the changed text already.
func (f Fence) Refused(text string, own []string, known func(link string) bool) (host string) {
	if !f.NoLinks {
		return ""
	}
	for _, link := range Links(text) {
		host := HostOf(link)
		listed := slices.ContainsFunc(f.LinkHosts, func(l string) bool { return strings.EqualFold(l, host) })
		isOwn := slices.ContainsFunc(own, func(o string) bool { return host == o || strings.HasSuffix(host, "."+o) })
		if !listed && !isOwn && !known(link) {
			return host
		}
	}
	return ""
}

// LinkCode is the code of the problem in a fault about a link that the client must not write.
const LinkCode = "link_not_allowed"

// NoLink returns the fault about a link in a field of a text.
func NoLink(field, host, origin string) *fault.Error {
	message := "has a link to " + host + ", and the user allows this client no links to it; write the text without the link"
	if origin != "" {
		message += ", or the user can list the host at " + origin + "/account"
	}
	f := fault.InvalidInputs(fault.Violation{Path: field, Message: message, Code: LinkCode})
	f.Resource = &fault.Resource{Type: "host", ID: host}
	return f
}
