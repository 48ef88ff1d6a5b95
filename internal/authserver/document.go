package authserver

import (
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

	"basecamp-mcp/internal/publichttp"
)

// Limits of client metadata documents (C2, C5, C9).
const (
	maxDocumentID  = 2 << 10 // bytes
	maxDocument    = 5 << 10 // bytes
	documentTime   = 4 * time.Second
	maxFetches     = 4
	shortestToKeep = 5 * time.Minute
	longestToKeep  = 24 * time.Hour
)

// isDocumentID reports whether a client id is the URL of a document; those we give out never are (C1).
func isDocumentID(id string) bool { return strings.HasPrefix(id, "https://") }

// documentHost is the host that vouches for a client by serving its document; "" for clients that merely registered.
func documentHost(id string) string {
	after, ok := strings.CutPrefix(id, "https://")
	if !ok {
		return ""
	}
	host, _ := splitAuthority(after)
	return strings.ToLower(host)
}

// validDocumentID checks the URL as it is written (C2): a host by its name, no port, user, query or fragment, and a path whose
// segments are what they seem.
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

// endsInName reports whether a host has a domain above it that is a name: addresses end in a number, in all the ways one can
// write them.
func endsInName(host string) bool {
	dot := strings.LastIndexByte(host, '.')
	top := strings.ToLower(host[dot+1:])
	return dot > 0 && top != "" && 'a' <= top[0] && top[0] <= 'z'
}

// documentClient is the client that a document describes: the one at hand while it is fresh, or else fetched.
func (b *Broker) documentClient(ctx context.Context, id string) (Client, *failure) {
	if !validDocumentID(id) {
		return Client{}, refuseClient("client_id is no URL that a client metadata document can have")
	}
	c, err := b.Store.Client(ctx, id)
	switch {
	case err == nil:
		return c, nil
	case !errors.Is(err, ErrNotFound):
		b.note(ctx, slog.LevelError, "read a client", err)
		return Client{}, unavailable()
	}
	return b.fetches.join(ctx, id, b.fetchClient)
}

// fetches lets one fetch serve all who wait for the same document, and only a few run at once: what to fetch is for strangers to
// say.
type fetches struct {
	flights singleflight.Group
	running atomic.Int32
}

type fetched struct {
	client  Client
	failure *failure
}

func (f *fetches) join(ctx context.Context, id string, fetch func(context.Context, string) (Client, *failure)) (Client, *failure) {
	flight := f.flights.DoChan(id, func() (any, error) {
		defer f.running.Add(-1)
		if f.running.Add(1) > maxFetches {
			return fetched{failure: unavailable()}, nil
		}
		// Whoever came first may give up; the others are still waiting.
		c, failed := fetch(context.WithoutCancel(ctx), id)
		return fetched{c, failed}, nil
	})
	select {
	case <-ctx.Done():
		return Client{}, unavailable()
	case landed := <-flight:
		got, _ := landed.Val.(fetched)
		if got.failure != nil {
			own := *got.failure // which its caller may add to
			return Client{}, &own
		}
		return got.client, nil
	}
}

// fetchClient fetches and reads a document, and keeps what was good for as long as its server says. Whatever was not is forgotten
// at once (C9).
func (b *Broker) fetchClient(ctx context.Context, id string) (Client, *failure) {
	body, header, f := b.fetchDocument(ctx, id)
	if f != nil {
		return Client{}, f
	}
	c, f := parseDocument(id, body, b.RedirectURIs)
	if f != nil {
		return Client{}, f
	}
	c.CreatedAt = b.Now()
	keep := freshFor(header, c.CreatedAt)
	c.ExpiresAt = c.CreatedAt.Add(keep)
	if keep == 0 {
		return c, nil
	}
	if err := b.Store.SaveClient(ctx, c); err != nil {
		b.note(ctx, slog.LevelWarn, "keep a client's document", err)
	}
	return c, nil
}

// fetchDocument gets the bytes of a document. Only a 200 will do, and no redirect is followed (C3).
func (b *Broker) fetchDocument(ctx context.Context, id string) ([]byte, http.Header, *failure) {
	ctx, cancel := context.WithTimeout(ctx, documentTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, id, nil)
	if err != nil {
		return nil, nil, refuseClient("client_id is no URL that a client metadata document can have")
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Accept-Encoding", "identity") // and so nothing is unpacked: 5 KB could be as many MB
	request.Header.Set("User-Agent", "basecamp-mcp")
	response, err := b.documentTransport().RoundTrip(request) // unlike a Client, this follows nothing
	if err != nil {
		return nil, nil, b.unfetched(ctx, id, err)
	}
	defer response.Body.Close()
	if f := b.checkAnswer(ctx, id, response); f != nil {
		return nil, nil, f
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxDocument+1))
	switch {
	case err != nil:
		return nil, nil, b.unfetched(ctx, id, err)
	case len(body) > maxDocument:
		return nil, nil, refuseClient("the client's metadata document is larger than 5120 bytes")
	}
	return body, response.Header, nil
}

