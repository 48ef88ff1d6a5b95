package sandbox

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// outlines reads to-do lists:
//
//	# Project
//	## List | 40d | archived
//	> its description, HTML
//	### Group | blue
//	- an open to-do | @assignee @assignee | due +3 | starts +1 | by handle | id 123 | 12d
//	x a completed one | @assignee | done 2d
//	    notes, HTML, of the to-do above
//	    + a subtask | @assignee | due +1
//	    x a completed subtask
//	    -- handle 3d: a comment
func (d *seeder) outlines(name string) {
	var list, item *recording
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
			n = 0
			list = d.list(d.tool(kindTodoset, ""), rest, n)
		case mark == "###":
			parent := list
			for parent.isGroup() {
				parent = parent.parent
			}
			list = d.list(parent, rest, n)
		case mark == ">":
			list.body += d.html(rest)
		case indented && mark == "--":
			d.remark(item, rest)
		case indented && (mark == "+" || mark == "x"):
			d.item(kindStep, item, mark, rest, n)
		case indented:
			item.body += d.html(text)
		case mark == "-" || mark == "x":
			n++
			item = d.item(kindTodo, list, mark, rest, n)
		default:
			panic(fmt.Sprintf("sandbox seed: %s: unknown line %q", name, line))
		}
	}
}

// list adds a to-do list or a group.
func (d *seeder) list(parent *recording, text string, n int) *recording {
	parts := fieldsOf(text)
	r := &recording{kind: kindTodolist, title: parts[0], creator: d.p.people[0]}
	r.created = later(parent.created, d.now.Add(-40*24*time.Hour+time.Duration(n)*time.Hour))
	for _, part := range parts[1:] {
		word, value, _ := strings.Cut(part, " ")
		switch word {
		case "archived", "trashed":
			r.status = status(word)
		case "public":
			r.public = true
		case "by":
			r.creator = d.who(value)
		default:
			if part[0] >= '0' && part[0] <= '9' {
				r.created = d.ago(part)
			} else {
				r.color = part
			}
		}
	}
	return d.s.add(d.p, parent, r)
}

// item adds a to-do or a subtask. Without an age, its creation is between that of its list and
// yesterday.
func (d *seeder) item(k kind, parent *recording, mark, text string, n int) *recording {
	parts := fieldsOf(text)
	r := &recording{kind: k, title: parts[0], task: &task{}}
	r.creator = d.p.people[n%len(d.p.people)]
	if r.creator.kind != "User" {
		r.creator = d.p.people[0]
	}
	room := d.now.Add(-26 * time.Hour).Sub(parent.created)
	r.created = parent.created.Add(time.Duration(float64(room) * float64((n*37)%100) / 110)).Truncate(time.Second)
	done := ""
	for _, part := range parts[1:] {
		word, value, _ := strings.Cut(part, " ")
		switch {
		case strings.HasPrefix(part, "@"):
			r.task.assignees = d.team(strings.ReplaceAll(part, "@", ""))
		case word == "due":
			r.task.dueOn = d.day(value)
		case word == "starts":
			r.task.startsOn = d.day(value)
		case word == "by":
			r.creator = d.who(value)
		case word == "tell":
			r.task.notified = d.team(value)
		case word == "done":
			done = value
		case word == "id":
			r.id, _ = strconv.ParseInt(value, 10, 64)
		case word == "archived" || word == "trashed":
			r.status = status(word)
		default:
			r.created = d.ago(part)
		}
	}
	if mark == "x" {
		d.finish(r, done, n)
	}
	r.subscribe(r.task.assignees...)
	d.s.add(d.p, parent, r)
	if r.completed() {
		d.s.record(r, r.task.completion.by, "completed", r.task.completion.at, nil)
	}
	return r
}

// finish completes a task at a time in the past, always after its creation.
func (d *seeder) finish(r *recording, age string, n int) {
	if age == "" {
		age = fmt.Sprintf("%dd%dh", 1+n%9, 1+n%7)
	}
	at := d.ago(age)
	if !at.After(r.created) {
		r.created = at.Add(-time.Duration(3+n%40) * time.Hour)
	}
	by := r.creator
	if len(r.task.assignees) > 0 {
		by = r.task.assignees[0]
	}
	r.task.completion = &completion{at: at, by: by}
	r.updated = at
}

// remark adds a comment: "handle 3d4h: HTML".
func (d *seeder) remark(r *recording, text string) *recording {
	head, body, found := strings.Cut(text, ": ")
	handle, age, ok := strings.Cut(head, " ")
	if !found || !ok {
		panic(fmt.Sprintf("sandbox seed: %q is not a comment", text))
	}
	return d.comment(r, d.who(handle), d.ago(age), d.html(body))
}

func (d *seeder) comment(r *recording, by *person, at time.Time, body string) *recording {
	if !at.After(r.created) {
		at = later(r.created, r.updated).Add(17 * time.Minute)
	}
	comment := d.s.add(d.p, r, &recording{kind: kindComment, creator: by, created: at, body: body, public: r.public})
	r.subscribe(by)
	r.updated = later(r.updated, at)
	d.p.updated = later(d.p.updated, at)
	return comment
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// fieldsOf splits a text at its vertical bars.
func fieldsOf(text string) []string { return apply(strings.Split(text, " | "), strings.TrimSpace) }
