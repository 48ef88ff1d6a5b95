// Command sweep is the Lambda function that ends the grants of users who left. A schedule starts it
// once a day.
package main

import (
	"log/slog"
	"os"

	"basecamp-mcp/internal/app/awsstores"
	"basecamp-mcp/internal/app/sweeper"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/lambdahttp"
)

func main() {
	if err := serve(); err != nil {
		lambdahttp.Logger(slog.LevelError).Error("start", "err", err)
		os.Exit(1)
	}
}

func serve() error {
	cfg, err := config.LoadFunction(os.Getenv, nil)
	if err != nil {
		return err
	}
	f, err := sweeper.New(cfg, lambdahttp.Logger(cfg.LogLevel), awsstores.Outbound())
	if err != nil {
		return err
	}
	lambdahttp.StartTask(f.Run)
	return nil
}
