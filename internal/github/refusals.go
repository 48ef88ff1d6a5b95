package github

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"basecamp-mcp/internal/github/githubauth"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/lazyregexp"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/wire/upstream"
)

// refusal returns the fault for a refusal: that of the first row of the table that applies.
func (c *call) refusal(r reply) *fault.Error {
	i := slices.IndexFunc(refusals, func(row refusalRow) bool { return row.applies(r) })
	f := refusals[i].fault(c, r)
	if f.Upstream == nil {
		f.Upstream = &fault.Upstream{Message: refusals[i].words}
	}
	if f.Upstream.Message == "" {
		f.Upstream.Message = refusals[i].words
	}
	f.Upstream.DocumentationURL = c.documentation(r.page)
	f.Upstream.Type = shownType(r.kind)
	if f.Link != nil {
		f.Provider = ProviderID
	}
	if names := r.names(); names != "" {
		f = f.Because(errors.New(names))
	}
	return f
}

// refusalRow says what one kind of refusal means.
type refusalRow struct {
	words   string // for upstream.message, because GitHub's own are not shown
	applies func(r reply) bool
	fault   func(c *call, r reply) *fault.Error
}

// refusals is the table of GitHub's refusals. The order matters: the status and the headers decide
// first, then the type of a GraphQL error, and the words last.
var refusals = []refusalRow{
	{"rate limited", isLimit, (*call).limited},
	{"unauthorized", status(http.StatusUnauthorized), (*call).unauthorized},
	{"single sign-on required", isSSO, (*call).singleSignOn},
	{"application not approved", forbiddenBy("oauth app access restrictions"), means(fault.PermissionDenied, "the organization restricts applications; one of its owners must approve this one on GitHub")},
	{"application not installed", forbiddenBy("resource not accessible by integration"), means(fault.PermissionDenied, "the GitHub App is not installed there, or lacks the permission; an owner can change both on GitHub")},
	{"token lacks a permission", forbiddenBy("resource not accessible by personal access token"), means(fault.PermissionDenied, "the access token lacks the permission; create one that has it")},
	{"address not allowed", forbiddenBy("ip allow list"), means(fault.PermissionDenied, "the organization allows only listed IP addresses; one of its owners must add the address of this server")},
	{"scope missing", func(r reply) bool { return r.is(http.StatusForbidden) && lacking(r.header) != nil }, (*call).lacksAccepted},
	{"scope missing", kinds("INSUFFICIENT_SCOPES"), (*call).lacksNamed},
	{"repository archived", forbiddenBy("archived"), means(fault.PermissionDenied, "the repository is archived, so it can only be read; an owner can unarchive it on GitHub")},
	{"conversation locked", forbiddenBy("locked"), means(fault.PermissionDenied, "the conversation is locked on GitHub; only users with write access can take part")},
	{"forbidden", status(http.StatusForbidden, "FORBIDDEN"), (*call).forbidden},
	{"not found", status(http.StatusNotFound, "NOT_FOUND", absent), (*call).notFound},
	{"gone", status(http.StatusGone), (*call).gone},
	{"unavailable for legal reasons", status(http.StatusUnavailableForLegalReasons), means(fault.NotFound, "GitHub took this down for legal reasons")},
	{"invalid request", status(http.StatusBadRequest), (*call).invalid},
	{"invalid input", status(http.StatusUnprocessableEntity, "UNPROCESSABLE", "VALIDATION", "INVALID"), (*call).invalid},
	{"conflict", status(http.StatusConflict), means(fault.Conflict, "this changed on GitHub in the meantime; read it before you try again")},
	{"too large", status(http.StatusRequestEntityTooLarge), means(fault.InvalidInput, "the input is larger than GitHub accepts; send less at once")},
	{"request not understood", notUnderstood, (*call).misunderstood},
	{"the query asks for too much", kinds("MAX_NODE_LIMIT_EXCEEDED", "RESOURCE_LIMITS_EXCEEDED"), final("this is more than GitHub returns at once; ask for less, such as a smaller limit")},
	{"redirect not followed", isRedirect, final("GitHub redirects this to an address that this server does not follow; check the name of the repository")},
	{"server error", isOutage, (*call).outage},
	{"unexpected response", func(reply) bool { return true }, final("GitHub returned an unexpected response; trying again will not help")},
}

// status returns a condition for a status or, in GraphQL, for types.
func status(code int, kinds ...string) func(reply) bool {
	return func(r reply) bool { return r.is(code, kinds...) }
}

// kinds returns a condition for types in GraphQL.
func kinds(kinds ...string) func(reply) bool {
	return func(r reply) bool { return r.typed(kinds...) }
}

