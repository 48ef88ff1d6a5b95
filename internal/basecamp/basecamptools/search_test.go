package basecamptools

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/anyitem"
	"basecamp-mcp/internal/basecamp/basecamptools/files"
	"basecamp-mcp/internal/basecamp/basecamptools/overview"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/tool/listing"
)

func foundID(f overview.FoundItem) int64 { return f.ID }

// searched returns the query that a search sends to Basecamp.
func (d *toolEnv) searched(in args) url.Values {
	d.Helper()
	var asked url.Values
	for _, line := range d.asked(func() { call[listing.Scroll[overview.FoundItem]](d, "search", in) }) {
		if query, ok := strings.CutPrefix(line, "GET /search.json?"); ok {
			asked, _ = url.ParseQuery(query)
		}
	}
	return asked
}

func TestSearch(t *testing.T) {
	types := func(query string, types ...string) row {
		r := row{fact: strings.Join(types, " and "), in: args{"query": query, "types": types, "limit": 100}}
		for _, name := range types {
			r.says = append(r.says, `"type":"`+name+`"`)
		}
		for _, name := range []string{"message", "comment", "todo", "todolist", "card", "document"} {
			if !slices.Contains(types, name) {
				r.misses = append(r.misses, `"type":"`+name+`"`)
			}
		}
		return r
	}
	const drawing = "frame-drawing-rev-f.pdf"
	opens := func(kind string) row {
		return row{fact: "what it finds can be given to others: " + kind, in: args{"query": "frame", "types": []string{kind}}, then: []row{
			{tool: "read_basecamp", in: operation("get_history", args{"item": "{.items.0.type}:{.items.0.id}"})}}}
	}
	cases(t, "search", args{"query": "frame"},
		row{fact: "excerpts are plain, and places told", in: args{"limit": 100}, misses: []string{"<em>", `\u003cem`, "&#", "&amp;", `"id":0`, "0001-01-01"}, holds: holds{
			"items.*.title": some, "items.*.project.name": some, "items.*.author.name": some, "items.*.created_at": some, "items.*.where": some, "items.*.url": has("https://3.basecamp.com/")},
			says: says{`"type":"message"`, `"type":"comment"`, `"type":"todo"`, `"type":"card"`, `"type":"document"`, `"type":"upload"`, `"type":"chat_line"`, `"type":"answer"`}},
		types("test", "todo"), types("test", "todolist"), types("test", "todolist", "todo"), types("frame", "comment", "todo", "document"),
		row{fact: "a creator in a project", in: args{"project": launch, "creator": "Noemie", "limit": 100}, holds: holds{"items.*.project.name": launch, "items.*.author.name": "Noémie Laurent"}},
		row{fact: "the one of that name who is on the project", in: args{"project": launch, "creator": "Sam"}, holds: holds{"items.*.author.name": "Sam Okafor"}},
		row{fact: "who is not on the project may have written there earlier", in: args{"project": launch, "creator": "Lindqvist"}, holds: holds{"items": nil}},
		row{fact: "nothing may be found", in: args{"query": "velociraptor"}, holds: holds{"items": nil}},
		row{fact: "a file by words of its name", in: args{"query": "frame drawing"}, each: []args{{}, {"types": []string{"upload"}, "project": launch}}, holds: holds{"items.0.title": drawing, "items.0.type": lookup.UploadKind.Kind},
			then: []row{{tool: "get_file", in: args{"item": "frame drawing.pdf", "project": launch}, fails: fault.NotFound, says: says{`nearest: "` + drawing + `"`}}}},
		row{fact: "the state of a to-do is read where Basecamp does not tell it", before: []string{"POST /todos/{Todo:Print the serial number plates}/completion.json"}, setup: func(d *toolEnv) {
			d.sandbox.Inject(sandbox.Fault{PathPrefix: "/search", Status: 200, Body: fmt.Sprintf(`[{"id":%d,"type":"Todo","title":"Plates"}]`, d.sandbox.Find("Todo", "Print the serial number plates"))})
		}, in: args{"query": "plates"}, holds: holds{"items.#": 1, "items.0.completed": true}},
		opens("document"), opens("card"), opens("todo"), opens("comment"), opens("checkin"),
		invalid("words are required", args{"query": nil}, "query"), invalid("a blank is no word", args{"query": "  "}, "query"),
		invalid("types are named", args{"types": []string{"poem"}}, "types", "poem", "todolist"),
		invalid("a beginning is a day or a period", args{"since": "last week"}, "since", "last_7_days"),
		invalid("there are two orders", args{"sort": "oldest"}, "sort"),
		row{fact: "a name must fit one creator", in: args{"creator": "Sam"}, fails: fault.Ambiguous, says: says{"creator"}},
		row{fact: "a creator must exist", in: args{"creator": "Santa"}, fails: fault.NotFound, says: says{"creator"}},
	)
}

