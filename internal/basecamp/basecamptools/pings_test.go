package basecamptools

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/basecamptools/texts"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
)

// readPing opens a ping with get_item.
func readPing(d *toolEnv, reference string, more args) texts.PingShown {
	d.Helper()
	in := args{"url": reference}
	maps.Copy(in, more)
	return call[struct{ Item texts.PingShown }](d, "get_item", in).Item
}

func said(p texts.PingShown) (lines []string) {
	for _, line := range p.Items {
		lines = append(lines, line.Content)
	}
	return lines
}

func TestPostChatLine_FindsOrStartsThePingWithExactlyThesePeople(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, x := range []struct {
			to   any
			with string
		}{
			{"Hanna", "Hanna Koivisto"}, {[]string{"hanna koivisto"}, "Hanna Koivisto"}, {"person:Priya", "Priya Raman"},
			{d.sandbox.Person("Hanna Koivisto").ID, "Hanna Koivisto"},
			{[]string{"Tomás", "Sam Okafor", "Tomas"}, "Sam Okafor, Tomás Herrera"},
			{[]any{"Sam Okafor", d.sandbox.Person("Priya Raman").ID}, "Sam Okafor, Priya Raman"},
		} {
			got := call[texts.PostedLine](d, "post_chat_line", args{"to": x.to, "text": "Psst."})
			var with []string
			for _, p := range got.Ping.People {
				with = append(with, p.Name)
			}
			if strings.Join(with, ", ") != x.with || !slices.Equal(got.Notified, with) || got.ID == 0 || got.Ping.URL == "" {
				d.Errorf("to %v: %+v, notified %v", x.to, got.Ping, got.Notified)
			}
			if last := readPing(d, fmt.Sprintf("ping:%d", got.Ping.ID), nil); said(last)[0] != "Psst." {
				d.Errorf("to %v: %v", x.to, said(last))
			}
			time.Sleep(time.Second)
		}
		if pings := upstream[[]record](d, "/circles.json"); len(pings) != 4 {
			d.Errorf("%d pings", len(pings))
		}
		reply := call[texts.PostedLine](d, "post_chat_line", args{"to": "ping:Sam Okafor, Tomás", "text": "@Tomás, **eight**.", "mentions": "Tomás"})
		if len(reply.Mentioned) != 1 || reply.ClientsSee != nil {
			d.Errorf("got %+v", reply)
		}
		if got := call[parts.Boosted](d.as("Sam Okafor"), "boost", args{"item": reply.URL}); !slices.Equal(got.Notified, []string{"Ines Albrecht"}) || got.LeftOut != nil {
			d.Errorf("got %+v", got)
		}
		url := call[struct{ Item texts.ChatLine }](d.as("Sam Okafor"), "get_item", args{"url": reply.URL}).Item.URL
		if again := call[texts.PostedLine](d.as("Sam Okafor"), "post_chat_line", args{"to": url, "text": "Nine."}); again.Ping == nil || again.Ping.ID != reply.Ping.ID {
			d.Errorf("got %+v", again)
		}
	})
}

func TestPostChatLine_SendsNothingOnInvalidInput(t *testing.T) {
	at(t, func(d *toolEnv) {
		many := make([]string, 50)
		for i := range many {
			many[i] = fmt.Sprint("Hanna ", i)
		}
		for _, x := range []struct {
			code  fault.Code
			to    any
			words []string
		}{
			{fault.InvalidInput, "me", []string{"to: is the user"}},
			{fault.InvalidInput, []string{"Hanna", "Ines"}, []string{"to[1]: is the user"}},
			{fault.InvalidInput, "Lieke", []string{"Lieke van der Meer", "cannot be pinged"}},
			{fault.InvalidInput, []string{"Hanna", "Lieke", "Parcel Relay"}, []string{"to[1]", "to[2]"}},
			{fault.InvalidInput, many, []string{"to", "20"}},
			{fault.InvalidInput, []string{}, []string{"to"}},
			{fault.Ambiguous, "Sam", []string{"to"}},
			{fault.NotFound, "Zelda", []string{"no person and no project", "Zelda"}},
			{fault.NotFound, []string{"Hanna", "Cargo Bike Launch"}, []string{"to[1]"}},
			{fault.NotFound, 17, []string{"17"}},
			{fault.NotFound, "ping:Priya", []string{"no ping", "post_chat_line starts one"}},
			{fault.NotFound, "ping:Tomás", []string{"no ping"}},
		} {
			d.refuses(x.code, "post_chat_line", args{"to": x.to, "text": "x"}, x.words...)
		}
		f := d.refuses(fault.NotFound, "get_item", args{"url": "ping:Tomás"})
		if near := f.Data.Nearest; len(near) != 1 || near[0].Name != "Sam Okafor, Tomás Herrera" {
			d.Errorf("nearest %+v", near)
		}
		d.refuses(fault.NotFound, "post_chat_line", args{"to": "Hanna", "text": "x", "mentions": "Priya"}, "mentions[0]", "in the ping")
		d.refuses(fault.InvalidInput, "post_chat_line", args{"to": "Hanna", "text": "Ask @Priya"}, "in the ping")
	})
}

