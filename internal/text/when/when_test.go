package when

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// sunday returns 22 November 2026, 18:00 in Berlin.
func sunday(t testing.TB) time.Time {
	return time.Date(2026, time.November, 22, 18, 0, 0, 0, zone(t, "Europe/Berlin"))
}

func day(text string, now time.Time, tense Tense) (string, error) {
	p, err := Parse(text)
	if err != nil {
		return "", err
	}
	if p.HasTime() {
		return "", ErrUnknown
	}
	d, err := p.Day(now, tense)
	return d.Format(time.DateOnly), err
}

func moment(text string, now time.Time, tense Tense) (string, error) {
	p, err := Parse(text)
	if err != nil {
		return "", err
	}
	at, err := p.Time(now, tense, now.Location())
	return at.Format(time.RFC3339), err
}

func TestDay_MeansTheSameForTheFutureAndThePast(t *testing.T) {
	for text, want := range map[string]string{
		"today": "2026-11-22", "tomorrow": "2026-11-23", "yesterday": "2026-11-21",
		"Day after tomorrow": "2026-11-24", "the day before yesterday": "2026-11-20",
		"3 days ago": "2026-11-19", "three days ago": "2026-11-19", "a week ago": "2026-11-15", "2 weeks ago": "2026-11-08",
		"in 2 weeks": "2026-12-06", "in three days": "2026-11-25", "2 weeks from now": "2026-12-06", "10 days from today": "2026-12-02",
		"in a month": "2026-12-22", "1 month ago": "2026-10-22", "in 2 years": "2028-11-22", "in an year": "2027-11-22",
		"end of month": "2026-11-30", "end of the month": "2026-11-30", "end of next month": "2026-12-31", "end of last month": "2026-10-31",
		"end of this year": "2026-12-31", "eom": "2026-11-30", "tonight": "2026-11-22", "in a fortnight": "2026-12-06", "the 22nd": "2026-11-22",
		"2026-01-31": "2026-01-31", "2026-1-31": "2026-01-31", "2026/01/31": "2026-01-31",
		"December 7 2026": "2026-12-07", "December 7th, 2026": "2026-12-07", "7th of December 2026": "2026-12-07", "7 Dec. 2026": "2026-12-07",
		"Monday, December 7, 2026": "2026-12-07", "31/12/2026": "2026-12-31", "12/31/2026": "2026-12-31", "5/5/2027": "2027-05-05",
		"31.12.2026": "2026-12-31",
		" TODAY.  ":  "2026-11-22", "on\tFriday\u00a0in": "", "by tomorrow": "2026-11-23", "In_2_Weeks": "2026-12-06",
	} {
		for _, tense := range []Tense{Ahead, Back} {
			if got, err := day(text, sunday(t), tense); got != want || (err != nil) != (want == "") {
				t.Errorf("%q is %s, %v; want %s", text, got, err, want)
			}
		}
	}
}

func TestDay_OfEveryWeekOrYearIsTheNextOrTheLatest(t *testing.T) {
	for text, want := range map[string][2]string{
		"Friday": {"2026-11-27", "2026-11-20"}, "this Friday": {"2026-11-27", "2026-11-20"}, "fri": {"2026-11-27", "2026-11-20"},
		"the 15th": {"2026-12-15", "2026-11-15"}, "31st": {"2026-12-31", "2026-10-31"},
		"on Tues": {"2026-11-24", "2026-11-17"}, "thurs.": {"2026-11-26", "2026-11-19"},
		"Sunday":     {"2026-11-22", "2026-11-22"},
		"December 7": {"2026-12-07", "2025-12-07"}, "Dec 7": {"2026-12-07", "2025-12-07"}, "7 December": {"2026-12-07", "2025-12-07"},
		"November 22": {"2026-11-22", "2026-11-22"}, "nov. 21st": {"2027-11-21", "2026-11-21"},
		"February 29": {"2028-02-29", "2024-02-29"}, "12/31": {"2026-12-31", "2025-12-31"}, "Sept 3": {"2027-09-03", "2026-09-03"},
	} {
		for tense, want := range want {
			if got, err := day(text, sunday(t), Tense(tense)); got != want || err != nil {
				t.Errorf("%q is %s, %v; want %s", text, got, err, want)
			}
		}
	}
}

