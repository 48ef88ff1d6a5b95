package authserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"basecamp-mcp/internal/signin/pages"
)

// Limits of client metadata documents (draft-ietf-oauth-client-id-metadata-document).
const (
	maxDocumentID  = 2 << 10 // bytes
	maxDocument    = 5 << 10 // bytes
	documentTime   = 4 * time.Second
	maxFetches     = 4
	shortestToKeep = 5 * time.Minute
	longestToKeep  = 24 * time.Hour
)

// isDocumentID reports whether a client ID is the URL of a document. Issued IDs never are.
func isDocumentID(id string) bool { return strings.HasPrefix(id, "https://") }

// documentHost returns the host that serves a client's metadata document, or "" for a client that
// registered.
func documentHost(id string) string {
	after, ok := strings.CutPrefix(id, "https://")
	if !ok {
		return ""
	}
	host, _ := splitAuthority(after)
	return strings.ToLower(host)
}

// validDocumentID checks a document's URL as written: a host name, no port, user, query or
// fragment, and a path without dot segments.
func validDocumentID(id string) bool {
	after, ok := strings.CutPrefix(id, "https://")
	if !ok || len(id) > maxDocumentID || !isURIText(id) || strings.ContainsAny(id, "?#") {
		return false
	}
	host, path := splitAuthority(after)
	if !isHost(host) || !endsInName(host) || len(path) < 2 {
		return false
	}
	for segment := range strings.SplitSeq(strings.ToLower(path), "/") {
		if dots := strings.ReplaceAll(segment, "%2e", "."); dots == "." || dots == ".." {
			return false
		}
	}
	return true
}

// endsInName reports whether the top domain of a host starts with a letter. IP addresses end in a
// number in each of their spellings.
func endsInName(host string) bool {
	dot := strings.LastIndexByte(host, '.')
	top := strings.ToLower(host[dot+1:])
	return dot > 0 && top != "" && 'a' <= top[0] && top[0] <= 'z'
}

// documentClient returns the client that a document describes, from the store while it is fresh
// and otherwise from its URL.
func (s *Server) documentClient(ctx context.Context, id string) (Client, *oauthError) {
	if s.NoDocuments {
		return Client{}, unknownClient()
	}
	if !validDocumentID(id) {
		return Client{}, refuseDocument("client_id is not a valid URL of a client metadata document")
	}
	c, err := s.Store.Client(ctx, id)
	switch {
	case err == nil:
		return c, nil
	case !errors.Is(err, ErrNotFound):
		s.note(ctx, slog.LevelError, fmt.Errorf("read a client: %w", err))
		return Client{}, unavailable()
	}
	return s.fetches.join(ctx, id, s.fetchClient)
}

// fetches shares one fetch among all requests for the same document, and limits how many run at
// once: unauthenticated clients choose the URLs.
type fetches struct {
	flights singleflight.Group
	running atomic.Int32
}

func (f *fetches) join(ctx context.Context, id string, fetch func(context.Context, string) (Client, *oauthError)) (Client, *oauthError) {
	flight := f.flights.DoChan(id, func() (any, error) {
		defer f.running.Add(-1)
		if f.running.Add(1) > maxFetches {
			return Client{}, tooManyDocuments()
		}
		// The first request may be cancelled while the others still wait.
		c, failed := fetch(context.WithoutCancel(ctx), id)
		if failed != nil {
			return Client{}, failed
		}
		return c, nil
	})
	select {
	case <-ctx.Done():
		return Client{}, tooManyDocuments()
	case landed := <-flight:
		if failed, ok := errors.AsType[*oauthError](landed.Err); ok {
			own := *failed // which its caller may add to
			return Client{}, &own
		}
		c, _ := landed.Val.(Client)
		return c, nil
	}
}

// fetchClient fetches and reads a document. It stores a valid document as long as its headers
// allow, and never an invalid one. It logs why a document cannot be used.
func (s *Server) fetchClient(ctx context.Context, id string) (Client, *oauthError) {
	var c Client
	body, header, f := s.fetchDocument(ctx, id)
	if f == nil {
		c, f = parseDocument(id, body)
	}
	if f != nil {
		s.note(ctx, slog.LevelInfo, fmt.Errorf("the metadata document of a client, on %s: %w", documentHost(id), cmp.Or(f.cause, error(f))))
		return Client{}, f
	}
	c.CreatedAt = s.Now()
	keep := freshFor(header, c.CreatedAt)
	c.ExpiresAt = c.CreatedAt.Add(keep)
	if keep == 0 {
		return c, nil
	}
	if err := s.Store.SaveClient(ctx, c); err != nil {
		s.note(ctx, slog.LevelWarn, fmt.Errorf("store a client's document: %w", err))
	}
	return c, nil
}

// fetchDocument returns the bytes of a document. It accepts only status 200 and follows no
// redirect.
func (s *Server) fetchDocument(ctx context.Context, id string) ([]byte, http.Header, *oauthError) {
	ctx, cancel := context.WithTimeout(ctx, documentTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, id, nil)
	if err != nil {
		return nil, nil, refuseDocument("client_id is not a valid URL of a client metadata document")
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Accept-Encoding", "identity") // no decompression: 5 KB could expand to as many MB
	request.Header.Set("User-Agent", "basecamp-mcp")
	response, err := s.Documents.RoundTrip(request) // unlike a Client, it follows no redirects
	if err != nil {
		return nil, nil, s.unfetched(err)
	}
	defer response.Body.Close()
	if f := s.checkAnswer(response); f != nil {
		return nil, nil, f
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxDocument+1))
	switch {
	case err != nil:
		return nil, nil, s.unfetched(err)
	case len(body) > maxDocument:
		return nil, nil, refuseDocument("the client's metadata document is larger than 5120 bytes")
	}
	return body, response.Header, nil
}

