package basecamptools

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"basecamp-mcp/internal/listing"
)

// sixtySevenThousand returns a text of 67,500 characters with a distinct end.
func sixtySevenThousand() string { return strings.Repeat("Bell, rack, light. ", 3552) + "That is all." }

func TestGetItem_ReadsALongCommentToItsEnd(t *testing.T) {
	at(t, func(d *toolEnv) {
		message := d.sandbox.FindIn(launch, "Message", colourVote)
		id := call[comment](d, "create_comment", args{"item": fmt.Sprintf("message:%d", message), "body": sixtySevenThousand()}).ID
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

func TestGetItem_ReadsALongTextOfAnyKindToItsEnd(t *testing.T) {
	at(t, func(d *toolEnv) {
		long := fmt.Sprintf(`<div>%s</div>`, sixtySevenThousand())
		for title, url := range map[string]string{
			"title":   d.url("documents", d.sandbox.FindIn(launch, "Document", "Glossary")),
			"subject": d.url("messages", d.sandbox.FindIn(launch, "Message", colourVote)),
		} {
			_, path, _ := strings.Cut(url, fmt.Sprintf("/buckets/%d", d.sandbox.ProjectID(launch)))
			d.meanwhile("PUT", path+".json", fmt.Sprintf(`{%q:"Long","content":%q}`, title, long))
			first := d.open(url)
			next, _ := first.Item["next_offset"].(float64)
			rest := call[opened](d, "get_item", args{"url": url, "offset": int(next)})
			if text, _ := rest.Item["content"].(string); next == 0 || !strings.HasSuffix(text, "That is all.") {
				d.Errorf("%s: goes on at %v with %d characters", path, next, len(text))
			}
		}
	})
}

func TestGetItem_ReadsALongMailToItsEndWithItsRepliesFirst(t *testing.T) {
	at(t, func(d *toolEnv) {
		rs, ctx := d.resolver()
		mails := call[listing.Scroll[listedMail]](d, "list_forwards", args{"project": launch, "detail": "full"}).Items
		if _, err := rs.showForward(ctx, mails[0].ID, commentsInput{Offset: 60_000}); err == nil || !strings.Contains(err.Error(), "beyond the end") {
			d.Errorf("got %v", err)
		}
		for _, m := range mails {
			if m.RepliesCount == 0 {
				continue
			}
			if got, err := rs.showForward(ctx, m.ID, commentsInput{IncludeComments: true, Offset: 5}); err != nil || len(got.Replies) > 0 || !got.MoreReplies {
				d.Errorf("%v: %+v", err, got)
			}
		}
	})
}

func TestEdits_ShowTheChangeInALongText(t *testing.T) {
	at(t, func(d *toolEnv) {
		body := "The beginning.\n\n" + strings.Repeat("Bell, rack, light. ", 100) + "\n\nThe torque is 6 Nm.\n\n" + strings.Repeat("Saddle, pedal, chain. ", 100)
		posted := call[writtenMessage](d, "create_message", args{"project": launch, "subject": "Long", "body": body})
		written := call[writtenDocument](d, "create_document", args{"project": launch, "title": "Long", "body": body})
		said := call[comment](d, "create_comment", args{"item": fmt.Sprintf("message:%d", posted.ID), "body": body})
		for tool, in := range map[string]args{
			"edit_text": {"message": posted.ID}, "update_document": {"document": written.ID}, "update_comment": {"comment": said.ID},
		} {
			for _, edit := range []struct {
				in    args
				words string
			}{
				{args{"find": "6 Nm", "replace": "8 Nm"}, "The torque is 8 Nm."},
				{args{"append": "Signed by all."}, "Signed by all."},
				{args{"body": "The end.\n\n" + body}, "The end.\n\nThe torque is 6 Nm."},
			} {
				arguments := clone(in)
				maps.Copy(arguments, edit.in)
				got := call[struct {
					Content   string
					Truncated bool
				}](d, tool, arguments)
				if got.Content != edit.words || got.Truncated {
					d.Errorf("%s %v: %d characters: %s", tool, edit.in, len(got.Content), got.Content)
				}
			}
		}
	})
}

func TestGetItem_FitsAFullFolder(t *testing.T) {
	v := folderView{}
	for range 15 {
		v.Documents = append(v.Documents, documentItem{Content: strings.Repeat("漢", maxPreview), Title: strings.Repeat("T", 3000)})
		v.Files = append(v.Files, attachmentItem{Description: strings.Repeat("漢", 20_000)})
		v.Folders = append(v.Folders, folderItem{Name: "Folder"})
	}
	v.fit()
	if size := listing.Weigh(v.Documents) + listing.Weigh(v.Files); size > listing.MaxAnswer || len(v.Documents) == 0 || len(v.Files) == 0 {
		t.Errorf("%d bytes: %d documents, %d files", size, len(v.Documents), len(v.Files))
	}
}
