package sandbox

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestSearch_FindsEveryKindByAllWords(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	kinds := map[string]bool{}
	for _, r := range c.all("/search.json?q=brake") {
		kinds[r.text("type")] = true
		said := r.text("title") + r.text("filename") + r.text("plain_text_content") + r.text("plain_text_description")
		if r["content"] != nil || r["description"] != nil || !strings.Contains(strings.ToLower(said), "brake") {
			t.Errorf("%v", r)
		}
	}
	for _, want := range []string{"Message", "Todo", "Document", "Chat::Lines::Text", "Comment"} {
		if !kinds[want] {
			t.Errorf("no %s among %v", want, kinds)
		}
	}
	if got := c.all("/search.json?q=brake+pigment"); len(got) != 0 {
		t.Errorf("%d results for two words that have no common text", len(got))
	}
	c.get("/search.json").want(400)
}

func TestSearch_HighlightsAndEscapes(t *testing.T) {
	s := newSandbox(t)
	hits := ines(t, s).all("/search.json?q=reserve_stock")
	if len(hits) != 1 || !strings.Contains(hits[0].text("plain_text_content"), `<mark class="circled-text"><span></span>reserve_stock</mark>()`) {
		t.Error(hits)
	}
}

func TestSearch_FoldsAccents(t *testing.T) {
	hits := ines(t, newSandbox(t)).all("/search.json?q=noemie")
	if len(hits) == 0 || !slices.ContainsFunc(hits, func(r object) bool {
		return strings.Contains(r.text("plain_text_content")+r.text("plain_text_description"), `<span></span>Noémie</mark>`)
	}) {
		t.Errorf("%d hits", len(hits))
	}
}

func TestSearch_SeparatesDescriptionsFromContents(t *testing.T) {
	for _, r := range ines(t, newSandbox(t)).all("/search.json?q=brake") {
		_, content := r["plain_text_content"]
		_, description := r["plain_text_description"]
		switch kind := r.text("type"); {
		case kind == "Todo" && (content || !description), kind == "Message" && (!content || description), kind == "Kanban::Card" && !(content && description):
			t.Errorf("a %s has content %v, description %v", kind, content, description)
		}
	}
}

func TestSearch_ResultsForFilesHaveNoIDs(t *testing.T) {
	parents := map[string]bool{}
	for _, r := range ines(t, newSandbox(t)).all("/search.json?q=brake&type_names[]=Attachment") {
		for _, key := range []string{"width", "height", "preview_url", "thumbnail_url"} {
			delete(r, key)
		}
		want := []string{
			"app_download_url", "bucket", "byte_size", "content", "content_type", "created_at", "creator", "description", "download_url", "filename",
			"parent", "previewable",
		}
		if got := slices.Sorted(maps.Keys(r)); !slices.Equal(got, want) {
			t.Errorf("the file is %v", got)
		}
		parents[r.text("parent", "type")] = true
	}
	if !parents["Upload"] || !parents["Message"] {
		t.Errorf("the files are from %v", parents)
	}
}

func TestSearch_FiltersByBracketedArrays(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	got := c.all("/search.json?q=the&type_names[]=Message&type_names[]=Todo&bucket_ids[]=%d&creator_ids[]=%d",
		s.ProjectID(launch), s.Person("Ines Albrecht").ID)
	if len(got) == 0 {
		t.Fatal("nothing")
	}
	for _, r := range got {
		if !slices.Contains([]string{"Message", "Todo", "Todolist"}, r.text("type")) || r.text("bucket", "name") != launch || r.text("creator", "name") != "Ines Albrecht" {
			t.Errorf("%s of %s in %s", r.text("type"), r.text("creator", "name"), r.text("bucket", "name"))
		}
	}
	for _, r := range c.all("/search.json?q=the&exclude_chat=1") {
		if strings.HasPrefix(r.text("type"), "Chat") {
			t.Error(r.text("title"))
		}
	}
	all, recent := c.all("/search.json?q=the"), c.all("/search.json?q=the&since=last_7_days")
	if len(recent) == 0 || len(recent) >= len(all) {
		t.Errorf("%d of %d are recent", len(recent), len(all))
	}
}

func TestSearch_HasTheRequestedPagesAndOrdersByDate(t *testing.T) {
	c := ines(t, newSandbox(t))
	r := c.get("/search.json?q=the&sort=recency&per_page=7").want(200)
	hits := r.list()
	if len(hits) != 7 || nextLink(r.Header) == "" {
		t.Errorf("%d hits", len(hits))
	}
	if !slices.IsSortedFunc(hits, func(a, b object) int { return strings.Compare(b.text("created_at"), a.text("created_at")) }) {
		t.Error("order")
	}
	if got := len(c.get("/search.json?q=the").list()); got != 50 {
		t.Errorf("a page has %d results by default", got)
	}
}

func TestSearch_FindsOnlyWhatTheCallerMaySee(t *testing.T) {
	s := newSandbox(t)
	if got := titles(ines(t, s).all("/search.json?q=salary")); len(got) == 0 {
		t.Error("Ines has no results")
	}
	for _, r := range as(t, s, "Hanna Koivisto").all("/search.json?q=salary") {
		if r.text("bucket", "name") == "Payroll & Contracts" {
			t.Error(r.text("title"))
		}
	}
}