func (b *Broker) documentTransport() http.RoundTripper {
	if b.Documents != nil {
		return b.Documents
	}
	return publichttp.Transport()
}

func (b *Broker) checkAnswer(ctx context.Context, id string, response *http.Response) *failure {
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	isJSON := kind == "application/json" || strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json")
	switch {
	case response.StatusCode == http.StatusTooManyRequests || response.StatusCode >= http.StatusInternalServerError:
		return b.unfetched(ctx, id, fmt.Errorf("status %d", response.StatusCode))
	case response.StatusCode != http.StatusOK:
		return refuseClient("there is no client metadata document at the URL that client_id is")
	case !isJSON:
		return refuseClient("the client's metadata document is not served as application/json")
	}
	return nil
}

// unfetched is a document that could not be had, now. Why is for our log: the one who asked could find out what lies around us.
func (b *Broker) unfetched(ctx context.Context, id string, err error) *failure {
	b.note(ctx, slog.LevelInfo, "fetch a client's document from "+documentHost(id), err)
	f := unavailable()
	f.description = "the client's metadata document could not be fetched over the internet; try again shortly"
	return f
}

// parseDocument reads the document of a client (C6 to C8). An error is an invalid_client.
func parseDocument(id string, body []byte, extra []string) (Client, *failure) {
	o, err := parseObject(body)
	if err != nil {
		return Client{}, refuseClient("the client's metadata document is " + err.Error())
	}
	if named, ok := member[string](o, "client_id"); !ok || named != id {
		return Client{}, refuseClient("the client_id in the client's metadata document is not the document's URL")
	}
	if holdsSecret(o) {
		return Client{}, refuseClient("the client's metadata document, which all can read, holds a secret")
	}
	name, ok := member[string](o, "client_name")
	if name = cleanName(name); !ok || name == "" {
		return Client{}, refuseClient("the client's metadata document has no client_name")
	}
	uris, ok := member[[]string](o, "redirect_uris")
	bad := func(uri string) bool { return !validRedirectURI(uri, extra) }
	if !ok || len(uris) == 0 || slices.ContainsFunc(uris, bad) {
		return Client{}, refuseClient("the client's metadata document has no redirect_uris, or one that is not allowed")
	}
	if !offersNoAuth(o) {
		return Client{}, refuseClient("clients with a metadata document must be able to do with token_endpoint_auth_method none")
	}
	return Client{ID: id, Name: name, RedirectURIs: uris, AuthMethod: authNone}, nil
}

// offersNoAuth reports whether the client can do without authenticating, which is all we have for it (C8). One that prefers a
// key of its own may say so besides; a shared secret is none once it stands in a document (C7).
func offersNoAuth(o object) bool {
	method, ok := member[string](o, "token_endpoint_auth_method")
	if !ok || strings.HasPrefix(method, "client_secret_") {
		return false
	}
	others, ok := member[[]string](o, "token_endpoint_auth_methods_supported")
	return ok && (method == "" || method == authNone || slices.Contains(others, authNone))
}

// holdsSecret reports whether there is anything in the document that only the client should know (C7).
func holdsSecret(o object) bool {
	for _, name := range []string{"client_secret", "client_secret_expires_at"} {
		if _, there := o[name]; there {
			return true
		}
	}
	keys, _ := member[any](o, "jwks")
	return holdsPrivateKey(keys)
}

// holdsPrivateKey looks for the members of private and of shared keys (RFC 7518 6), wherever they stand.
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

// freshFor is how long a document may be kept, by its headers and within our bounds; 0 when it may not be kept at all (C9).
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

// lifetime is how long an answer stays fresh from when it was made (RFC 9111 4.2.1); 0 when nothing usable is said.
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

// seconds reads delta-seconds; more of them than anybody means are a day.
func seconds(text string) (time.Duration, error) {
	n, err := strconv.ParseUint(text, 10, 31)
	if errors.Is(err, strconv.ErrRange) {
		return longestToKeep, nil
	}
	return time.Duration(n) * time.Second, err
}
