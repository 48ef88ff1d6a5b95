package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"basecamp-mcp/internal/config"
)

// health asks the server at -addr whether it serves, for an image that has no other program.
func health(ctx context.Context, arguments []string, _ io.Reader, out io.Writer) error {
	var chosen config.LocalFlags
	if err := parse(arguments, chosen.Define); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+withHost(chosen.Addr)+"/healthz", http.NoBody)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answers %s", request.URL, response.Status)
	}
	_, copied := io.Copy(out, response.Body)
	return errors.Join(err, copied, response.Body.Close())
}