func forbiddenBy(words string) func(reply) bool {
	return func(r reply) bool { return r.is(http.StatusForbidden, "FORBIDDEN") && r.says(words) }
}

// isLimit reports whether the user reached a rate limit. A 403 can be one too. In GraphQL the
// headers do not decide, because an error may be the answer to the last point.
func isLimit(r reply) bool {
	words := speaksOfALimit(r.message, r.page)
	switch {
	case r.graphql:
		return r.typed("RATE_LIMITED", "RATE_LIMIT") || words && r.code == "" && (r.kind == "" || r.kind == "FORBIDDEN")
	case r.status == http.StatusTooManyRequests:
		return true
	case r.status != http.StatusForbidden:
		return false
	}
	remaining := count(r.header.Get("X-RateLimit-Remaining"))
	return remaining != nil && *remaining == 0 || r.header.Get("Retry-After") != "" || words
}

// isSSO reports whether an organization requires single sign-on.
func isSSO(r reply) bool {
	required, _ := ssoURL(r.header)
	return r.is(http.StatusForbidden, "FORBIDDEN") && (required || r.says("saml enforcement"))
}

// isRedirect reports whether GitHub redirects to another origin, or too often.
func isRedirect(r reply) bool { return !r.graphql && upstream.IsRedirect(r.status) }

// notUnderstood reports whether GitHub rejects the form of a request, or a document whose fields it
// does not have.
func notUnderstood(r reply) bool {
	if r.graphql {
		return r.kind == "" && r.code != ""
	}
	return r.status == http.StatusMethodNotAllowed || r.status == http.StatusNotAcceptable || r.status == http.StatusUnsupportedMediaType
}

// isOutage reports whether the same request may succeed later.
func isOutage(r reply) bool {
	if r.graphql {
		return r.kind == "" || r.typed("SERVICE_UNAVAILABLE", "INTERNAL") || r.says("something went wrong")
	}
	return r.status >= 500 || r.status == http.StatusRequestTimeout
}

var typeForm = lazyregexp.New(`^[A-Z][A-Z_]{0,39}$`)

// shownType returns the type of a GraphQL error if it has the form of one.
func shownType(kind string) string {
	if !typeForm.MatchString(kind) {
		return ""
	}
	return kind
}

// means returns what a row means whose refusals all say the same.
func means(code fault.Code, message string) func(*call, reply) *fault.Error {
	return func(*call, reply) *fault.Error { return fault.New(code, "%s", message) }
}

// final returns what a row of UPSTREAM_ERROR means if trying again does not help.
func final(message string) func(*call, reply) *fault.Error {
	return func(*call, reply) *fault.Error {
		f := fault.New(fault.UpstreamError, "%s", message)
		f.Retryable = false
		return f
	}
}

// limited also keeps the user from asking again before the limit ends.
func (c *call) limited(r reply) *fault.Error {
	now := c.client.now()
	l, _ := limitOf(r.header, now)
	c.client.people.block(c.credential.Person, c.sent.of, l.capped(now))
	return l.fault(now)
}

func (c *call) unauthorized(reply) *fault.Error {
	f := fault.New(fault.TokenExpired, "GitHub no longer accepts this link; link GitHub again")
	f.Link = &fault.Link{Provider: ProviderID, Reason: fault.Reauthorize}
	return f
}

// ssoLife is how long GitHub's link for a single sign-on can be used (GitHub Docs, "Authenticating
// to the REST API").
const ssoLife = 3600

func (c *call) singleSignOn(r reply) *fault.Error {
	f := fault.New(fault.PermissionDenied, "the organization requires single sign-on; sign in to it on GitHub, then try again")
	f.Link = &fault.Link{Provider: ProviderID, Reason: fault.SSO}
	if _, raw := ssoURL(r.header); c.onWeb(raw) {
		f.Link.URL, f.Link.ExpiresIn = c.client.forBrowser(raw), ssoLife
	}
	return f
}

func (c *call) lacksAccepted(r reply) *fault.Error {
	return MissingScope(c.leastOf(lacking(r.header))...)
}

func (c *call) lacksNamed(r reply) *fault.Error {
	return MissingScope(c.leastOf(scopesIn(r.message))...)
}

func (c *call) forbidden(reply) *fault.Error {
	f := fault.New(fault.PermissionDenied, "GitHub does not allow the user to do this")
	thing := c.thing()
	if strings.HasPrefix(c.sent.about.ID, "PVT") { // a node ID, which tells a reader nothing
		thing = strings.TrimSuffix(thing, " "+c.sent.about.ID)
	}
	if thing != "" {
		f.Message += "; an owner can grant more access to the " + thing
	}
	return f
}

