package launchpad

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/provider"
	"basecamp-mcp/internal/upstream"
)

const (
	// maxPages limits the requests for the projects of an account.
	maxPages = 20
	// maxProjects is the largest page of projects that is read, in bytes.
	maxProjects = 4 << 20
)

// Projects returns the active projects of an account that the user of an access token can see
// (bc3-api, "Get projects"). A refused token returns TOKEN_EXPIRED, every other failure
// UPSTREAM_ERROR.
func (c *Client) Projects(ctx context.Context, accessToken string, account int64) (all []provider.Project, err error) {
	at, err := url.Parse(fmt.Sprintf("%s/%d/projects.json", c.APIURL, account))
	if err != nil {
		return nil, fmt.Errorf("request the projects: %w", err)
	}
	origin := &url.URL{Scheme: at.Scheme, Host: at.Host}
	for range maxPages {
		var page []struct {
			ID   int64  `json:"id"`
			Name string `json:"name"`
		}
		header, err := getJSON(ctx, c.API, at, c.UserAgent, accessToken, maxProjects, &page)
		if err != nil {
			return nil, err
		}
		for _, p := range page {
			all = append(all, provider.Project{ID: p.ID, Name: plaintext.Label(p.Name, maxName)})
		}
		next, err := upstream.NextURL(upstream.Answer{Header: header, URL: at}, origin)
		if err != nil {
			return nil, unavailable().Because(err)
		}
		if next == nil {
			return all, nil
		}
		at = next
	}
	return nil, fault.New(fault.UpstreamError, "the account has too many projects for one list")
}

// Suspended reports whether Basecamp says that an account of the user of an access token is
// suspended or has expired.
func (c *Client) Suspended(ctx context.Context, accessToken string, account int64) bool {
	at, err := url.Parse(fmt.Sprintf("%s/%d/account.json", c.APIURL, account))
	if err != nil {
		return false
	}
	var read struct{}
	_, err = getJSON(ctx, c.API, at, c.UserAgent, accessToken, maxDocument, &read)
	return errors.Is(err, errSuspended)
}
