package launchpad

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/provider"
	"basecamp-mcp/internal/signin/provider/signon"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/wire/upstream"
)

// maxDocument is the largest authorization document that is read, in bytes. Real ones are far
// smaller.
const maxDocument = 1 << 20

// Subject returns the subject of the user with a 37signals identity ID. Only the ID identifies a
// user: names and email addresses are not verified.
func Subject(identityID int64) string { return namespace + ":" + strconv.FormatInt(identityID, 10) }

// ErrUnanswered means that a host could not be reached, or did not answer as one that works.
var ErrUnanswered = errors.New("no answer from Basecamp")

// FetchAuthorization requests origin's authorization.json to find which user a token belongs to. It
// reads both formats: that of Launchpad, and that of the API host, which also accepts personal
// access tokens and does not return a name. A refused token returns TOKEN_EXPIRED, every other
// failure UPSTREAM_ERROR, which wraps ErrUnanswered if another try can help.
func FetchAuthorization(ctx context.Context, client *http.Client, origin, userAgent, token string) (provider.Identity, error) {
	at, err := url.Parse(origin + "/authorization.json")
	if err != nil {
		return provider.Identity{}, fmt.Errorf("request the authorization: %w", err)
	}
	var document document
	if _, err := getJSON(ctx, client, at, userAgent, token, maxDocument, &document); err != nil {
		return provider.Identity{}, err
	}
	if document.Identity.ID <= 0 {
		return provider.Identity{}, unavailable().Because(errors.New("no identity"))
	}
	return document.user(), nil
}

// getJSON reads a document of at most some bytes with an access token. It returns the header of the
// answer.
func getJSON(ctx context.Context, client *http.Client, at *url.URL, userAgent, token string, most int64, into any) (http.Header, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("request %s: %w", at.Path, err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("User-Agent", userAgent)
	request.Header.Set("Accept", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return nil, upstream.Unanswered(request.URL, err, unavailable()).Because(fmt.Errorf("%w: %w", ErrUnanswered, signon.Unanswered(err)))
	}
	defer response.Body.Close()
	switch {
	case response.StatusCode == http.StatusUnauthorized:
		return nil, fault.New(fault.TokenExpired, "Basecamp does not accept this access token")
	case response.StatusCode >= http.StatusInternalServerError:
		return nil, unavailable().Because(fmt.Errorf("%w: status %d", ErrUnanswered, response.StatusCode))
	case strings.EqualFold(response.Header.Get("Reason"), "Account Inactive"):
		return nil, unavailable().Because(errSuspended)
	case response.StatusCode != http.StatusOK:
		return nil, unavailable().Because(fmt.Errorf("status %d", response.StatusCode))
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, most)).Decode(into); err != nil {
		// The cause leaves out err, which quotes the answer.
		return nil, unavailable().Because(errors.New("the answer is not the expected document"))
	}
	return response.Header, nil
}

// errSuspended means that Basecamp refuses every request to an account (bc3-api README, "Handling
// errors").
var errSuspended = errors.New("the account is suspended or has expired")

func unavailable() *fault.Error {
	return fault.New(fault.UpstreamError, "Basecamp's sign-on returned no usable answer; try again shortly")
}

// document has the members of both formats of authorization.json.
type document struct {
	Identity struct {
		ID        int64  `json:"id"`
		FirstName string `json:"first_name"` // only in Launchpad's format
		LastName  string `json:"last_name"`
	} `json:"identity"`
	Accounts []struct {
		Product  string `json:"product"`  // Launchpad's format: bc3, hey, ...
		Resource string `json:"resource"` // the API's format: urn:bc:account:ID
		ID       int64  `json:"id"`
		Name     string `json:"name"`
		Href     string `json:"href"`
	} `json:"accounts"`
}

// user returns the identity with its Basecamp accounts. The document also lists other products.
func (d document) user() provider.Identity {
	a := provider.Identity{Subject: Subject(d.Identity.ID), Name: plaintext.Label(d.Identity.FirstName+" "+d.Identity.LastName, maxName)}
	for _, account := range d.Accounts {
		if account.Product == "bc3" || account.Product == "" && strings.HasPrefix(account.Resource, "urn:bc:account:") {
			a.Accounts = append(a.Accounts, provider.Account{ID: accountID(account.Href, account.ID), Name: account.Name})
		}
	}
	return a
}

// maxName is the maximum length of a name in characters.
const maxName = 100

// accountID returns the ID that the API uses for an account: the last part of its URL, or else the
// given ID.
func accountID(href string, id int64) int64 {
	u, err := url.Parse(href)
	if err != nil {
		return id
	}
	path := strings.Split(strings.Trim(u.Path, "/"), "/")
	if n, err := strconv.ParseInt(path[len(path)-1], 10, 64); err == nil && n > 0 {
		return n
	}
	return id
}
