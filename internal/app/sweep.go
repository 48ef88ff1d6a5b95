package app

import (
	"context"
	"log/slog"

	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/github/githubauth"
	"basecamp-mcp/internal/own/sweep"
	"basecamp-mcp/internal/serve/lambdahttp"
	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/signin/provider"
)

// sweep returns the task that ends the grants of users who left, also those at a GitHub that was
// switched off: nothing is revoked there, because the credentials of its application are gone.
func (l *logins) sweep(c config.Config, log *slog.Logger) lambdahttp.Task {
	var keepers []*grant.Keeper
	for _, p := range l.providers {
		keepers = append(keepers, p.Keeper)
	}
	if _, ok := l.linked(githubauth.ProviderID); !ok {
		keepers = append(keepers, newKeeper(l.storage, log, provider.Provider{ID: githubauth.ProviderID}, false))
	}
	s := sweep.Sweep{Keepers: keepers, Families: l.Auth, Log: log, Table: c.AWS.Table}
	return func(ctx context.Context, dryRun bool) (any, error) { return s.Run(ctx, dryRun) }
}
