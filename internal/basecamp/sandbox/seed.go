package sandbox

import (
	"embed"
	"fmt"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/lazyregexp"
)

// The texts of the seed. Ages ("3d4h" ago) and days ("due +2") are relative to the moment the
// sandbox is made.
//
//go:embed seed
var texts embed.FS

// A seeder fills one account.
type seeder struct {
	s      *Sandbox
	a      *account
	now    time.Time
	today  time.Time // the current day at the company, as midnight UTC
	people map[string]*person
	files  map[string]file
	p      *project // the project being filled
}

func (s *Sandbox) seed() {
	s.main = s.open(5094412, "Fernhill Bikes")
	s.other = s.open(6120087, "Haddad Atelier")
	s.books = s.open(5730264, "Brennan Bookkeeping")
	closed := s.open(4811530, "Fernhill Repair Café")
	closed.inactive = true

	fernhill := s.seeder(s.main)
	fernhill.hire(staff)
	fernhill.collectFiles()
	fernhill.foundProjects(fernhillProjects)
	fernhill.fill()
	fernhill.fillProgress()

	haddad := s.seeder(s.other)
	haddad.hire(atelier)
	haddad.foundProjects(atelierProjects)
	haddad.fillAtelier()

	books := s.seeder(s.books)
	books.hire(bookkeepers)
	books.foundProjects(booksProjects)
	books.fillBooks()

	s.seeder(closed).hire(volunteers)
	fernhill.transcripts("chats/pings.txt")
	s.issueLogins()
}

func (s *Sandbox) open(id int64, name string) *account {
	a := &account{
		id: id, name: name, recordings: map[int64]*recording{}, attachments: map[string]*attachment{},
		priorities: map[*person][]*recording{}, companies: map[string]int64{}, readingOf: map[readingKey]*reading{},
	}
	s.accounts = append(s.accounts, a)
	return a
}

func (s *Sandbox) seeder(a *account) *seeder {
	now := s.now().UTC().Truncate(time.Second)
	return &seeder{s: s, a: a, now: now, people: map[string]*person{}, files: map[string]file{}}
}

// fill adds all content to Fernhill's projects.
func (d *seeder) fill() {
	for _, name := range []string{"launch", "fleet", "workshop", "shop", "hq", "others", "archive"} {
		d.outlines("todos/" + name + ".txt")
	}
	for _, name := range []string{"launch", "launch-earlier", "company"} {
		d.posts("messages/" + name + ".txt")
	}
	for _, name := range []string{"launch", "company"} {
		d.shelves("documents/" + name + ".txt")
	}
	for _, name := range []string{"launch", "launch-today", "company"} {
		d.transcripts("chats/" + name + ".txt")
	}
	d.cards("cards.txt")
	d.longTexts()
	d.schedules()
	d.checkins()
	d.forwards("forwards.txt")
	d.menus()
}

// projectCalled returns the project of this account with that name, and selects it for the calls
// that follow.
func (d *seeder) projectCalled(name string) *project {
	for _, p := range d.a.projects {
		if p.name == name {
			d.p = p
			return p
		}
	}
	panic(fmt.Sprintf("sandbox seed: no project is called %q", name))
}

// tool returns the project's tool of a kind. If there are several, title selects one.
func (d *seeder) tool(k kind, title string) *recording {
	for _, t := range d.p.dock {
		if t.kind == k && (title == "" || t.title == title) {
			return t
		}
	}
	panic(fmt.Sprintf("sandbox seed: %s has no %s %q", d.p.name, k, title))
}

// who returns a person by handle.
func (d *seeder) who(handle string) *person {
	p := d.people[strings.TrimPrefix(strings.TrimSpace(handle), "@")]
	if p == nil {
		panic(fmt.Sprintf("sandbox seed: no person has the handle %q", handle))
	}
	return p
}

// ago returns the time before now by an age: "3d4h10m", "90s".
func (d *seeder) ago(age string) time.Time { return d.now.Add(-duration(age)) }

// duration parses an age.
func duration(age string) time.Duration {
	days, rest, found := strings.Cut(age, "d")
	if !found {
		days, rest = "0", age
	}
	n, err := strconv.Atoi(days)
	if err != nil {
		panic(fmt.Sprintf("sandbox seed: %q is not an age", age))
	}
	length := time.Duration(n) * 24 * time.Hour
	if rest == "" {
		return length
	}
	more, err := time.ParseDuration(rest)
	if err != nil {
		panic(fmt.Sprintf("sandbox seed: %q is not an age", age))
	}
	return length + more
}

// day returns a date relative to today: "+2", "0", "-9".
func (d *seeder) day(offset string) string {
	n, err := strconv.Atoi(offset)
	if err != nil {
		panic(fmt.Sprintf("sandbox seed: %q is not a day", offset))
	}
	return d.today.AddDate(0, 0, n).Format(time.DateOnly)
}

var namedDay = lazyregexp.New(`\{day:([+-]?\d+)\}`)

// lines reads one of the texts. {day:+2} in it becomes the name of the day after tomorrow.
func (d *seeder) lines(name string) []string {
	data, err := texts.ReadFile("seed/" + name)
	if err != nil {
		panic(err)
	}
	text := namedDay.ReplaceAllStringFunc(string(data), func(m string) string {
		n, _ := strconv.Atoi(namedDay.FindStringSubmatch(m)[1])
		return d.today.AddDate(0, 0, n).Weekday().String()
	})
	return strings.Split(strings.TrimRight(text, "\n"), "\n")
}

// isComment reports whether a line of a text is a comment for its authors.
func isComment(line string) bool { return strings.HasPrefix(line, "// ") }
