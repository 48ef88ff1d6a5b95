package app

import (
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/signin/pages"
)

var tags = regexp.MustCompile(`(?s)<style>.*</style>|<script>.*</script>|<[^>]*>`)

// words returns the text of a page.
func words(page string) string {
	return html.UnescapeString(strings.Join(strings.Fields(tags.ReplaceAllString(page, " ")), " "))
}

// changesEnv is a server whose user Ines is signed in to the account page.
type changesEnv struct {
	*place
	browser *http.Client
	bearer  string
	csrf    string // of its forms
}

func newChangesEnv(t *testing.T, c config.Config) changesEnv {
	t.Helper()
	p := open(t, c)
	bearer := p.LogIn("ines").Access
	browser := mcptest.Visitor()
	p.Get(browser, p.Fill(browser, p.Fill(browser, p.URL+"/oauth/start?for=account"), "handle", "ines"))
	page := p.Get(browser, p.URL+"/account")
	return changesEnv{p, browser, bearer, regexp.MustCompile(`name="csrf" value="([^"]*)"`).FindStringSubmatch(page)[1]}
}

// wrote calls a tool that writes.
func (d changesEnv) wrote(tool, arguments string) (answer string) {
	d.Helper()
	_, _, body := send(d, d.URL+"/mcp", d.bearer, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, arguments))
	if strings.Contains(body, `"isError":true`) || !strings.Contains(body, "structuredContent") {
		d.Fatal(body)
	}
	return body
}

func (d changesEnv) page() string {
	d.Helper()
	page := d.Get(d.browser, d.URL+"/account/changes")
	return page
}

// press sends a step with the token of the page, and returns the answer. The form need not be on
// the page any more.
func (d changesEnv) press(step string) string {
	d.Helper()
	response := must(d.browser.PostForm(d.URL+"/account/changes", url.Values{"step": {step}, "csrf": {d.csrf}, "shown": {pages.Watched}}))
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	return string(text)
}

var steps = regexp.MustCompile(`name="step" value="([^"]*)"`)

func (d changesEnv) steps() (all []string) {
	for _, found := range steps.FindAllStringSubmatch(d.page(), -1) {
		all = append(all, found[1])
	}
	return all
}

const orderGas = `{"project":"Cargo Bike Launch","list":"Launch checklist","todos":[{"content":"Order gas"}]}`

func TestChanges_AreShownInWordsAndUndone(t *testing.T) {
	d := newChangesEnv(t, config.Config{})
	if page := d.Get(d.browser, d.URL+"/account"); !strings.Contains(page, `href="/account/changes"`) {
		t.Error("the account page has no link")
	}
	if page := words(d.page()); !strings.Contains(page, "Your apps changed nothing") {
		t.Error(page)
	}
	d.wrote("create_todos", orderGas)
	d.wrote("add_task", `{"title":"Weigh the frame"}`)
	d.wrote("post_chat_line", `{"project":"Cargo Bike Launch","content":"Hello"}`)
	page := words(d.page())
	for _, want := range []string{
		"“ Plumcot ” just now", "Created the to-do Order gas in Cargo Bike Launch", "Added the personal task Weigh the frame",
		"Posted the chat line", "Cannot be undone: Basecamp deletes a chat line permanently",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing: %s", want, page)
		}
	}
	all := d.steps() // of all, of a task, and of a to-do
	if len(all) != 3 || all[0] != all[2]+" "+all[1] {
		t.Fatalf("%v", all)
	}
	if page := words(d.press(all[0])); strings.Count(page, "Undone:") != 2 || strings.Count(page, " undone") != 3 {
		t.Error(page)
	}
	if again := words(d.press(all[1])); !strings.Contains(again, "Not undone") || !strings.Contains(again, "undone already") {
		t.Error(again)
	}
	if left := d.steps(); len(left) != 0 {
		t.Errorf("%v", left)
	}
}

func TestChanges_AreRefusedWithBothTexts(t *testing.T) {
	d := newChangesEnv(t, config.Config{})
	answer := d.wrote("create_todos", orderGas)
	ids := regexp.MustCompile(`\\"id\\":([0-9]{6,})`).FindAllStringSubmatch(answer, -1)
	id := ids[len(ids)-1][1]
	before := d.steps()[0]
	d.wrote("update_work", `{"items":[{"item":"todo:`+id+`","title":"Order argon"}]}`)
	page := words(d.press(before))
	for _, want := range []string{"Not undone: created the to-do. It was changed since by Ines Albrecht on ", " UTC; content is 'Order argon' now, and was left as 'Order gas'"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing: %s", want, page)
		}
	}
}

