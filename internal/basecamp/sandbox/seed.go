package sandbox

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/text/lazyregexp"
	"basecamp-mcp/internal/text/when"
)

// A seeder fills one account.
type seeder struct {
	s     *Sandbox
	a     *account
	now   time.Time
	today time.Time // the current day at the company, as midnight UTC
}

func (s *Sandbox) seed() {
	data := company()
	for _, a := range data.Accounts {
		s.open(a.ID, a.Name).inactive = a.Inactive
	}
	s.main, s.other, s.books = s.accounts[0], s.accounts[1], s.accounts[2]
	seeders := apply(s.accounts, s.seeder)
	for i, d := range seeders {
		d.hire(data.Accounts[i].People)
		d.fill(&data.Accounts[i])
	}
	for _, ping := range data.Pings {
		seeders[0].ping(ping)
	}
}

func (s *Sandbox) open(id int64, name string) *account {
	a := &account{
		ID: id, Name: name, recordings: map[int64]*recording{}, attachments: map[string]*recording{},
		priorities: map[*Person][]*recording{}, readingOf: map[readingKey]*reading{},
	}
	s.accounts = append(s.accounts, a)
	return a
}

func (s *Sandbox) seeder(a *account) *seeder {
	return &seeder{s: s, a: a, now: s.now().UTC().Truncate(time.Second)}
}

// hire adds people to the account.
func (d *seeder) hire(people []personData) {
	for i, h := range people {
		p := &h.Person
		p.CreatedAt, p.UpdatedAt = d.now.AddDate(-2, 0, 9*i), d.now.AddDate(0, -2, i)
		p.SGID, p.Avatar = sgid("Person", p.ID, "attachable"), sgid("Person", p.ID, "avatar")
		if p.Kind == "" {
			p.Kind, p.Employee, h.Company = "User", true, d.a.Name
		}
		if p.IdentityID != 0 {
			p.Token = "sandbox-upstream-" + p.Handle
			if d.s.tokens[p.Token] == nil {
				d.s.grant(p.Token, p)
			}
		}
		if p.Company = first(d.a.companies, func(e *employer) bool { return e.Name == h.Company }); p.Company == nil && h.Company != "" {
			p.Company = &employer{1044120000 + d.a.ID%1000 + int64(len(d.a.companies))*7, h.Company}
			d.a.companies = append(d.a.companies, p.Company)
		}
		var ok bool
		if p.location, ok = when.Zone(p.Zone); !ok {
			p.location = time.UTC // the machine has no time zone data
		}
		if i == 0 {
			y, m, day := d.s.now().In(p.location).Date()
			d.today = time.Date(y, m, day, 0, 0, 0, 0, time.UTC)
		}
		if len(h.Away) == 2 {
			p.Away = &span{d.day(&h.Away[0]), d.day(&h.Away[1])}
		}
		d.a.people = append(d.a.people, p)
	}
}

// fill makes the projects of the account and adds their contents.
func (d *seeder) fill(data *accountData) {
	for i := range data.Projects {
		d.found(data.Projects[i])
	}
	d.contents(data.Contents)
	d.menus()
	for _, title := range data.UpNext {
		p := d.a.people[0]
		r := d.a.where(func(r *recording) bool { return r.Title == title })[0]
		d.a.priorities[p] = append(d.a.priorities[p], r)
		d.a.bookmarks = append(d.a.bookmarks, &bookmark{d.s.nextID(), p, r, r.CreatedAt.Add(time.Hour)})
	}
	d.contents(data.Later)
}

func (d *seeder) contents(all []contentData) {
	for _, c := range all {
		if t := c.Template; t != nil {
			made := t.project
			made.ID, made.Status, made.CreatedAt, made.UpdatedAt = d.s.nextID(), active, d.ago(t.Age), d.ago(t.Age)
			d.a.templates = append(d.a.templates, &made)
			continue
		}
		place := d.place(d.a.project(c.Project), c.In)
		for i := range c.Items {
			d.item(place, &c.Items[i])
		}
	}
}

// found makes a project with its dock.
func (d *seeder) found(data projectData) {
	p := &data.project
	p.account, p.CreatedAt, p.UpdatedAt, p.People = d.a, d.ago(data.Age), d.ago(data.Age), d.team(data.Team)
	p.Status = cmp.Or(p.Status, active)
	p.gauge = newGauge(p)
	d.a.projects = append(d.a.projects, p)
	if data.Tools == nil {
		return
	}
	d.s.addDock(p, p.People[0], filter(dockOrder, func(k kind) bool { return slices.Contains(data.Tools, k.tool()) })...)
	for _, tool := range p.Dock {
		if title := data.Titles[tool.Type.tool()]; title != "" {
			tool.Title = title
		}
	}
	for _, k := range dockOrder {
		for _, title := range data.More[k.tool()] {
			d.s.addTool(p, &recording{Type: k, Title: title, Creator: p.People[0], CreatedAt: p.CreatedAt})
		}
	}
}

