package basecamptools

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp/basecamptools/texts"
	"basecamp-mcp/internal/fault"
)

// chatBack reads all answers of a chat's window, and returns the lines oldest first.
func chatBack(d *toolEnv, arguments args) []texts.ChatLine {
	d.Helper()
	var lines []texts.ChatLine
	arguments = clone(arguments)
	for range 100 {
		answer := call[texts.ChatLines](d, "list_campfire_lines", arguments)
		lines = append(slices.Clone(answer.Items), lines...)
		if answer.HasMore != (answer.NextCursor != nil) {
			d.Fatalf("has_more %v, cursor %v", answer.HasMore, answer.NextCursor)
		}
		if !answer.HasMore {
			return lines
		}
		arguments["cursor"] = *answer.NextCursor
	}
	d.Fatal("the chat has more than 100 answers")
	return nil
}

func lineID(l texts.ChatLine) int64 { return l.ID }

func inOrder(lines []texts.ChatLine) bool {
	return slices.IsSortedFunc(lines, func(a, b texts.ChatLine) int { return a.CreatedAt.Compare(b.CreatedAt) })
}

func TestListCampfireLines_ReturnsTheNewestFiftyOfTheLastDayByDefault(t *testing.T) {
	at(t, func(d *toolEnv) {
		first := call[texts.ChatLines](d, "list_campfire_lines", args{"project_id": launch})
		if len(first.Items) != texts.DefaultLines || !first.HasMore || !inOrder(first.Items) {
			d.Errorf("%d lines, more %v", len(first.Items), first.HasMore)
		}
		day := chatBack(d, args{"project_id": launch})
		if len(day) < 60 || day[0].CreatedAt.Before(time.Now().Add(-texts.ChatDay)) || !inOrder(day) || distinct(ids(day, lineID)) != len(day) {
			d.Errorf("%d lines since %v", len(day), day[0].CreatedAt)
		}
	})
}

func TestListCampfireLines_LimitWithoutSinceReturnsTheNewestOfAnyAge(t *testing.T) {
	at(t, func(d *toolEnv) {
		everything := chatBack(d, args{"project_id": launch, "limit": 200})
		if len(everything) < 160 || !inOrder(everything) {
			d.Fatalf("%d lines", len(everything))
		}
		if !slices.ContainsFunc(everything, func(l texts.ChatLine) bool { return strings.Contains(l.Content, "[Attachment: ") }) {
			d.Error("no line names its file")
		}
		for _, limit := range []int{1, 30, 170, 200} {
			got := call[texts.ChatLines](d, "list_campfire_lines", args{"project_id": launch, "limit": limit})
			want := everything[max(0, len(everything)-limit):]
			if len(got.Items) > limit || got.HasMore != (len(got.Items) < len(everything)) {
				d.Errorf("limit %d: %d lines, more %v", limit, len(got.Items), got.HasMore)
			}
			if want = want[len(want)-len(got.Items):]; !slices.Equal(ids(got.Items, lineID), ids(want, lineID)) {
				d.Errorf("limit %d: not the newest", limit)
			}
		}
		if got := chatBack(d, args{"project_id": launch, "limit": 13}); !slices.Equal(ids(got, lineID), ids(everything, lineID)) {
			d.Errorf("thirteen at a time: %d lines of %d", len(got), len(everything))
		}
	})
}

func TestListCampfireLines_SkipsNothingWhilePeoplePostAndDelete(t *testing.T) {
	at(t, func(d *toolEnv) {
		everything := ids(chatBack(d, args{"project_id": launch, "limit": 200}), lineID)
		chat := d.sandbox.ToolID(launch, "chat")
		in := args{"project_id": launch, "limit": 40}
		first := call[texts.ChatLines](d, "list_campfire_lines", in)
		in["cursor"] = *first.NextCursor
		want := everything[:len(everything)-40]
		for range 20 {
			d.meanwhile("POST", fmt.Sprintf("/chats/%d/lines.json", chat), `{"content":"One more thing"}`)
		}
		if got := ids(chatBack(d, in), lineID); !slices.Equal(got, want) {
			d.Errorf("after talk: %d lines, want %d", len(got), len(want))
		}
		for _, line := range first.Items {
			d.meanwhile("DELETE", fmt.Sprintf("/chats/%d/lines/%d.json", chat, line.ID), "")
		}
		for range 2 { // twenty new lines were deleted too
			latest := call[texts.ChatLines](d, "list_campfire_lines", args{"project_id": launch, "limit": 10})
			for _, line := range latest.Items {
				d.meanwhile("DELETE", fmt.Sprintf("/chats/%d/lines/%d.json", chat, line.ID), "")
			}
		}
		if got := ids(chatBack(d, in), lineID); !slices.Equal(got, want) {
			d.Errorf("after deletions: %d lines, want %d", len(got), len(want))
		}
	})
}

func TestListCampfireLines_BeginsAtSince(t *testing.T) {
	at(t, func(d *toolEnv) {
		everything := chatBack(d, args{"project_id": launch, "limit": 200})
		since := time.Now().Add(-50 * time.Hour).UTC().Truncate(time.Second)
		want := 0
		for _, line := range everything {
			if !line.CreatedAt.Before(since) {
				want++
			}
		}
		if got := chatBack(d, args{"project_id": launch, "since": since.Format(time.RFC3339)}); len(got) != want || want == 0 {
			d.Errorf("%d lines, want %d", len(got), want)
		}
		d.fails(fault.InvalidInput, "list_campfire_lines", args{"project_id": launch, "since": "2000-02-01"}, "since", "future")
		for _, bad := range []string{"x", "tomorrow", "2026-13-01", "2026-01-01T25:00:00Z"} {
			d.fails(fault.InvalidInput, "list_campfire_lines", args{"project_id": launch, "since": bad}, "since", bad)
		}
		d.fails(fault.InvalidInput, "list_campfire_lines", args{"project_id": launch, "limit": 0}, "limit", "between 1 and 200")
		d.fails(fault.InvalidInput, "list_campfire_lines", args{"project_id": launch, "cursor": "e30"}, "cursor")
	})
}

