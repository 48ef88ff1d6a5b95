package app

import (
	"log/slog"

	"basecamp-mcp/internal/app/local"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/github/githubauth"
	githubsandbox "basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/grant"
)

func demoUpstream(d local.Demo) basecampServer {
	company := d.Sandbox.Transport()
	return basecampServer{baseURL: sandbox.BaseURL, transport: company, outside: company, unlimited: true}
}

// demoSignOn returns the place where the demo's people log in. Browsers reach it below the server's
// own origin.
func demoSignOn(d local.Demo, origin string) signOn {
	return signOn{url: sandbox.BaseURL, browserURL: origin + local.SignOnPath, transport: d.Sandbox.Transport()}
}

// demoGitHub returns the demo's GitHub. Browsers reach its pages below the server's own origin.
// An empty origin means that they cannot reach them.
func demoGitHub(d local.Demo, origin string) *githubServer {
	g := &githubServer{
		url: githubsandbox.URL, apiURL: githubsandbox.APIURL, transport: d.GitHub.Transport(), unlimited: true,
		credentials: fixed(githubsandbox.ClientID, githubsandbox.ClientSecret),
	}
	if origin != "" {
		g.browserURL = origin + local.GitHubPath
	}
	return g
}

// linkDemo returns s with records of GitHub in which the demo's people are linked already, except
// one who has not done so yet. A person is linked at the first look at the person's record, because
// a start must not wait for the stores, nor make the data of a GitHub that no caller uses.
func linkDemo(d local.Demo, log *slog.Logger, hub *githubServer, s storage) storage {
	keeper := newKeeper(s, log, hub.providers(Name)[0], false)
	all := s.records
	s.records = func(providerID string) grant.Records {
		if providerID != githubauth.ProviderID {
			return all(providerID)
		}
		return d.Records(all(providerID), keeper)
	}
	return s
}
