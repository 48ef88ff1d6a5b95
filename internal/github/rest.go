package github

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/upstream"
)

const maxName = 255 // bytes of an owner or a repository; GitHub's names are shorter

// Repo names a repository.
type Repo struct{ Owner, Name string }

// String returns "owner/name".
func (r Repo) String() string { return r.Owner + "/" + r.Name }

// about returns a thing in the repository: "owner/name#12", or the repository itself.
func (r Repo) about(kind string, number int) fault.Resource {
	if number == 0 {
		return fault.Resource{Type: kind, ID: r.String()}
	}
	return fault.Resource{Type: kind, ID: r.String() + "#" + strconv.Itoa(number)}
}

// parseAbout returns the repository and the number that "owner/name#12" names, as about writes it.
func parseAbout(id string) (Repo, int) {
	repo, number, _ := strings.Cut(id, "#")
	n, _ := strconv.Atoi(number)
	return parseRepo(repo), n
}

// parseRepo returns the repository that "owner/name", or an address that ends in it, names.
func parseRepo(address string) Repo {
	parts := strings.Split(strings.TrimSuffix(address, "/"), "/")
	if len(parts) < 2 {
		return Repo{}
	}
	return Repo{Owner: parts[len(parts)-2], Name: parts[len(parts)-1]}
}

// requestIn returns a request to a path below a repository.
func (c *Client) requestIn(repo Repo, about fault.Resource, segments ...string) request {
	u := c.rest.JoinPath("repos", url.PathEscape(repo.Owner), url.PathEscape(repo.Name)).JoinPath(segments...)
	r := request{method: http.MethodGet, url: u, about: about, of: core, inRepository: true}
	for _, name := range []string{repo.Owner, repo.Name} {
		if name == "" || name == "." || name == ".." || len(name) > maxName {
			r.wrong = fault.Invalid("repo", "must be owner/name")
		}
	}
	return r
}

// requestBelow returns a request to a part of a repository that belongs to no issue.
func (c *Client) requestBelow(repo Repo, part string) request {
	return c.requestIn(repo, repo.about("repository", 0), part)
}

func (r request) withQuery(query url.Values) request {
	u := *r.url
	u.RawQuery = query.Encode()
	r.url = &u
	return r
}

// valid is what every decoded item can say about itself: JSON without an ID is not an item.
type valid interface{ valid() bool }

var errNotAnItem = errors.New("an item without its ID")

// get reads one item through the cache.
func get[T valid](ctx context.Context, c *Client, r request) (T, error) {
	var none T
	call, err := c.newCall(ctx, r)
	if err != nil {
		return none, err
	}
	v, err := upstream.Read(ctx, c.upstream, call.request(), func(a upstream.Answer, kept T) (T, error) {
		if a.Unchanged() {
			return kept, nil
		}
		return decodeItem[T](a)
	})
	return lockedDown(ctx, c, v), err
}

func decodeItem[T valid](a upstream.Answer) (T, error) {
	var v T
	if err := json.Unmarshal(a.Body, &v); err != nil {
		return v, err
	}
	if !v.valid() {
		return v, errNotAnItem
	}
	return v, nil
}

// send sends a POST, PATCH or DELETE with body as JSON, or without a body if it is nil.
func send[T valid](ctx context.Context, c *Client, method string, r request, body any) (T, error) {
	var none T
	if body != nil {
		encoded, err := encode(body)
		if err != nil {
			return none, fmt.Errorf("encode %s %s: %w", method, r.about.Type, err)
		}
		r.body = encoded
	}
	r.method, r.writes = method, true
	r.again = r.again || method == http.MethodPatch
	call, err := c.newCall(ctx, r)
	if err != nil {
		return none, err
	}
	v, err := upstream.Ask(ctx, c.upstream, call.request(), decodeItem[T])
	return lockedDown(ctx, c, v), err
}

// listed reads one page of a list through the cache. next is empty, or the Next of the page before.
// A next of another list is INVALID_INPUT.
func listed[T valid](ctx context.Context, c *Client, r request, query url.Values, next string) (Page[T], error) {
	query.Set("per_page", strconv.Itoa(maxPage))
	return readPage(ctx, c, r.withQuery(query), next, func(a upstream.Answer) (Page[T], error) { return decodePage[T](c, a) })
}

// readPage does what listed does, with a decoder of pages.
func readPage[T any](ctx context.Context, c *Client, r request, next string, decode func(upstream.Answer) (Page[T], error)) (Page[T], error) {
	call, err := c.newCall(ctx, c.page(r, next))
	if err != nil {
		return Page[T]{}, err
	}
	p, err := upstream.Read(ctx, c.upstream, call.request(), func(a upstream.Answer, kept Page[T]) (Page[T], error) {
		if a.Unchanged() {
			return refreshed(c, a, kept)
		}
		return decode(a)
	})
	p.Items = slices.Clone(p.Items) // the cache keeps the original
	return lockedDown(ctx, c, p), err
}

