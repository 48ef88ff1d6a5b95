package tools

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	basecampsandbox "basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/proof/mcptest"
)

// speaker writes in the sandbox as its people.
type speaker struct {
	*world
	sgid map[string]string
}

// send writes something as a person, and returns its ID.
func (s speaker) send(who, method, path string, body any) int64 {
	s.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		s.Fatal(err)
	}
	r, err := http.NewRequest(method, fmt.Sprintf("%s/%d/%s", basecampsandbox.BaseURL, s.basecamp.Account(), path), strings.NewReader(string(data)))
	if err != nil {
		s.Fatal(err)
	}
	r.Header = http.Header{
		"Authorization": {"Bearer " + s.basecamp.IssueToken(s.basecamp.Person(who).ID)}, "Content-Type": {"application/json"}, "User-Agent": {"test (a@fernhill.example)"},
	}
	answer, err := s.basecamp.Transport().RoundTrip(r)
	if err != nil {
		s.Fatal(err)
	}
	defer answer.Body.Close()
	var made struct {
		ID   int64  `json:"id"`
		SGID string `json:"attachable_sgid"`
	}
	_ = json.NewDecoder(answer.Body).Decode(&made)
	if answer.StatusCode >= 300 {
		s.Fatalf("%s %s: %d", method, path, answer.StatusCode)
	}
	if made.SGID != "" {
		s.sgid[who] = made.SGID
	}
	return made.ID
}

// place is where a thread begins: who wrote the item, and to whom it is assigned.
type place struct {
	kind, by string
	assigned []string
}

const (
	ines  = "Ines Albrecht"
	samO  = "Sam Okafor"
	samL  = "Sam Lindqvist"
	priya = "Priya Raman"
	dele  = "Dele Adeyemi"
)

// begin makes the item of a thread, with a text.
func (s speaker) begin(p place, title, text string) (ref string, id int64) {
	s.Helper()
	text = s.mentioning(text)
	var people []int64
	for _, who := range p.assigned {
		people = append(people, s.basecamp.Person(who).ID)
	}
	switch p.kind {
	case "message", "payroll":
		board := s.basecamp.ToolID(map[string]string{"message": "Company HQ", "payroll": "Payroll & Contracts"}[p.kind], "message_board")
		p.kind = "message"
		id = s.send(p.by, "POST", fmt.Sprintf("message_boards/%d/messages.json", board),
			input{"subject": title, "content": text, "status": "active"})
	case "card":
		id = s.send(p.by, "POST", fmt.Sprintf("card_tables/lists/%d/cards.json", s.basecamp.FindIn("Workshop & Tools", "Kanban::Triage", "Triage")), input{"title": title, "content": text})
		s.send(p.by, "PUT", fmt.Sprintf("card_tables/cards/%d.json", id), input{"assignee_ids": people})
	case "todo":
		id = s.send(p.by, "POST", fmt.Sprintf("todolists/%d/todos.json", s.basecamp.FindIn("Company HQ", "Todolist", "Threads")),
			input{"content": title, "description": text, "assignee_ids": people})
	}
	return fmt.Sprintf("%s:%d", p.kind, id), id
}

// mentioning returns a text in which each [Name] mentions a person.
func (s speaker) mentioning(text string) string {
	for who, sgid := range s.sgid {
		text = strings.ReplaceAll(text, "["+who+"]", `<bc-attachment sgid="`+sgid+`"></bc-attachment>`)
	}
	return text
}

func newSpeaker(w *world) speaker {
	w.Helper()
	s := speaker{w, map[string]string{}}
	for _, who := range []string{ines, samO, samL, priya, dele} {
		s.send(who, "GET", "my/profile.json", nil)
	}
	s.send(ines, "POST", fmt.Sprintf("todosets/%d/todolists.json", w.basecamp.ToolID("Company HQ", "todoset")), input{"name": "Threads"})
	return s
}

// as returns the client of another person.
func (s speaker) as(who string) mcptest.Client {
	c := s.Client
	c.Caller.Subject = who
	return c
}
