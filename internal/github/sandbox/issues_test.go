package sandbox

import (
	"net/http"
	"strings"
	"testing"
)

func TestIssues_InvalidInputIsRefusedWithTheListOfErrors(t *testing.T) {
	c := ines(t, newSandbox(t))
	c.do(http.MethodPost, "issues", values{"title": "t", "body": strings.Repeat("ü", 65_536)}).want(t, http.StatusCreated)
	for field, body := range map[string]values{
		"title":        {"title": " "},
		"body":         {"title": "t", "body": strings.Repeat("ü", 65_537)},
		"assignees":    {"title": "t", "assignees": []string{"no-such-user"}},
		"milestone":    {"title": "t", "milestone": 99},
		"state":        {"title": "t", "state": "lost"},
		"state_reason": {"title": "t", "state": "closed", "state_reason": "bored"},
	} {
		a := c.do(http.MethodPatch, "issues/12", body).want(t, http.StatusUnprocessableEntity)
		if a.text("errors", 0, "field") != field || a.text("errors", 0, "resource") != "Issue" || a.text("errors", 0, "code") == "" {
			t.Errorf("%s: %s", field, a.raw)
		}
	}
	c.do(http.MethodPost, "issues", values{}).want(t, http.StatusUnprocessableEntity)
	for _, body := range []string{`{"title":7}`, `{"title":"t","labels":"bug"}`, `{"title":"t","assignees":[7]}`, `{"title":"t","milestone":"x"}`} {
		if a := c.do(http.MethodPost, "issues", body).want(t, http.StatusUnprocessableEntity); a.at("errors") != nil {
			t.Errorf("%s: %s", body, a.raw)
		}
	}
	for _, body := range []string{"", "{", "[]", "null"} {
		c.do(http.MethodPost, "issues", body).want(t, http.StatusBadRequest)
	}
}

func TestMilestones_HaveTitlesOfTheirOwn(t *testing.T) {
	c := ines(t, newSandbox(t))
	if open, all := c.get("milestones").len(), c.get("milestones?state=all").len(); open != 4 || all != 5 {
		t.Errorf("%d of %d", open, all)
	}
	a := c.do(http.MethodPost, "milestones", values{"title": "Autumn", "due_on": "2031-09-01T12:00:00Z"}).want(t, http.StatusCreated)
	if a.text("due_on") != "2031-09-01T12:00:00Z" || a.text("state") != "open" || a.at("number") != float64(6) {
		t.Errorf("%s", a.raw)
	}
	a = c.do(http.MethodPost, "milestones", values{"title": "autumn"}).want(t, http.StatusUnprocessableEntity)
	if a.text("errors", 0, "code") != "already_exists" {
		t.Errorf("%s", a.raw)
	}
	for _, body := range []values{{}, {"title": ""}, {"title": "x", "due_on": "soon"}, {"title": "x", "state": "lost"}, {"title": strings.Repeat("x", 256)}} {
		c.do(http.MethodPost, "milestones", body).want(t, http.StatusUnprocessableEntity)
	}
}

func TestLabels_AreListedAndMadeOnDemand(t *testing.T) {
	c := ines(t, newSandbox(t))
	before := c.get("labels").want(t, http.StatusOK).len()
	c.do(http.MethodPatch, "issues/12", values{"labels": []string{"brand new", "bug"}}).want(t, http.StatusOK)
	if after := c.get("labels").len(); after != before+1 {
		t.Errorf("%d labels, then %d", before, after)
	}
}
