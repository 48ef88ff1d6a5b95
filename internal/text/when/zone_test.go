package when

import (
	"archive/zip"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestZone_KnowsTheNamesOfRails(t *testing.T) {
	for name, want := range railsZones {
		if got, ok := Zone(name); !ok || got.String() != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	for name, known := range map[string]bool{"America/New_York": true, "UTC": true, "": false, "Local": false, "Eastern Time": false, "../etc/passwd": false} {
		if got, ok := Zone(name); ok != known {
			t.Errorf("%q: %v", name, got)
		}
	}
}

// everyZone returns the time zones of Go's database. A test that was built with -trimpath learns
// only from the go command where that is.
func everyZone(t *testing.T) (all []*time.Location) {
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	archive, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	for _, f := range archive.File {
		if !strings.HasSuffix(f.Name, "/") {
			all = append(all, zone(t, f.Name))
		}
	}
	return all
}

func TestDays_BeginOnTheirDateAroundEveryChangeOfClocksInEveryTimeZone(t *testing.T) {
	changes, withoutMidnight := 0, 0
	for _, where := range everyZone(t) {
		last := time.Date(2040, time.January, 1, 0, 0, 0, 0, where)
		for at := time.Date(2020, time.January, 1, 0, 0, 0, 0, where); at.Before(last); {
			_, end := at.ZoneBounds()
			if end.IsZero() {
				break
			}
			at = end.In(where)
			changes++
			for ahead := -1; ahead <= 2; ahead++ {
				day := DateOf(at).AddDate(0, 0, ahead)
				begins := Beginning(day, where)
				if DateOf(begins) != day || !DateOf(begins.Add(-time.Nanosecond)).Before(day) || !After(Beginning(day.AddDate(0, 0, -1), where), 1).Equal(begins) {
					t.Errorf("%s: %s begins at %s", where, day.Format(time.DateOnly), begins)
				}
				if hour, minute, _ := begins.Clock(); hour+minute > 0 {
					withoutMidnight++
				}
			}
		}
	}
	if changes < 5000 || withoutMidnight < 100 {
		t.Errorf("only %d changes of clocks, %d days without a midnight", changes, withoutMidnight)
	}
}

func TestRepeat_FallsOnTheDatesThatPeopleMean(t *testing.T) {
	for _, c := range []struct {
		repeat    Repeat
		first     string
		on, notOn []string
	}{
		{Repeat{Unit: "day"}, "2028-02-28", []string{"2028-02-29", "2028-03-01"}, nil},
		{Repeat{Unit: "day", Days: []int{1, 5}}, "2027-09-03", []string{"2027-09-06", "2027-09-10"}, []string{"2027-09-05"}},
		{Repeat{Unit: "week"}, "2027-09-05", []string{"2027-09-12"}, []string{"2027-09-06"}},
		{Repeat{Unit: "week", Interval: 2}, "2027-03-07", []string{"2027-03-21"}, []string{"2027-03-14"}},
		{Repeat{Unit: "month", Ordinal: -1, Days: []int{5}}, "2027-01-29", []string{"2027-02-26"}, []string{"2027-02-19"}},
		{Repeat{Unit: "month", Interval: 3, Day: 15}, "2027-01-15", []string{"2027-04-15"}, []string{"2027-02-15", "2027-04-16"}},
		{Repeat{Unit: "year"}, "2027-09-05", []string{"2028-09-05"}, []string{"2028-09-04"}},
	} {
		date := func(text string) time.Time {
			day, err := time.Parse(time.DateOnly, text)
			if err != nil {
				t.Fatal(err)
			}
			return day
		}
		for _, day := range c.on {
			if !c.repeat.Falls(date(c.first), date(day)) {
				t.Errorf("%+v from %s: not on %s", c.repeat, c.first, day)
			}
		}
		for _, day := range c.notOn {
			if c.repeat.Falls(date(c.first), date(day)) {
				t.Errorf("%+v from %s: on %s", c.repeat, c.first, day)
			}
		}
	}
}
