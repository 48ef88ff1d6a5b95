package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"strings"

	"basecamp-mcp/internal/app/local"
	"basecamp-mcp/internal/serve/mcphttp"
	"basecamp-mcp/internal/serve/stdio"
)

// ErrNoUser means that the configuration of a server on a pipe names no user.
var ErrNoUser = errors.New(`stdio needs a user. Set BASECAMP_CLIENT_ID and BASECAMP_CLIENT_SECRET of an application that you register at
https://launchpad.37signals.com/integrations with the redirect URI http://127.0.0.1:8787/oauth/callback, and sign in by the
link that the first tool call shows; or set BASECAMP_ACCESS_TOKEN to an access token of yours`)

// moreToolsOnPipe says how the user of a pipe gets the optional tools; see moreTools.
const moreToolsOnPipe = "the user starts this server with -toolsets %s"

// ServeStdio serves the user of Bearer over a pair of pipes until the input ends or ctx is done.
// The toolsets, separated by commas, and readOnly choose tools like the URL of the endpoint does;
// empty means the default toolsets.
func (l Local) ServeStdio(ctx context.Context, log *slog.Logger, toolsets string, readOnly bool, in io.Reader, out io.Writer) error {
	if l.Bearer == "" {
		return ErrNoUser
	}
	path, err := l.endpointPath(toolsets, readOnly)
	if err != nil {
		return err
	}
	server := &stdio.Server{Handler: l.Handler, URL: l.origin + path, Bearer: l.Bearer, Named: local.WithPipeClient, Log: log}
	return server.Serve(ctx, in, out)
}

// endpointPath returns the path of the endpoint with a selection of tools.
func (l Local) endpointPath(toolsets string, readOnly bool) (string, error) {
	path := "/mcp"
	if toolsets != "" {
		path += "/x/" + toolsets
	}
	selected, ok := mcphttp.ParsePath(path)
	if !ok || selected.ReadOnly {
		return "", fmt.Errorf("-toolsets must be names separated by commas; this server has %s", strings.Join(l.toolsets, ", "))
	}
	if name := selected.Unknown(l.toolsets); name != "" {
		return "", fmt.Errorf("-toolsets: unknown toolset %q; this server has %s", name, strings.Join(l.toolsets, ", "))
	}
	if selected.Toolsets != nil {
		path = "/mcp/x/" + url.PathEscape(strings.Join(selected.Toolsets, ","))
	}
	if readOnly {
		path += "/readonly"
	}
	return path, nil
}
