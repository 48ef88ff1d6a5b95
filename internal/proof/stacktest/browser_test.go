package stacktest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// visitor returns a person's browser.
func visitor() *http.Client {
	jar, _ := cookiejar.New(nil)
	return &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// get returns a page, or the URL of its redirect.
func (d *deployed) get(browser *http.Client, address string) string {
	d.Helper()
	r, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		d.Fatal(err)
	}
	response, page := d.do(browser, r)
	if location := response.Header.Get("Location"); location != "" {
		return location
	}
	return page
}

var (
	hidden = regexp.MustCompile(`<input type="hidden" name="([a-z_]+)" value="([^"]*)"`)
	action = regexp.MustCompile(`<form[^>]* action="([^"]+)"`)
)

// fill submits the first form of a page and returns the URL of the redirect.
func (d *deployed) fill(browser *http.Client, address string, fields ...string) string {
	d.Helper()
	response, said := d.submit(browser, address, fields...)
	if response.Header.Get("Location") == "" {
		d.Fatalf("the form of %s does not redirect: HTTP %d %s", address, response.StatusCode, said)
	}
	return response.Header.Get("Location")
}

// submit fills in the form of a page in the same way, and returns the answer.
func (d *deployed) submit(browser *http.Client, address string, fields ...string) (*http.Response, string) {
	d.Helper()
	page := d.get(browser, address)
	form := url.Values{}
	for _, field := range hidden.FindAllStringSubmatch(page, -1) {
		if !form.Has(field[1]) {
			form.Set(field[1], strings.ReplaceAll(field[2], "&amp;", "&"))
		}
	}
	form.Set("shown", "watched") // as the page's script does
	for pair := range slices.Chunk(fields, 2) {
		form.Set(pair[0], pair[1])
	}
	found := action.FindStringSubmatch(page)
	base, err := url.Parse(address)
	if found == nil || err != nil {
		d.Fatalf("%s has no form: %s", address, page)
	}
	to, err := base.Parse(found[1])
	if err != nil {
		d.Fatal(err)
	}
	r, err := http.NewRequest(http.MethodPost, to.String(), strings.NewReader(form.Encode()))
	if err != nil {
		d.Fatal(err)
	}
	r.Header = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Sec-Fetch-Site": {"same-origin"}}
	return d.do(browser, r)
}

func (d *deployed) do(c *http.Client, r *http.Request) (*http.Response, string) {
	d.Helper()
	response, err := c.Do(r)
	if err != nil {
		d.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		d.Fatal(err)
	}
	return response, string(body)
}

func (d *deployed) token(fields ...string) map[string]string {
	d.Helper()
	form := url.Values{}
	form.Set("shown", "watched") // as the page's script does
	for pair := range slices.Chunk(fields, 2) {
		form.Set(pair[0], pair[1])
	}
	return d.post("/token", "application/x-www-form-urlencoded", form.Encode())
}

// post sends a request and returns the string members of its JSON answer.
func (d *deployed) post(path, kind, body string) map[string]string {
	d.Helper()
	r, err := http.NewRequest(http.MethodPost, d.url+path, strings.NewReader(body))
	if err != nil {
		d.Fatal(err)
	}
	r.Header.Set("Content-Type", kind)
	_, said := d.do(http.DefaultClient, r)
	var answer map[string]any
	if err := json.Unmarshal([]byte(said), &answer); err != nil {
		d.Fatalf("%s: %v in %s", path, err, said)
	}
	texts := map[string]string{}
	for name, value := range answer {
		if text, ok := value.(string); ok {
			texts[name] = text
		}
	}
	return texts
}