// place returns what the titles lead to, from a tool of the project on.
func (d *seeder) place(p *project, titles []string) *recording {
	var at *recording
	among := append(slices.Clone(p.Dock), p.gauge)
	for _, title := range titles {
		at = named(among, title+" in "+p.Name, func(r *recording) bool { return cmp.Or(r.Title, kinds()[r.Type].Title) == title })
		among = at.children
	}
	return at
}

// who returns a person by handle.
func (d *seeder) who(handle string) *Person {
	return named(d.a.people, "person with the handle "+handle, func(p *Person) bool { return p.Handle == handle })
}

// team returns people by their handles. "all" is all people except clients and integrations.
func (d *seeder) team(handles []string) []*Person {
	var team []*Person
	for _, handle := range handles {
		if handle == "all" {
			team = append(team, filter(d.a.people, (*Person).canPing)...)
			continue
		}
		team = append(team, d.who(handle))
	}
	return team
}

func (d *seeder) ago(a age) time.Time { return d.now.Add(-time.Duration(a)) }

// day returns the date of a day, or "" for nil.
func (d *seeder) day(n *int) string {
	if n == nil {
		return ""
	}
	return d.today.AddDate(0, 0, *n).Format(time.DateOnly)
}

// clockTime returns a time of a day in the company's time zone.
func (d *seeder) clockTime(day int, clock string) time.Time {
	at, err := time.Parse("15:04", clock)
	if err != nil {
		panic(fmt.Sprintf("sandbox: company.json: %v", err))
	}
	on := d.today.AddDate(0, 0, day)
	return time.Date(on.Year(), on.Month(), on.Day(), at.Hour(), at.Minute(), 0, 0, d.a.people[0].location).UTC()
}

var macro = lazyregexp.New(`\{(@|file:|gallery:|day:)([^}]+)\}`)

// html returns a text with what its macros stand for.
func (d *seeder) html(text string) string {
	if !strings.Contains(text, "{") {
		return text
	}
	return macro.ReplaceAllStringFunc(text, func(m string) string {
		parts := macro.FindStringSubmatch(m)
		name, caption, _ := strings.Cut(parts[2], "|")
		switch parts[1] {
		case "@":
			return mention(d.a, d.who(name))
		case "day:":
			n, _ := strconv.Atoi(name)
			return d.today.AddDate(0, 0, n).Weekday().String()
		case "gallery:":
			return d.s.attach(d.a, seedFile(name)).element(d.a, caption, "gallery")
		}
		return d.s.attach(d.a, seedFile(name)).element(d.a, caption, "")
	})
}

// item adds a recording and what is below it.
func (d *seeder) item(parent *recording, i *itemData) {
	p := parent.Bucket
	made := i.recording
	r := &made
	r.Creator, r.CreatedAt = d.who(i.By), d.ago(i.Age)
	if i.Updated != 0 {
		r.UpdatedAt = d.ago(i.Updated)
	}
	if i.Category != "" {
		r.Category = first(p.categories, func(g *category) bool { return g.Name == i.Category })
	}
	switch r.Type {
	case kindTodo, kindStep, kindCard:
		d.task(r, i)
	case kindEntry:
		d.entry(r, parent, i)
	case kindQuestion:
		r.Schedule = d.asked(i)
	case kindAnswer:
		r.CreatedAt, r.GroupOn = d.clockTime(i.Day, i.Clock), d.day(&i.Day)
	case kindTime:
		r.GroupOn, r.Person = r.CreatedAt.Format(time.DateOnly), r.Creator
	}
	if !r.Type.isTask() {
		r.Body = d.html(i.Body)
	}
	if i.OnHill {
		parent.Tracked = append(parent.Tracked, r)
	}
	if i.File != "" {
		r.File = d.s.attach(d.a, seedFile(i.File)).File
	}
	if r.Type == kindUpload {
		r.Title, r.Versions = r.File.Filename, []*file{r.File}
	}
	d.s.add(p, parent, r)
	if r.Type.isTask() {
		d.history(r, i)
		r.Body = d.html(i.Body)
	}
	d.follow(r)
	for n := range i.Items {
		d.item(r, &i.Items[n])
	}
	if r.Type == kindMessage {
		r.subscribe(p.People...)
	}
}

// follow makes the changes around a new recording: people who write follow what they write about,
// and what it is in has changed.
func (d *seeder) follow(r *recording) {
	switch r.Type {
	case kindComment, kindReply:
		r.Parent.subscribe(r.Creator)
		r.Parent.UpdatedAt = later(r.Parent.UpdatedAt, r.CreatedAt)
		r.Bucket.UpdatedAt = later(r.Bucket.UpdatedAt, r.CreatedAt)
	case kindAnswer:
		r.Parent.subscribe(r.Creator)
	case kindMessage, kindDocument, kindForward:
		r.Bucket.UpdatedAt = later(r.Bucket.UpdatedAt, r.CreatedAt)
	case kindTextLine, kindRichLine, kindUploadLine:
		r.Parent.UpdatedAt = later(r.Parent.UpdatedAt, r.CreatedAt)
	}
}

