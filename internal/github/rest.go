package github

import (
	"bytes"
	"cmp"
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

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/wire/upstream"
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

var errNotAnItem = errors.New("an item without its ID")

// get reads one item through the cache.
func get[T result](ctx context.Context, c *Client, r request) (T, error) {
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

func decodeItem[T result](a upstream.Answer) (v T, err error) {
	if len(a.Body) > 0 {
		v, _, err = decoded[T](a.Body)
		return v, err
	}
	_, err = v.check()
	return v, err
}

// send sends a POST, PATCH or DELETE with body as JSON, or without a body if it is nil.
func send[T result](ctx context.Context, c *Client, method string, r request, body any) (T, error) {
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
	return tell[T](ctx, c, r)
}

// tell sends a request past the cache.
func tell[T result](ctx context.Context, c *Client, r request) (T, error) {
	var none T
	call, err := c.newCall(ctx, r)
	if err != nil {
		return none, err
	}
	v, err := upstream.Ask(ctx, c.upstream, call.request(), decodeItem[T])
	return lockedDown(ctx, c, v), err
}

// listed reads one page of a list through the cache. next is empty, or the Next of the page before.
// A next of another list is INVALID_INPUT.
func listed[T result](ctx context.Context, c *Client, r request, query url.Values, next string) (Page[T], error) {
	query.Set("per_page", strconv.Itoa(maxPage))
	call, err := c.newCall(ctx, c.page(r.withQuery(query), next))
	if err != nil {
		return Page[T]{}, err
	}
	p, err := upstream.Read(ctx, c.upstream, call.request(), func(a upstream.Answer, kept Page[T]) (Page[T], error) {
		if a.Unchanged() {
			return refreshed(c, a, kept)
		}
		return decodePage[T](c, a)
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

func decodePage[T result](c *Client, a upstream.Answer) (Page[T], error) {
	p, _, err := decoded[Page[T]](a.Body)
	if err == nil {
		p.Next, err = c.nextOf(a)
	}
	p.Incomplete = cmp.Or(incomplete(0, ssoOrganizations(a.Header)), p.Incomplete)
	return p, err
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
