// Command mcp is the Lambda function behind /mcp.
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
	endpoint, err := app.MCP(cfg, lambdahttp.Logger(cfg.LogLevel))
	if err != nil {
		return err
	}
	lambdahttp.Start(endpoint, nil, endpoint.WarmUps...)
	return nil
}
