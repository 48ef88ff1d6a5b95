package sandbox

import (
	"fmt"
	"maps"
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
	s.issueLogins()
}

func (s *Sandbox) open(id int64, name string) *account {
	a := &account{
		id: id, name: name, recordings: map[int64]*recording{}, attachments: map[string]*recording{},
		priorities: map[*person][]*recording{}, companies: map[string]int64{}, readingOf: map[readingKey]*reading{},
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
		p := &person{
			id: h.ID, identity: h.Identity, handle: h.Handle, name: h.Name, email: h.Email, title: h.Title, bio: h.Bio, place: h.Place,
			zone: h.Zone, kind: h.Kind, admin: h.Admin, owner: h.Owner, client: h.Client, company: h.Company,
			created: d.now.AddDate(-2, 0, 9*i), updated: d.now.AddDate(0, -2, i),
			sgid: sgid("Person", h.ID, "attachable"), avatar: sgid("Person", h.ID, "avatar"),
		}
		if p.kind == "" {
			p.kind, p.company, p.employee = "User", d.a.name, true
		}
		if h.Identity != 0 {
			p.login = "sandbox-upstream-" + h.Handle
		}
		if p.company != "" && d.a.companies[p.company] == 0 {
			d.a.companies[p.company] = 1044120000 + d.a.id%1000 + int64(len(d.a.companies))*7
		}
		var ok bool
		if p.location, ok = when.Zone(p.zone); !ok {
			p.location = time.UTC // the machine has no time zone data
		}
		if i == 0 {
			y, m, day := d.s.now().In(p.location).Date()
			d.today = time.Date(y, m, day, 0, 0, 0, 0, time.UTC)
		}
		if len(h.Away) == 2 {
			p.away = &span{d.day(&h.Away[0]), d.day(&h.Away[1])}
		}
		d.a.people = append(d.a.people, p)
	}
}

// fill makes the projects of the account and adds their contents.
func (d *seeder) fill(data *accountData) {
	for i := range data.Projects {
		d.found(&data.Projects[i])
	}
	for _, c := range data.Contents {
		place := d.place(d.a.project(c.Project), c.In)
		for i := range c.Items {
			d.item(place, &c.Items[i])
		}
	}
	d.menus()
	for _, title := range data.UpNext {
		d.putFirst(d.a.people[0], title)
	}
	if p := data.Progress; p != nil {
		d.progress(d.a.project(p.Project), p)
	}
}

// found makes a project with its dock.
func (d *seeder) found(data *projectData) *project {
	at := d.ago(data.Age)
	p := &project{
		id: data.ID, account: d.a, name: data.Name, description: data.Description, status: data.Status,
		clients: data.Clients, timesheet: data.Timesheet, created: at, updated: at, people: d.team(data.Team),
	}
	if p.status == "" {
		p.status = active
	}
	p.gauge = newGauge(p)
	d.a.projects = append(d.a.projects, p)
	if data.Tools == nil {
		return p
	}
	d.s.addDock(p, p.people[0], filter(dockOrder, func(k kind) bool { return slices.Contains(data.Tools, k.tool()) })...)
	for _, tool := range p.dock {
		if title := data.Titles[tool.kind.tool()]; title != "" {
			tool.title = title
		}
	}
	for _, k := range dockOrder {
		for _, title := range data.More[k.tool()] {
			d.s.addTool(p, &recording{kind: k, title: title, creator: p.people[0], created: p.created})
		}
	}
	return p
}

// place returns what the titles lead to, from a tool of the project on.
func (d *seeder) place(p *project, titles []string) *recording {
	var at *recording
	among := p.dock
	for _, title := range titles {
		at = named(among, title+" in "+p.name, func(r *recording) bool { return r.title == title })
		among = at.children
	}
	return at
}

// who returns a person by handle.
func (d *seeder) who(handle string) *person {
	return named(d.a.people, "person with the handle "+handle, func(p *person) bool { return p.handle == handle })
}

