package jobs

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

func thirtyPlaces(r *run) {
	const title = "Torques of the rear end"
	text := func(lead, unit string, more int) string {
		lines := make([]string, 30)
		for i := range lines {
			lines[i] = fmt.Sprintf("- %s %d: **%d** %s", lead, i+1, 4+i%7+more, unit)
		}
		return "Ask [@Mateusz] before you change a number.\n\n" + strings.Join(lines, "\n")
	}
	r.look("create_document", with{"project": launch, "title": title, "body": text("Bolt", "Nm", 0)})
	edits := make([]with, 30)
	for i := range edits {
		edits[i] = with{"find": fmt.Sprintf("Bolt %d: **%d** Nm", i+1, 4+i%7), "replace": fmt.Sprintf("Screw %d: **%d** newton metres", i+1, 5+i%7)}
	}
	r.call("edit_text", with{"item": "document:" + title, "project": launch, "edits": edits})
	got := r.look("get_document", with{"document_id": title, "project_id": launch}).String("content")
	r.check(got == text("Screw", "newton metres", 1), "it says %q", got)
}

func sameComment(r *run) {
	const says = "Prices are final since this morning."
	items := []string{"todo:Order cartons", "todo:Print the serial number plates", "card:Gift voucher", "document:Price list, Long Tail"}
	r.call("create_comment", with{"items": items, "project": launch, "body": says})
	for _, item := range items {
		comments := field(r.lookAll("list_comments", with{"item": item, "project": launch}), "content")
		r.check(slices.Contains(comments, says), "%s has no such comment", item)
	}
}

func pingHanna(r *run) {
	const question, answer = "Can you take the photos on Thursday?", "Only after lunch."
	r.call("post_chat_line", with{"to": []string{"Hanna"}, "text": question})
	asked := r.as("hanna", "get_item", with{"item": "ping:Ines"})
	r.check(asked.String("item.items.0.content") == question, "Hanna reads %s", asked.Text)
	r.as("hanna", "post_chat_line", with{"to": []string{"Ines"}, "text": answer})
	got := r.call("get_item", with{"item": "ping:Hanna"})
	r.check(got.String("item.items.0.content") == answer, "the ping says %s", got.Text)
}

func correctMine(r *run) {
	r.look("post_chat_line", with{"to": []string{launch}, "text": "The braks are here."})
	r.look("answer_checkin", with{"question": "What did you work on today?", "project": launch, "date": "today", "body": "Counted braks."})
	edits := []with{{"find": "braks", "replace": "brakes"}}
	said := r.call("list_campfire_lines", with{"project_id": launch, "limit": 10}).Find("items", "content", "The braks are here.")
	r.call("edit_text", with{"item": "chat_line:" + said.String("id"), "edits": edits})
	answered := r.call("list_checkin_answers", with{"question": "What did you work on today?", "project": launch, "person": "me", "limit": 1})
	r.call("edit_text", with{"item": "answer:" + answered.String("items.0.id"), "edits": edits})
	line := r.look("list_campfire_lines", with{"project_id": launch, "limit": 1}).String("items.0.content")
	r.check(line == "The brakes are here.", "the line says %q", line)
	answer := r.look("list_checkin_answers", with{"question": "What did you work on today?", "project": launch, "person": "me"}).String("items.0.content")
	r.check(answer == "Counted brakes.", "the answer says %q", answer)
}

func newVersion(r *run) {
	const file, now = "launch-budget.csv", "what,euros\ncake,90\n"
	before := r.look("get_file", with{"item": file, "project": launch})
	r.call("upload_file", with{"replaces": file, "project": launch, "filename": file, "content": now})
	after := r.look("get_file", with{"item": file, "project": launch})
	r.check(before.String("id") != "" && after.String("id") == before.String("id"), "it is another file")
	r.check(strings.Contains(after.Text, "cake,90"), "it says %s", after.Text)
}

func fileInFolder(r *run) {
	r.call("create_folder", with{"project": launch, "title": "Forms"})
	r.call("update_work", with{
		"items":   []with{{"item": "upload:hall-plan.pdf"}, {"item": "upload:rider-survey-summary.txt"}, {"item": "document:Read me first"}},
		"project": launch, "folder": "Forms",
	})
	in := with{"project_id": launch, "folder": "Forms"}
	r.check(slices.Equal(field(r.look("list_documents", in).List("items"), "title"), []string{"Read me first"}), "the document is not in it")
	files := field(r.look("list_attachments", in).List("items"), "filename")
	slices.Sort(files)
	r.check(slices.Equal(files, []string{"hall-plan.pdf", "rider-survey-summary.txt"}), "the files in it are %q", files)
}

func showToClient(r *run) {
	const message = "Internal: price of the second year"
	r.call("update_work", with{"items": []with{{"item": "message:" + message}}, "project": couriers, "visible_to_clients": true})
	pinned := r.call("edit_text", with{"item": "message:" + message, "project": couriers, "pin": true})
	seen := r.as("lieke", "list_messages", with{"project_id": couriers})
	r.check(slices.Contains(field(seen.List("items"), "subject"), message), "the client does not see it")
	r.check(pinned.String("pinned") == "true", "it is not pinned: %s", pinned.Text) // Basecamp does not return this later
}

func everyMonday(r *run) {
	r.call("create_schedule_entry", with{
		"project": launch, "summary": "Stand-up", "starts_at": "monday 9:00", "ends_at": "9:15",
		"repeats": "every monday until march 20", "participants": []string{"Priya", "Jonas"},
	})
	var times int
	for _, entry := range r.lookAll("list_schedule_entries", with{"project": launch, "to": r.day(21)}) {
		if entry.String("summary") != "Stand-up" {
			continue
		}
		starts, err := time.Parse(time.RFC3339, entry.String("starts_at"))
		in := starts.In(r.now.Location())
		r.check(err == nil && in.Weekday() == time.Monday && in.Hour() == 9, "one is at %s", entry.String("starts_at"))
		times++
	}
	r.check(times == 3, "there are %d in three weeks", times)
}
