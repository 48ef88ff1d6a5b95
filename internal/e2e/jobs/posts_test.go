package jobs

import (
	"slices"
	"strings"
	"time"
)

const body = "The frame jig is fre from noon. Ask Mateusz before you move it."

func post(r *run) {
	posted := r.call("create_message", with{
		"project": launch, "subject": "Frame jig", "notify": []string{"none"}, "body": "@Priya, @Noémie: " + body,
	})
	r.check(!posted.Failed, "it was not posted")
	r.mentioned("priya", "Frame jig")
	r.mentioned("noemie", "Frame jig")
	for _, item := range r.as("samo", "get_notifications", with{}).List("items") {
		r.check(item.String("title") != "Frame jig", "another user was notified")
	}
}

// mentioned checks that a person has a notification of a mention in the item with this title.
func (r *run) mentioned(person, title string) {
	r.t.Helper()
	for _, item := range r.as(person, "get_notifications", with{"section": "mentions"}).List("items") {
		if strings.Contains(item.String("title"), title) {
			return
		}
	}
	r.fail("%s was not mentioned, and the answer does not say so", person)
}

func typo(r *run) {
	r.look("create_message", with{"project": launch, "subject": "Frame jig", "body": body, "mentions": []string{"Priya"}})
	r.call("edit_text", with{"item": "message:Frame jig", "project": launch, "edits": []with{{"find": "fre", "replace": "free"}}})
	got := r.look("get_message", with{"message_id": "Frame jig", "project_id": launch}).String("content")
	r.check(got == "[@Priya] "+strings.Replace(body, "fre ", "free ", 1), "it says %q", got)
}

func replyToMention(r *run) {
	r.as("noemie", "create_comment", with{
		"item": "card:Matt clear coat", "project": launch, "body": "is the sample here?", "mentions": []string{"Ines"},
	})
	got := r.call("get_notifications", with{"section": "mentions"})
	r.call("create_comment", with{"item": got.String("items.0.url"), "body": "It came today."})
	comments := r.lookAll("list_comments", with{"item": "card:Matt clear coat", "project": launch})
	r.check(slices.Contains(field(comments, "content"), "It came today."), "the comment is not on the card")
}

func commentURL(r *run) {
	const todo = "Confirm brake supplier can deliver 120 sets before the first batch"
	comments := r.lookAll("list_comments", with{"item": todo, "project": launch, "detail": "full"})
	url := comments[1].String("url")
	opened := r.call("get_item", with{"item": url})
	r.check(strings.Contains(opened.Text, "very pretty scooters") && strings.Contains(opened.Text, "in writing, with a date"),
		"the context is not told")
	r.call("create_comment", with{"item": url, "body": "They signed."})
	comments = r.lookAll("list_comments", with{"item": todo, "project": launch})
	r.check(slices.Contains(field(comments, "content"), "They signed."), "the reply is not there")
}

func trashMessage(r *run) {
	const subject = "Rejected: the cup holder"
	trashed := r.call("set_item_status", with{"items": []string{"message:cup holder"}, "status": "trashed"})
	if trashed.Failed { // a part of a title is not enough without the project, which the user did not say
		item := trashed.String("data.candidates.0.type") + ":" + trashed.String("data.candidates.0.id")
		r.call("set_item_status", with{"items": []string{item}, "status": "trashed"})
	}
	subjects := field(r.lookAll("list_messages", with{"project_id": launch}), "subject")
	r.check(len(subjects) > 5 && !slices.Contains(subjects, subject), "it is still on the board")
}

func chat(r *run) {
	told := field(r.all("list_campfire_lines", with{"project_id": launch, "since": "yesterday", "limit": 200}), "content")
	for _, line := range r.lookAll("list_campfire_lines", with{"project_id": launch, "since": r.day(-1)}) {
		r.check(slices.Contains(told, line.String("content")), "the line %q is missing", line.String("content"))
	}
	r.call("post_chat_line", with{"to": launch, "text": "Thanks, all of you."})
	last := r.look("list_campfire_lines", with{"project_id": launch, "limit": 1})
	r.check(last.String("items.0.content") == "Thanks, all of you.", "the last line is %q", last.String("items.0.content"))
}

