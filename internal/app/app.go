// Package app wires the parts into what a process serves. Everything that depends on where the product runs, a Lambda or
// one's own machine, is decided here and nowhere else.
package app

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // a Lambda has no time zones of its own

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/idempotency"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/lambdahttp"
	"basecamp-mcp/internal/mcphttp"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/task"
	"basecamp-mcp/internal/tools"
)

// Name and Version are what the server calls itself.
const (
	Name    = "basecamp-mcp"
	Version = "0.1.0"
)

const instructions = `Texts are Markdown, times RFC 3339, dates YYYY-MM-DD.
A list answers has_more with next_cursor: repeat the call with cursor to go on.
Errors name what to do next; repeat a call only when retryable is true.`

// MCP is the endpoint as the Lambda serves it.
func MCP(c config.Config, log *slog.Logger) (Function, error) {
	var up upstream
	var door *door
	var warmUps []func(context.Context)
	if c.BasecampURL == config.Sandbox {
		c.Contact = cmp.Or(c.Contact, sandbox.BaseURL)
		demo := newDemo()
		up, door = demo.upstream(), newDoor(demo.people(), nobody(c, log), nil)
	} else {
		transport := outbound()
		logins, err := deployed(c, log, transport)
		if err != nil {
			return Function{}, err
		}
		up, door = upstream{baseURL: c.BasecampURL, transport: transport}, newDoor(newPeople(), logins, c.AllowedAccounts)
		warmUps = append(logins.warmUps(), knock(transport, c.BasecampURL, userAgent(c)))
	}
	mux, server, err := newEndpoint(c, log, up, door, origin(c))
	if err != nil {
		return Function{}, err
	}
	return Function{finish(mux, mcphttp.NotFound(), c, log), append(warmUps, server.WarmUp)}, nil
}

// OAuth is the authorization server with its pages, as the other Lambda serves it.
func OAuth(c config.Config, log *slog.Logger) (Function, error) {
	if c.BasecampURL == config.Sandbox {
		server := nobody(c, log).server(c, log, origin(c))
		server.Demo, server.Bearer = true, newDemo().logins[0].bearer
		return Function{Handler: finish(http.NewServeMux(), server, c, log)}, nil
	}
	logins, err := deployed(c, log, outbound())
	if err != nil {
		return Function{}, err
	}
	return Function{finish(http.NewServeMux(), logins.server(c, log, origin(c)), c, log), logins.warmUps()}, nil
}

// origin is the public one: as configured, or else the host the adapter took from the gateway's own domain name, never from
// a header (R9).
func origin(c config.Config) func(*http.Request) string {
	return func(r *http.Request) string { return cmp.Or(c.PublicURL, "https://"+r.Host) }
}

// deployed are the logins of a real deployment.
func deployed(c config.Config, log *slog.Logger, transport http.RoundTripper) (*logins, error) {
	if err := c.Complete(); err != nil {
		return nil, err
	}
	readAuthoritiesOnce()
	s, err := inAWS(c.AWS, transport)
	if err != nil {
		return nil, err
	}
	return newLogins(c, log, s, signOn{transport: transport}), nil
}

// nobody is a place where no login can be made: the demo on a Lambda, whose instances share nothing.
func nobody(c config.Config, log *slog.Logger) *logins {
	return newLogins(c, log, inMemory("", ""), signOn{})
}

// upstream is a Basecamp.
type upstream struct {
	baseURL   string
	transport http.RoundTripper // nil: the network
	outside   http.RoundTripper // to everybody else; nil: public hosts alone
	unlimited bool              // whether it takes any number of requests
}

