package sandbox

import (
	"fmt"
	"strings"
	"time"
)

// cards reads card tables:
//
//	# Project
//	## Card table
//	### Column | color
//	- a card | @assignee | due +2 | 12d
//	x a finished one, in Done | @assignee | done 3d
//	    its content, HTML, subtasks and comments as in outlines
func (d *seeder) cards(name string) {
	var table, column, card *recording
	n := 0
	for _, line := range d.lines(name) {
		text := strings.TrimSpace(line)
		mark, rest, _ := strings.Cut(text, " ")
		indented := strings.HasPrefix(line, "    ")
		switch {
		case text == "" || isComment(text):
		case mark == "#":
			d.projectCalled(rest)
		case mark == "##":
			table = d.tool(kindCardTable, rest)
		case mark == "###":
			column = d.columnOf(table, fieldsOf(rest))
		case indented && mark == "--":
			d.remark(card, rest)
		case indented && (mark == "+" || mark == "x"):
			d.item(kindStep, card, mark, rest, n)
		case indented:
			card.body += d.html(text)
		case mark == "-" || mark == "x":
			n++
			card = d.item(kindCard, column, mark, rest, n)
			d.cameFromTriage(card, table)
		default:
			panic(fmt.Sprintf("sandbox seed: %s: unknown line %q", name, line))
		}
	}
}

// columnOf returns a column by title, and adds it if it does not exist.
func (d *seeder) columnOf(table *recording, parts []string) *recording {
	for _, column := range table.within(columnKinds...) {
		if column.title == parts[0] {
			return column
		}
	}
	column := &recording{kind: kindColumn, title: parts[0], creator: table.creator, created: table.created}
	if len(parts) > 1 {
		column.color = parts[1]
	}
	return d.s.add(d.p, table, column)
}

// cameFromTriage records that a card came from Triage.
func (d *seeder) cameFromTriage(card, table *recording) {
	triage := table.within(kindTriage)[0]
	if card.parent == triage {
		return
	}
	at := card.created.Add(d.now.Sub(card.created) / 3).Truncate(1e9)
	if card.completed() {
		at = card.task.completion.at
	}
	d.s.record(card, card.creator, "adopted", at, adoption(triage, card.parent))
	card.updated = later(card.updated, at)
}

// fillProgress adds what the pages about progress show: two lists on the hill chart of the launch,
// a needle on its gauge, some hours, and a template.
func (d *seeder) fillProgress() {
	launch := d.projectCalled("Cargo Bike Launch")
	for _, tool := range launch.dock {
		if lists := tool.within(kindTodolist); tool.kind == kindTodoset && len(lists) > 1 {
			tool.tracked = lists[:2]
		}
	}
	at, by := launch.updated, launch.people[0]
	launch.needles = []*needle{{
		id: d.s.nextID(), bucket: launch, position: 40, color: "yellow", body: "<div>Frames are on time, brakes are not</div>", by: by, created: at, updated: at,
	}}
	text := "How we bring a new bike to the shops"
	d.a.templates = []*template{{id: d.s.nextID(), name: "Bike launch", description: &text, status: active, created: at, updated: at}}
	for _, r := range d.a.recordings {
		if launch.timesheet && r.bucket == launch && r.kind == kindCard && r.title == "Deck rails: second weld pass underneath" {
			d.a.times = append(d.a.times, &timeEntry{
				id: d.s.nextID(), on: r, date: at.Format(time.DateOnly), hours: "1.5", description: "Welding", by: by, person: by, created: at, updated: at,
			})
		}
	}
}
