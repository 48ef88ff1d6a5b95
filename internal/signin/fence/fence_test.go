package fence

import (
	"reflect"
	"testing"
)

func TestReading_OnlyNarrows(t *testing.T) {
	write := &Places{Projects: []int64{2}}
	for name, test := range map[string]struct{ read, want *Places }{
		"all":    {nil, &Places{Projects: []int64{2, 3}}},
		"places": {&Places{Account: 7, Projects: []int64{1, 2}, Repos: []string{"fernhill/shop"}}, &Places{Account: 7, Projects: []int64{2}}},
		"none":   {&Places{}, &Places{Projects: []int64{}}},
	} {
		want := Fence{Read: test.want, Write: write, NoPings: true, Lockdown: true}
		if got := (Fence{Read: test.read, Write: write, NoPings: true, Lockdown: true}).Reading([]int64{2, 3}); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %s", name, got.Text())
		}
	}
}

func TestPlaces_AllContainEverything(t *testing.T) {
	var all *Places
	none := &Places{}
	if !all.HasProject(1) || !all.HasRepo("a/b") || !all.HasBoard("a/1") || none.HasProject(1) || none.HasRepo("a/b") || none.HasBoard("a/1") {
		t.Error("nil must contain everything, and an empty value nothing")
	}
}
