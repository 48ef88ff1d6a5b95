package version

import "testing"

func TestName_IsTheTagOfTheRelease(t *testing.T) {
	for _, test := range []struct{ tag, recorded, want string }{
		{"v0.2.0", "(devel)", "0.2.0"},
		{"v0.2.0", "v0.0.0-20261122235801-cbf653d4a5b6", "0.2.0"},
		{"0.2.0-rc.1", "", "0.2.0-rc.1"},
		{"v0.2.0-5-gcbf653d", "", "0.2.0-5-gcbf653d"},
		{"", "v0.2.0", "0.2.0"},
		{"", "v0.2.0+dirty", "0.2.0+dirty"},
		{"", "v1.0.0-rc.1", "1.0.0-rc.1"},
		{"", "v0.0.0-20261122235801-cbf653d4a5b6", "dev-cbf653d4a5b6"},
		{"", "v0.2.1-0.20261122235801-cbf653d4a5b6+dirty", "dev-cbf653d4a5b6"},
		{"", "v0.2.0-rc.1.0.20261122235801-cbf653d4a5b6", "dev-cbf653d4a5b6"},
		{"", "(devel)", "dev"},
		{"", "", "dev"},
	} {
		if got := name(test.tag, test.recorded); got != test.want {
			t.Errorf("tag %q, recorded %q: %s, want %s", test.tag, test.recorded, got, test.want)
		}
	}
}
