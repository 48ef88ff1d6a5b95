// Package app wires the parts into the handlers that a process serves. It decides everything
// that depends on the place where the server runs, a Lambda or a user's machine.
package app

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // a Lambda has no time zone database

	"basecamp-mcp/internal/app/awsstores"
	"basecamp-mcp/internal/app/local"
	"basecamp-mcp/internal/basecamp/basecamptools"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/catalog/tools"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/config/version"
	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/github/githubtools"
	"basecamp-mcp/internal/own/task"
	"basecamp-mcp/internal/own/undo"
	"basecamp-mcp/internal/serve/icon"
	"basecamp-mcp/internal/serve/lambdahttp"
	"basecamp-mcp/internal/serve/mcphttp"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/views"
	"basecamp-mcp/internal/wire/upstream"
)

// Name is the server's name in its answers and requests.
const Name = "basecamp-mcp"

const instructions = `Texts are Markdown, times RFC 3339, dates YYYY-MM-DD.
A list answers has_more with next_cursor: repeat the call with cursor to go on. detail: full shows all; all_items is what all items share.
Errors name what to do next; repeat a call only when retryable is true.
Calls with the same idempotency_key within 24 h are done once.`

// moreTools says how a client gets the optional tools, given the names of all toolsets.
const moreTools = "the user connects you to /mcp/x/%s or names these in the header X-MCP-Toolsets"

func howToGetTools(c config.Config) string {
	if c.Stdio {
		return moreToolsOnPipe
	}
	return moreTools
}

// MCP returns the MCP endpoint as the Lambda serves it.
func MCP(c config.Config, log *slog.Logger) (Function, error) {
	var up basecampServer
	var hub *githubServer
	var access *access
	var warmUps []func(context.Context)
	if c.BasecampURL == config.Sandbox {
		c.Contact = cmp.Or(c.Contact, sandbox.BaseURL)
		demo := local.NewDemo()
		up, hub = demoUpstream(demo), demoGitHub(demo, c.PublicURL)
		access = newAccess(demo.Users(), newLogins(c, log, linkDemo(demo, log, hub, inMemory("", "")), signOn{}, hub.providers(userAgent(c))...), nil)
	} else {
		transport := awsstores.Outbound()
		var logins *logins
		var err error
		if logins, hub, err = deployed(c, log, transport, true); err != nil {
			return Function{}, err
		}
		up, access = basecampServer{baseURL: c.BasecampURL, transport: transport}, newAccess(local.NewStaticUsers(), logins, c.AllowedAccounts)
		warmUps = append(logins.warmUps(log), knock(transport, c.BasecampURL, userAgent(c)))
		if hub != nil {
			warmUps = append(warmUps, hub.warmUp, briefly(knock(transport, hub.apiURL, userAgent(c))))
		}
	}
	mux, server, err := newEndpoint(c, log, up, hub, access)
	if err != nil {
		return Function{}, err
	}
	return Function{finish(mux, server.ListDigest, mcphttp.NotFound(), c, log), append(warmUps, server.WarmUp), nil}, nil
}

// OAuth returns the authorization server with its pages, as another Lambda serves it.
func OAuth(c config.Config, log *slog.Logger) (Function, error) {
	if c.BasecampURL == config.Sandbox {
		// The instances share no storage, so users cannot log in.
		logins := newLogins(c, log, inMemory("", ""), signOn{})
		server := logins.server(c, log, undo.Changes{})
		server.Demo, server.Bearer = true, local.NewDemo().Logins[0].Bearer
		return Function{finish(http.NewServeMux(), nil, server, c, log), nil, logins.sweep(c, log)}, nil
	}
	transport := awsstores.Outbound()
	logins, hub, err := deployed(c, log, transport, false)
	if err != nil {
		return Function{}, err
	}
	all, err := logins.changes(c, log, basecampServer{baseURL: c.BasecampURL, transport: transport}, hub)
	if err != nil {
		return Function{}, err
	}
	warmUps := logins.warmUps(log)
	if hub != nil {
		warmUps = append(warmUps, hub.warmUp)
	}
	return Function{finish(http.NewServeMux(), nil, logins.server(c, log, all), c, log), warmUps, logins.sweep(c, log)}, nil
}

// origin returns the public origin: the configured one, or the host that the adapter took from the
// gateway's own domain name. It never depends on a header, which clients control.
func origin(c config.Config) func(*http.Request) string {
	return func(r *http.Request) string { return cmp.Or(c.PublicURL, "https://"+r.Host) }
}

// deployed returns the logins of a real deployment, and its GitHub, or nil without one. The role of
// the MCP function allows less than that of the OAuth function: it refreshes what users' secrets
// contain, but cannot create or delete them, nor make tokens of this server.
func deployed(c config.Config, log *slog.Logger, transport http.RoundTripper, isEndpoint bool) (*logins, *githubServer, error) {
	if err := c.Complete(); err != nil {
		return nil, nil, err
	}
	awsstores.ReadAuthoritiesOnce()
	s, err := inAWS(c.AWS, log, transport, nil)
	if err != nil {
		return nil, nil, err
	}
	if isEndpoint {
		s = s.endpoint(s)
	}
	hub := newGitHub(c, s, transport)
	return newLogins(c, log, s, signOn{transport: transport}, hub.providers(userAgent(c))...), hub, nil
}

