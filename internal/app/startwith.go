package app

import (
	"fmt"
	"runtime"

	"basecamp-mcp/internal/config"
)

// startWith returns the command line that starts a local server with the credentials of an
// application, or an empty string if the user does not start it from a shell. The line asks for the
// secret, because a shell keeps its command lines in a history.
func startWith(c config.Config, application string) string {
	if c.Command == "" {
		return ""
	}
	id, secret := application+"_CLIENT_ID", application+"_CLIENT_SECRET"
	if runtime.GOOS == "windows" {
		return fmt.Sprintf("$env:%s = '...'; $env:%s = Read-Host 'Client secret'; %s", id, secret, c.Command)
	}
	return fmt.Sprintf("read -rs %[2]s && export %[2]s && %[1]s=... %[3]s", id, secret, c.Command)
}