// thing returns what the request is about, such as "issue owner/name#12".
func (c *call) thing() string {
	about := c.sent.about
	return strings.TrimSpace(strings.ReplaceAll(about.Type, "_", " ") + " " + about.ID)
}

func (c *call) notFound(r reply) *fault.Error {
	missing := "nothing there"
	if thing := c.thing(); thing != "" {
		missing = "no " + thing
	}
	f := fault.New(fault.NotFound, "GitHub has %s, or the user may not see it", missing)
	// A private repository stays hidden from a token without the scope.
	if granted, known := c.granted(r.header); c.sent.inRepository && known && !githubauth.Grants(granted, scopeRepo) {
		f.Message += "; private repositories need a link with more access"
		f.Link = &fault.Link{Provider: ProviderID, Reason: fault.MissingScope, Scopes: []string{scopeRepo}}
	}
	return f
}

func (c *call) gone(reply) *fault.Error {
	if c.sent.about.Type == "repository" {
		return fault.New(fault.NotFound, "the repository has its issues switched off; an owner can switch them on")
	}
	return fault.New(fault.NotFound, "the issue was deleted on GitHub, or the repository has its issues switched off")
}

// IsGone reports whether GitHub said that something was there, and is deleted or switched off.
func IsGone(f *fault.Error) bool {
	return f.Upstream != nil && (f.Upstream.Status == http.StatusGone || f.Upstream.Status == http.StatusUnavailableForLegalReasons)
}

// invalid contains GitHub's own words, which no other fault does. Its message names the arguments.
func (c *call) invalid(r reply) *fault.Error {
	sentence, violations := c.violations(r)
	if len(violations) == 0 {
		return fault.New(fault.InvalidInput, "GitHub did not accept the request and gave no reason; check every argument")
	}
	f := fault.New(fault.InvalidInput, "%s", notAccepted(violations))
	f.Validation = violations
	f.Upstream = &fault.Upstream{Message: sentence}
	return f
}

func (c *call) misunderstood(r reply) *fault.Error {
	if r.graphql {
		return fault.New(fault.InternalError, "GitHub did not understand this server's query; an Enterprise Server may be too old for it")
	}
	return fault.New(fault.InternalError, "GitHub did not understand this server's request")
}

// outage does not let a wait of 0 in a header make this server ask again at once.
func (c *call) outage(r reply) *fault.Error {
	f := fault.New(fault.UpstreamError, "GitHub is having trouble; try again in a moment")
	f.RateLimit, f.RetryAfter = &fault.RateLimit{}, retryAfter(r.header, c.client.now())
	return f
}

// reply is what GitHub answered, as far as the meaning of a refusal depends on it. Its texts are
// foreign: they are recognized, and shown only where complaint says so.
type reply struct {
	status     int
	header     http.Header
	message    string
	page       string // documentation_url
	complaints []complaint
	graphql    bool   // an error in an answer of the GraphQL API with the status 200
	kind       string // its type
	code       string // of its extensions
}

// replyOf reads the refusal of either API. A body that is not JSON has no message.
func replyOf(a upstream.Answer) reply {
	var body struct {
		Message json.RawMessage `json:"message"`
		Page    json.RawMessage `json:"documentation_url"`
		Errors  json.RawMessage `json:"errors"`
	}
	_ = json.Unmarshal(a.Body, &body)
	return reply{
		status: a.Status, header: a.Header, message: text(body.Message), page: text(body.Page),
		complaints: complaintsOf(body.Errors),
	}
}

// text returns a JSON string, and an empty string for all other JSON.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// is reports whether the refusal has this status or, in GraphQL, one of these types.
func (r reply) is(status int, kinds ...string) bool {
	return !r.graphql && r.status == status || r.typed(kinds...)
}

// typed reports whether the refusal is an error of GraphQL with one of these types.
func (r reply) typed(kinds ...string) bool {
	for _, kind := range kinds {
		if r.graphql && r.kind == kind {
			return true
		}
	}
	return false
}

// says reports whether GitHub's message contains some words, in lower case.
func (r reply) says(words string) bool { return strings.Contains(strings.ToLower(r.message), words) }

var codeForm = lazyregexp.New(`^[A-Za-z][A-Za-z_]{0,59}$`)

// names returns the type and the code of an error in GraphQL for the log, if they have the form of
// one.
func (r reply) names() string {
	var names []string
	if kind := shownType(r.kind); kind != "" {
		names = append(names, "type "+kind)
	}
	if codeForm.MatchString(r.code) {
		names = append(names, "code "+r.code)
	}
	return strings.Join(names, ", ")
}

const maxViolations = 20

