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
	"unicode"

	"basecamp-mcp/internal/fault"
)

// maxDocument is far more than any authorization document, in bytes.
const maxDocument = 1 << 20

// Authorization is what a token stands for: an identity, and the Basecamp accounts it may use.
type Authorization struct {
	IdentityID int64
	Name       string // the person's, to show them; "" where the API's host was asked, which does not tell
	Accounts   []Account
}

// Account is one Basecamp account.
type Account struct {
	ID   int64
	Name string
}

// Authorize asks who a token belongs to, at origin's authorization.json. It reads both documents there are: Launchpad's,
// and the one of Basecamp's API host, which also knows personal access tokens. A refused token is TOKEN_EXPIRED, anything
// else that goes wrong UPSTREAM_ERROR.
func Authorize(ctx context.Context, client *http.Client, origin, userAgent, token string) (Authorization, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, origin+"/authorization.json", nil)
	if err != nil {
		return Authorization{}, fmt.Errorf("ask for the authorization: %w", err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("User-Agent", userAgent)
	request.Header.Set("Accept", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return Authorization{}, unavailable().Because(unanswered(err))
	}
	defer response.Body.Close()
	switch {
	case response.StatusCode == http.StatusUnauthorized:
		return Authorization{}, fault.New(fault.TokenExpired, "Basecamp does not accept this access token")
	case response.StatusCode != http.StatusOK:
		return Authorization{}, unavailable().Because(fmt.Errorf("status %d", response.StatusCode))
	}
	var document document
	if err := json.NewDecoder(io.LimitReader(response.Body, maxDocument)).Decode(&document); err != nil {
		return Authorization{}, unavailable().Because(errors.New("no authorization document")) // err quotes it
	}
	if document.Identity.ID <= 0 {
		return Authorization{}, unavailable().Because(errors.New("no identity"))
	}
	return document.authorization(), nil
}

func unavailable() *fault.Error {
	return fault.New(fault.UpstreamError, "Basecamp's sign-on gave no usable answer; try again shortly")
}

// document holds what the two shapes of authorization.json have between them.
type document struct {
	Identity struct {
		ID        int64  `json:"id"`
		FirstName string `json:"first_name"` // Launchpad's shape alone
		LastName  string `json:"last_name"`
	} `json:"identity"`
	Accounts []struct {
		Product  string `json:"product"`  // Launchpad's shape: bc3, hey, ...
		Resource string `json:"resource"` // the API's: urn:bc:account:ID
		ID       int64  `json:"id"`
		Name     string `json:"name"`
		Href     string `json:"href"`
	} `json:"accounts"`
}

// authorization keeps the accounts that are Basecamp's: the products of the same sign-on are listed too.
func (d document) authorization() Authorization {
	a := Authorization{IdentityID: d.Identity.ID, Name: shown(d.Identity.FirstName + " " + d.Identity.LastName)}
	for _, account := range d.Accounts {
		if account.Product == "bc3" || account.Product == "" && strings.HasPrefix(account.Resource, "urn:bc:account:") {
			a.Accounts = append(a.Accounts, Account{ID: accountID(account.Href, account.ID), Name: account.Name})
		}
	}
	return a
}

// maxName is how much of a name is kept, in characters.
const maxName = 100

// shown is a name fit to be kept and shown: on one line, without what cannot be seen, and not without end.
func shown(name string) string {
	visible := strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c):
			return ' '
		case !unicode.IsGraphic(c):
			return -1
		}
		return c
	}, name)
	runes := []rune(strings.Join(strings.Fields(visible), " "))
	return strings.TrimSpace(string(runes[:min(len(runes), maxName)]))
}

// accountID is the id the API knows an account by: the last part of its address, or else its own id.
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