func TestDay_IsAWeekdayOfAnotherWeek(t *testing.T) {
	friday, thursday := sunday(t).AddDate(0, 0, 5), sunday(t).AddDate(0, 0, 4)
	for _, c := range []struct {
		now        time.Time
		text, want string
	}{
		{thursday, "a week on Friday", "2026-12-04"}, {friday, "a week on friday", "2026-12-04"}, {thursday, "a week from Wed", "2026-12-09"},
		{thursday, "two weeks on Monday", "2026-12-14"}, {sunday(t), "A WEEK ON SUNDAY", "2026-11-29"},
		{thursday, "Thursday next week", "2026-12-03"}, {thursday, "monday next week", "2026-11-30"}, {thursday, "Sun. next week", "2026-12-06"},
		{sunday(t), "thursday of next week", "2026-11-26"},
	} {
		for _, tense := range []Tense{Ahead, Back} {
			if got, err := day(c.text, c.now, tense); got != c.want || err != nil {
				t.Errorf("on %s, %q is %s, %v; want %s", c.now.Weekday(), c.text, got, err, c.want)
			}
		}
	}
	if got, err := moment("9:30 a week on Friday", sunday(t), Ahead); got != "2026-12-04T09:30:00+01:00" || err != nil {
		t.Error(got, err)
	}
}

func TestDay_IsAWeekdayOfAMonth(t *testing.T) {
	for text, want := range map[string][2]string{
		"last Friday of November": {"2026-11-27", "2025-11-28"}, "the last sunday in Nov": {"2026-11-29", "2025-11-30"},
		"fourth Sunday of November": {"2026-11-22", "2026-11-22"}, "last Thursday of December": {"2026-12-31", "2025-12-25"},
		"first monday of march": {"2027-03-01", "2026-03-02"}, "Last Friday of November 2027": {"2027-11-26", "2027-11-26"},
		"last Monday of February 2028": {"2028-02-28", "2028-02-28"},
	} {
		for tense, want := range want {
			if got, err := day(text, sunday(t), Tense(tense)); got != want || err != nil {
				t.Errorf("%q is %s, %v; want %s", text, got, err, want)
			}
		}
	}
}

func TestDay_NumbersWithALastDotAreADayAndAMonth(t *testing.T) {
	for text, want := range map[string][2]string{
		"24.12.": {"2026-12-24", "2025-12-24"}, "by 31.1.": {"2027-01-31", "2026-01-31"}, "5.5.": {"2027-05-05", "2026-05-05"},
	} {
		for tense, want := range want {
			if got, err := day(text, sunday(t), Tense(tense)); got != want || err != nil {
				t.Errorf("%q is %s, %v; want %s", text, got, err, want)
			}
		}
	}
	if got, err := day("3.4.", sunday(t), Ahead); err == nil || !strings.Contains(err.Error(), "2027-03-04 or 2027-04-03") {
		t.Error(got, err)
	}
	if got, err := moment("24.12. 9:00", sunday(t), Ahead); got != "2026-12-24T09:00:00+01:00" || err != nil {
		t.Error(got, err)
	}
	if got, err := day("24.12.2026.", sunday(t), Ahead); got != "2026-12-24" || err != nil {
		t.Error(got, err)
	}
}

