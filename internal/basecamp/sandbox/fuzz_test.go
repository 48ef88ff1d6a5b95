package sandbox

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
)

// FuzzServe sends any request to the sandbox. The sandbox must answer, and a JSON answer must be
// valid JSON.
func FuzzServe(f *testing.F) {
	s := New(Options{RateLimit: -1})
	for _, route := range slices.Sorted(maps.Keys(routes())) {
		method, path, _ := strings.Cut(route, " ")
		path = strings.ReplaceAll(path, "{id}", "4812094000")
		f.Add(method, path+".json", "page=2&status=archived", `{"content":"<div>x</div>","title":"t","name":"n","position":1}`, "application/json", true)
		f.Add(method, "/buckets/2271403118"+path, "type=Todo&q=a", `[]`, "", false)
	}
	asked := strings.TrimPrefix(asking("", nil), signOnPath+"?")
	f.Add("GET", signOnPath, asked, "", "", false)
	f.Add("POST", signOnPath, "", asked+"&handle=ines", "application/x-www-form-urlencoded", false)
	f.Add("POST", tokenPath, "", redeeming("x").Encode(), "application/x-www-form-urlencoded", false)
	done := map[kind]bool{}
	for _, r := range s.main.recordings {
		if done[r.Type] {
			continue
		}
		done[r.Type] = true
		f.Add("GET", r.place()+".json", "", "", "", true)
		f.Add("PUT", r.place()+".json", "", `{"content":null,"assignee_ids":[null,"1",1.5],"due_on":7,"schedule_entry":{"starts_at":"2031"}}`, "application/json", true)
	}
	f.Fuzz(func(t *testing.T, method, path, query, body, contentType string, known bool) {
		target, err := url.Parse(BaseURL)
		if err != nil {
			t.Fatal(err)
		}
		target.Path, target.RawQuery = "/5094412"+path, query
		if !known {
			target.Path = path
		}
		r := (&http.Request{
			Method: method, URL: target, Host: target.Host, Body: http.NoBody, Header: http.Header{
				"User-Agent": {"fuzz (f@uzz.example)"}, "Authorization": {"Bearer sandbox-upstream-ines"},
			},
		}).WithContext(t.Context())
		if contentType != "" {
			r.Header.Set("Content-Type", contentType)
		}
		if body != "" {
			r.Body = nopBody{strings.NewReader(body)}
		}
		w := httptest.NewRecorder()
		if s.serve(w, r) {
			t.Fatal("dropped")
		}
		if w.Code < 200 || w.Code > 599 {
			t.Fatalf("status %d", w.Code)
		}
		if w.Body.Len() > 0 && w.Header().Get("Content-Type") == jsonType && !json.Valid(w.Body.Bytes()) {
			t.Fatalf("%.200s", w.Body.Bytes())
		}
	})
}

type nopBody struct{ *strings.Reader }

func (nopBody) Close() error { return nil }

// FuzzRichText checks that stored rich text does not change when it is stored again.
func FuzzRichText(f *testing.F) {
	s := New(Options{RateLimit: -1})
	f.Add(`<div>a &lt; b <bc-attachment sgid="` + s.main.people[1].SGID + `"></bc-attachment></div>`)
	f.Add(`<bc-attachment sgid="x"><bc-attachment`)
	f.Add(`<script><style></script>`)
	f.Fuzz(func(t *testing.T, text string) {
		once := s.richText(s.main, text)
		_ = plain(once)
		if strings.Contains(strings.ToLower(once), "<script>") {
			t.Errorf("%q", once)
		}
	})
}

func TestSandbox_IsSafeForConcurrentUse(t *testing.T) {
	s := newSandbox(t)
	list := fmt.Sprintf("/todolists/%d/todos.json", s.FindIn(launch, "Todolist", "Parking lot"))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			c := ines(t, s)
			for range 3 {
				c.post(list, object{"content": "one more"})
				c.get("%s", list)
				c.get("/search.json?q=brake")
				s.Requests()
				s.Inject(Fault{Status: 500, Times: 1, PathPrefix: "/never"})
				s.IssueToken(s.People()[0].ID)
			}
		})
	}
	wg.Wait()
	if got := len(ines(t, s).all("%s", list)); got != 24 {
		t.Errorf("%d to-dos", got)
	}
}
