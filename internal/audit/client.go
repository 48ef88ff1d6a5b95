package audit

import "basecamp-mcp/internal/plaintext"

const (
	mostName    = 64 // characters of a client's name
	mostVersion = 32
)

// ClientName returns a short, printable name from what a client says about itself. The name is a
// claim that the server has not verified.
func ClientName(name, version string) string {
	name, version = plaintext.Label(name, mostName), plaintext.Label(version, mostVersion)
	if name == "" || version == "" {
		return name
	}
	return name + "/" + version
}
