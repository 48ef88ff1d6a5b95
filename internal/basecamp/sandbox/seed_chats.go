package sandbox

import (
	"fmt"
	"strings"
	"time"
)

// transcripts reads chats:
//
//	# Project
//	## Chat, or
//	# ping: handle, handle
//	@ 3d2h
//	handle: a plain line, said so long ago; those after it follow within minutes
//	handle> a rich one, HTML
//	handle^ file.png
func (d *seeder) transcripts(name string) {
	var chat *recording
	var at time.Time
	for i, line := range d.lines(name) {
		mark, rest, _ := strings.Cut(line, " ")
		handle := strings.TrimRight(mark, ":>^")
		switch {
		case line == "" || isComment(line):
			continue
		case mark == "#":
			if handles, isPing := strings.CutPrefix(rest, "ping: "); isPing {
				chat = d.ping(handles)
				continue
			}
			d.projectCalled(rest)
			continue
		case mark == "##":
			chat = d.tool(kindChat, rest)
			continue
		case mark == "@":
			at = d.ago(rest)
			continue
		}
		r := &recording{creator: d.who(handle), created: at}
		switch strings.TrimPrefix(mark, handle) {
		case ":":
			r.kind, r.body = kindTextLine, rest
		case ">":
			r.kind, r.body = kindRichLine, d.html(rest)
		case "^":
			r.kind, r.file = kindUploadLine, &d.s.attach(d.a, d.file(rest)).file
		default:
			panic(fmt.Sprintf("sandbox seed: %s: unknown line %q", name, line))
		}
		d.s.add(d.p, chat, r)
		chat.updated = later(chat.updated, at)
		at = at.Add(time.Duration(20+(i*53)%160) * time.Second)
	}
}

// ping opens a ping between people, as the project that is being filled, and returns its chat.
func (d *seeder) ping(handles string) *recording {
	var people []*person
	for handle := range strings.SplitSeq(handles, ",") {
		people = append(people, d.who(handle))
	}
	d.p = d.s.openPing(d.a, people)
	d.p.created = d.ago("40d")
	chat := d.p.dock[0]
	chat.created, chat.updated = d.p.created, d.p.created
	return chat
}
