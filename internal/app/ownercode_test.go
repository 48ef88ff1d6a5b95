package app

import (
	"net/url"
	"strings"
	"testing"
)

// consentOf returns the address of the consent page for the client with its own document.
func (p *place) consentOf() string {
	return p.url + "/authorize?" + url.Values{
		"response_type": {"code"}, "client_id": {ownDocument}, "redirect_uri": {"http://127.0.0.1:7070/done"},
		"code_challenge": {strings.Repeat("a", 43)}, "code_challenge_method": {"S256"},
	}.Encode()
}

// A proxy that adds no header cannot be seen, so the pages alone must not sign a browser in.
func TestOwner_EachBrowserEntersTheCodeOnce(t *testing.T) {
	for name, page := range map[string]func(p *place) (address string, fields []string){
		"consent": func(p *place) (string, []string) { return p.consentOf(), []string{"decision", "approve"} },
		"account": func(p *place) (string, []string) { return p.url + "/oauth/start?for=account", nil },
		"connect": func(p *place) (string, []string) { return p.url + "/oauth/start", nil },
	} {
		p, started := openLive(t, inMemory("", ""))
		address, fields := page(p)
		browser := visitor()
		for _, wrong := range []string{"", "AAAA-AAAA", started.Code[:4]} {
			if at := p.fill(browser, address, append(fields, "code", wrong)...); strings.HasPrefix(at, "http") || !strings.Contains(at, `name="code"`) || !strings.Contains(at, `role="alert"`) {
				t.Errorf("%s: with the code %q to %s", name, wrong, at)
			}
		}
		typed := strings.ToLower(strings.ReplaceAll(started.Code, "-", " "))
		if at := p.fill(browser, address, append(fields, "code", typed)...); !strings.HasPrefix(at, p.url+"/oauth/callback?") {
			t.Errorf("%s: with the code to %s", name, at)
		}
		p.code = ""
		if at := p.fill(browser, address, fields...); !strings.HasPrefix(at, p.url+"/oauth/callback?") {
			t.Errorf("%s: the same browser again to %s", name, at)
		}
		if at := p.fill(visitor(), address, fields...); strings.HasPrefix(at, "http") {
			t.Errorf("%s: another browser to %s", name, at)
		}
	}
}

func TestOwner_ACodeThatManyBrowsersGuessIsRefused(t *testing.T) {
	p, started := openLive(t, inMemory("", ""))
	for range 5 {
		p.fill(visitor(), p.consentOf(), "decision", "approve", "code", "AAAA-AAAA")
	}
	if at := p.fill(visitor(), p.consentOf(), "decision", "approve", "code", started.Code); !strings.Contains(at, "Too many wrong codes were tried") {
		t.Errorf("after five wrong codes, the right one leads to %s", at)
	}
}

func TestOwner_AWrongCodeKeepsWritingUnticked(t *testing.T) {
	p, _ := openLive(t, inMemory("", ""))
	for scope, ticked := range map[string]bool{"write": true, "": false} {
		at := p.fill(visitor(), p.consentOf(), "decision", "approve", "scope", scope, "code", "AAAA-AAAA")
		if strings.Contains(at, `value="write" checked`) != ticked {
			t.Errorf("scope %q: %s", scope, at)
		}
	}
}

func TestOwner_DenyingNeedsNoCode(t *testing.T) {
	p, _ := openLive(t, inMemory("", ""))
	p.code = ""
	if at := p.fill(visitor(), p.consentOf(), "decision", "deny"); !strings.HasPrefix(at, "http://127.0.0.1:7070/done?") {
		t.Errorf("denied to %s", at)
	}
}

func TestOwner_TheCodeOfAnEarlierStartIsRefusedAndItsBrowsersAreKnown(t *testing.T) {
	s := inMemory("", "")
	p, _ := openLive(t, s)
	browser := visitor()
	p.fill(browser, p.consentOf(), "decision", "approve")
	q, next := openLive(t, s)
	if next.Code == p.code {
		t.Fatal("both starts have the same code")
	}
	known, _ := url.Parse(q.url)
	was, _ := url.Parse(p.url)
	browser.Jar.SetCookies(known, browser.Jar.Cookies(was)) // cookies do not know ports
	if page, _ := q.get(browser, q.consentOf()); strings.Contains(page, `name="code"`) {
		t.Error("a browser that has entered the earlier code is asked again")
	}
	q.code = p.code
	if at := q.fill(visitor(), q.consentOf(), "decision", "approve"); !strings.Contains(at, "This is not the code") {
		t.Errorf("the earlier code leads to %s", at)
	}
}
