package sandbox

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// An appointment describes a schedule entry to create. Days are relative to today, hours are in the
// company's time zone.
type appointment struct {
	project, summary, notes string
	day                     int
	from, to                string // "" for all-day entries
	days                    int    // number of whole days, 1 if 0
	who                     string
	link                    string
	weekly                  bool
	saturday                bool // on the first Saturday from that day on
	highlighted, public     bool
	status                  status
}

var appointments = []appointment{
	{project: "Cargo Bike Launch", summary: "Launch stand-up", day: -49, from: "09:15", to: "09:30",
		who:    "ines samo noemie priya jonas hanna",
		weekly: true, notes: "<div>Standing. One sentence each.</div>", link: "https://meet.fernhillbikes.example/launch"},
	{project: "Cargo Bike Launch", summary: "Brakes: yes or no", day: 1, from: "10:00", to: "10:15",
		who:   "ines priya samo aoife",
		notes: "<div>There are brakes. Use the time for cake.</div>"},
	{project: "Cargo Bike Launch", summary: "Test ride on the church square", day: 3, from: "09:00", to: "13:00",
		who:   "tomas dele hanna ines",
		notes: "<div>Forms on paper. {@aoife} prints them.</div>", highlighted: true},
	{project: "Cargo Bike Launch", summary: "Photographer", day: 10, from: "08:30", to: "16:00", who: "hanna samo"},
	{project: "Cargo Bike Launch", summary: "Powder coater closed", day: 12, days: 14},
	{project: "Cargo Bike Launch", summary: "Dealers' evening", day: 14, from: "18:30", to: "22:00",
		who: "ines samo tomas hanna"},
	{project: "Cargo Bike Launch", summary: "Launch", day: 44, saturday: true, highlighted: true,
		who:   "ines samo noemie mateusz priya jonas hanna tomas aoife dele marguerite",
		notes: "<div>Orders open at ten.</div>"},
	{project: "Cargo Bike Launch", summary: "Cutting frame nine open", day: -5, from: "14:00", to: "14:30",
		who: "mateusz noemie"},
	{project: "Cargo Bike Launch", summary: "Load test with a person in it", day: 0, from: "15:00", to: "15:40",
		who: "jonas marguerite"},
	{project: "Cargo Bike Launch", summary: "Visit of the mill, cancelled",
		day: 6, from: "11:00", to: "12:00", status: trashed},
	{project: "Company HQ", summary: "Office closed: heating", day: 2, highlighted: true},
	{project: "Company HQ", summary: "Lunch cooked by Dele", day: 1, from: "12:30", to: "13:30", who: "dele"},
	{project: "Company HQ", summary: "Friday round", day: -63, from: "15:00", to: "15:20", weekly: true, who: "ines aoife"},
	{project: "Company HQ", summary: "Hanna on holiday", day: 20, days: 5, who: "hanna"},
	{project: "Company HQ", summary: "First day of the apprentice", day: 17, who: "samo ines"},
	{project: "Workshop & Tools", summary: "Safety inspection", day: 27, from: "08:00", to: "11:00", who: "samo ines"},
	{project: "Web Shop Rebuild", summary: "Freeze", day: 35},
	{project: "Web Shop Rebuild", summary: "Walk through the shop", day: 4, from: "11:00", to: "12:00",
		who: "jonas hanna marguerite"},
	{project: "Rijnstad Couriers Fleet", summary: "Delivery of bikes 21 to 30", day: 3, from: "07:00", to: "09:00",
		who: "dele samo lieke", public: true},
	{project: "Rijnstad Couriers Fleet", summary: "Quarterly review", day: 30, from: "14:00", to: "15:00",
		who: "ines tomas lieke", public: true},
	{project: "Dealer Network", summary: "Training day for dealers", day: 19, from: "09:00", to: "17:00", who: "samo saml"},
	{project: "Supplier Audits", summary: "Tube mill", day: 12, from: "10:00", to: "15:00", who: "priya"},
	{project: "Spring Trade Fair", summary: "The fair", day: 150, days: 4, who: "ines hanna saml"},
	{project: "Summer Open Day", summary: "Open day", day: -385, from: "10:00", to: "18:00", who: "ines"},
}

func (d *seeder) schedules() {
	for i, a := range appointments {
		d.projectCalled(a.project)
		for a.saturday && d.today.AddDate(0, 0, a.day).Weekday() != time.Saturday {
			a.day++
		}
		r := &recording{
			kind: kindEntry, title: a.summary, body: d.html(a.notes), creator: d.p.people[0], public: a.public, status: a.status,
			entry: &entry{allDay: a.from == "", participants: d.team(a.who), joinURL: a.link, highlighted: a.highlighted},
		}
		first := d.today.AddDate(0, 0, a.day)
		if r.entry.allDay {
			r.entry.starts, r.entry.ends = first, first.AddDate(0, 0, max(0, a.days-1))
		} else {
			r.entry.starts, r.entry.ends = d.clockTime(a.day, a.from), d.clockTime(a.day, a.to)
		}
		if a.weekly {
			r.entry.starts = r.entry.starts.In(d.a.people[0].location)
			r.entry.recurs = &recurrence{
				Frequency: "every_week", Days: []int{int(r.entry.starts.Weekday())}, Hour: r.entry.starts.Hour(),
				Minute: r.entry.starts.Minute(), StartDate: r.entry.starts.Format(time.DateOnly),
			}
		}
		schedule := d.tool(kindSchedule, "")
		r.created = later(schedule.created.Add(time.Hour), d.now.Add(-time.Duration(20+i)*24*time.Hour))
		if past := r.entry.starts.AddDate(0, 0, -7); past.Before(r.created) && past.After(schedule.created) {
			r.created = past.Truncate(time.Second)
		}
		r.subscribe(r.entry.participants...)
		d.s.add(d.p, schedule, r)
	}
}

