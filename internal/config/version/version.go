// Package version knows which release this program is. The version is a tag of the repository,
// without the v, and no constant: GoReleaser and sam build pass the tag to the linker, and go
// build records it by itself.
package version

import (
	"regexp"
	"runtime/debug"
	"strings"
)

// tag is set by the linker: -X basecamp-mcp/internal/config/version.tag=v1.2.3.
var tag string

// String returns the version of this program, such as 1.2.3. A build of a commit without a tag is
// dev, with the commit if go build recorded it: dev-0123456789ab.
func String() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return name(tag, info.Main.Version)
	}
	return name(tag, "")
}

// UserAgent returns the name and the version of this program, and a contact of its operator: an
// email address or a link.
func UserAgent(contact string) string { return "basecamp-mcp/" + String() + " (" + contact + ")" }

// pseudo matches the version that go build records for a commit without a tag: the time and the
// beginning of the commit's ID.
var pseudo = regexp.MustCompile(`[-.]\d{14}-([0-9a-f]{12})(?:\+\w+)?$`)

// name returns the version by the tag that the linker was given, or else by the version that
// go build recorded.
func name(tag, recorded string) string {
	if tag != "" {
		return strings.TrimPrefix(tag, "v")
	}
	if commit := pseudo.FindStringSubmatch(recorded); commit != nil {
		return "dev-" + commit[1]
	}
	if released, ok := strings.CutPrefix(recorded, "v"); ok {
		return released
	}
	return "dev"
}
