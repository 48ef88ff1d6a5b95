package basecamp

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/fault"
)

func TestPage_HasTheNextPageAndTheTotal(t *testing.T) {
	const here = `https://basecamp.example/77001/todolists/9/todos.json`
	for name, x := range map[string]struct {
		headers []string
		page    int
		want    Page[note]
	}{
		"only page":      {nil, 1, Page[note]{Total: -1}},
		"blank link":     {[]string{"Link", "", "X-Total-Count", "0"}, 1, Page[note]{}},
		"more":           {[]string{"Link", `<` + here + `?page=2>; rel="next"`, "X-Total-Count", "31"}, 1, Page[note]{Next: 2, Total: 31}},
		"from the third": {[]string{"Link", `<` + here + `?a=b&page=4>; rel="next"`, "X-Total-Count", "-1"}, 3, Page[note]{Next: 4, Total: -1}},
		"a gap":          {[]string{"Link", `<` + here + `?page=12>; rel=next`, "X-Total-Count", "many"}, 3, Page[note]{Next: 12, Total: -1}},
		"relative":       {[]string{"Link", `<todos.json?page=2>; rel="next"`}, 1, Page[note]{Next: 2, Total: -1}},
		"default port":   {[]string{"Link", `<https://BASECAMP.example:443/77001/todolists/9/todos.json?page=2>; rel="next"`}, 1, Page[note]{Next: 2, Total: -1}},
		"no next":        {[]string{"Link", `<` + here + `?page=1>; rel="prev first"`}, 2, Page[note]{Total: -1}},
	} {
		c := answering(t, says(200, `[]`, x.headers...))
		got, err := list[note](t.Context(), c, requestAt("todolist", 9, "todolists/%d/todos.json"), x.page)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		x.want.Items = []note{}
		if diff := cmp.Diff(x.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestPage_IsRequestedByNumberFromTheSecondOn(t *testing.T) {
	var got []string
	c := answering(t, func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.URL.RequestURI())
		says(200, `[]`)(w, r)
	})
	for page := range 4 {
		if _, err := c.Messages(t.Context(), 12, Newest, page-1); err != nil {
			t.Fatal(err)
		}
	}
	const first = "/77001/message_boards/12/messages.json?direction=desc&sort=created_at"
	want := []string{first, first, first, strings.Replace(first, "&", "&page=2&", 1)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestPage_AfterTheLastIsEmpty(t *testing.T) {
	page, err := answering(t, says(200, `[]`)).Projects(t.Context(), "active", 99)
	if err != nil || len(page.Items) != 0 || page.Next != 0 {
		t.Errorf("%+v, %v", page, err)
	}
}

func TestALinkToAnotherListIsAnErrorAndIsNotFollowed(t *testing.T) {
	var asked int
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer other.Close()
	const path = account + "/todolists/9/todos.json"
	for _, link := range []string{
		other.URL + path + "?page=2",
		"//evil.example" + path + "?page=2",
		"https://basecamp.example.evil.example" + path + "?page=2",
		"https://basecamp.example:8443" + path + "?page=2",
		"http://basecamp.example" + path + "?page=2",
		"/77002/todolists/9/todos.json?page=2",
		"/77001/todolists/9/../8/todos.json?page=2",
		"//basecamp.example@evil.example" + path + "?page=2",
		path + "?page=1", path + "?page=0", path + "?page=-2", path + "?page=two", path + "?cursor=abc", path, "%zz", "",
	} {
		c := answering(t, says(200, `[]`, "Link", `<`+link+`>; rel="next"`))
		f := wantFault(t, errOf(c.Todos(t.Context(), 9, false, 1)), fault.UpstreamError)
		if strings.Contains(f.Message, "evil") {
			t.Errorf("%s: %s", link, f.Message)
		}
	}
	if asked != 0 {
		t.Errorf("the other server received %d requests", asked)
	}
}