// clockTime returns a time of a day in the company's time zone.
func (d *seeder) clockTime(day int, clock string) time.Time {
	hour, minute, _ := strings.Cut(clock, ":")
	h, _ := strconv.Atoi(hour)
	m, _ := strconv.Atoi(minute)
	on := d.today.AddDate(0, 0, day)
	return time.Date(on.Year(), on.Month(), on.Day(), h, m, 0, 0, d.a.people[0].location).UTC()
}

// checkins reads questions and their answers:
//
//	# Project
//	? Question | days of the week | hour | by handle | paused
//	handle 3: an answer, so many days ago, HTML
func (d *seeder) checkins() {
	var q *recording
	for i, line := range d.lines("checkins.txt") {
		mark, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "":
		case mark == "#":
			d.projectCalled(rest)
		case mark == "?":
			q = d.ask(fieldsOf(rest))
		default:
			head, body, _ := strings.Cut(line, ": ")
			handle, days, _ := strings.Cut(head, " ")
			n, err := strconv.Atoi(days)
			if err != nil {
				panic(fmt.Sprintf("sandbox seed: %q is not an answer", line))
			}
			at := d.clockTime(-n, fmt.Sprintf("%d:%02d", 16+i%2, 5+(i*11)%50))
			d.s.add(d.p, q, &recording{
				kind: kindAnswer, creator: d.who(handle), created: at, body: d.html(body), groupOn: d.day(strconv.Itoa(-n)),
			})
			q.subscribe(d.who(handle))
		}
	}
}

func (d *seeder) ask(parts []string) *recording {
	hour, minute, _ := strings.Cut(parts[2], ":")
	when := &recurrence{Frequency: "every_week", StartDate: d.day("-50")}
	when.Hour, _ = strconv.Atoi(hour)
	when.Minute, _ = strconv.Atoi(minute)
	for day := range strings.FieldsSeq(parts[1]) {
		n, _ := strconv.Atoi(day)
		when.Days = append(when.Days, n)
	}
	if len(when.Days) > 1 {
		when.Frequency = "every_day"
	}
	q := &recording{
		kind: kindQuestion, title: parts[0], schedule: when, creator: d.who(strings.TrimPrefix(parts[3], "by ")),
		created: d.ago("50d"), paused: slices.Contains(parts, "paused"),
	}
	return d.s.add(d.p, d.tool(kindQuestionnaire, ""), q)
}

// forwards reads e-mails: posts with the sender in "from", and our replies as comments.
func (d *seeder) forwards(name string) {
	for project, text := range byProject(d.lines(name)) {
		d.projectCalled(project)
		for _, p := range sections(text) {
			from := ""
			p.meta = filter(p.meta, func(word string) bool {
				sender, found := strings.CutPrefix(word, "from ")
				if found {
					from = sender
				}
				return !found
			})
			answers := p.comments
			p.comments = nil
			f := d.write(kindForward, d.tool(kindInbox, ""), p)
			f.from = from
			for _, a := range answers {
				d.remark(f, a).kind = kindReply
			}
		}
	}
}

// menus fills the Hey! menus of all people with their subscriptions and mentions, and sets Ines's
// priorities.
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
	for _, title := range []string{"Call the insurer about demo rides", "Get the declaration of conformity signed"} {
		d.putFirst(d.a.people[0], title)
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

// putFirst adds a task to a person's priorities and bookmarks.
func (d *seeder) putFirst(p *person, title string) {
	for _, r := range d.a.recordings {
		if r.title == title {
			d.a.priorities[p] = append(d.a.priorities[p], r)
			d.a.bookmarks = append(d.a.bookmarks, &bookmark{d.s.nextID(), p, r, r.created.Add(time.Hour)})
		}
	}
}

// fillAtelier adds content to the account of the Stranger.
func (d *seeder) fillAtelier() {
	d.projectCalled("Saddle Orders")
	list := d.list(d.tool(kindTodoset, ""), "Commissions | 60d", 0)
	for i, line := range []string{"Saddle for a very tall cellist | due +4", "Repair the stitching of order 71 | due -1", "Buy thread"} {
		d.item(kindTodo, list, "-", line, i)
	}
	d.write(kindMessage, d.tool(kindBoard, ""), post{
		title: "Private: what I charge for a rush order", meta: []string{"by noor", "9d"}, body: "<div>Nobody else should read this. 140.</div>",
	})
	chat := d.tool(kindChat, "")
	d.s.add(d.p, chat, &recording{kind: kindTextLine, creator: d.who("noor"), created: d.ago("3h"), body: "Note to self: leather arrives today."})
}

// fillBooks adds content to the bookkeeper's own account.
func (d *seeder) fillBooks() {
	d.projectCalled("Year-end Accounts")
	list := d.list(d.tool(kindTodoset, ""), "Shoeboxes | 30d", 0)
	for i, line := range []string{"Receipts of the bakery on Quay Street | due +6", "Ask the choir for its bank statements | due -2"} {
		d.item(kindTodo, list, "-", line, i)
	}
}
