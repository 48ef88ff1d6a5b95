package basecamptools

import (
	"fmt"
	"strings"
	"testing"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/files"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/tool/listing"
)

// sixtySevenThousand returns a text of 67,500 characters with a distinct end.
func sixtySevenThousand() string { return strings.Repeat("Bell, rack, light. ", 3552) + "That is all." }

func TestGetItem_ReadsALongCommentToItsEnd(t *testing.T) {
	at(t, func(d *toolEnv) {
		message := d.sandbox.FindIn(launch, "Message", colourVote)
		id := call[parts.Comment](d, "create_comment", args{"item": fmt.Sprintf("message:%d", message), "body": sixtySevenThousand()}).ID
		anchored := fmt.Sprintf("%s#__recording_%d", d.url("messages", message), id)

		first := call[opened](d, "get_item", args{"url": anchored})
		if first.Comment == nil || !first.Comment.Truncated || first.Comment.NextOffset == 0 || first.Item["comments"] == nil {
			d.Fatalf("first part: %+v", first.Comment)
		}
		rest := call[opened](d, "get_item", args{"url": anchored, "offset": first.Comment.NextOffset})
		if whole := first.Comment.Content + rest.Comment.Content; whole != sixtySevenThousand() || rest.Comment.Truncated {
			d.Errorf("%d characters, the end: %s", len(whole), whole[len(whole)-30:])
		}
		alone := call[opened](d, "get_item", args{"url": d.url("comments", id), "offset": first.Comment.NextOffset})
		if text, _ := alone.Item["content"].(string); !strings.HasSuffix(text, "That is all.") {
			d.Errorf("by its own URL: %d characters", len(text))
		}
	})
}

func TestReads_ReturnALongTextInPartsThatMakeTheWhole(t *testing.T) {
	unlimited(t, func(d *toolEnv) {
		message, document := d.sandbox.FindIn(launch, "Message", colourVote), d.sandbox.FindIn(launch, "Document", "Glossary")
		card, todo := d.sandbox.Find("Kanban::Card", kickstand), d.sandbox.FindIn(launch, "Todo", "Sign off the final frame drawing, revision F")
		for _, x := range []struct {
			path, title, text string // where Basecamp keeps them
			id                int64
			tool, argument    string
		}{
			{"messages", "subject", "content", message, "get_message", "message_id"},
			{"messages", "subject", "content", message, "get_item", "url"},
			{"documents", "title", "content", document, "get_document", "document_id"},
			{"documents", "title", "content", document, "get_item", "url"},
			{"card_tables/cards", "title", "content", card, "get_item", "item"},
			{"todos", "content", "description", todo, "get_item", "url"},
		} {
			d.meanwhile("PUT", fmt.Sprintf("/%s/%d.json", x.path, x.id), fmt.Sprintf(`{%q:"Long",%q:"<div>%s</div>"}`, x.title, x.text, sixtySevenThousand()))
			in, whole, parts := args{x.argument: d.url(x.path, x.id)}, "", 0
			for next := 0.0; parts == 0 || next > 0 && parts < 10; parts++ {
				in["offset"] = int(next)
				part := call[record](d, x.tool, in)
				if x.tool == "get_item" {
					part = part["item"].(record)
				}
				text := part[x.text].(string)
				next, _ = part["next_offset"].(float64)
				comments, _ := part["comments"].([]any)
				if part["truncated"] != any(next > 0) && (part["truncated"] != nil || next > 0) || len([]rune(text)) > listing.MaxText || parts > 0 && len(comments) > 0 {
					d.Errorf("%s, part %d: %d characters, truncated %v, next %v, %d comments", x.tool, parts, len([]rune(text)), part["truncated"], next, len(comments))
				}
				whole += text
			}
			if parts < 2 || whole != sixtySevenThousand() {
				d.Errorf("%s of /%s: %d characters in %d parts", x.tool, x.path, len(whole), parts)
			}
		}
	})
}