// complaint is one entry of the errors of a 422: an object or a sentence.
type complaint struct {
	Field   string
	Code    string
	Message string
	Value   string // that GitHub refused; empty if it is not a text
}

// complaintsOf parses the errors of a refusal. It skips entries in other forms.
func complaintsOf(raw json.RawMessage) []complaint {
	var entries []json.RawMessage
	if json.Unmarshal(raw, &entries) != nil {
		entries = []json.RawMessage{raw}
	}
	var complaints []complaint
	for _, entry := range entries[:min(len(entries), maxViolations)] {
		var fields struct{ Field, Code, Message, Value json.RawMessage }
		if words := text(entry); words != "" {
			complaints = append(complaints, complaint{Message: words})
		} else if json.Unmarshal(entry, &fields) == nil {
			complaints = append(complaints, complaint{
				Field: text(fields.Field), Code: text(fields.Code), Message: text(fields.Message), Value: text(fields.Value),
			})
		}
	}
	return slices.DeleteFunc(complaints, func(c complaint) bool { return c == complaint{} })
}

// codeWords has what the codes of a 422 mean (GitHub Docs, "Troubleshooting the REST API"). GitHub
// sends a message of its own only with custom.
var codeWords = map[string]string{
	"missing":        "does not exist on GitHub",
	"missing_field":  "is required",
	"invalid":        "is not valid",
	"already_exists": "already exists on GitHub; choose another",
	"unprocessable":  "could not be processed by GitHub",
	"custom":         "was not accepted by GitHub",
}

// notUsers are the fields in which an invalid value is a login.
var notUsers = map[string]string{
	"assignee":  "is not a user of this repository; check the login",
	"assignees": "cannot be assigned in this repository; check the login",
	"creator":   "is not a user of GitHub; check the login",
}

// violations returns GitHub's sentence about invalid input, and what is wrong with each argument.
// A violation that GitHub does not connect to a field has the path "arguments".
func (c *call) violations(r reply) (said string, violations []fault.Violation) {
	secret := c.credential.AccessToken
	said = sentence(r.message, secret)
	for _, complained := range r.complaints {
		v := fault.Violation{Path: c.argument(complained.Field), Message: sentence(complained.Message, secret), Code: complained.Code}
		if codeWords[v.Code] == "" {
			v.Code = "invalid"
		}
		if v.Message == "" {
			v.Message = c.problem(complained, v.Code)
		}
		violations = append(violations, v)
	}
	if len(violations) == 0 && said != "" {
		code := "invalid"
		if r.typed("UNPROCESSABLE") {
			code = "unprocessable"
		}
		violations = []fault.Violation{{Path: cmp.Or(c.spokenOf(said), whole), Message: said, Code: code}}
	}
	return said, violations
}

// notAccepted returns a message that names the arguments, without GitHub's words.
func notAccepted(violations []fault.Violation) string {
	var paths []string
	for _, v := range violations {
		if !slices.Contains(paths, v.Path) {
			paths = append(paths, v.Path)
		}
	}
	return "GitHub did not accept " + strings.Join(paths, ", ") + "; data.validation says why"
}

// problem returns in our words what is wrong with a field. It repeats a value that the caller sent.
func (c *call) problem(complained complaint, code string) string {
	words := codeWords[code]
	if code == "invalid" {
		words = cmp.Or(notUsers[complained.Field], words)
	}
	if value := complained.Value; value != "" && c.carries(value) {
		return plaintext.Quote(value) + " " + words
	}
	return words
}

// carries reports whether the request contains a text as a value.
func (c *call) carries(value string) bool {
	for _, values := range c.sent.url.Query() {
		if slices.Contains(values, value) {
			return true
		}
	}
	encoded, err := encode(value)
	return err == nil && bytes.Contains(c.sent.body, encoded)
}

// whole is the path of what is wrong with the arguments together.
const whole = "arguments"

var fieldForm = lazyregexp.New(`^[A-Za-z][A-Za-z_]{0,39}$`)

// argument returns the caller's name of a field of GitHub, or "arguments" for what does not have
// the form of a field.
func (c *call) argument(field string) string {
	if ours, ok := c.sent.names[field]; ok {
		return ours
	}
	if !fieldForm.MatchString(field) {
		return whole
	}
	return field
}

// spokenOf returns the argument that a sentence of GitHub is about, or an empty string if its
// beginning does not say.
func (c *call) spokenOf(sentence string) string {
	words := strings.TrimPrefix(strings.ToLower(sentence), "the ")
	for subject, ours := range c.sent.spoken {
		if rest, ok := strings.CutPrefix(words, subject); ok && strings.Trim(rest[:min(len(rest), 1)], " '’") == "" {
			return ours
		}
	}
	return ""
}
