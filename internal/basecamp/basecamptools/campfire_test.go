package basecamptools

import (
	"fmt"
	"slices"
	"testing"

	"basecamp-mcp/internal/basecamp/basecamptools/texts"
	"basecamp-mcp/internal/report/fault"
)

const newestLines = "GET /chats/{tool:chat@Cargo Bike Launch}/lines.json?sort=created_at&direction=desc"

// That the pages of any limit are the same lines, TestEveryTool_EndsEachWalk shows.
func TestListCampfireLines(t *testing.T) {
	cases(t, "list_campfire_lines", args{"project_id": launch},
		row{fact: "the newest of a day come oldest first", tool: newestLines, then: []row{{holds: holds{"items.#": texts.DefaultLines, "has_more": true, "items.49.id": "{0.0.id}", "items.48.id": "{0.1.id}"}, then: []row{
			{fact: "the day goes on by the cursor", in: args{"cursor": "{.next_cursor}"}, holds: holds{"has_more": false, "items.0.created_at": "1999-12-31T00:30:00Z", "items.*.created_at": has("1999-12-31")}},
		}}}},
		row{fact: "a limit without since means the newest of any age", tool: newestLines, then: []row{
			{in: args{"limit": 1}, holds: holds{"items.#": 1, "items.0.id": "{0.0.id}", "has_more": true}},
			{in: args{"limit": 200}, holds: holds{"items": least(60)}, says: says{"[Attachment: "}},
		}},
		row{fact: "since begins at a moment", in: args{"since": "1999-12-30T02:01:00Z", "limit": 200}, holds: holds{"items.0.created_at": has("1999-12-30T02:01"), "has_more": false}},
		row{fact: "it is past", in: args{"since": "2000-02-01"}, fails: fault.InvalidInput, says: says{"since", "future"}},
		row{fact: "it is a time", each: []args{{"since": "tomorrow"}, {"since": "2026-13-01"}, {"since": "2026-01-01T25:00:00Z"}}, fails: fault.InvalidInput, says: says{"since"}},
		row{fact: "a page has a line", in: args{"limit": 0}, fails: fault.InvalidInput, says: says{"limit", "between 1 and 200"}},
		row{fact: "a cursor is one of an answer", in: args{"cursor": "e30"}, fails: fault.InvalidInput, says: says{"cursor"}},
		row{fact: "a project may be named by the address of its chat", in: args{"project_id": launchURL + "/chats/{tool:chat@Cargo Bike Launch}", "limit": 1}, holds: holds{"items.#": 1}},
	)
}

func TestListCampfireLines_SkipsNothingWhilePeoplePostAndDelete(t *testing.T) {
	at(t, func(d *toolEnv) {
		lines := func(in args) []int64 {
			return slices.Sorted(slices.Values(ids(all[texts.ChatLine](d, "list_campfire_lines", in), func(l texts.ChatLine) int64 { return l.ID })))
		}
		path := fmt.Sprintf("/chats/%d/lines", d.sandbox.ToolID(launch, "chat"))
		in := args{"project_id": launch, "limit": 40}
		first := call[texts.ChatLines](d, "list_campfire_lines", in)
		in["cursor"] = *first.NextCursor
		want := lines(in)
		for range 20 {
			d.meanwhile("POST", path+".json", `{"content":"One more thing"}`)
		}
		if got := lines(in); !slices.Equal(got, want) || len(want) < 100 {
			d.Errorf("after talk: %d lines, want %d", len(got), len(want))
		}
		deleted := first.Items
		for range 3 { // twenty new lines are deleted too
			for _, line := range deleted {
				d.meanwhile("DELETE", fmt.Sprintf("%s/%d.json", path, line.ID), "")
			}
			deleted = call[texts.ChatLines](d, "list_campfire_lines", args{"project_id": launch, "limit": 10}).Items
		}
		if got := lines(in); !slices.Equal(got, want) {
			d.Errorf("after deletions: %d lines, want %d", len(got), len(want))
		}
	})
}

func TestPostChatLine(t *testing.T) {
	const workshop, second, mention = "Workshop & Tools", "{tool:chat 1@Workshop & Tools}", has("application/vnd.basecamp.mention")
	const chatURL = "https://3.basecamp.com/{account}/buckets/{project:" + workshop + "}/chats/" + second
	says := func(text string, mentions any, kind string, content any) row {
		return row{fact: text, in: args{"text": text, "mentions": mentions}, then: []row{{tool: newestLines, holds: holds{"0.type": "Chat::Lines::" + kind, "0.content": content}}},
			holds: holds{"type": "chat_line", "id": some, "content": some, "author.name": "Ines Albrecht", "project.name": launch, "url": some}}
	}
	cases(t, "post_chat_line", args{"to": launch, "text": "Part"},
		says(" The pallet is in. ", nil, "Text", "The pallet is in."),
		says("2 < 3 & so on", nil, "Text", "2 < 3 & so on"),
		says("first\nsecond", nil, "Text", "first\nsecond"),
		says("It is **in**.", nil, "RichText", has("<strong>in</strong>")),
		says("@Priya, it is in.", "Priya", "RichText", mention),
		says("Where is it?", "{person:Priya Raman}", "RichText", mention),
		says("@[Priya Raman](person:{person:Priya Raman}) look", nil, "RichText", mention),
		row{fact: "one of two chats must be named", in: args{"to": workshop}, fails: fault.Ambiguous, says: []string{"chat"}, holds: holds{"data.candidates.#": 2}},
		row{fact: "a chat may be named in any way", in: args{"to": workshop}, each: []args{{"chat": "spare parts"}, {"chat": second}, {"chat": chatURL}, {"to": chatURL}},
			then: []row{{tool: "GET /chats/" + second + "/lines.json?sort=created_at&direction=desc", holds: holds{"#": least(4), "0.content": "Part"}}}},
		row{fact: "a chat wins over that of the address", in: args{"to": chatURL, "chat": "{tool:chat@Workshop & Tools}"}, writes: []string{"POST /chats/{tool:chat@Workshop & Tools}/lines.json"}},
		row{fact: "a text is required", in: args{"text": " \n"}, fails: fault.InvalidInput, says: []string{"text", "blank"}},
		row{fact: "whom it mentions must be on the project", in: args{"mentions": "Lieke"}, fails: fault.InvalidInput, says: []string{"mentions[0]", "not on the project"}},
		row{fact: "whom it mentions must exist", in: args{"text": "@[Zelda](person:7) x"}, fails: fault.InvalidInput, says: []string{"text", "person 7"}},
		row{fact: "whom it mentions must be one person", in: args{"to": "Company HQ", "mentions": "Sam"}, fails: fault.Ambiguous, says: []string{"mentions[0]"}},
		row{fact: "the project must have a chat", in: args{"to": "Photo Library"}, fails: fault.ToolNotEnabled, says: []string{"chat"}},
		row{fact: "the chat must exist", in: args{"chat": "lunch"}, fails: fault.NotFound, says: []string{"chat"}},
		row{fact: "the project must exist", in: args{"to": "Nowhere"}, fails: fault.NotFound, says: []string{"project"}},
	)
}