func TestDay_NextAndLastAreRefusedUnlessBothMeaningsAgree(t *testing.T) {
	monday, thursday, saturday := sunday(t).AddDate(0, 0, 1), sunday(t).AddDate(0, 0, 4), sunday(t).AddDate(0, 0, 6)
	first := time.Date(2026, time.December, 1, 9, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		now        time.Time
		text, want string // one date, or two
	}{
		{sunday(t), "next Friday", "2026-11-27 or 2026-12-04"},
		{saturday, "next Friday", "2026-12-04"},
		{thursday, "next Thursday", "2026-12-03"},
		{thursday, "next Monday", "2026-11-30"},
		{thursday, "next Sunday", "2026-11-29 or 2026-12-06"},
		{monday, "last Friday", "2026-11-20"},
		{saturday, "last Friday", "2026-11-20 or 2026-11-27"},
		{monday, "last Monday", "2026-11-16"},
		{monday, "next week", "2026-11-30 or 2026-12-04"},
		{thursday, "Next Week", "2026-11-30 or 2026-12-04"},
		{sunday(t), "next week", "2026-11-23 or 2026-11-27"},
		{thursday, "EOW", "2026-11-27 or 2026-11-29"},
		{thursday, "by eow", "2026-11-27 or 2026-11-29"},
		{thursday, "next month", "2026-12-01 or 2026-12-26"},
		{first, "next month", "2027-01-01"},
		{first, "last month", "2026-11-01"},
		{thursday, "last month", "2026-10-01 or 2026-10-26"},
		{thursday, "end of the week", "2026-11-27 or 2026-11-29"},
		{thursday, "03/04/2026", "2026-03-04 or 2026-04-03"},
		{thursday, "3.4.2026", "2026-03-04 or 2026-04-03"},
		{thursday, "3/4", "2027-03-04 or 2027-04-03"},
	} {
		got, err := day(c.text, c.now, Ahead)
		if one, other, two := strings.Cut(c.want, " or "); two {
			if err == nil || !strings.Contains(err.Error(), one) || !strings.Contains(err.Error(), other) {
				t.Errorf("on %s, %q is %s, %v; want %s", c.now.Weekday(), c.text, got, err, c.want)
			}
		} else if got != c.want || err != nil {
			t.Errorf("on %s, %q is %s, %v; want %s", c.now.Weekday(), c.text, got, err, c.want)
		}
	}
}

func TestDay_ThisPeriodBeginsInThePast(t *testing.T) {
	for text, want := range map[string]string{"this month": "2026-11-01", "this year": "2026-01-01"} {
		if got, err := day(text, sunday(t), Back); got != want || err != nil {
			t.Errorf("%q is %s, %v", text, got, err)
		}
		if got, err := day(text, sunday(t), Ahead); !errors.Is(err, ErrUnknown) {
			t.Errorf("%q is %s, %v", text, got, err)
		}
	}
}

