package app

import (
	"net/url"
	"strings"
	"testing"

	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/pages"
)

func TestAccount_ShowsWhoIsWhoAndForgetsIt(t *testing.T) {
	d := newChangesEnv(t, config.Config{UndoDays: 7})
	account := func() string {
		page, _ := d.get(d.browser, d.url+"/account")
		return page
	}
	if strings.Contains(account(), "Who is who") {
		t.Error("people are shown before any is known")
	}
	jonas := `{"a":"person:3140027819","b":"@jonas-brandt"`
	d.wrote("link", jonas+"}")
	d.wrote("link", `{"a":"person:3140027826","b":"@hanna-koivisto"}`)
	page := account()
	if text := words(page); !strings.Contains(text, "Jonas Brandt is @jonas-brandt on GitHub, as you told an app") || !strings.Contains(text, "Hanna Koivisto is @hanna-koivisto") {
		t.Error(text)
	}
	step := ""
	for _, found := range steps.FindAllStringSubmatch(page, -1) {
		if strings.HasSuffix(found[1], ":jonas-brandt") {
			step = found[1]
		}
	}
	forget := func(step, csrf string) {
		response, err := d.browser.PostForm(d.url+"/account", url.Values{"step": {step}, "csrf": {csrf}, "shown": {pages.Watched}})
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
	}
	forget(step, "forged")
	forget("forget:1:1:nobody", d.csrf)
	if !strings.Contains(account(), "@jonas-brandt") {
		t.Error("another's form forgot someone")
	}
	forget(step, d.csrf)
	page = account()
	if strings.Contains(page, "@jonas-brandt") || !strings.Contains(page, "@hanna-koivisto") {
		t.Error(words(page))
	}
	if !strings.Contains(d.wrote("link", jonas+`,"remove":true}`), "they were not linked") {
		t.Error("it is still known")
	}
	if taken := words(d.press(d.steps()[len(d.steps())-1])); !strings.Contains(taken, "Not taken back") && !strings.Contains(taken, "Taken back") {
		t.Error(taken)
	}
}

// A link is taken back on the page of changes, too.
func TestChanges_TakeALinkBack(t *testing.T) {
	d := newChangesEnv(t, config.Config{UndoDays: 7})
	d.wrote("add_task", `{"title":"Ring the courier"}`)
	d.wrote("link", `{"a":"Ring the courier","b":"fernhill-bikes/configurator#1"}`)
	if taken := words(d.press(d.steps()[0])); !strings.Contains(taken, "Taken back") {
		t.Error(taken)
	}
	if again := d.wrote("link", `{"a":"Ring the courier","b":"fernhill-bikes/configurator#1"}`); !strings.Contains(again, `"changed":true`) {
		t.Error(again)
	}
}
