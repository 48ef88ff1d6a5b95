// Package sweeper wires the function that ends the grants of users who left. It knows no tools, so
// that the function stays small.
package sweeper

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
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
	table string
	log   *slog.Logger
}

// New returns the function. transport sends all requests.
func New(c config.Config, log *slog.Logger, transport http.RoundTripper) (*Function, error) {
	f := &Function{table: c.AWS.Table, log: log}
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
	f.sweep = sweep.New(sweep.Config{Table: in.Items.Sweep(launchpad.ProviderID, githubauth.ProviderID), Keeper: keepers(c, log, in, transport), Log: log})
	return f, nil
}

// keepers returns a function that returns the keeper of a provider. A provider that this deployment
// no longer has revokes nothing: the credentials of its application are gone.
func keepers(c config.Config, log *slog.Logger, in awsstores.Stores, transport http.RoundTripper) func(providerID string) *grant.Keeper {
	known := map[string]provider.Provider{launchpad.ProviderID: {ID: launchpad.ProviderID, Name: "Basecamp"}}
	if c.GitHub.Secret != "" {
		known[githubauth.ProviderID] = githubauth.New(githubauth.Config{
			URL: c.GitHub.URL, APIURL: c.GitHub.APIURL, Transport: transport, Credentials: in.Application(c.GitHub.Secret),
			UserAgent: version.UserAgent(cmp.Or(c.Contact, c.PublicURL)),
		}).Provider()
	}
	opened := map[string]*grant.Keeper{}
	return func(id string) *grant.Keeper {
		if opened[id] == nil {
			p, ok := known[id]
			if !ok {
				p = provider.Provider{ID: id, Name: id}
			}
			opened[id] = grant.New(grant.Config{Store: in.Tokens(id), Records: in.Items.Records(id), Provider: p, Log: log})
		}
		return opened[id]
	}
}

// mostRate is more read units a second than a run can take: its requests follow one another.
const mostRate = 10_000

// Run sweeps once, and writes a line with what it did.
func (f *Function) Run(ctx context.Context, event []byte) (any, error) {
	asked, err := options(event)
	if err != nil {
		return nil, err
	}
	if f.sweep == nil {
		return sweep.Report{DryRun: asked.DryRun, Complete: true}, nil
	}
	began, request := time.Now(), &telemetry.Request{}
	report, err := f.sweep.Run(telemetry.With(ctx, request), asked)
	f.tell(ctx, report, err, time.Since(began), request)
	return report, err
}

// options returns what an event asks for. The event of a schedule asks for nothing; it has other
// members. An operator's event with a misspelt dry_run is refused: it would change the table.
func options(event []byte) (o sweep.Options, err error) {
	var asked struct {
		DryRun   *bool  `json:"dry_run"`
		Rate     int    `json:"rate"`
		Schedule string `json:"detail-type"`
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(event, &members) != nil || json.Unmarshal(event, &asked) != nil || asked.DryRun == nil && asked.Schedule == "" && len(members) > 0 {
		return o, errors.New(`sweep: the event must be a JSON object such as {"dry_run": true, "rate": 200}`)
	}
	if asked.Rate < 0 || asked.Rate > mostRate {
		return o, fmt.Errorf("sweep: rate must be the read units a second, from 1 to %d, or 0 for the default", mostRate)
	}
	return sweep.Options{DryRun: asked.DryRun != nil && *asked.DryRun, Rate: asked.Rate}, nil
}

// tell writes the line of a run, with the metrics of stores that failed.
func (f *Function) tell(ctx context.Context, r sweep.Report, err error, took time.Duration, request *telemetry.Request) {
	line := []slog.Attr{
		slog.Bool("dry_run", r.DryRun), slog.Bool("complete", r.Complete), slog.Int("users", r.Users), slog.Int("ended", r.Ended),
		slog.Int("busy", r.Busy), slog.Int("failed", r.Failed),
		telemetry.Milliseconds("ms", took),
	}
	level := slog.LevelInfo
	switch {
	case err != nil:
		level, line = slog.LevelError, append(line, slog.Any("error", err))
	case r.Failed > 0:
		level = slog.LevelWarn
	}
	telemetry.Counts{Request: request}.Write(ctx, f.log, level, "sweep", line, f.table)
}
