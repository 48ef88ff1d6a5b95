package config

import "flag"

// LocalFlags are the flags of the local server.
type LocalFlags struct {
	Addr     string
	Upstream string
	Store    string
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
	set.StringVar(&l.Upstream, "upstream", "sandbox", "sandbox for the made-up company on Basecamp and GitHub, or live for the real ones")
	set.StringVar(&l.Store, "store", "memory", "where logins, links, tasks and checklists are stored: memory, or aws for DynamoDB and Secrets Manager")
	set.BoolVar(&l.NoClientDocuments, "no-client-documents", false, "let clients register instead of naming a metadata document, which an offline server cannot fetch")
}