func (s *Server) checkAnswer(response *http.Response) *oauthError {
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	isJSON := kind == "application/json" || strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json")
	switch {
	case response.StatusCode == http.StatusTooManyRequests || response.StatusCode >= http.StatusInternalServerError:
		return s.unfetched(fmt.Errorf("status %d", response.StatusCode))
	case response.StatusCode >= 300 && response.StatusCode < 400:
		return refuseDocument("the URL in client_id redirects to another one, which this server does not follow")
	case response.StatusCode != http.StatusOK:
		return refuseDocument("the URL in client_id does not serve a client metadata document")
	case !isJSON:
		return refuseDocument("the client's metadata document is not served as application/json")
	}
	return nil
}

// parseDocument reads a client's document. Its errors are invalid_client.
func parseDocument(id string, body []byte) (Client, *oauthError) {
	o, err := parseObject(body)
	if err != nil {
		return Client{}, refuseDocument("the client's metadata document is " + err.Error())
	}
	if named, ok := member[string](o, "client_id"); !ok || named != id {
		return Client{}, refuseDocument("the client_id in the client's metadata document differs from the document's URL")
	}
	if holdsSecret(o) {
		return Client{}, refuseDocument("the client's metadata document is public but contains a secret")
	}
	name, ok := member[string](o, "client_name")
	if name = cleanName(name); !ok || name == "" {
		return Client{}, refuseDocument("the client's metadata document has no client_name")
	}
	uris, ok := member[[]string](o, "redirect_uris")
	bad := func(uri string) bool { return !validRedirectURI(uri) }
	if !ok || len(uris) == 0 || slices.ContainsFunc(uris, bad) {
		return Client{}, refuseDocument("the client's metadata document has no redirect_uris, or a redirect URI that is not allowed")
	}
	if !offersNoAuth(o) {
		return Client{}, refuseDocument("a client with a metadata document must support token_endpoint_auth_method none")
	}
	return Client{ID: id, Name: name, RedirectURIs: uris, AuthMethod: authNone}, nil
}

// offersNoAuth reports whether the client supports the method none, the only one for clients with
// a document. The client may prefer a private key, but not a shared secret: the document is
// public.
func offersNoAuth(o object) bool {
	method, ok := member[string](o, "token_endpoint_auth_method")
	if !ok || strings.HasPrefix(method, "client_secret_") {
		return false
	}
	others, ok := member[[]string](o, "token_endpoint_auth_methods_supported")
	return ok && (method == "" || method == authNone || slices.Contains(others, authNone))
}

// holdsSecret reports whether the document contains something that only the client should know.
func holdsSecret(o object) bool {
	for _, name := range []string{"client_secret", "client_secret_expires_at"} {
		if _, there := o[name]; there {
			return true
		}
	}
	keys, _ := member[any](o, "jwks")
	return holdsPrivateKey(keys)
}

// holdsPrivateKey reports whether a value contains members of private or symmetric keys (RFC 7518,
// 6) at any depth.
func holdsPrivateKey(value any) bool {
	switch value := value.(type) {
	case []any:
		return slices.ContainsFunc(value, holdsPrivateKey)
	case map[string]any:
		for name, inner := range value {
			if slices.Contains([]string{"d", "p", "q", "dp", "dq", "qi", "oth", "k", "priv"}, name) || holdsPrivateKey(inner) {
				return true
			}
		}
	}
	return false
}

// freshFor returns how long a document may be stored, from its headers and within the limits
// above. It returns 0 if the document must not be stored.
func freshFor(h http.Header, now time.Time) time.Duration {
	directives := map[string]string{}
	for directive := range strings.SplitSeq(strings.ToLower(strings.Join(h.Values("Cache-Control"), ",")), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(directive), "=")
		directives[name] = strings.Trim(value, `"`)
	}
	for _, name := range []string{"no-store", "no-cache", "private"} {
		if _, there := directives[name]; there {
			return 0
		}
	}
	age, _ := seconds(h.Get("Age"))
	return min(max(lifetime(directives, h, now)-age, shortestToKeep), longestToKeep)
}

// lifetime returns how long a response is fresh after it was generated (RFC 9111, 4.2.1). It
// returns 0 if the headers do not say.
func lifetime(directives map[string]string, h http.Header, now time.Time) time.Duration {
	for _, name := range []string{"s-maxage", "max-age"} {
		if value, there := directives[name]; there {
			life, _ := seconds(value)
			return life
		}
	}
	expires, err := http.ParseTime(h.Get("Expires"))
	if err != nil {
		return 0
	}
	if made, err := http.ParseTime(h.Get("Date")); err == nil {
		now = made
	}
	return max(expires.Sub(now), 0)
}

// seconds parses delta-seconds. A number that is too large counts as a day.
func seconds(text string) (time.Duration, error) {
	n, err := strconv.ParseUint(text, 10, 31)
	if errors.Is(err, strconv.ErrRange) {
		return longestToKeep, nil
	}
	return time.Duration(n) * time.Second, err
}

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
