// Command oauth is the Lambda function for logins: the authorization server, the callback of
// Basecamp's sign-on, and the pages. Once a day, a schedule makes it end the grants of users who
// left.
package main

import (
	"log/slog"
	"os"

	"basecamp-mcp/internal/app"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/serve/lambdahttp"
)

func main() {
	if err := serve(); err != nil {
		lambdahttp.Logger(slog.LevelError).Error("start", "err", err)
		os.Exit(1)
	}
}

func serve() error {
	cfg, err := config.LoadFunction(os.Getenv, app.Toolsets())
	if err != nil {
		return err
	}
	server, err := app.OAuth(cfg, lambdahttp.Logger(cfg.LogLevel))
	if err != nil {
		return err
	}
	lambdahttp.Start(server, server.Sweep, server.WarmUps...)
	return nil
}