// basecampServer is the Basecamp that a server uses.
type basecampServer struct {
	baseURL   string
	transport http.RoundTripper // nil: the network
	outside   http.RoundTripper // to all other hosts; nil: only public hosts
	unlimited bool              // whether it has no rate limit
}

// newEndpoint returns a mux that serves /mcp, /tools and the paths below them.
func newEndpoint(c config.Config, log *slog.Logger, up basecampServer, hub *githubServer, access *access) (*http.ServeMux, *mcptool.Server, error) {
	access.verifier.Machines = c.Programs()
	client, err := up.client(c, access.Credential)
	if err != nil {
		return nil, nil, err
	}
	kept := access.logins.storage
	var onGitHub *github.Client
	if hub != nil {
		if onGitHub, err = hub.client(userAgent(c), access); err != nil {
			return nil, nil, fmt.Errorf("github client: %w", err)
		}
	}
	sources := tools.Sources{Basecamp: client, GitHub: onGitHub, Lists: access.lists, Tasks: task.New(kept.Tasks, nil), Links: kept.links(), Connections: access.connections}
	about := mcphttp.About{Name: Name, Title: "Basecamp", Description: "Reads and updates a team's Basecamp as the user who signed in.", Version: version.String()}
	server := mcptool.NewServer(served(tools.Catalog(sources), c), mcptool.Options{
		Name:          about.Name,
		Title:         about.Title,
		Description:   about.Description,
		Icon:          mcptool.Icon{Source: icon.URI(), Type: icon.Type},
		Version:       about.Version,
		Instructions:  instructions,
		MoreTools:     howToGetTools(c),
		Log:           log,
		Table:         c.AWS.Table,
		Meter:         upstream.Meter,
		Waited:        upstream.Waited,
		Providers:     access.logins.described(),
		ReconnectURL:  access.ReconnectURL,
		EndConnection: access.EndConnection,
		Calls:         access.logins.calls,
		Views:         pagesOfTools(),
		Restorers:     sources.Restorers(),
	})
	guard := &mcphttp.Guard{
		Catalog:       server,
		Authenticator: access,
		Origin:        origin(c),
		ReadOnly:      c.ReadOnly,
		Log:           log,
	}
	bridge := &mcphttp.Bridge{Guard: guard, Definitions: server.Definitions, Tool: server.Tool, Unknown: server.Unknown}
	mux := http.NewServeMux()
	mcphttp.Card(mux, about, origin(c), server.ListDigest)
	mux.Handle("/mcp", mcphttp.FrontPage(guard))
	mux.Handle("/mcp/", mcphttp.FrontPage(guard))
	mux.Handle("/tools", bridge)
	mux.Handle("/tools/", bridge)
	return mux, server, nil
}

// pagesOfTools returns the pages that clients can show beside answers.
func pagesOfTools() (all []mcptool.View) {
	for _, p := range views.Pages() {
		all = append(all, mcptool.View(p))
	}
	return all
}

// finish adds the paths that every process serves, and the middleware. All other paths go to rest.
// digest returns that of the list of tools, and is nil for a process without tools.
func finish(mux *http.ServeMux, digest func() string, rest http.Handler, c config.Config, log *slog.Logger) http.Handler {
	mcphttp.Health(mux, version.String(), digest)
	icon.Handle(mux)
	mux.Handle("/", rest)
	return mcphttp.WithRequestID(mcphttp.WithLine(mcphttp.Recover(overHTTPS(mux, origin(c)), log), log, c.AWS.Table, initTime), gatewayRequestID)
}

// overHTTPS makes browsers use only https for this host (RFC 6797, 7.1), if the public origin uses
// https.
func overHTTPS(next http.Handler, origin func(*http.Request) string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(origin(r), "https://") {
			w.Header().Set("Strict-Transport-Security", "max-age=31536000")
		}
		next.ServeHTTP(w, r)
	})
}

// initTime returns how long the Lambda function took to start; zero outside a Lambda.
func initTime(r *http.Request) time.Duration { return lambdahttp.InitTime(r.Context()) }

// gatewayRequestID returns the gateway's ID of a request. It is empty without a gateway; then the
// middleware creates one.
func gatewayRequestID(r *http.Request) string { return lambdahttp.RequestID(r.Context()) }

// userAgent returns the server's name and a contact of the operator, which Basecamp requires of
// every client (bc3-api README, "Identifying your application"): the configured contact, or the
// server's own address.
func userAgent(c config.Config) string {
	return version.UserAgent(cmp.Or(c.Contact, c.PublicURL))
}

// Toolsets returns the names of all toolsets.
func Toolsets() []string { return tools.Toolsets() }

// toolsets returns the names of the toolsets that the deployment serves. The one for administrators
// is among them only if the operator lists it.
func toolsets(c config.Config) []string {
	if len(c.Toolsets) > 0 {
		return c.Toolsets
	}
	return slices.DeleteFunc(tools.Toolsets(), func(name string) bool {
		return name == githubtools.Name && !c.HasGitHub() || name == basecamptools.BasecampAdmin
	})
}

// served returns the toolsets that the deployment serves. If it names toolsets, all clients get
// these and no others.
func served(all []mcptool.Toolset, c config.Config) []mcptool.Toolset {
	names := toolsets(c)
	all = slices.DeleteFunc(all, func(t mcptool.Toolset) bool { return !slices.Contains(names, t.Name) })
	if len(c.Toolsets) == 0 {
		return all
	}
	for i := range all {
		all[i].Optional = false
	}
	return all
}