// A private line must not reach a team because a project has the person's name.
func TestPostChatLine_RefusesANameOfAPersonAndAProject(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.make("/projects.json", `{"name":"Hanna"}`)
		f := d.refuses(fault.Ambiguous, "post_chat_line", args{"to": "Hanna", "text": "x"}, "person:ID", "project:ID")
		if c := f.Data.Candidates; len(c) != 2 || c[0].Type != "person" || c[1].ID != id {
			d.Errorf("candidates %+v", c)
		}
		if got := call[texts.PostedLine](d, "post_chat_line", args{"to": "Hanna Koivisto", "text": "x"}); got.Ping == nil {
			d.Errorf("got %+v", got)
		}
		d.make("/projects.json", `{"name":"hanna koivisto"}`)
		time.Sleep(time.Minute)
		d.refuses(fault.Ambiguous, "post_chat_line", args{"to": "Hanna Koivisto", "text": "x"}, "person:ID")
	})
}

// Basecamp leaves people out of a ping without saying so.
func TestPostChatLine_SendsNothingToOtherPeopleThanNamed(t *testing.T) {
	at(t, func(d *toolEnv) {
		lieke, hanna := d.sandbox.Person("Lieke van der Meer").ID, d.sandbox.Person("Hanna Koivisto").ID
		d.sandbox.Inject(sandbox.Fault{
			Method: "GET", PathPrefix: "/circles/people", Status: 200, Header: http.Header{"Content-Type": {"application/json"}},
			Body: fmt.Sprintf(`[{"id":%d,"name":"Lieke van der Meer"},{"id":%d,"name":"Hanna Koivisto"}]`, lieke, hanna),
		})
		written := d.written(func() {
			d.fails(fault.PermissionDenied, "post_chat_line", args{"to": []string{"Hanna", "Lieke"}, "text": "x"}, "left out", "Lieke van der Meer", "nothing was sent")
			d.fails(fault.InvalidInput, "post_chat_line", args{"to": "Lieke", "text": "x"}, "nothing was sent")
		})
		if slices.ContainsFunc(written, func(r string) bool { return strings.Contains(r, "/lines") }) {
			d.Errorf("requests: %v", written)
		}
	})
}

func TestPing_IsReadFromItsNewestLineBack(t *testing.T) {
	at(t, func(d *toolEnv) {
		for i := range 60 {
			call[any](d.as("Hanna Koivisto"), "post_chat_line", args{"to": "Ines", "text": fmt.Sprint("Line ", i)})
			time.Sleep(20 * time.Second)
		}
		first := readPing(d, "ping:Hanna", nil)
		if len(first.Items) != 45 || // the first two pages
			said(first)[0] != "Line 59" || first.NextCursor == nil || first.People[0].Name != "Hanna Koivisto" {
			d.Fatalf("%d lines, %+v", len(first.Items), first.PingHead)
		}
		rest := readPing(d, first.URL, args{"cursor": *first.NextCursor})
		if len(rest.Items) != 20 || said(rest)[0] != "Line 14" || rest.HasMore || said(rest)[19] != "Before I ask in the open: may I show the prototype to my sister?" {
			d.Errorf("%v", said(rest))
		}
		d.fails(fault.InvalidInput, "get_item", args{"item": "Launch checklist", "project": launch, "cursor": *first.NextCursor}, "cursor: continues only a ping")
		d.as("Priya Raman").fails(fault.NotFound, "get_item", args{"url": first.URL}, "ping")
		d.as("Lieke van der Meer").fails(fault.PermissionDenied, "get_item", args{"url": "ping:Ines"}, "cannot use pings")
		d.as("Lieke van der Meer").fails(fault.PermissionDenied, "get_item", args{"url": first.URL}, "cannot use pings")
	})
}