// newEndpoint serves /mcp, /tools and what is below them to whoever the door lets in.
func newEndpoint(c config.Config, log *slog.Logger, up upstream, door *door, origin func(*http.Request) string) (*http.ServeMux, *mcptool.Server, error) {
	client, err := basecamp.New(basecamp.Config{
		BaseURL:   up.baseURL,
		UserAgent: userAgent(c),
		Transport: up.transport,
		Outside:   up.outside,
		Tokens:    door,
		Unlimited: up.unlimited,
	})
	if err != nil {
		return nil, nil, fmt.Errorf("basecamp client: %w", err)
	}
	kept := door.logins.storage
	sources := tools.Sources{Basecamp: client, Lists: door.lists, Tasks: task.New(kept.tasks, nil)}
	server := mcptool.NewServer(served(tools.Catalog(sources), c), mcptool.Options{
		Name:         Name,
		Title:        "Basecamp",
		Version:      Version,
		Instructions: instructions,
		Log:          log,
		Function:     c.Function,
		Meter:        basecamp.Meter,
		Waited:       basecamp.Waited,
		Reconnector:  door,
		Once:         idempotency.NewRunner(kept.once, log, nil),
		Audit:        door.logins.trail,
	})
	offer := catalog{server}
	guard := &mcphttp.Guard{
		Catalog:        offer,
		Authenticator:  door,
		Sessions:       door,
		Origin:         origin,
		AllowedOrigins: c.AllowedOrigins,
		ReadOnly:       c.ReadOnly,
		Log:            log,
	}
	bridge := &mcphttp.Bridge{Guard: guard, Toolbox: offer}
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcphttp.FrontPage(guard))
	mux.Handle("/mcp/", mcphttp.FrontPage(guard))
	mux.Handle("/tools", bridge)
	mux.Handle("/tools/", bridge)
	return mux, server, nil
}

// finish adds what every process serves, and the rest.
func finish(mux *http.ServeMux, rest http.Handler, c config.Config, log *slog.Logger) http.Handler {
	mcphttp.Health(mux, Version)
	mux.Handle("/", rest)
	return mcphttp.WithRequestID(mcphttp.WithLine(mcphttp.Recover(overHTTPS(mux, origin(c)), log), log, c.Function, initTime), gatewayRequestID)
}

// overHTTPS tells browsers with every answer to come back over https alone, where the public origin has it (V6).
func overHTTPS(next http.Handler, origin func(*http.Request) string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(origin(r), "https://") {
			w.Header().Set("Strict-Transport-Security", "max-age=31536000")
		}
		next.ServeHTTP(w, r)
	})
}

// initTime is how long the function took to start; zero for what is none.
func initTime(r *http.Request) time.Duration { return lambdahttp.InitTime(r.Context()) }

// gatewayRequestID is the id the gateway knows a request by; "" where there is none, and one is made up.
func gatewayRequestID(r *http.Request) string { return lambdahttp.RequestID(r.Context()) }

// userAgent names us and how to reach whoever runs this, which Basecamp asks of every client: by the contact that was
// configured, or else by the server's own address.
func userAgent(c config.Config) string {
	return fmt.Sprintf("%s/%s (%s)", Name, Version, cmp.Or(c.Contact, c.PublicURL))
}

// Toolsets names every toolset there is.
func Toolsets() []string { return tools.Toolsets() }

// toolsets are the names of those the deployment has switched on.
func toolsets(c config.Config) []string {
	if len(c.Toolsets) == 0 {
		return tools.Toolsets()
	}
	return c.Toolsets
}

// served are the toolsets the deployment has switched on. Those it names are served to everybody, and no others to anybody.
func served(all []mcptool.Toolset, c config.Config) []mcptool.Toolset {
	if len(c.Toolsets) == 0 {
		return all
	}
	all = slices.DeleteFunc(all, func(t mcptool.Toolset) bool { return !slices.Contains(c.Toolsets, t.Name) })
	for i := range all {
		all[i].Optional = false
	}
	return all
}

// catalog lets the guard and the bridge choose from the server's tools.
type catalog struct{ *mcptool.Server }

func (c catalog) Scope(s mcphttp.Selection, tool string) (identity.Scope, bool) {
	return c.Server.Scope(s.Toolsets, s.ReadOnly, tool)
}

func (c catalog) Handler(s mcphttp.Selection) http.Handler {
	return c.Server.Handler(s.Toolsets, s.ReadOnly)
}

func (c catalog) Definitions(s mcphttp.Selection) json.RawMessage {
	return c.Server.Definitions(s.Toolsets, s.ReadOnly)
}

func (c catalog) Tool(s mcphttp.Selection, name string) (func(context.Context, json.RawMessage) json.RawMessage, bool) {
	return c.Bridged(s.Toolsets, s.ReadOnly, name)
}
