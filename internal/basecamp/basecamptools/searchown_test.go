package basecamptools

import (
	"testing"

	"basecamp-mcp/internal/basecamp/basecamptools/overview"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/fence"
)

func TestSearch_FindsTheCallersDraftsAndNoOthers(t *testing.T) {
	unlimited(t, func(d *toolEnv) {
		call[record](d, "create_message", args{"project": launch, "subject": "Zähne putzen", "body": "Every evening.", "draft": true})
		call[record](d, "create_document", args{"project": fleet, "title": "Zahn", "body": "A tooth.", "draft": true})
		call[record](d.as("Priya Raman"), "create_message", args{"project": launch, "subject": "Zahnarzt", "body": "Mine.", "draft": true})
		for _, x := range []struct {
			in   args
			want int
		}{
			{args{"query": "zahn"}, 2}, {args{"query": "ZÄHN", "project": launch}, 1}, {args{"query": "zahn", "types": []string{"document"}}, 1},
			{args{"query": "zahn", "types": []string{"todo"}}, 0}, {args{"query": "zahn", "creator": "Priya"}, 0}, {args{"query": "zahn", "creator": "me"}, 2},
			{args{"query": "zahn fleet"}, 0},
		} {
			found := lookup.Matching(all[overview.FoundItem](d, "search", x.in), func(f overview.FoundItem) bool { return f.Draft })
			if len(found) != x.want {
				d.Errorf("%v: %+v", x.in, found)
			}
			for _, f := range found {
				if f.Author.Name != "Ines Albrecht" || f.ID == 0 || f.URL == "" || f.ClientsSee != nil {
					d.Errorf("%+v", f)
				}
			}
		}
		d.who.Fence = fence.Fence{Read: &fence.Places{Projects: []int64{d.sandbox.ProjectID(launch)}}}
		if text, failed := d.raw("search", args{"query": "zahn"}); failed || text != `{"items":[],"has_more":false,"next_cursor":null}` {
			d.Errorf("within limits: %s", text)
		}
	})
}

func TestSearch_SaysWhatClientsSee(t *testing.T) {
	for _, visible := range []bool{true, false} {
		unlimited(t, func(d *toolEnv) {
			d.room(visible)
			for _, f := range all[overview.FoundItem](d, "search", args{"query": "room", "project": fleet}) {
				if (f.ClientsSee != nil) != visible {
					d.Errorf("%v: %+v", visible, f)
				}
			}
		})
	}
}

func TestSearch_WithoutWordsListsWhatAPersonMadeLast(t *testing.T) {
	unlimited(t, func(d *toolEnv) {
		noemie := d.as("Noémie Laurent")
		made := call[record](noemie, "create_comment", args{"item": colourVote, "project": launch, "body": "Green, then."})
		found := call[overview.FoundList](d, "search", args{"creator": "Noemie", "limit": 100})
		if len(found.Items) < 10 || found.Items[0].ID != int64(made["id"].(float64)) || found.Items[0].On == "" || found.Items[0].Excerpt != "Green, then." {
			d.Fatalf("%+v", found)
		}
		kinds := map[string]bool{}
		for i, f := range found.Items {
			kinds[f.Type] = true
			if f.Author.Name != "Noémie Laurent" || f.Title == "" || f.ID == 0 || i > 0 && f.CreatedAt.After(found.Items[i-1].CreatedAt) {
				d.Errorf("%+v", f)
			}
		}
		if len(kinds) < 4 {
			d.Errorf("%v", kinds)
		}
		for _, f := range all[overview.FoundItem](d, "search", args{"creator": "Noemie", "types": []string{"todo"}, "project": launch, "limit": 3}) {
			if f.Type != "todo" || f.Project.Name != launch {
				d.Errorf("%+v", f)
			}
		}
		d.fails(fault.InvalidInput, "search", args{"project": launch}, "query", "creator")
	})
}
