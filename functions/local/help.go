package main

import (
	"flag"
	"fmt"
	"io"
	"strings"

	"basecamp-mcp/internal/config"
)

const helpTop = `basecamp-mcp lets AI assistants read and update Basecamp, and GitHub if you configure it.

Usage: basecamp-mcp [command] [flags]

Commands
`

const helpEnd = `
Without -upstream live, a made-up company takes the place of Basecamp and GitHub. For your own
Basecamp, set one of these variables of the environment; docs/configuration.md lists all:
  BASECAMP_ACCESS_TOKEN      an access token of yours; only you use the server
  BASECAMP_CLIENT_ID and BASECAMP_CLIENT_SECRET
                             of an application, made at https://launchpad.37signals.com/integrations
                             with the redirect URI http://127.0.0.1:8787/oauth/callback

Examples
  basecamp-mcp
  read -rs BASECAMP_ACCESS_TOKEN && export BASECAMP_ACCESS_TOKEN
                             asks for the token in bash and zsh, whose history does not keep it
  basecamp-mcp -upstream live
  basecamp-mcp stdio -upstream live -read-only
`

// help writes the help text.
func help(out io.Writer) error {
	var b strings.Builder
	b.WriteString(helpTop)
	for _, c := range commands() {
		fmt.Fprintf(&b, "  %-15s  %s\n", c.name+c.then, c.does)
	}
	b.WriteString("\nFlags of serve and stdio\n")
	flagSet(new(config.LocalFlags).Define, new(config.StdioFlags).Define).VisitAll(func(f *flag.Flag) {
		name := "-" + f.Name
		if f.DefValue != "" && f.DefValue != "false" {
			name += " " + f.DefValue
		}
		fmt.Fprintf(&b, "  %s\n      %s\n", name, f.Usage)
	})
	b.WriteString(helpEnd)
	_, err := io.WriteString(out, b.String())
	return err
}