// saidLast returns the newest line of a chat from Basecamp.
func saidLast(d *toolEnv, chat int64) record {
	return upstream[[]record](d, fmt.Sprintf("/chats/%d/lines.json?sort=created_at&direction=desc", chat))[0]
}

func TestPostCampfireLine_SendsPlainTextUnlessRichTextIsNeeded(t *testing.T) {
	at(t, func(d *toolEnv) {
		room, priya := d.sandbox.ToolID(launch, "chat"), d.sandbox.Person("Priya Raman")
		for text, want := range map[string]struct {
			kind, content string
			mentions      any
		}{
			" The pallet is in. ": {"Chat::Lines::Text", "The pallet is in.", nil},
			"2 < 3 & so on":       {"Chat::Lines::Text", "2 < 3 & so on", nil},
			"first\nsecond":       {"Chat::Lines::Text", "first\nsecond", nil},
			"It is **in**.":       {"Chat::Lines::RichText", "<strong>in</strong>", nil},
			"@Priya, it is in.":   {"Chat::Lines::RichText", "application/vnd.basecamp.mention", []string{"Priya"}},
			"Where is it?":        {"Chat::Lines::RichText", "application/vnd.basecamp.mention", priya.ID},
			"[@Priya], it is in.": {"Chat::Lines::RichText", "application/vnd.basecamp.mention", nil},
			fmt.Sprintf("@[Priya Raman](person:%d) look", priya.ID): {"Chat::Lines::RichText", "application/vnd.basecamp.mention", nil},
		} {
			in := args{"to": launch, "text": text}
			if want.mentions != nil {
				in["mentions"] = want.mentions
			}
			got := call[texts.ChatLine](d, "post_chat_line", in)
			last := saidLast(d, room)
			content := last["content"].(string)
			if last["type"] != want.kind || !strings.Contains(content, want.content) || want.kind == "Chat::Lines::Text" && content != want.content {
				d.Errorf("%q: Basecamp has %v: %s", text, last["type"], content)
			}
			if got.Type != "chat_line" || got.ID == 0 || got.Content == "" || got.Author.Name != "Ines Albrecht" || got.Project.Name != launch || got.URL == "" {
				d.Errorf("got %+v", got)
			}
			time.Sleep(time.Second) // in the time of synctest: each line gets a later time
		}
	})
}

func TestPostCampfireLine_PostsToTheNamedChat(t *testing.T) {
	at(t, func(d *toolEnv) {
		const workshop = "Workshop & Tools"
		rooms := d.sandbox.ToolIDs(workshop, "chat")
		f := d.refuses(fault.Ambiguous, "post_chat_line", args{"to": workshop, "text": "x"}, "chat")
		if len(f.Data.Candidates) != 2 {
			d.Errorf("candidates %+v", f.Data.Candidates)
		}
		url := fmt.Sprintf("https://3.basecamp.com/%d/buckets/%d/chats/%d", d.sandbox.Account(), d.sandbox.ProjectID(workshop), rooms[1])
		for i, in := range []args{{"to": workshop, "chat": "spare parts"}, {"to": workshop, "chat": rooms[1]}, {"to": workshop, "chat": url}, {"to": url}} {
			in["text"] = fmt.Sprintf("Part %d", i)
			call[texts.ChatLine](d, "post_chat_line", in)
			if last := saidLast(d, rooms[1]); last["content"] != in["text"] {
				d.Errorf("%v: the last line is %v", in, last["content"])
			}
			time.Sleep(time.Second) // in the time of synctest: each line gets a later time
		}
		call[texts.ChatLine](d, "post_chat_line", args{"to": url, "chat": rooms[0], "text": "Broom"})
		if last := saidLast(d, rooms[0]); last["content"] != "Broom" {
			d.Errorf("the last line is %v", last["content"])
		}
		if got := call[texts.ChatLines](d, "list_campfire_lines", args{"project_id": url, "limit": 1}); got.Items[0].Content != "Part 3" {
			d.Errorf("got %+v", got.Items)
		}
	})
}

func TestPostCampfireLine_PostsNothingOnInvalidInput(t *testing.T) {
	at(t, func(d *toolEnv) {
		d.refuses(fault.InvalidInput, "post_chat_line", args{"to": launch, "text": " \n"}, "text", "blank")
		d.refuses(fault.InvalidInput, "post_chat_line", args{"to": launch, "text": "x", "mentions": "Lieke"}, "mentions[0]", "not on the project")
		d.refuses(fault.InvalidInput, "post_chat_line", args{"to": launch, "text": "@[Zelda](person:7) x"}, "text", "person 7")
		d.refuses(fault.Ambiguous, "post_chat_line", args{"to": "Company HQ", "text": "x", "mentions": "Sam"}, "mentions[0]")
		d.refuses(fault.ToolNotEnabled, "post_chat_line", args{"to": "Photo Library", "text": "x"}, "chat")
		d.refuses(fault.NotFound, "post_chat_line", args{"to": launch, "chat": "lunch", "text": "x"}, "chat")
		d.refuses(fault.NotFound, "post_chat_line", args{"to": "Nowhere", "text": "x"}, "project")
	})
}
