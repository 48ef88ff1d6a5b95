package main

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// IDs of the stand-in's project and list, and the number of to-dos in the list.
const (
	projectID    = 6100200
	listID       = 6100300
	todosPerPage = 50
)

// page is a page of to-dos whose texts have gaps. numbered fills the gaps.
type page struct{ parts [][]byte }

// gap stands for a to-do's tag in the template of a page.
const gap = "~TAG~"

// newPage encodes the to-dos once. The members are those that Basecamp documents for a to-do
// (bc3-api, to-dos).
func newPage() (*page, error) {
	todos := make([]any, todosPerPage)
	for i := range todos {
		todos[i] = template(i)
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(todos); err != nil {
		return nil, err
	}
	return &page{bytes.Split(out.Bytes(), []byte(gap))}, nil
}

// numbered returns the page with a tag in every text that no other page and no other to-do has.
func (p *page) numbered(n int64) []byte {
	gaps := (len(p.parts) - 1) / todosPerPage
	out := make([]byte, 0, 256<<10)
	for i, part := range p.parts {
		out = append(out, part...)
		if i < len(p.parts)-1 {
			out = appendTag(out, n, i/gaps)
		}
	}
	return out
}

// appendTag appends the tag of a to-do: the number of the page and the to-do's place in it. All
// tags have the same length.
func appendTag(out []byte, n int64, place int) []byte {
	return fmt.Appendf(out, "p%07dt%02d", n, place)
}

// description is rich text as people write it: a paragraph with a link, a list, a quotation. A
// whole page fits into one answer of this server, which has at most 50 KB.
const description = `<div>The supplier of the <strong>front forks ` + gap + `</strong> moved <a href="https://fernhill.example/orders/` + gap +
	`">order ` + gap + `</a> by a week.<br><br></div>` +
	`<ul><li>Ask for a <em>written</em> date, ` + gap + `</li><li>Tell the workshop before Thursday</li></ul>` +
	`<blockquote>We keep the price, whatever the freight of ` + gap + ` costs.</blockquote>`

func template(place int) map[string]any {
	id := listID + 100 + place
	link := func(path string) string {
		return fmt.Sprintf("https://3.basecampapi.example/5000001/buckets/%d/%s", projectID, path)
	}
	at := fmt.Sprintf("todos/%d", id)
	return map[string]any{
		"id": id, "status": "active", "visible_to_clients": false, "created_at": "2026-03-02T09:15:00.000Z", "updated_at": "2026-03-04T16:40:00.000Z",
		"title": "Call the fork supplier " + gap, "content": "Call the fork supplier " + gap, "inherits_status": true, "type": "Todo",
		"url": link(at + ".json"), "app_url": link(at), "bookmark_url": link(at + "/bookmark.json"),
		"subscription_url": link(at + "/subscription.json"), "completion_url": link(at + "/completion.json"),
		"comments_count": place % 4, "comments_url": link(at + "/comments.json"), "position": place + 1,
		"parent":  map[string]any{"id": listID, "title": "Launch checklist", "type": "Todolist", "url": link("list.json"), "app_url": link("list")},
		"bucket":  map[string]any{"id": projectID, "name": "Cargo Bike Launch", "type": "Project"},
		"creator": human(1), "assignees": []any{human(2), human(3)}, "completion_subscribers": []any{human(1)},
		"description": description, "description_attachments": []any{}, "completed": false, "starts_on": nil, "due_on": "2026-04-17",
		"boosts_count": 0, "boosts_url": link(at + "/boosts.json"), "steps": []any{},
	}
}

func human(n int) map[string]any {
	return map[string]any{
		"id": 7100000 + n, "attachable_sgid": fmt.Sprintf("sgid-of-person-%d", n), "name": fmt.Sprintf("Person Number%d", n),
		"email_address": fmt.Sprintf("person%d@fernhill.example", n), "personable_type": "User", "title": "Mechanic", "bio": nil, "location": nil,
		"created_at": "2024-01-09T08:00:00.000Z", "updated_at": "2026-02-11T08:00:00.000Z", "admin": false, "owner": false, "client": false,
		"employee": true, "time_zone": "Europe/Berlin", "avatar_url": fmt.Sprintf("https://fernhill.example/avatars/%d", n),
		"company": map[string]any{"id": 7200000, "name": "Fernhill Bikes"}, "can_manage_projects": true, "can_manage_people": true,
		"can_ping": true, "can_access_timesheet": true, "can_access_hill_charts": true,
	}
}

// Documents that do not change.
const (
	authorization = `{"identity":{"id":7100001},"accounts":[{"resource":"urn:bc:account:5000001","id":5000001,"name":"Fernhill Bikes"}]}`
	profile       = `{"id":7100001,"name":"Person Number1","email_address":"person1@fernhill.example","personable_type":"User","title":"Mechanic",` +
		`"time_zone":"Europe/Berlin","admin":false,"client":false,"company":{"id":7200000,"name":"Fernhill Bikes"}}`
	account  = `{"id":5000001,"name":"Fernhill Bikes","active":true}`
	todolist = `{"id":6100300,"status":"active","visible_to_clients":false,"created_at":"2026-03-01T09:00:00.000Z","updated_at":"2026-03-04T16:40:00.000Z",` +
		`"title":"Launch checklist","inherits_status":true,"type":"Todolist","app_url":"https://3.basecamp.example/5000001/buckets/6100200/todolists/6100300",` +
		`"comments_count":0,"position":1,"parent":{"id":6100250,"title":"To-dos","type":"Todoset"},` +
		`"bucket":{"id":6100200,"name":"Cargo Bike Launch","type":"Project"},"creator":{"id":7100001,"name":"Person Number1"},` +
		`"description":"","completed":false,"completed_ratio":"0/50","name":"Launch checklist"}`
)