func TestTime_IsReadInThePersonsTimeZone(t *testing.T) {
	for text, want := range map[string]string{
		"tomorrow 9:30": "2026-11-23T09:30:00+01:00", "tomorrow at 3pm": "2026-11-23T15:00:00+01:00", "tomorrow at 10": "2026-11-23T10:00:00+01:00",
		"Friday 17:00": "2026-11-27T17:00:00+01:00", "Friday, 5 p.m.": "2026-11-27T17:00:00+01:00", "3:30 pm on Friday": "2026-11-27T15:30:00+01:00",
		"December 7 12pm": "2026-12-07T12:00:00+01:00", "17:00 tomorrow": "2026-11-23T17:00:00+01:00", "tomorrow noon": "2026-11-23T12:00:00+01:00",
		"in 2 weeks at 12am": "2026-12-06T00:00:00+01:00", "at 11 o'clock tomorrow": "2026-11-23T11:00:00+01:00",
		"19:00": "2026-11-22T19:00:00+01:00", "7:30 pm": "2026-11-22T19:30:00+01:00",
		"2026-07-01T09:00": "2026-07-01T09:00:00+02:00", "2026-07-01 09:00:30": "2026-07-01T09:00:30+02:00", "2026-07-01 9am": "2026-07-01T09:00:00+02:00",
		"2026-07-01T09:00:00-05:00": "2026-07-01T09:00:00-05:00", "2026-07-01t09:00z": "2026-07-01T09:00:00Z", "2026-07-01T09:00:00.5+0530": "2026-07-01T09:00:00+05:30",
		"now": "2026-11-22T18:00:00+01:00", "in 2 hours": "2026-11-22T20:00:00+01:00", "30 minutes ago": "2026-11-22T17:30:00+01:00",
		"tomorrow": "2026-11-23T00:00:00+01:00",
	} {
		if got, err := moment(text, sunday(t), Ahead); got != want || err != nil {
			t.Errorf("%q is %s, %v; want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"19:00": "2026-11-21T19:00:00+01:00", "17:00": "2026-11-22T17:00:00+01:00", "last_7_days": "2026-11-15T18:00:00+01:00",
		"last 24 hours": "2026-11-21T18:00:00+01:00", "past week": "2026-11-15T18:00:00+01:00", "last_12_months": "2025-11-22T18:00:00+01:00",
		"previous two weeks": "2026-11-08T18:00:00+01:00", "friday 10:00": "2026-11-20T10:00:00+01:00", "last_200_days": "2026-05-06T18:00:00+02:00",
	} {
		if got, err := moment(text, sunday(t), Back); got != want || err != nil {
			t.Errorf("since %q is %s, %v; want %s", text, got, err, want)
		}
	}
}

func TestDay_DependsOnTheTimeZoneOfNow(t *testing.T) {
	at := time.Date(2026, time.December, 31, 22, 30, 0, 0, time.UTC)
	for name, want := range map[string]string{
		"Pacific/Honolulu": "2026-12-31 2026-12-31 2027-01-01", "Europe/London": "2026-12-31 2026-12-31 2027-01-01",
		"Asia/Kolkata": "2027-01-01 2027-12-31 2027-01-01", "Pacific/Kiritimati": "2027-01-01 2027-12-31 2027-01-01",
	} {
		var got []string
		for _, text := range []string{"today", "December 31", "Friday"} {
			d, err := day(text, at.In(zone(t, name)), Ahead)
			if err != nil {
				t.Error(err)
			}
			got = append(got, d)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("in %s: %v, want %s", name, got, want)
		}
	}
}

func TestPhrase_SaysWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"2026-02-30": "no day 30 in February 2026", "2026-13-01": "no month 13", "Feb 30": "no day 30 in February", "February 29, 2027": "which has 28 days",
		"32/13/2026": "no month 13", "0/5/2026": "no day 0 in May", "30/2/2026": "no day 30 in February 2026", "tomorrow 25:00": "hours are 0 to 23", "2026-01-01T09:60": "minutes", "13pm": "hours are 1 to 12",
		"tomorrow at 3": "03:00 or 15:00", "17:00": "2026-11-22T17:00 or 2026-11-23T17:00", "midnight": "beginning or the end",
		"Friday December 7": "2026-12-07 is a Monday", "2026-01-01T09:00+25:00": "no offset", "in 9999 years": "too far", "0000-01-01": "no year 0",
		"31 June": "no day 31 in June",
	} {
		if got, err := moment(text, sunday(t), Ahead); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is %s, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", " ", ".", "soon", "frid", "fr", "übermorgen", "morgen", "this tomorrow", "12", "7", "in days", "last_7_days", "12.30", "31.12", "3/4/26", "fifth friday of may", "last friday of", "a week on", "next week thursdays",
		"2026-W05", "tomorrow tomorrow", "at", "in 99999 days", "in -2 days", "friday 17", "today at", strings.Repeat("a", 1000),
	} {
		if got, err := moment(text, sunday(t), Ahead); !errors.Is(err, ErrUnknown) {
			t.Errorf("%q is %s, %v", text, got, err)
		}
	}
}

func TestTime_IsRefusedWhenClocksSkipItOrShowItTwice(t *testing.T) {
	for _, c := range []struct{ zone, text, want string }{
		{"Europe/Berlin", "2026-03-29 02:30", "does not exist on 2026-03-29, because clocks go forward in Europe/Berlin"},
		{"Europe/Berlin", "2026-10-25 02:30", "2026-10-25T02:30:00+02:00 or 2026-10-25T02:30:00+01:00"},
		{"America/Toronto", "March 8 2026 2:30 am", "clocks go forward"},
		{"America/Toronto", "2026-11-01T01:30", "2026-11-01T01:30:00-04:00 or 2026-11-01T01:30:00-05:00"},
		{"Australia/Lord_Howe", "2026-04-05T01:45", "2026-04-05T01:45:00+11:00 or 2026-04-05T01:45:00+10:30"},
	} {
		got, err := moment(c.text, sunday(t).In(zone(t, c.zone)), Ahead)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s in %s is %s, %v", c.text, c.zone, got, err)
		}
	}
	for text, want := range map[string]string{
		"2026-10-25T02:30:00+02:00": "2026-10-25T02:30:00+02:00", "2026-10-25 03:00": "2026-10-25T03:00:00+01:00",
		"2026-10-25 01:59": "2026-10-25T01:59:00+02:00", "2026-03-29 03:00": "2026-03-29T03:00:00+02:00", "2026-03-29 01:59:59": "2026-03-29T01:59:59+01:00",
	} {
		if got, err := moment(text, sunday(t), Ahead); got != want || err != nil {
			t.Errorf("%s is %s, %v", text, got, err)
		}
	}
}

