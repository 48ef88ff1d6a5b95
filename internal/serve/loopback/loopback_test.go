package loopback

import "testing"

func TestHost_IsThisMachineOnly(t *testing.T) {
	for name, want := range map[string]bool{
		"localhost": true, "LocalHost": true, "127.0.0.1": true, "127.9.9.9": true, "::1": true, "[::1]": true, "::ffff:127.0.0.1": true,
		"": false, "localhost.example": false, "127.0.0.1.example": false, "fernhill.localhost": false, "127.1": false, "0x7f000001": false, "2130706433": false,
		"0.0.0.0": false, "::": false, "10.0.0.1": false, "128.0.0.1": false, "[::1": false, "::1]": false, "[127.0.0.1": false, "localhost:80": false, "[]": false,
	} {
		if got := Host(name); got != want {
			t.Errorf("%q: %t", name, got)
		}
	}
}
