package sandbox

import "fmt"

// The board that most tests use, and Ines's own board of the same title.
const launchTitle = "Season launch"

var drafts = []string{
	"Book the photo ride", "Ask Rijnstad for a quote to print", "Order demo bikes", "Plan the opening party", "Write the press note", "Find a stand for Utrecht",
	"Pick the colour of the year", "Call the paint shop", "Draft the dealer letter", "Choose a battery supplier", "Renew the insurance",
}

// seasonLaunch makes a board of 130 items: 103 issues and pull requests of the configurator, 10 of
// a private repository, 6 of another organization, and 11 drafts. Of Fernhill's people, only Noémie
// may see those of the other organization.
func (d *seeder) seasonLaunch() {
	p := d.s.addProject(d.org, d.who("ines-albrecht"), launchTitle, d.hours(2400))
	p.description, p.readme = "Everything for the spring season", "# Season launch\n\nOne board for the bikes, the site and the dealers.\n"
	configurator, _ := d.s.repository(organization, "configurator")
	drawings, _ := d.s.repository(organization, "frame-drawings")
	dispatch, _ := d.s.repository(elsewhere, "dispatch")
	p.repositories = []*repository{configurator, drawings}
	d.launchFields(p)
	noemie := d.who("noemie-laurent")
	numbers := map[*repository]int{}
	next := func(r *repository) *issue {
		for {
			numbers[r]++
			if i := r.issue(numbers[r]); i != nil {
				return i
			}
		}
	}
	for n := range 130 {
		at := d.hours(1800 - 12*n)
		var i *item
		switch {
		case n%21 == 20:
			i = d.s.addItem(p, noemie, next(dispatch), nil, at)
		case n%11 == 10 && numbers[nil] < len(drafts):
			i = d.s.addItem(p, d.who("ines-albrecht"), nil, d.draft(numbers[nil]), at)
			numbers[nil]++
		case n%13 == 12:
			i = d.s.addItem(p, noemie, next(drawings), nil, at)
		default:
			i = d.s.addItem(p, d.who("jonas-brandt"), next(configurator), nil, at)
		}
		d.launchValues(i, n)
		i.archived = n%40 == 33
	}
}

// draft returns the text of a draft.
func (d *seeder) draft(n int) *draft {
	text := &draft{title: drafts[n%len(drafts)], body: "Nothing decided yet.\n"}
	if n%2 == 0 {
		text.assignees = []*account{d.who("hanna-koivisto")}
	}
	return text
}

func (d *seeder) launchFields(p *project) {
	d.s.usualFields(p, "Backlog", "Ready", "In progress", "In review", "Done")
	d.s.addField(p, "Priority", "SINGLE_SELECT",
		option{name: "🔴 Urgent", color: "RED"}, option{name: "🟠 Urgent", color: "ORANGE"},
		option{name: "Normal", color: "GRAY"}, option{name: "Low", color: "BLUE"})
	d.s.addField(p, "Estimate", "NUMBER")
	d.s.addField(p, "Ship by", "DATE")
	sprint := d.s.addField(p, "Sprint", "ITERATION")
	sprint.duration = 14
	for k := range 8 {
		sprint.iterations = append(sprint.iterations, iteration{
			id: optionID(d.s.next("").id), title: fmt.Sprintf("Sprint %d", k+11), start: d.day(14*(k-4) - 5), days: 14,
		})
	}
	d.s.addField(p, "Notes", "TEXT")
	d.s.addField(p, "Markets", "MULTI_SELECT",
		option{name: "Benelux", color: "ORANGE"}, option{name: "Nordics", color: "BLUE"}, option{name: "Iberia", color: "YELLOW"})
}

// launchValues fills in some of the fields of every item.
func (d *seeder) launchValues(i *item, n int) {
	if n%7 != 6 {
		d.choose(i, "Status", []string{"Backlog", "Ready", "In progress", "In review", "Done"}[n%5])
	}
	if n%3 == 0 {
		d.choose(i, "Priority", []string{"🔴 Urgent", "🟠 Urgent", "Normal", "Low"}[n/3%4])
	}
	if n%2 == 0 {
		d.set(i, "Estimate", value{number: float64(n%13) / 2})
	}
	if n%5 == 1 {
		d.set(i, "Ship by", value{date: d.day(n%60 - 10)})
	}
	if n%4 != 3 {
		d.choose(i, "Sprint", fmt.Sprintf("Sprint %d", 11+n%8))
	}
	if n%9 == 2 {
		d.set(i, "Notes", value{text: fmt.Sprintf("Talked about this in week %d.", n%50+1)})
	}
	if n%6 == 5 {
		d.choose(i, "Markets", "Benelux", "Nordics")
	}
}

// otherBoards makes the small ones.
func (d *seeder) otherBoards() {
	ines := d.who("ines-albrecht")
	backlog := d.s.addProject(d.org, d.who("sam-okafor"), "Workshop backlog", d.hours(3000))
	d.s.usualFields(backlog, "Todo", "In Progress", "Done")
	closed := d.hours(100)
	backlog.closedAt, backlog.updated = &closed, closed

	roadmap := d.s.addProject(d.org, d.who("hanna-koivisto"), "Public roadmap", d.hours(2000))
	roadmap.public = true
	d.s.usualFields(roadmap, "Idea", "Planned", "Riding")
	configurator, _ := d.s.repository(organization, "configurator")
	for n := 101; n <= 108; n++ {
		d.choose(d.s.addItem(roadmap, ines, configurator.issue(n), nil, d.hours(400-n)), "Status", []string{"Idea", "Planned", "Riding"}[n%3])
	}

	own := d.s.addProject(ines, ines, launchTitle, d.hours(900))
	d.s.usualFields(own, "Todo", "In Progress", "Done")
	d.choose(d.s.addItem(own, ines, configurator.issue(12), nil, d.hours(200)), "Status", "In Progress")
	for _, title := range []string{"Pack for Utrecht", "Thank the riders", "Ask Noémie about the fork"} {
		d.choose(d.s.addItem(own, ines, nil, &draft{title: title}, d.hours(190)), "Status", "Todo")
	}

	depots := d.s.addProject(d.other, d.who("lieke-vdmeer"), "Depots", d.hours(700))
	d.s.usualFields(depots, "Todo", "In Progress", "Done")
	dispatch, _ := d.s.repository(elsewhere, "dispatch")
	for n := 1; n <= 5; n++ {
		d.s.addItem(depots, d.who("lieke-vdmeer"), dispatch.issue(n), nil, d.hours(600-n))
	}
}