// team returns people by their handles. "all" is all people except clients and integrations.
func (d *seeder) team(handles []string) []*person {
	var team []*person
	for _, handle := range handles {
		if handle == "all" {
			team = append(team, filter(d.a.people, (*person).canPing)...)
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
	p := parent.bucket
	r := &recording{
		kind: i.Type, id: i.ID, title: i.Title, creator: d.who(i.By), created: d.ago(i.Age), status: i.Status, public: i.Public,
		pinned: i.Pinned, color: i.Color, from: i.From, paused: i.Paused,
	}
	if i.Updated != 0 {
		r.updated = d.ago(i.Updated)
	}
	if i.Category != "" {
		r.category = first(p.categories, func(g *category) bool { return g.name == i.Category })
	}
	switch r.kind {
	case kindTodo, kindStep, kindCard:
		d.task(r, i)
	case kindEntry:
		d.entry(r, parent, i)
	case kindQuestion:
		r.schedule = d.asked(i)
	case kindAnswer:
		r.created, r.groupOn = d.clockTime(i.Day, i.Clock), d.day(&i.Day)
	}
	if r.task == nil {
		r.body = d.html(i.Body)
	}
	if i.File != "" {
		r.file = d.s.attach(d.a, seedFile(i.File)).file
	}
	if r.kind == kindUpload {
		r.title, r.versions = r.file.name, []*file{r.file}
	}
	d.s.add(p, parent, r)
	if r.task != nil {
		d.history(r, i)
		r.body = d.html(i.Body)
	}
	d.follow(r)
	for n := range i.Items {
		d.item(r, &i.Items[n])
	}
	if r.kind == kindMessage {
		r.subscribe(p.people...)
	}
}

// follow makes the changes around a new recording: people who write follow what they write about,
// and what it is in has changed.
func (d *seeder) follow(r *recording) {
	switch r.kind {
	case kindComment, kindReply:
		r.parent.subscribe(r.creator)
		r.parent.updated = later(r.parent.updated, r.created)
		r.bucket.updated = later(r.bucket.updated, r.created)
	case kindAnswer:
		r.parent.subscribe(r.creator)
	case kindMessage, kindDocument, kindForward:
		r.bucket.updated = later(r.bucket.updated, r.created)
	case kindTextLine, kindRichLine, kindUploadLine:
		r.parent.updated = later(r.parent.updated, r.created)
	}
}

func (d *seeder) task(r *recording, i *itemData) {
	r.task = &task{startsOn: d.day(i.Starts), dueOn: d.day(i.Due), assignees: d.team(i.People), notified: d.team(i.Notified)}
	if i.Done != 0 {
		by := r.creator
		if len(r.task.assignees) > 0 {
			by = r.task.assignees[0]
		}
		r.task.completion = &completion{at: d.ago(i.Done), by: by}
		r.updated = r.task.completion.at
	}
	r.subscribe(r.task.assignees...)
}

// history records what happened to a task.
func (d *seeder) history(r *recording, i *itemData) {
	if r.completed() {
		d.s.record(r, r.task.completion.by, "completed", r.task.completion.at, nil)
	}
	if i.Moved != 0 {
		at := d.ago(i.Moved)
		d.s.record(r, r.creator, "adopted", at, adoption(r.parent.parent.within(kindTriage)[0], r.parent))
		r.updated = later(r.updated, at)
	}
}

// entry sets the times of a schedule entry. One without an age was written a week before.
func (d *seeder) entry(r, schedule *recording, i *itemData) {
	day := i.Day
	for i.Saturday && d.today.AddDate(0, 0, day).Weekday() != time.Saturday {
		day++
	}
	e := &entry{allDay: i.Clock == "", participants: d.team(i.People), joinURL: i.Link, highlighted: i.Highlighted}
	if e.allDay {
		e.starts = d.today.AddDate(0, 0, day)
		e.ends = e.starts.AddDate(0, 0, max(0, i.Days-1))
	} else {
		e.starts, e.ends = d.clockTime(day, i.Clock), d.clockTime(day, i.Until)
	}
	if i.Weekly {
		e.starts = e.starts.In(d.a.people[0].location)
		e.recurs = &recurrence{
			Frequency: "every_week", Days: []int{int(e.starts.Weekday())}, Hour: e.starts.Hour(), Minute: e.starts.Minute(),
			StartDate: e.starts.Format(time.DateOnly),
		}
	}
	if i.Age == 0 {
		r.created = e.starts.AddDate(0, 0, -7)
	}
	r.entry = e
	r.subscribe(e.participants...)
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
	chat := p.dock[0]
	p.created = d.ago(data.Age)
	chat.created, chat.updated = p.created, p.created
	for i := range data.Lines {
		d.item(chat, &data.Lines[i])
	}
}

// menus fills the Hey! menus of all people with their subscriptions and mentions.
func (d *seeder) menus() {
	const remembered = 30 * 24 * time.Hour
	var news []*recording
	for _, r := range d.a.recordings {
		if slices.Contains(newsworthy, r.kind) && d.now.Sub(r.created) < remembered && r.effective() == active {
			news = append(news, r)
		}
	}
	newestFirst(news)
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
	if slices.Contains(lineKinds, r.kind) {
		thread, usual = r.parent, "chats"
	}
	named := mentioned(d.a, r.body)
	for _, p := range r.bucket.people {
		about, section := thread, usual
		if slices.Contains(named, p) {
			section = "mentions"
			if usual == "chats" {
				about = r
			}
		}
		heard := section == "mentions" || usual == "chats" || slices.Contains(thread.subscribers, p)
		if !heard || p == r.creator || p.kind == "Integration" || p.client && !r.shared() {
			continue
		}
		n := d.s.notify(p, about, r, section, r.created)
		if d.now.Sub(r.created) > fresh {
			n.unread, n.read = 0, r.created.Add(50*time.Minute)
		}
	}
}

// titled returns the recording of the account with this title.
func (d *seeder) titled(title string) *recording {
	all := slices.Collect(maps.Values(d.a.recordings))
	return named(all, "item called "+title, func(r *recording) bool { return r.title == title })
}

// putFirst adds a task to a person's priorities and bookmarks.
func (d *seeder) putFirst(p *person, title string) {
	r := d.titled(title)
	d.a.priorities[p] = append(d.a.priorities[p], r)
	d.a.bookmarks = append(d.a.bookmarks, &bookmark{d.s.nextID(), p, r, r.created.Add(time.Hour)})
}

// progress adds what the pages about progress show: lists on the hill chart of a project, a needle
// on its gauge, some hours, and a template.
func (d *seeder) progress(p *project, data *progressData) {
	at, by := p.updated, p.people[0]
	for _, title := range data.OnHill {
		list := d.titled(title)
		list.parent.tracked = append(list.parent.tracked, list)
	}
	d.s.add(p, p.gauge, &recording{
		kind: kindNeedle, level: data.Needle, color: data.Color, body: data.Body, creator: by, created: at,
	})
	d.a.templates = []*project{{
		id: d.s.nextID(), name: data.Template, description: data.TemplateBody, status: active, created: at, updated: at,
	}}
	d.s.add(p, d.titled(data.WorkedOn), &recording{
		kind: kindTime, groupOn: at.Format(time.DateOnly), hours: data.Hours, body: data.Work, creator: by,
		worker: by, created: at,
	})
}

// issueLogins makes the tokens of all people valid for the life of the sandbox.
func (s *Sandbox) issueLogins() {
	for _, a := range s.accounts {
		for _, p := range a.people {
			if p.login != "" && s.tokens[p.login] == nil {
				s.grant(p.login, p)
			}
		}
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
