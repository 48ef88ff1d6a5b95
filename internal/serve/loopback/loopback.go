// Package loopback says which hosts are this machine. Only this machine can reach them, so plain
// HTTP is safe there. It does not look a name up: the answer could change.
package loopback

import (
	"net/netip"
	"strings"
)

// Host reports whether a host without a port is localhost, in any case, or a loopback address. An
// IPv6 address may have its brackets. Names that only begin or end with one of these are not
// loopback hosts.
func Host(name string) bool {
	if strings.EqualFold(name, "localhost") {
		return true
	}
	if bare, ok := strings.CutPrefix(name, "["); ok {
		if name, ok = strings.CutSuffix(bare, "]"); !ok {
			return false
		}
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.IsLoopback()
}