func TestSearch_TranslatesArgumentsForBasecamp(t *testing.T) {
	at(t, func(d *toolEnv) {
		asked := d.searched(args{
			"query": " torque ", "types": []string{"message", "chat", "checkin"}, "project": launch, "creator": "me", "since": "last_30_days", "sort": "recency",
		})
		want := url.Values{
			"q": {"torque"}, "type_names[]": {"Message", "Chat::Transcript", "Question"}, "bucket_ids[]": {digits(d.sandbox.ProjectID(launch))},
			"creator_ids[]": {digits(d.sandbox.Person("Ines Albrecht").ID)}, "since": {"last_30_days"}, "sort": {"recency"},
		}
		if asked.Encode() != want.Encode() {
			d.Errorf("query %s\nwant %s", asked.Encode(), want.Encode())
		}
		for _, query := range []string{"torque", `"torque"`, "“torque”"} {
			if asked := d.searched(args{"query": query}); asked.Encode() != "q=torque" {
				d.Errorf("query %s", asked.Encode())
			}
		}
		for sort, want := range map[string]bool{"recency": true, "best_match": false} {
			found := all[overview.FoundItem](d, "search", args{"query": "frame", "sort": sort})
			if slices.IsSortedFunc(found, func(a, b overview.FoundItem) int { return b.CreatedAt.Compare(a.CreatedAt) }) != want {
				d.Errorf("%s: the newest first is not %v", sort, want)
			}
		}
	})
}

func TestSearch_SaysWhatIsCompletedAndWhatACommentIsOn(t *testing.T) {
	at(t, func(d *toolEnv) {
		completed := 0
		for _, f := range all[overview.FoundItem](d, "search", args{"query": "frame", "limit": 100}) {
			switch f.Type {
			case "todo":
				if is := upstream[record](d, fmt.Sprintf("/todos/%d.json", f.ID))["completed"]; is != f.Completed {
					d.Errorf("completed is %v: %+v", is, f)
				}
				if f.Completed {
					completed++
				}
			case "comment":
				on := call[struct{ Item parts.Comment }](d, "get_item", args{"url": fmt.Sprintf("comment:%d", f.ID)}).Item.Item
				if f.On != fmt.Sprintf("%s:%d", on.Type, on.ID) {
					d.Errorf("on %s, want %+v", f.On, on)
				}
			}
		}
		if completed == 0 {
			d.Error("no completed to-do")
		}
	})
}

func TestSearch_ShowsFilesWithAURLThatOpensThem(t *testing.T) {
	at(t, func(d *toolEnv) {
		types := map[string]int{}
		for _, f := range all[overview.FoundItem](d, "search", args{"query": "brake", "types": []string{"upload"}}) {
			types[f.Type]++
			if f.Title == "" || f.ContentType == "" || f.ByteSize == 0 || f.Where == "" || f.UpdatedAt.IsZero() || !strings.HasPrefix(f.DownloadURL, "https://3.basecamp.com/") {
				d.Errorf("found %+v", f)
			}
			opened := call[anyitem.PageShown](d, "get_item", args{"url": f.URL})
			if f.Type == overview.InsideText {
				if shown := call[files.ShownFile](d, "get_file", args{"item": f.DownloadURL}); shown.Filename != f.Title || shown.ByteSize != f.ByteSize {
					d.Errorf("%s downloads %q", f.DownloadURL, shown.Filename)
				}
				if f.ID != 0 || opened.Type != "message" && opened.Type != "todo" && opened.Type != "document" && opened.Type != "card" && opened.Comment == nil {
					d.Errorf("%s opens a %s", f.URL, opened.Type)
				}
				continue
			}
			if shown := call[files.ShownFile](d, "get_file", args{"item": f.URL}); opened.Type != "upload" || shown.ID != f.ID || shown.Filename != f.Title {
				d.Errorf("%s opens a %s, %q", f.URL, opened.Type, shown.Filename)
			}
		}
		if types["upload"] == 0 || types[overview.InsideText] == 0 {
			d.Errorf("found %v", types)
		}
		text, _ := d.raw("search", args{"query": "brake", "types": []string{"upload"}})
		if strings.Contains(text, `"id":0`) || strings.Contains(text, "0001-01-01") {
			d.Errorf("got %s", text)
		}
	})
}