func TestGetItem_ReadsALongMailToItsEndWithItsRepliesFirst(t *testing.T) {
	at(t, func(d *toolEnv) {
		rs, ctx := d.resolver()
		mails := call[listing.Scroll[listedMail]](d, "read_basecamp", args{"operation": "list_forwards", "project": launch, "detail": "full"}).Items
		if _, err := rs.Texts.ShowForward(ctx, mails[0].ID, parts.CommentsInput{Offset: 60_000}); err == nil || !strings.Contains(err.Error(), "beyond the end") {
			d.Errorf("got %v", err)
		}
		for _, m := range mails {
			if m.RepliesCount == 0 {
				continue
			}
			if got, err := rs.Texts.ShowForward(ctx, m.ID, parts.CommentsInput{IncludeComments: true, Offset: 5}); err != nil || len(got.Replies) > 0 || !got.MoreReplies {
				d.Errorf("%v: %+v", err, got)
			}
		}
	})
}

func TestGetItem_FitsAFullFolder(t *testing.T) {
	v := files.FolderView{}
	for range 15 {
		v.Documents = append(v.Documents, files.DocumentItem{Content: strings.Repeat("漢", files.MaxPreview), Title: strings.Repeat("T", 3000)})
		v.Files = append(v.Files, files.AttachmentItem{Description: strings.Repeat("漢", 20_000)})
		v.Folders = append(v.Folders, files.FolderItem{Name: "Folder"})
	}
	v.Fit()
	if size := listing.Weigh(v.Documents) + listing.Weigh(v.Files); size > listing.MaxAnswer || len(v.Documents) == 0 || len(v.Files) == 0 {
		t.Errorf("%d bytes: %d documents, %d files", size, len(v.Documents), len(v.Files))
	}
}

func longTexts(count, characters int) []files.DocumentItem {
	items := make([]files.DocumentItem, count)
	for i := range items {
		items[i].Content = strings.TrimSpace(strings.Repeat("word ", characters/5))
	}
	return items
}

func TestFit_CutsTextsBeforeItLeavesOutItems(t *testing.T) {
	for _, test := range []struct{ count, characters, room, left int }{
		{10, 3000, 10, 3000}, // all fit without a cut
		{5, 20_000, 5, 4000}, // ten thousand characters each are too many
		{20, 20_000, 20, 2000},
		{60, 20_000, 60, 500},
		{100, 20_000, 66, 500},  // even 500 characters are too many: 66 items fit
		{1, 200_000, 1, 10_000}, // one item always fits
	} {
		items := longTexts(test.count, test.characters)
		room := listing.Fit[files.DocumentItem, *files.DocumentItem](items, listing.MaxAnswer)
		longest := len(items[0].Content)
		if room != test.room || longest > test.left || longest < test.left*9/10 {
			t.Errorf("%d of %d characters: %d fit, of %d characters", test.count, test.characters, room, longest)
		}
		if items[0].Truncated != (test.left < test.characters) {
			t.Errorf("%d of %d characters: truncated %v", test.count, test.characters, items[0].Truncated)
		}
		if room > 1 && listing.Weigh(items[:room]) > listing.MaxAnswer {
			t.Errorf("%d of %d characters: %d bytes", test.count, test.characters, listing.Weigh(items[:room]))
		}
	}
}

func TestFit_AlwaysKeepsOneItem(t *testing.T) {
	items := longTexts(3, 20_000)
	if room := listing.Fit[files.DocumentItem, *files.DocumentItem](items, 100); room != 1 {
		t.Errorf("%d fit", room)
	}
}

func TestViewPerson_OmitsARedactedAddress(t *testing.T) {
	if p := lookup.ViewPerson(basecamp.Person{ID: 1, Name: "Ines\u200b", Email: "i••••@fernhill.example"}); p.Email != "" || p.Name != "Ines" {
		t.Errorf("got %+v", p)
	}
}