// page returns the request of a page.
func (c *Client) page(r request, next string) request {
	if next == "" || r.wrong != nil {
		return r
	}
	u, err := upstream.Below(c.rest, c.rest, next)
	if err != nil || !c.continues(u, r.url) {
		r.wrong = fault.Invalid("cursor", "must be the next_cursor of the same list")
	}
	r.list, r.url = r.url, u
	return r
}

// continues reports whether an address is one of a further page of a list in a repository. GitHub's
// link may name the repository by its ID, so only the end of the path must be the same.
func (c *Client) continues(next, list *url.URL) bool {
	below, _ := strings.CutPrefix(next.Path, c.rest.Path)
	if below == searchPath {
		return next.RawQuery != "" && next.Path == list.Path
	}
	inRepository := strings.HasPrefix(below, "repos/") || strings.HasPrefix(below, "repositories/")
	return inRepository && next.RawQuery != "" && path.Base(next.Path) == path.Base(list.Path)
}

func decodePage[T valid](c *Client, a upstream.Answer) (Page[T], error) {
	var items []T
	if err := json.Unmarshal(a.Body, &items); err != nil {
		return Page[T]{}, err
	}
	if items == nil {
		return Page[T]{}, errors.New("null instead of a list")
	}
	if slices.ContainsFunc(items, func(v T) bool { return !v.valid() }) {
		return Page[T]{}, errNotAnItem
	}
	next, err := c.nextOf(a)
	return Page[T]{Items: items, Next: next, Total: -1, Incomplete: incomplete(0, ssoOrganizations(a.Header))}, err
}

// refreshed returns a cached page with the next page that an unchanged answer names. A list can
// grow behind a page without changing it.
func refreshed[T any](c *Client, a upstream.Answer, kept Page[T]) (Page[T], error) {
	if a.Header.Get("Link") == "" {
		return kept, nil
	}
	next, err := c.nextOf(a)
	kept.Next = next
	return kept, err
}

// nextOf returns the address of the next page, relative to the API.
func (c *Client) nextOf(a upstream.Answer) (string, error) {
	next, err := upstream.NextURL(a, c.rest)
	if err != nil || next == nil {
		return "", err
	}
	if !c.continues(next, a.URL) {
		return "", errors.New("the next link leads to another list")
	}
	below, _ := strings.CutPrefix(next.EscapedPath(), c.rest.EscapedPath())
	return below + "?" + next.RawQuery, nil
}

// maxPages limits how many pages make one whole list.
const maxPages = 50

// all reads every page of a list.
func all[T any](read func(next string) (Page[T], error)) ([]T, error) {
	var items []T
	for page, next := 0, ""; ; page++ {
		p, err := read(next)
		if err != nil {
			return nil, err
		}
		items = append(items, p.Items...)
		if next = p.Next; next == "" {
			return items, nil
		}
		if page+1 == maxPages {
			f := fault.New(fault.UpstreamError, "this list is longer than the %d entries that are read", len(items))
			f.Retryable = false
			return nil, f
		}
	}
}

// Page is one page of a list.
type Page[T any] struct {
	Items      []T
	Next       string      // continues the list; empty after the last page
	Total      int         // entries on all pages; -1 if GitHub does not say
	Incomplete *Incomplete // nil if the user sees everything
}

// Reason says why a list or an item lacks a part.
type Reason string

// The reasons.
const (
	Hidden Reason = "hidden" // the user may not see it
	SSO    Reason = "sso"    // organizations require single sign-on
)

// Incomplete says that GitHub left out a part of an answer.
type Incomplete struct {
	Reason        Reason  `json:"reason"`
	Count         int     `json:"count,omitempty"`         // entries that are hidden; 0 if GitHub does not say
	Organizations []int64 `json:"organizations,omitempty"` // IDs of those that require single sign-on
}

// incomplete returns nil if nothing is hidden. Single sign-on is the reason that a user can change,
// so it comes first.
func incomplete(hidden int, organizations []int64) *Incomplete {
	switch {
	case len(organizations) > 0:
		return &Incomplete{Reason: SSO, Count: hidden, Organizations: organizations}
	case hidden > 0:
		return &Incomplete{Reason: Hidden, Count: hidden}
	}
	return nil
}

// And returns what is missing from two answers together.
func (i *Incomplete) And(other *Incomplete) *Incomplete {
	switch {
	case i == nil:
		return other
	case other == nil:
		return i
	}
	organizations := slices.Concat(i.Organizations, other.Organizations)
	slices.Sort(organizations)
	return incomplete(i.Count+other.Count, slices.Compact(organizations))
}

// pageSize returns first within GitHub's limits of 1 to 100.
func pageSize(first int) int { return max(1, min(first, maxPage)) }

const maxPage = 100

// encode returns JSON in which <, > and & stay as they are: Markdown goes to GitHub unchanged.
func encode(v any) ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n")), nil
}

// ghost is how GitHub shows a user whose account is gone.
const ghost = "ghost"

