package config

import (
	"flag"
	"os"
	"path/filepath"
)

// LocalFlags are the flags of the local server.
type LocalFlags struct {
	Addr       string
	Upstream   string
	Store      string
	StoreGiven bool   // whether the user chose Store or Data
	Data       string // directory of the file store; empty: basecamp-mcp in the user's configuration directory
	// NoClientDocuments makes clients register. An offline server cannot fetch their documents.
	NoClientDocuments bool
	PrintBearer       bool // also if other machines can reach the server
}

// storeAWS is the Store of a local server whose stores are in AWS.
const storeAWS = "aws"

// Define adds the flags to a set. Their defaults need no account and no configuration.
func (l *LocalFlags) Define(set *flag.FlagSet) {
	set.StringVar(&l.Addr, "addr", "127.0.0.1:8787", "address to listen on; 8801 means 127.0.0.1:8801")
	set.BoolVar(&l.PrintBearer, "print-bearer", false, "show the bearer token also if -addr lets other machines connect")
	set.StringVar(&l.Upstream, "upstream", "sandbox", "sandbox for the made-up company on Basecamp and GitHub, live for the real ones, or auto: live if an application or a token of Basecamp is set")
	set.BoolVar(&l.NoClientDocuments, "no-client-documents", false, "let clients register instead of naming a metadata document, which an offline server cannot fetch")
	l.Store = "file"
	set.Var(chosen{&l.Store, &l.StoreGiven}, "store", "where logins, links, tasks and checklists are stored: file, memory, or aws for DynamoDB and Secrets Manager")
	set.Var(chosen{&l.Data, &l.StoreGiven}, "data", "directory of -store file; if empty, basecamp-mcp in your configuration directory")
}

// chosen is a flag that notes that the user gave it.
type chosen struct {
	value *string
	given *bool
}

func (c chosen) String() string {
	if c.value == nil {
		return ""
	}
	return *c.value
}

func (c chosen) Set(value string) error {
	*c.value, *c.given = value, true
	return nil
}

// data returns the directory of the file store. It is empty if the system has no configuration
// directory for this user.
func (l *LocalFlags) data() string {
	if l.Data != "" {
		return l.Data
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "basecamp-mcp")
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
