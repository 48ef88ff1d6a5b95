package sandbox

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCheckins_AnswersAreFilteredByDayAndPerson(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	q := s.Find("Question", "What did you work on today?")
	all := c.all("/questions/%d/answers.json", q)
	if got := c.get("/questions/%d.json", q).object().text("answers_count"); got != fmt.Sprint(len(all)) || len(all) < 20 {
		t.Errorf("%s of %d answers", got, len(all))
	}
	yesterday := noon.AddDate(0, 0, -1).Format("2006-01-02")
	for _, a := range c.all("/questions/%d/answers.json?date=%s", q, yesterday) {
		if a.text("group_on") != yesterday {
			t.Error(a.text("group_on"))
		}
	}
	sam := s.Person("Sam Okafor").ID
	byQuery := c.all("/questions/%d/answers.json?creator_id=%d", q, sam)
	byPath := c.all("/questions/%d/answers/by/%d.json", q, sam)
	if diff := cmp.Diff(titles(byQuery), titles(byPath)); diff != "" || len(byPath) != 3 {
		t.Errorf("%d %s", len(byPath), diff)
	}
	if got := names(c.all("/questions/%d/answers/by.json", q)); !slices.Contains(got, "Sam Okafor") || len(got) < 8 {
		t.Error(got)
	}
}

func TestCheckins_AnAnswerNeedsTextAndDayAndRemovesTheReminder(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	q := s.Find("Question", "What did you work on today?")
	pending := func() []string {
		var day []string
		for _, r := range c.all("/my/question_reminders.json") {
			if r.text("question", "id") == fmt.Sprint(q) {
				day = append(day, r.text("group_on"))
			}
		}
		return day
	}
	due := pending()
	if len(due) != 1 {
		t.Fatalf("pending %v", due)
	}
	path := fmt.Sprintf("/questions/%d/answers.json", q)
	c.post(path, object{"content": "<div>Bells</div>"}).want(422)
	a := c.post(path, object{"question_answer": object{"content": "<div>Bells</div>", "group_on": due[0]}}).want(201).object()
	if a.text("group_on") != due[0] || a.text("title") != "Answer to “What did you work on today?”" {
		t.Error(a)
	}
	if got := pending(); len(got) != 0 {
		t.Errorf("reminders %v remain", got)
	}
	answer := "/question_answers/" + a.text("id") + ".json"
	c.put(answer, object{"content": "<div>Louder bells</div>"}).want(422)
	c.put(answer, object{"content": "<div>Louder bells</div>", "group_on": due[0]}).want(204)
	as(t, s, "Sam Okafor").put(answer, object{"content": "x", "group_on": due[0]}).want(http.StatusForbidden)
}

func TestQuestion_PausesAndResumes(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	path := fmt.Sprintf("/questions/%d", s.Find("Question", "What could make us late?"))
	c.post(path+"/pause.json", nil).want(200)
	if got := c.get("%s.json", path).object().text("paused"); got != "true" {
		t.Error(got)
	}
	if got := c.delete(path + "/pause.json").want(200).object().text("paused"); got != "false" {
		t.Error(got)
	}
}

func TestForwards_AreListedWithSendersAndReplies(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	list := c.all("/inboxes/%d/inbox_forwards.json", s.ToolID(launch, "inbox"))
	if diff := cmp.Diff("Parking permission, church square", list[0].text("subject")); diff != "" {
		t.Error(diff)
	}
	i := slices.IndexFunc(list, func(o object) bool { return o.text("replies_count") == "2" })
	if i < 0 {
		t.Fatal("no answer to the forward")
	}
	replies := c.all("/inbox_forwards/%s/replies.json", list[i].text("id"))
	if len(replies) != 2 || replies[0].text("type") != "Inbox::Reply" {
		t.Error(replies)
	}
	c.get("/inbox_forwards/%s/replies/%s.json", list[i].text("id"), replies[0].text("id")).want(200)
	if list[i].text("from") != "Felgenwerk Sales <sales@felgenwerk.example>" {
		t.Error(list[i].text("from"))
	}
}
