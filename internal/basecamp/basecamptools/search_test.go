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
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
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

func TestSearch_ReturnsPlainExcerptsAndPlaces(t *testing.T) {
	at(t, func(d *toolEnv) {
		types := map[string]bool{}
		for _, f := range all[overview.FoundItem](d, "search", args{"query": "frame", "limit": 100}) {
			if (f.ID == 0) != (f.Type == overview.InsideText) || f.Title == "" || f.Project.Name == "" || f.Author.Name == "" || f.CreatedAt.IsZero() || f.Where == "" ||
				!strings.HasPrefix(f.URL, "https://3.basecamp.com/") {
				d.Errorf("found %+v", f)
			}
			if strings.Contains(f.Excerpt, "<em>") || strings.Contains(f.Excerpt, "&#") || strings.Contains(f.Excerpt, "&amp;") || f.Excerpt == f.Title {
				d.Errorf("excerpt %q", f.Excerpt)
			}
			if !strings.Contains(strings.ToLower(f.Title+f.Excerpt), "frame") {
				d.Errorf("does not contain the word: %+v", f)
			}
			types[f.Type] = true
		}
		for _, want := range []string{"message", "comment", "todo", "card", "document", "upload", "chat_line", "answer"} {
			if !types[want] {
				d.Errorf("no %s among %v", want, types)
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

func TestSearch_ReadsTheStateOfTodosThatBasecampDoesNotTell(t *testing.T) {
	at(t, func(d *toolEnv) {
		id := d.sandbox.Find("Todo", "Print the serial number plates")
		d.meanwhile("POST", fmt.Sprintf("/todos/%d/completion.json", id), "")
		d.sandbox.Inject(sandbox.Fault{PathPrefix: "/search", Status: 200, Body: fmt.Sprintf(`[{"id":%d,"type":"Todo","title":"Plates"}]`, id)})
		if got := call[listing.Scroll[overview.FoundItem]](d, "search", args{"query": "plates"}).Items; len(got) != 1 || !got[0].Completed {
			d.Errorf("got %+v", got)
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

func TestSearch_TranslatesArgumentsForBasecamp(t *testing.T) {
	at(t, func(d *toolEnv) {
		ines := d.sandbox.Person("Ines Albrecht").ID
		asked := d.searched(args{
			"query": " torque ", "types": []string{"message", "chat", "checkin"}, "project": launch, "creator": "me", "since": "last_30_days", "sort": "recency",
		})
		want := url.Values{
			"q": {"torque"}, "type_names[]": {"Message", "Chat::Transcript", "Question"}, "bucket_ids[]": {digits(d.sandbox.ProjectID(launch))},
			"creator_ids[]": {digits(ines)}, "since": {"last_30_days"}, "sort": {"recency"},
		}
		if asked.Encode() != want.Encode() {
			d.Errorf("query %s\nwant %s", asked.Encode(), want.Encode())
		}
		for _, query := range []string{"torque", `"torque"`, "“torque”"} {
			if asked := d.searched(args{"query": query}); asked.Encode() != "q=torque" {
				d.Errorf("query %s", asked.Encode())
			}
		}
	})
}

func TestSearch_AppliesItsFilters(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, f := range all[overview.FoundItem](d, "search", args{"query": "frame", "project": launch, "creator": "Noemie"}) {
			if f.Project.Name != launch || f.Author.Name != "Noémie Laurent" {
				d.Errorf("found %+v", f)
			}
		}
		found := func(query string, types ...string) (got []string) {
			for _, f := range all[overview.FoundItem](d, "search", args{"query": query, "types": types}) {
				got = append(got, f.Type)
			}
			slices.Sort(got)
			return slices.Compact(got)
		}
		if got := found("test", "todo"); !slices.Equal(got, []string{"todo"}) {
			d.Errorf("to-dos: %v", got)
		}
		if got := found("test", "todolist"); !slices.Equal(got, []string{"todolist"}) { // they share a key
			d.Errorf("lists: %v", got)
		}
		if got := found("test", "todolist", "todo"); !slices.Equal(got, []string{"todo", "todolist"}) {
			d.Errorf("both: %v", got)
		}
		if got := found("frame", "comment", "todo", "document"); !slices.Equal(got, []string{"comment", "document", "todo"}) {
			d.Errorf("three: %v", got)
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

func TestSearch_SortsNewestFirstOnRequest(t *testing.T) {
	at(t, func(d *toolEnv) {
		found := all[overview.FoundItem](d, "search", args{"query": "frame", "sort": "recency"})
		if !slices.IsSortedFunc(found, func(a, b overview.FoundItem) int { return b.CreatedAt.Compare(a.CreatedAt) }) {
			d.Error("not the newest first")
		}
		best := all[overview.FoundItem](d, "search", args{"query": "frame"})
		if slices.IsSortedFunc(best, func(a, b overview.FoundItem) int { return b.CreatedAt.Compare(a.CreatedAt) }) {
			d.Error("newest first without a request")
		}
	})
}

func TestSearch_ReturnsTypesAndIDsThatOtherToolsAccept(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, kind := range []string{"document", "card", "todo", "comment", "checkin"} {
			f := call[listing.Scroll[overview.FoundItem]](d, "search", args{"query": "frame", "types": []string{kind}}).Items[0]
			call[any](d, "read_basecamp", operation("get_history", args{"item": f.Type + ":" + digits(f.ID)}))
		}
	})
}

func TestSearch_FindsAFileByWordsOfItsName(t *testing.T) {
	at(t, func(d *toolEnv) {
		for _, in := range []args{{"query": "frame drawing"}, {"query": "frame drawing", "types": []string{"upload"}, "project": launch}} {
			found := lookup.Matching(all[overview.FoundItem](d, "search", in), func(f overview.FoundItem) bool { return f.Title == "frame-drawing-rev-f.pdf" })
			if len(found) != 1 || found[0].Type != lookup.UploadKind.Kind {
				d.Errorf("%v: found %+v", in, found)
			}
		}
		d.fails(fault.NotFound, "get_file", args{"item": "frame drawing.pdf", "project": launch}, `nearest: "frame-drawing-rev-f.pdf"`)
	})
}

func TestSearch_RefusesBadInput(t *testing.T) {
	at(t, func(d *toolEnv) {
		d.fails(fault.InvalidInput, "search", args{}, "query")
		d.fails(fault.InvalidInput, "search", args{"query": "  "}, "query")
		d.fails(fault.InvalidInput, "search", args{"query": "frame", "types": []string{"poem"}}, "types", "poem", "todolist")
		d.fails(fault.InvalidInput, "search", args{"query": "frame", "since": "last week"}, "since", "last_7_days")
		d.fails(fault.InvalidInput, "search", args{"query": "frame", "sort": "oldest"}, "sort")
		d.fails(fault.Ambiguous, "search", args{"query": "frame", "creator": "Sam"}, "creator")
		d.fails(fault.NotFound, "search", args{"query": "frame", "creator": "Santa"}, "creator")
		if asked := d.asked(func() { d.fails(fault.InvalidInput, "search", args{"query": "frame", "types": []string{"poem"}}) }); len(asked) > 0 {
			d.Errorf("requests: %v", asked)
		}
		// Only one Sam is on the project.
		if found := all[overview.FoundItem](d, "search", args{"query": "frame", "creator": "Sam", "project": launch}); len(found) == 0 || found[0].Author.Name != "Sam Okafor" {
			d.Errorf("found %v", found)
		}
		// A person who is not on the project may have written there earlier.
		if found := all[overview.FoundItem](d, "search", args{"query": "frame", "creator": "Lindqvist", "project": launch}); len(found) != 0 {
			d.Errorf("found %v", found)
		}
		if found := all[overview.FoundItem](d, "search", args{"query": "velociraptor"}); len(found) != 0 {
			d.Errorf("found %v", found)
		}
	})
}
