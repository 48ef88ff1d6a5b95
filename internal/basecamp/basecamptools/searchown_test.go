package basecamptools

import (
	"testing"

	"basecamp-mcp/internal/basecamp/basecamptools/overview"
	"basecamp-mcp/internal/signin/fence"
)

func TestSearch_FindsTheCallersDraftsAndNoOthers(t *testing.T) {
	const tooth, brush = "Zahn", "Zähne putzen"
	found := func(in args, titles ...string) row {
		return row{in: in, holds: holds{"items.*.title": append([]string{}, titles...)}}
	}
	own := row{fact: "drafts", tool: "create_message", in: args{"project": launch, "subject": brush, "body": "Every evening.", "draft": true}, then: []row{
		{tool: "create_document", in: args{"project": fleet, "title": tooth, "body": "A tooth.", "draft": true}},
		{as: "Priya Raman", tool: "create_message", in: args{"project": launch, "subject": "Zahnarzt", "body": "Mine.", "draft": true}},
		found(args{"query": "zahn", "sort": "recency"}, tooth, brush), found(args{"query": "ZÄHN", "project": launch}, brush), found(args{"query": "zahn", "types": []string{"document"}}, tooth),
		found(args{"query": "zahn", "types": []string{"todo"}}), found(args{"query": "zahn", "creator": "Priya"}), found(args{"query": "zahn", "creator": "me", "sort": "recency"}, tooth, brush), found(args{"query": "zahn fleet"}),
		{in: args{"query": "zahn"}, holds: holds{"items.*.draft": true, "items.*.author.name": "Ines Albrecht", "items.*.id": some, "items.*.url": some, "items.*.clients_see": nil}},
		{setup: func(d *toolEnv) {
			d.who.Fence = fence.Fence{Read: &fence.Places{Projects: []int64{d.sandbox.ProjectID("Company HQ")}}}
		}, fact: "within limits", in: args{"query": "zahn"}, holds: holds{"items": nil}, misses: []string{tooth}},
	}}
	cases(t, "search", nil, own)
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
	cases(t, "search", args{"creator": "Noemie", "limit": 100},
		row{fact: "of all kinds, the newest first", as: "Noémie Laurent", tool: "create_comment", in: args{"item": colourVote, "project": launch, "body": "Green, then."}, then: []row{
			{as: "Ines Albrecht", holds: holds{"items.#": least(10), "items.0.id": "{0.id}", "items.0.on": some, "items.0.excerpt": "Green, then.", "items.*.author.name": "Noémie Laurent", "items.*.title": some, "items.*.id": some},
				says: says{`"type":"todo"`, `"type":"message"`, `"type":"comment"`}}}},
		row{fact: "of one kind in a project", in: args{"types": []string{"todo"}, "project": launch}, holds: holds{"items.*.type": "todo", "items.*.project.name": launch}},
		invalid("a person or words are required", args{"creator": nil, "project": launch}, "query", "creator"),
	)
}