func TestChanges_NeedTheSessionOfTheirPerson(t *testing.T) {
	d := newChangesEnv(t, config.Config{})
	d.wrote("create_todos", orderGas)
	code := d.steps()[0]
	if to := d.Get(mcptest.Visitor(), d.URL+"/account/changes"); to != "/oauth/start?for=account" {
		t.Errorf("without a session: %s", to)
	}
	priya := mcptest.Visitor()
	d.Get(priya, d.Fill(priya, d.Fill(priya, d.URL+"/oauth/start?for=account"), "handle", "priya"))
	if page := d.Get(priya, d.URL+"/account/changes"); strings.Contains(page, "Order gas") {
		t.Error("another person sees it")
	}
	for name, send := range map[string]func(*http.Request){
		"another site":           func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		"another person's token": func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-origin") },
	} {
		body := strings.NewReader(fmt.Sprintf("step=%s&csrf=%s&shown=watched", code, d.csrf))
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, d.URL+"/account/changes", body)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		send(r)
		response := must(priya.Do(r))
		response.Body.Close()
		if response.StatusCode < http.StatusBadRequest {
			t.Errorf("%s: HTTP %d", name, response.StatusCode)
		}
	}
	if left := d.steps(); len(left) != 1 {
		t.Errorf("%v", left)
	}
}

func TestInPast_MakesSentencesOfWhatWritesDo(t *testing.T) {
	for what, want := range map[string]string{
		"create a to-do": "created the to-do", "change who is on a project": "changed who is on the project", "put on Up Next": "put on Up Next",
		"send a file": "sent the file", "stop watching a column": "stopped watching the column", "comment": "commented", "add: webhook": "added webhook",
		"add an on-hold section to a column": "added the on-hold section to the column", "take off Up Next": "took off Up Next",
	} {
		if got := inPast(what); got != want {
			t.Errorf("%s: %s", what, got)
		}
	}
}

// Trashed, archived and restored items have their titles, too.
func TestActivity_IsInWords(t *testing.T) {
	d := newChangesEnv(t, config.Config{})
	ids := regexp.MustCompile(`\\"id\\":([0-9]{6,})`).FindAllStringSubmatch(d.wrote("create_todos", orderGas), -1)
	item := ids[len(ids)-1][1]
	for _, status := range []string{"archived", "active", "trashed"} {
		d.wrote("set_item_status", `{"items":["todo:`+item+`"],"status":"`+status+`"}`)
	}
	d.wrote("list_projects", `{}`)
	d.wrote("get_me", `{}`)
	// About this failure, a user can do nothing.
	send(d, d.URL+"/mcp", d.bearer, "tools/call", `{"name":"get_message","arguments":{"message":1}}`)
	page := d.Get(d.browser, d.URL+"/account")
	_, activity, _ := strings.Cut(words(page), "Activity")
	const by = " “ Plumcot ” just now "
	want := "Read who you are and projects" + by + "Moved to the trash Order gas in Cargo Bike Launch" + by + "Restored Order gas in Cargo Bike Launch" + by +
		"Archived Order gas in Cargo Bike Launch" + by + "Created the to-do Order gas in Cargo Bike Launch" + by
	if got := strings.ReplaceAll(activity, "Today ", ""); !strings.HasPrefix(strings.TrimSpace(got), want) {
		t.Errorf("%s", activity)
	}
}

func TestReading_SaysInWordsWhatAToolReads(t *testing.T) {
	for tool, want := range map[string]string{
		"list_projects": "projects", "get_message": "messages", "github_list_issues": "issues on GitHub", "get_me": "who you are", "todolist__get": "its checklist",
		"create_todos": "", "update_work": "", "preview": "other things", "": "",
	} {
		if got := reading(tool); got != want {
			t.Errorf("%s: %q", tool, got)
		}
	}
}

// A link is undone on the page of changes, too.
func TestChanges_UndoALink(t *testing.T) {
	d := newChangesEnv(t, config.Config{})
	d.wrote("add_task", `{"title":"Ring the courier"}`)
	d.wrote("link", `{"a":"Ring the courier","b":"fernhill-bikes/configurator#1"}`)
	if taken := words(d.press(d.steps()[1])); !strings.Contains(taken, "Undone") {
		t.Error(taken)
	}
	if again := d.wrote("link", `{"a":"Ring the courier","b":"fernhill-bikes/configurator#1"}`); !strings.Contains(again, `"changed":true`) {
		t.Error(again)
	}
}
