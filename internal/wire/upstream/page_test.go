package upstream

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const here = "https://api.acme.example/items"

func answerOf(t testing.TB, status int, address string, headers ...string) Answer {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	a := Answer{Status: status, URL: u, Header: http.Header{}}
	for i := 0; i < len(headers); i += 2 {
		a.Header.Add(headers[i], headers[i+1])
	}
	return a
}

func TestPage_TakesTheNextPageAndTheTotalFromHeaders(t *testing.T) {
	for name, x := range map[string]struct {
		from    string
		headers []string
		want    Page[item]
	}{
		"only page":      {here, nil, Page[item]{Total: -1}},
		"blank link":     {here, []string{"Link", "", "X-Total-Count", "0"}, Page[item]{}},
		"more":           {here, []string{"Link", `<` + here + `?page=2>; rel="next"`, "X-Total-Count", "31"}, Page[item]{Next: 2, Total: 31}},
		"from the third": {here + "?page=3", []string{"Link", `<` + here + `?a=b&page=4>; rel="next"`, "X-Total-Count", "-1"}, Page[item]{Next: 4, Total: -1}},
		"a gap":          {here + "?page=3", []string{"Link", `<` + here + `?page=12>; rel=next`, "X-Total-Count", "many"}, Page[item]{Next: 12, Total: -1}},
		"relative":       {here, []string{"Link", `<items?page=2>; rel="next"`}, Page[item]{Next: 2, Total: -1}},
		"default port":   {here, []string{"Link", `<https://API.acme.example:443/items?page=2>; rel="next"`}, Page[item]{Next: 2, Total: -1}},
		"no next":        {here + "?page=2", []string{"Link", `<` + here + `?page=1>; rel="prev first"`}, Page[item]{Total: -1}},
	} {
		got, err := Page[item]{}.WithHeaders(answerOf(t, 200, x.from, x.headers...))
		if diff := cmp.Diff(x.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v, %s", name, err, diff)
		}
	}
}

func TestPage_KeepsItsNumbersIfAnUnchangedAnswerHasNone(t *testing.T) {
	kept := Page[item]{Items: []item{{ID: 1}}, Next: 2, Total: 31}
	got, err := kept.WithHeaders(answerOf(t, 304, here))
	if diff := cmp.Diff(kept, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	got, err = kept.WithHeaders(answerOf(t, 304, here, "X-Total-Count", "1"))
	if diff := cmp.Diff(Page[item]{Items: kept.Items, Total: 1}, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

func TestPage_RejectsALinkToAnotherList(t *testing.T) {
	for _, link := range []string{
		"https://evil.example/items?page=2", "//evil.example/items?page=2", "https://api.acme.example.evil.example/items?page=2",
		"https://api.acme.example:8443/items?page=2", "http://api.acme.example/items?page=2", "/other?page=2", "/items/../other?page=2",
		"//api.acme.example@evil.example/items?page=2",
		"/items?page=1", "/items?page=0", "/items?page=-2", "/items?page=two", "/items?cursor=abc", "/items", "%zz", "",
	} {
		if got, err := (Page[item]{}).WithHeaders(answerOf(t, 200, here, "Link", `<`+link+`>; rel="next"`)); err == nil {
			t.Errorf("%s leads to %+v", link, got)
		}
	}
}

func TestWithPage_AddsANumberFromTheSecondPageOn(t *testing.T) {
	query := url.Values{"status": {"active"}}
	for page, want := range map[int]string{-1: "status=active", 0: "status=active", 1: "status=active", 2: "page=2&status=active"} {
		if got := WithPage(query, page).Encode(); got != want {
			t.Errorf("page %d: %s", page, got)
		}
	}
	if got := WithPage(nil, 3).Encode(); got != "page=3" || len(query) != 1 {
		t.Errorf("without a query: %s; the given query is %v", got, query)
	}
}

func FuzzNextPage(f *testing.F) {
	f.Add(`<https://api.acme.example/items?page=2>; rel="next"`)
	f.Add(`<a>; title="x, \"y\""; rel=prev, <?page=3>; rel="last next"`)
	f.Add(`<//evil.example/items?page=2>; rel=next`)
	from, err := url.Parse(here + "?page=1")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, header string) {
		target, ok, _ := findLink([]string{header}, "next")
		if ok && !strings.Contains(header, "<"+target) && !strings.Contains(header, target+">") {
			t.Errorf("%q is not in the header", target)
		}
		page, err := nextPage([]string{header}, from)
		if err != nil && page != 0 || err == nil && page == 1 || page < 0 {
			t.Errorf("page %d, %v", page, err)
		}
		if page == 0 {
			return
		}
		next, err := from.Parse(target)
		if err != nil || !sameOrigin(next, from) || next.Path != from.Path {
			t.Errorf("page %d of %s, %v", page, next, err)
		}
	})
}

func TestFindLink_FindsTheRelationInAnyLink(t *testing.T) {
	for header, want := range map[string]string{
		``:                                 "",
		` , ,`:                             "",
		`<a>; rel="next"`:                  "a",
		`<a>;rel=next`:                     "a",
		`<a> ; REL = "NEXT"`:               "a",
		`<a>; rel="prev", <b>; rel="next"`: "b",
		`<a>; rel="prev next last"`:        "a",
		`<a>; title="x, <z>; rel=next"; rel="next"`:            "a",
		`<a>; title="say \"hi\"; rel=\"prev\""; rel=next; foo`: "a",
		`<a,b;c>; rel="next"`:                                  "a,b;c",
		`<a>; rel="prev"; rel="next"`:                          "",
		`<a>; rel="nextish"`:                                   "",
		`<a>`:                                                  "",
		`<a>; foo; bar=; rel=next`:                             "a",
		`<a>; rel=first , <b>; rel=next`:                       "b",
		`< a >; rel="next"`:                                    "a",
	} {
		if got, ok, err := findLink([]string{header}, "next"); err != nil || got != want || ok != (want != "") {
			t.Errorf("%s leads to %q, %v; want %q", header, got, err, want)
		}
	}
	if got, _, err := findLink([]string{`<a>; rel="prev"`, `<b>; rel="next"`}, "next"); err != nil || got != "b" {
		t.Errorf("in two headers: %q, %v", got, err)
	}
}

func TestFindLink_RejectsAMalformedHeader(t *testing.T) {
	for _, header := range []string{`a; rel="next"`, `<a; rel="next"`, `<a> rel="next"`, `<a>; rel="next`, `<a>; rel="next"x`, `<a>; rel="next\`, `<`} {
		if got, _, err := findLink([]string{header}, "next"); err == nil {
			t.Errorf("%s leads to %q", header, got)
		}
	}
}
