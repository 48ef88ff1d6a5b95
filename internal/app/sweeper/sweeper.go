// Package sweeper wires the function that ends the grants of users who left. It knows no tools, so
// that the function stays small.
package sweeper

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"basecamp-mcp/internal/app/awsstores"
	"basecamp-mcp/internal/basecamp/launchpad"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/github/githubauth"
	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/provider"
	"basecamp-mcp/internal/sweep"
	"basecamp-mcp/internal/telemetry"
	"basecamp-mcp/internal/version"
)

// Function is the function of a deployment.
type Function struct {
	sweep *sweep.Sweep // nil for the demo, which keeps no users
	name  string
	log   *slog.Logger
}

// New returns the function. transport sends all requests.
func New(c config.Config, log *slog.Logger, transport http.RoundTripper) (*Function, error) {
	f := &Function{name: c.Function, log: log}
	if c.BasecampURL == config.Sandbox {
		return f, nil
	}
	if err := c.Complete(); err != nil {
		return nil, err
	}
	awsstores.ReadAuthoritiesOnce()
	in, err := awsstores.Open(c.AWS, log, transport)
	if err != nil {
		return nil, err
	}
	f.sweep = sweep.New(sweep.Config{Table: in.Items, Keeper: keepers(c, log, in, transport), Log: log})
	return f, nil
}

// keepers returns a function that returns the keeper of a provider. A provider that this deployment
// no longer has revokes nothing: the credentials of its application are gone.
func keepers(c config.Config, log *slog.Logger, in awsstores.Stores, transport http.RoundTripper) func(providerID string) sweep.Keeper {
	known := map[string]provider.Provider{launchpad.ProviderID: {ID: launchpad.ProviderID, Name: "Basecamp"}}
	if c.GitHub.Secret != "" {
		known[githubauth.ProviderID] = githubauth.New(githubauth.Config{
			URL: c.GitHub.URL, APIURL: c.GitHub.APIURL, Transport: transport, Credentials: in.Application(c.GitHub.Secret),
			UserAgent: version.UserAgent(cmp.Or(c.Contact, c.PublicURL)),
		}).Provider()
	}
	opened := map[string]*grant.Keeper{}
	return func(id string) sweep.Keeper {
		if opened[id] == nil {
			p, ok := known[id]
			if !ok {
				p = provider.Provider{ID: id, Name: id}
			}
			tokens := in.Tokens(id)
			opened[id] = grant.New(grant.Config{Store: tokens, Places: tokens, Records: in.Items.Records(id), Provider: p, Log: log})
		}
		return opened[id]
	}
}

// Run sweeps once, and writes a line with what it did. The event of a schedule has no dry_run.
func (f *Function) Run(ctx context.Context, event []byte) (any, error) {
	var asked struct {
		DryRun bool `json:"dry_run"`
	}
	if err := json.Unmarshal(event, &asked); err != nil {
		return nil, fmt.Errorf(`sweep: the event must be a JSON object such as {"dry_run": true}`)
	}
	if f.sweep == nil {
		return sweep.Report{DryRun: asked.DryRun, Complete: true}, nil
	}
	began, request := time.Now(), &telemetry.Request{}
	report, err := f.sweep.Run(telemetry.With(ctx, request), asked.DryRun)
	f.tell(ctx, report, err, time.Since(began), request)
	return report, err
}

// tell writes the line of a run, with its metrics. A dry run has none, except failures of stores.
func (f *Function) tell(ctx context.Context, r sweep.Report, err error, took time.Duration, request *telemetry.Request) {
	line := []slog.Attr{
		slog.Bool("dry_run", r.DryRun), slog.Bool("complete", r.Complete), slog.Int("users", r.Users), slog.Int("ended", r.Ended),
		slog.Int("moved", r.Moved), slog.Int("tidied", r.Tidied), slog.Int("busy", r.Busy), slog.Int("failed", r.Failed),
		slog.Float64("read_units", r.ReadUnits), telemetry.Milliseconds("ms", took),
	}
	level := slog.LevelInfo
	if err != nil {
		level, line = slog.LevelError, append(line, slog.Any("error", err))
	}
	counts := telemetry.Counts{Request: request}
	if !r.DryRun {
		counts.Totals = []telemetry.Total{{Name: "SweepEnded", N: r.Ended}, {Name: "SweepMoved", N: r.Moved}, {Name: "SweepFailed", N: r.Failed}}
	}
	counts.Write(ctx, f.log, level, "sweep", line, f.name)
}
