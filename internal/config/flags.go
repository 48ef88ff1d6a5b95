package config

import "flag"

// LocalFlags are the flags of the local server.
type LocalFlags struct {
	Addr     string
	Upstream string
	Store    string
}

// storeAWS is the Store of a local server whose stores are in AWS.
const storeAWS = "aws"

// Define adds the flags to a set. Their defaults need no account and no configuration.
func (l *LocalFlags) Define(set *flag.FlagSet) {
	set.StringVar(&l.Addr, "addr", "127.0.0.1:8787", "address to listen on")
	set.StringVar(&l.Upstream, "upstream", "sandbox", "sandbox for the made-up company on Basecamp and GitHub, or live for the real ones")
	set.StringVar(&l.Store, "store", "memory", "where logins, links, tasks and checklists are stored: memory, or aws for DynamoDB and Secrets Manager")
}

// StdioFlags are the flags that only the server on a pipe has. They choose tools, as the URL of the
// endpoint does for the others.
type StdioFlags struct {
	Toolsets string
	ReadOnly bool
}

// Define adds the flags to a set.
func (s *StdioFlags) Define(set *flag.FlagSet) {
	set.StringVar(&s.Toolsets, "toolsets", "", "stdio: the toolsets to serve, such as basecamp,github; empty for those of /mcp")
	set.BoolVar(&s.ReadOnly, "read-only", false, "stdio: serve only tools that read")
}
