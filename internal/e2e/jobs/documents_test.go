package jobs

import (
	"slices"
	"strings"
	"time"
)

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
