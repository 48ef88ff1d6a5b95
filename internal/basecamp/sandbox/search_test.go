package sandbox

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestSearch(t *testing.T) {
	const filtered = "&type_names[]=Message&type_names[]=Todo&bucket_ids[]={Project: Cargo Bike Launch}&creator_ids[]={Person: Ines Albrecht}"
	stories{
		"every kind is found by all words": {
			{"", "ALL /search?q=brake", "", 200, `["...", {"type": "Message", "content": null, "plain_text_content": "~mark", "plain_text_description": null},
				{"type": "Todo", "description": null, "plain_text_description": "~", "plain_text_content": null},
				{"type": "Document"}, {"type": "Chat::Lines::Text"}, {"type": "Comment"}]`},
			{"", "ALL /search?q=brake+pigment", "", 200, `[]`},
			{"", "GET /search", "", 400, ""},
			{"", "ALL /search?q=reserve_stock", "", 200, `[{"plain_text_content": "~<mark class=\"circled-text\"><span></span>reserve_stock</mark>()"}]`},
			{"", "ALL /search?q=noemie", "", 200, `["...", {"plain_text_content": "~<span></span>Noémie</mark>"}]`},
		},
		"results are filtered": {
			{"", "ALL /search?q=the" + filtered, "", 200, `["...", {"type": "Message", "bucket": "Cargo Bike Launch", "creator": "Ines Albrecht"}]`},
			{"", "ALL /search?q=the&exclude_chat=1&since=last_7_days", "", 200, `"#>5"`},
			{"", "ALL /search?q=salary", "", 200, `["...", {"bucket": "Payroll & Contracts"}]`},
			{"Hanna", "ALL /search?q=salary", "", 200, `[]`},
		},
	}.run(t)
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
