// Command unwarmed is functions/mcp without its warm-ups, which shows what they are worth.
package main

import (
	"os"

	"basecamp-mcp/internal/app"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/lambdahttp"
)

func main() {
	cfg, err := config.Load(os.Getenv, app.Toolsets())
	if err != nil {
		panic(err)
	}
	endpoint, err := app.MCP(cfg, lambdahttp.Logger(cfg.LogLevel))
	if err != nil {
		panic(err)
	}
	lambdahttp.Start(endpoint)
}
