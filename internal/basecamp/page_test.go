package basecamp

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