func TestSearch_TranslatesSinceToARangeAndAFilter(t *testing.T) {
	at(t, func(d *toolEnv) {
		everything := all[overview.FoundItem](d, "search", args{"query": "frame", "limit": 100})
		for since, span := range map[string]string{
			"1999-12-25":           "last_30_days", // an hour too old for seven days
			"1999-12-29T08:00:00Z": "last_7_days",
			"1999-10-10":           "last_90_days",
			"1999-03-01":           "last_12_months",
			"1996-01-01":           "",
		} {
			in := args{"query": "frame", "since": since, "limit": 100}
			if asked := d.searched(in); asked.Get("since") != span {
				d.Errorf("%s: sent %q, want %q", since, asked.Get("since"), span)
			}
			begin, err := time.Parse(time.RFC3339, since)
			if err != nil {
				begin, _ = time.ParseInLocation(time.DateOnly, since, time.FixedZone("", 3600)) // Berlin in winter
			}
			want := lookup.Matching(everything, func(f overview.FoundItem) bool { return !f.CreatedAt.Before(begin) })
			if got := all[overview.FoundItem](d, "search", in); !slices.Equal(ids(got, foundID), ids(want, foundID)) {
				d.Errorf("%s: %d found, want %d", since, len(got), len(want))
			}
		}
	})
}

func TestSearch_DistinguishesFilesOfAText(t *testing.T) {
	found := func(name, url string) basecamp.SearchResult {
		r := basecamp.SearchResult{AppDownloadURL: url}
		r.Filename, r.DownloadURL = name, url
		return r
	}
	a, b := found("spokes.png", "https://3.basecamp.com/1/blobs/a"), found("hub.png", "https://3.basecamp.com/1/blobs/b")
	if overview.ResultID(a) == overview.ResultID(b) {
		t.Error("two files have one id")
	}
	// It has no parent.
	if v := overview.ViewFound(a); v.Type != overview.InsideText || v.Title != "spokes.png" || v.URL != a.AppDownloadURL {
		t.Errorf("got %+v", v)
	}
}

func TestSearch_ExcerptsLoseEveryHighlight(t *testing.T) {
	for marked, want := range map[string]string{
		`Grease the <em>hub</em> twice`: "Grease the hub twice",
		`Grease the <mark class="circled-text"><span></span>hub</mark> &amp; the <mark class="circled-text"><span></span>spokes</mark>`: "Grease the hub & the spokes",
		`torque &lt; 5 Nm, <mark>hub</mark> &lt;em&gt;`: "torque < 5 Nm, hub <em>",
		`Grease the <mark class="circled-te...`:         "Grease the",
		`Grease the <mark class="circled-text"><spa`:    "Grease the",
		`Grease the hub</ma…`:                           "Grease the hub",
		`Grease the hub<`:                               "Grease the hub",
		`5 < 6 > 4`:                                     "5 < 6 > 4",
	} {
		if got := overview.Unmarked(basecamp.HTML(marked)); got != want {
			t.Errorf("%s\n got %q, want %q", marked, got, want)
		}
	}
}

func TestSearch_ADescriptionIsAnExcerptToo(t *testing.T) {
	r := basecamp.SearchResult{Description: `Two <mark class="circled-text"><span></span>drops</mark> of oil`}
	r.ID, r.Type, r.Title = 7, "Todo", "Grease the hub"
	if v := overview.ViewFound(r); v.Excerpt != "Two drops of oil" {
		t.Errorf("got %q", v.Excerpt)
	}
	r.Content = "Grease the hub" // the same as the title
	if v := overview.ViewFound(r); v.Excerpt != "Two drops of oil" {
		t.Errorf("got %q", v.Excerpt)
	}
}
