package basecamptools

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
)

// page reads a resource as the server does.
func (d *toolEnv) page(uri, value string) (string, error) {
	d.Helper()
	rs, ctx := d.resolver()
	for _, r := range resources(rs) {
		before, variable, _ := strings.Cut(strings.TrimSuffix(r.URITemplate, "}"), "{")
		if before == uri {
			return r.Read(ctx, map[string]string{variable: value})
		}
	}
	d.Fatalf("no resource matches %s", uri)
	return "", nil
}

func TestResources_ArePagesOfMarkdown(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := func(kind, title string) string {
			return strconv.FormatInt(d.sandbox.FindIn(launchProject, kind, title), 10)
		}
		message := firstMessage(&worker{toolEnv: d})
		for _, c := range []struct {
			uri, value, title string
			has               []string
		}{
			{"basecamp://projects/", "cargo bike launch", "Cargo Bike Launch", []string{"* Status: active", "## Tools", "* \"Frame design\": https://3.basecamp.com/"}},
			{"basecamp://projects/", fmt.Sprint(d.sandbox.ProjectID(launchProject)), "Cargo Bike Launch", nil},
			{"basecamp://messages/", message[strings.LastIndex(message, "/")+1:], "", []string{"* Project: Cargo Bike Launch", "* By: ", "\n\n## Comments\n\n### "}},
			{"basecamp://documents/", id("Document", "Glossary"), "Glossary", []string{"* URL: https://3.basecamp.com/"}},
			{"basecamp://documents/", id("Document", "Assembly handbook"), "Assembly handbook", []string{"get_document continues with offset"}},
			{"basecamp://todos/", id("Todo", "Sign off the final frame drawing, revision F"), "Sign off the final frame drawing, revision F",
				[]string{"* State: open", "* Assigned to: Noémie Laurent, Ines Albrecht", "## Subtasks\n", "* [x] Send the STEP file", "* [ ] Get initials", "Jig is waiting"}},
			{"basecamp://cards/", id("Kanban::Card", "Deck rails: second weld pass underneath"), "Deck rails: second weld pass underneath",
				[]string{"* Column: In progress", "* Assigned to: Mateusz Wójcik, Noémie Laurent", "## Steps\n", "holds 95 kg"}},
		} {
			text, err := d.page(c.uri, c.value)
			if err != nil {
				t.Errorf("%s%s: %v", c.uri, c.value, err)
				continue
			}
			if !strings.HasPrefix(text, "# "+c.title) || !strings.Contains(text, "\n\n"+pageNotice) || strings.Contains(text, "<div") {
				t.Errorf("%s%s begins %.200s", c.uri, c.value, text)
			}
			for _, part := range c.has {
				if !strings.Contains(text, part) {
					t.Errorf("%s%s lacks %q: %.3000s", c.uri, c.value, part, text)
				}
			}
		}
	})
}

func TestResources_MissingOrForbiddenAreNotFound(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, c := range []struct {
			who, uri, value string
			code            fault.Code
		}{
			{"Ines Albrecht", "basecamp://messages/", "17", fault.NotFound},
			{"Ines Albrecht", "basecamp://todos/", "seventeen", fault.InvalidInput},
			{"Ines Albrecht", "basecamp://cards/", "-4", fault.InvalidInput},
			{"Ines Albrecht", "basecamp://projects/", "Zeppelin", fault.NotFound},
			{"Priya Raman", "basecamp://projects/", fmt.Sprint(d.sandbox.ProjectID("Payroll & Contracts")), fault.NotFound},
		} {
			if text, err := d.as(c.who).page(c.uri, c.value); !fault.Is(err, c.code) {
				t.Errorf("%s%s: %v, %s", c.uri, c.value, err, text)
			}
		}
	})
}

func TestResources_SayWhatIsMissing(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.Find("Kanban::Card", kickstand)
		d.sandbox.Inject(sandbox.Fault{PathPrefix: "/recordings/", Status: 404})
		text, err := d.page("basecamp://cards/", digits(id))
		if err != nil || !strings.Contains(text, "\n\n(Left out: comments: Basecamp has no comments of item ") {
			d.Errorf("%v: %s", err, text)
		}
	})
}