// Login is a user's login. In JSON it is an object with a login; null is a user whose account is
// gone.
type Login string

// UnmarshalJSON implements json.Unmarshaler.
func (l *Login) UnmarshalJSON(data []byte) error {
	var account *struct {
		Login string `json:"login"`
	}
	if err := json.Unmarshal(data, &account); err != nil {
		return err
	}
	if *l = ghost; account != nil {
		*l = Login(account.Login)
	}
	return nil
}

// labelName is a label of an issue, which GitHub shows as an object or as its name.
type labelName string

// UnmarshalJSON implements json.Unmarshaler.
func (l *labelName) UnmarshalJSON(data []byte) error {
	if name := text(data); name != "" {
		*l = labelName(name)
		return nil
	}
	var label struct {
		Name string `json:"name"`
	}
	err := json.Unmarshal(data, &label)
	*l = labelName(label.Name)
	return err
}

// texts returns the strings of another string type.
func texts[S ~string](from []S) []string {
	to := make([]string, len(from))
	for i, s := range from {
		to[i] = string(s)
	}
	return to
}

// day returns the UTC date of a time: "2026-11-22". It is empty for nil.
func day(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format(time.DateOnly)
}

// User is a user of GitHub.
type User struct {
	ID    int64  `json:"id"`
	Login string `json:"login"`
}

func (u User) valid() bool { return u.ID > 0 && u.Login != "" }

// User returns the user of the link.
func (c *Client) User(ctx context.Context) (User, error) {
	return get[User](ctx, c, request{method: http.MethodGet, url: c.rest.JoinPath("user"), of: core, about: fault.Resource{Type: "user"}})
}

// Login returns the login of the user. It asks GitHub only if the link does not say.
func (c *Client) Login(ctx context.Context) (string, error) {
	credential, err := c.credential(ctx, "")
	if err != nil || credential.Login != "" {
		return credential.Login, err
	}
	user, err := c.User(ctx)
	return user.Login, err
}

const (
	searchPath = "search/issues"
	maxHits    = 1000 // that GitHub's search returns of all
)

// Timeout means that GitHub's search ended before it had looked at everything.
const (
	Timeout Reason = "timeout"
	MaxHits Reason = "1000_hits"
)

// SearchIssues returns one page of the issues and pull requests that GitHub's search finds, 100 at
// most. query has GitHub's qualifiers. sort is created, updated or comments, order asc or desc.
// next is the Next of the page before.
func (c *Client) SearchIssues(ctx context.Context, query, sort, order, next string) (Page[Issue], error) {
	r := request{
		method: http.MethodGet, url: c.rest.JoinPath(searchPath), about: fault.Resource{Type: "search"}, of: search,
		names: map[string]string{"q": "query"},
	}
	values := url.Values{"q": {query}, "sort": {sort}, "order": {order}, "per_page": {"100"}}
	return readPage(ctx, c, r.withQuery(values), next, c.found)
}

// found reads a page of the search.
func (c *Client) found(a upstream.Answer) (Page[Issue], error) {
	var wire struct {
		Total      int     `json:"total_count"`
		Incomplete bool    `json:"incomplete_results"`
		Items      []Issue `json:"items"`
	}
	if err := json.Unmarshal(a.Body, &wire); err != nil {
		return Page[Issue]{}, err
	}
	if wire.Items == nil {
		return Page[Issue]{}, errList
	}
	for _, i := range wire.Items {
		if !i.valid() {
			return Page[Issue]{}, errNotAnItem
		}
	}
	next, err := c.nextOf(a)
	p := Page[Issue]{Items: wire.Items, Total: wire.Total, Next: next, Incomplete: incomplete(0, ssoOrganizations(a.Header))}
	switch {
	case p.Incomplete != nil:
	case wire.Incomplete:
		p.Incomplete = &Incomplete{Reason: Timeout}
	case wire.Total > maxHits:
		p.Incomplete = &Incomplete{Reason: MaxHits}
	}
	return p, err
}

// Found is the first page of a search, 100 at most, and how many things it found.
type Found struct {
	IssueCount int
	Nodes      []*Subject
}

func (f Found) check() error {
	if f.Nodes == nil {
		return errList
	}
	for _, s := range f.Nodes {
		if s != nil && s.check() != nil {
			return errNotAnItem
		}
	}
	return nil
}

func (f Found) hidden() int { return len(f.Nodes) - len(f.Issues()) }

// Issues returns the issues and pull requests that the user may see.
func (f Found) Issues() (all []Issue) {
	for _, s := range f.Nodes {
		if s != nil {
			all = append(all, s.Issue())
		}
	}
	return all
}

// Searches searches issues and pull requests with one request, each query with an outcome of its
// own.
func (c *Client) Searches(ctx context.Context, queries ...string) []Outcome[Found] {
	return batch[Found](ctx, c, searchesDocument, fault.Resource{Type: "search"}, partsWith("q", queries))
}