func TestBeginning_IsTheFirstMomentOfADay(t *testing.T) {
	for _, c := range []struct{ zone, day, want string }{
		{"Europe/Berlin", "2026-03-29", "2026-03-29T00:00:00+01:00"},
		{"America/Havana", "2026-03-08", "2026-03-08T01:00:00-04:00"}, // clocks go forward at midnight
		{"America/Havana", "2026-11-01", "2026-11-01T00:00:00-04:00"}, // midnight happens twice
		{"Africa/Cairo", "2026-04-24", "2026-04-24T01:00:00+03:00"},
		{"Africa/Cairo", "2026-10-30", "2026-10-30T00:00:00+02:00"}, // clocks go back at midnight to 23:00
		{"Pacific/Apia", "2011-12-30", "2011-12-31T00:00:00+14:00"}, // the day does not exist there
		{"UTC", "2026-01-01", "2026-01-01T00:00:00Z"},
	} {
		d, err := time.Parse(time.DateOnly, c.day)
		if got := Beginning(d, zone(t, c.zone)).Format(time.RFC3339); err != nil || got != c.want {
			t.Errorf("%s in %s begins at %s, want %s", c.day, c.zone, got, c.want)
		}
	}
}

func TestPhrase_KnowsItsParts(t *testing.T) {
	for text, want := range map[string][4]bool{ // day, time, fixed, zoned
		"friday": {true}, "17:00": {false, true}, "friday 17:00": {true, true}, "2026-01-01": {true, false, true},
		"2026-01-01T10:00": {true, true, true}, "2026-01-01T10:00Z": {true, true, true, true}, "2 hours ago": {true, true, false, true},
		"December 7 2026": {true, false, true}, "December 7": {true},
	} {
		p, err := Parse(text)
		if got := [4]bool{p.HasDay(), p.HasTime(), p.IsFixed(), p.IsZoned()}; got != want || err != nil {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
	p, _ := Parse("17:00")
	if got, err := p.On(sunday(t).AddDate(0, 0, 3), sunday(t).Location()); err != nil || got.Format(time.RFC3339) != "2026-11-25T17:00:00+01:00" {
		t.Error(got, err)
	}
	if _, err := p.Day(sunday(t), Ahead); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"today", "next friday", "last_7_days", "in 2 weeks", "December 7th, 2026", "3/4", "2026-10-25T02:30", "tomorrow at 3:30 pm", "end of the month",
		"29 Feb", "at 3 o'clock", "２０２６-01-01", "in 9999 years", "0001-01-01 0:00", "9999-12-31T23:59:59-23:59", "a month ago", "now",
		"a week on friday", "thursday next week", "last friday of november", "24.12.", "eow",
	} {
		f.Add(seed, int64(1_795_367_000), "Europe/Berlin")
		f.Add(seed, int64(0), "Pacific/Apia")
	}
	f.Fuzz(func(t *testing.T, text string, unix int64, name string) {
		z, err := time.LoadLocation(name)
		if err != nil || name == "Local" {
			z = time.UTC
		}
		now := time.Unix(unix%4_000_000_000, 0).In(z)
		p, err := Parse(text)
		if err != nil {
			return
		}
		if len(text) > maxLength || !p.HasDay() && !p.HasTime() {
			t.Errorf("%q was read", text)
		}
		for _, tense := range []Tense{Ahead, Back} {
			d, err := p.Day(now, tense)
			if err == nil && (d.Year() < 1 || d.Year() > 9999 || d != DateOf(d)) {
				t.Errorf("%q is %v", text, d)
			}
			at, err := p.Time(now, tense, z)
			if err == nil && !p.HasTime() && tense == Ahead && at.Before(Beginning(d, z)) {
				t.Errorf("%q is %v, before its day %v", text, at, d)
			}
		}
	})
}
