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

func TestChanges_AreShownInWordsAndTakenBack(t *testing.T) {
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
		"Created the to-do Order gas in Cargo Bike Launch", " UTC by “ Plumcot ”", "Added the personal task Weigh the frame",
		"Posted the chat line", "Cannot be taken back: Basecamp deletes a chat line permanently",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing: %s", want, page)
		}
	}
	all := d.steps() // newest first: a task, and a to-do alone and with the task
	if len(all) != 3 || all[2] != "later:"+all[1] {
		t.Fatalf("%v", all)
	}
	if page := words(d.press(all[2])); strings.Count(page, "Taken back:") != 2 || !strings.Contains(page, "undone already") {
		t.Error(page)
	}
	if again := words(d.press(all[1])); !strings.Contains(again, "Not taken back") || !strings.Contains(again, "undone already") {
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
	for _, want := range []string{"Not taken back: created the to-do. It was changed since by Ines Albrecht on ", " UTC; content is 'Order argon' now, and was left as 'Order gas'"} {
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

func TestInWords_NamesWhatAToolDoes(t *testing.T) {
	for tool, want := range map[string]string{
		"list_projects": "List projects", "get_message": "Read message", "github_list_issues": "List issues on GitHub",
		"github_get_issue": "Read issue on GitHub", "get_me": "Read your name and access", "": "",
	} {
		if got := inWords(tool); got != want {
			t.Errorf("%s: %q", tool, got)
		}
	}
}

func TestWhyFailed_SaysTheReasonInWords(t *testing.T) {
	for outcome, want := range map[string]string{
		"ok": "", "NOT_FOUND": "nothing was found", "INTERNAL_ERROR": "of an error in this server", "NEW_CODE": "new code",
		"running": "its end is not recorded, and it may have happened",
	} {
		if got := whyFailed(outcome); got != want {
			t.Errorf("%s: %q", outcome, got)
		}
	}
}
