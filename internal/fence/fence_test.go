package fence

import (
	"reflect"
	"testing"
)

func TestWithin_AllowsOnlyWhatBothAllow(t *testing.T) {
	person := Fence{
		Read:         &Places{Projects: []int64{1, 2}, Repos: []string{"fernhill/shop"}},
		WritesAnHour: 30, NoLinks: true, LinkHosts: []string{"fernhill.example", "docs.example"},
	}
	operator := Fence{
		Read: &Places{Projects: []int64{2, 3}, Repos: []string{"Fernhill/Shop"}}, Write: &Places{Projects: []int64{2}}, NoPings: true,
		WritesAnHour: 100, Lockdown: true, NoLinks: true, LinkHosts: []string{"docs.example"},
	}
	want := Fence{
		Read: &Places{Projects: []int64{2}, Repos: []string{"fernhill/shop"}}, Write: &Places{Projects: []int64{2}},
		NoPings: true, WritesAnHour: 30, Lockdown: true, NoLinks: true, LinkHosts: []string{"docs.example"},
	}
	if got := person.Within(operator); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	if got := (Fence{}).Within(Fence{}); got.Read != nil || got.Write != nil {
		t.Errorf("two fences that bound nothing: %+v", got)
	}
}

func TestPlaces_AllContainEverything(t *testing.T) {
	var all *Places
	none := &Places{}
	if !all.HasProject(1) || !all.HasRepo("a/b") || !all.HasBoard("a/1") || none.HasProject(1) || none.HasRepo("a/b") || none.HasBoard("a/1") {
		t.Error("nil must contain everything, and an empty value nothing")
	}
}