func checkin(r *run) {
	const title = "What did you work on today?"
	owed := r.call("list_checkins", with{}).Find("items", "title", title)
	pending := owed.String("pending_for")
	answer := with{"question": owed.String("id"), "body": "Talked to the parish office.", "date": pending}
	if pending == "" { // answered for the last day that it was asked: on a Monday, before it is asked
		answer["question"], answer["project"], answer["date"] = title, launch, "today"
	}
	answered := r.call("answer_checkin", answer)
	day := answered.String("date")
	r.check(day != "" && (day == pending || pending == "" && day == r.day(0)) && strings.Contains(answered.String("counts_for"), day),
		"the answer counts for %q, the question is pending for %q", answered.String("counts_for"), pending)
	answers := r.look("list_checkin_answers", with{"question": title, "project": launch, "date": day, "person": "me"})
	r.check(answers.Len("items") == 1, "there are %d answers for %s", answers.Len("items"), day)
	left := r.look("list_checkins", with{}).Find("items", "title", title)
	r.check(left.String("id") == "", "the question is still pending")
}

func notifications(r *run) {
	got := r.call("get_notifications", with{})
	opened := r.call("get_item", with{"item": got.String("items.0.url")})
	r.check(!opened.Failed, "the first one does not open")
	r.call("mark_notifications_read", with{"all": true})
	r.check(r.look("get_notifications", with{}).Len("items") == 0, "some are unread")
}

func appendToDocument(r *run) {
	const sentence = "We ride in winter, too."
	found := r.call("search", with{"query": "range winter", "types": []string{"document"}})
	r.call("edit_text", with{"item": found.String("items.0.url"), "append": sentence})
	got := r.look("get_document", with{"document_id": "Questions riders ask", "project_id": launch}).String("content")
	r.check(strings.HasSuffix(got, sentence) && strings.HasPrefix(got, "# Range"), "it says %q", got)
}

func replaceSentence(r *run) {
	r.call("edit_text", with{
		"item": "document:Travel costs", "project": "Company HQ", "edits": []with{{"find": "Train, second class.", "replace": "Train, first class."}},
	})
	got := r.look("get_document", with{"document_id": "Travel costs", "project_id": "Company HQ"}).String("content")
	r.check(got == "Train, first class. A bike in the train is always paid for.", "it says %q", got)
}

func meeting(r *run) {
	planned := r.call("create_schedule_entry", with{
		"project": launch, "summary": "Hub review", "starts_at": "tomorrow 3pm", "participants": []string{"Priya", "Sam Okafor"},
	})
	r.call("update_schedule_entry", with{"entry": planned.String("id"), "starts_at": "4pm"})
	for _, entry := range r.lookAll("list_schedule_entries", with{"project": launch, "to": r.day(2)}) {
		if entry.String("summary") != "Hub review" {
			continue
		}
		starts, err := time.Parse(time.RFC3339, entry.String("starts_at"))
		ends, _ := time.Parse(time.RFC3339, entry.String("ends_at"))
		r.check(err == nil && starts.In(r.now.Location()).Format("2006-01-02T15") == r.day(1)+"T16" && ends.Sub(starts) == time.Hour,
			"it is from %s to %s", entry.String("starts_at"), entry.String("ends_at"))
		names := entry.People("participants")
		slices.Sort(names)
		r.check(slices.Equal(names, []string{"Priya Raman", "Sam Okafor"}), "with %q", names)
		return
	}
	r.fail("it is not on the schedule")
}

func upload(r *run) {
	const text = "Kerbs: 20\nFlats: 0\n"
	made := r.call("upload_file", with{"project": launch, "filename": "kerbs.txt", "content": text})
	r.call("get_file", with{"item": made.String("id")})
	got := r.look("get_file", with{"item": "kerbs.txt", "project": launch})
	r.check(strings.Contains(got.Text, "Flats: 0"), "the file cannot be read back")
}