func (d *seeder) task(r *recording, i *itemData) {
	r.StartsOn, r.DueOn, r.Assignees, r.CompletionSubscribers = d.day(i.Starts), d.day(i.Due), d.team(i.People), d.team(i.Notified)
	if i.Done != 0 {
		by := r.Creator
		if len(r.Assignees) > 0 {
			by = r.Assignees[0]
		}
		r.Completion = &completion{CreatedAt: d.ago(i.Done), Creator: by}
		r.UpdatedAt = r.Completion.CreatedAt
	}
	r.subscribe(r.Assignees...)
}

// history records what happened to a task.
func (d *seeder) history(r *recording, i *itemData) {
	if r.completed() {
		d.s.record(r, r.Completion.Creator, "completed", r.Completion.CreatedAt, nil)
	}
	if i.Moved != 0 {
		at := d.ago(i.Moved)
		d.s.record(r, r.Creator, "adopted", at, adoption(r.Parent.Parent.within(kindTriage)[0], r.Parent))
		r.UpdatedAt = later(r.UpdatedAt, at)
	}
}

// entry sets the times of a schedule entry. One without an age was written a week before.
func (d *seeder) entry(r, schedule *recording, i *itemData) {
	day := i.Day
	for i.Saturday && d.today.AddDate(0, 0, day).Weekday() != time.Saturday {
		day++
	}
	e := &entry{AllDay: i.Clock == "", Participants: d.team(i.People), JoinURL: i.Link, Highlighted: i.Highlighted}
	if e.AllDay {
		e.StartsAt = d.today.AddDate(0, 0, day)
		e.EndsAt = e.StartsAt.AddDate(0, 0, max(0, i.Days-1))
	} else {
		e.StartsAt, e.EndsAt = d.clockTime(day, i.Clock), d.clockTime(day, i.Until)
	}
	if i.Weekly {
		e.StartsAt = e.StartsAt.In(d.a.people[0].location)
		e.Recurs = recurring(fields{"frequency": []byte(`"every_week"`)}, e.StartsAt)
	}
	if i.Age == 0 {
		r.CreatedAt = e.StartsAt.AddDate(0, 0, -7)
	}
	r.Entry = e
	r.subscribe(e.Participants...)
}

// asked returns when a check-in question is asked.
func (d *seeder) asked(i *itemData) *recurrence {
	at := d.clockTime(0, i.Clock).In(d.a.people[0].location)
	first := -int(time.Duration(i.Age).Hours() / 24)
	r := &recurrence{Frequency: "every_week", Days: i.AskedOn, Hour: at.Hour(), Minute: at.Minute(), StartDate: d.day(&first)}
	if len(r.Days) > 1 {
		r.Frequency = "every_day"
	}
	return r
}

// ping opens a ping between people and adds its lines.
func (d *seeder) ping(data pingData) {
	p := d.s.openPing(d.a, d.team(data.People))
	chat := p.Dock[0]
	p.CreatedAt = d.ago(data.Age)
	chat.CreatedAt, chat.UpdatedAt = p.CreatedAt, p.CreatedAt
	for i := range data.Lines {
		d.item(chat, &data.Lines[i])
	}
}

// menus fills the Hey! menus of all people with their subscriptions and mentions.
func (d *seeder) menus() {
	const remembered = 30 * 24 * time.Hour
	news := newestFirst(d.a.where(func(r *recording) bool {
		return slices.Contains(newsworthy, r.Type) && d.now.Sub(r.CreatedAt) < remembered && r.effective() == active
	}))
	slices.Reverse(news)
	for _, r := range news {
		d.addNews(r)
	}
}

var newsworthy = []kind{kindMessage, kindComment, kindAnswer, kindDocument, kindTextLine, kindRichLine, kindUploadLine}

// addNews adds a recording to the menus of the people it concerns. News of the last day is unread.
func (d *seeder) addNews(r *recording) {
	const fresh = 26 * time.Hour
	thread, usual := r.thread(), "inbox"
	if slices.Contains(lineKinds, r.Type) {
		thread, usual = r.Parent, "chats"
	}
	named := mentioned(d.a, r.Body)
	for _, p := range r.Bucket.People {
		about, section := thread, usual
		if slices.Contains(named, p) {
			section = "mentions"
			if usual == "chats" {
				about = r
			}
		}
		heard := section == "mentions" || usual == "chats" || slices.Contains(thread.Subscribers, p)
		if !heard || p == r.Creator || p.Kind == "Integration" || p.Client && !r.shared() {
			continue
		}
		n := d.s.notify(p, about, r, section, r.CreatedAt)
		if d.now.Sub(r.CreatedAt) > fresh {
			n.UnreadCount, n.ReadAt = 0, r.CreatedAt.Add(50*time.Minute)
		}
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
