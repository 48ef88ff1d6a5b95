package sandbox

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

func TestIssues_PullRequestsShareTheNumberingAndTheList(t *testing.T) {
	c := ines(t, newSandbox(t))
	next, total, pulls := "issues?state=all&per_page=100&sort=created&direction=asc", 0, 0
	link := regexp.MustCompile(`<([^>]+)>; rel="next"`)
	for range 10 {
		a := c.do(http.MethodGet, next, nil).want(t, http.StatusOK)
		for i := range a.len() {
			total++
			if a.at(i, "pull_request") != nil {
				pulls++
			}
		}
		found := link.FindStringSubmatch(a.Header.Get("Link"))
		if found == nil {
			break
		}
		next = found[1]
		if !strings.Contains(next, "/api/v3/repositories/") || !strings.Contains(next, "state=all") {
			t.Errorf("next is %s", next)
		}
	}
	if total != 140 || pulls == 0 {
		t.Errorf("%d issues and pull requests, %d of them pull requests", total, pulls)
	}
}

func TestIssues_FiltersNarrowTheList(t *testing.T) {
	c := ines(t, newSandbox(t))
	all := c.get("issues?state=all&per_page=100").len()
	for _, query := range []string{
		"", "state=closed", "labels=bug", "labels=bug,priority:%20high", "assignee=ines-albrecht", "assignee=none", "assignee=*", "creator=jonas-brandt",
		"milestone=1", "milestone=none", "milestone=*", "since=2031-03-10T00:00:00Z",
	} {
		a := c.get("issues?per_page=100&%s", query).want(t, http.StatusOK)
		if a.len() == 0 && query != "labels=bug,priority:%20high" || a.len() >= all {
			t.Errorf("%q lists %d", query, a.len())
		}
	}
	for _, query := range []string{"state=lost", "assignee=no-such-user", "milestone=99", "milestone=Spring", "since=yesterday"} {
		a := c.get("issues?%s", query).want(t, http.StatusUnprocessableEntity)
		if a.text("errors", 0, "code") != "invalid" {
			t.Errorf("%s: %s", query, a.raw)
		}
	}
}

func TestIssues_AreCreatedAndChanged(t *testing.T) {
	c := ines(t, newSandbox(t))
	a := c.do(http.MethodPost, "issues", values{
		"title": "New", "body": "a\r\nb", "labels": []string{"bug"}, "assignees": []string{"sam-okafor"}, "milestone": 2,
	}).want(t, http.StatusCreated)
	if a.at("number") != float64(143) || a.text("body") != "a\r\nb" || a.text("labels", 0, "name") != "bug" ||
		a.text("assignees", 0, "login") != "sam-okafor" || a.text("milestone", "title") != "Spring launch: dealers" {
		t.Errorf("%s", a.raw)
	}
	a = c.do(http.MethodPatch, "issues/143", values{"state": "closed", "state_reason": "not_planned", "milestone": nil, "labels": []string{}}).want(t, http.StatusOK)
	if a.text("state") != "closed" || a.text("state_reason") != "not_planned" || a.at("milestone") != nil || a.len("labels") != 0 || a.text("title") != "New" {
		t.Errorf("%s", a.raw)
	}
	if a = c.do(http.MethodPatch, "issues/143", values{"state": "open"}); a.text("state_reason") != "reopened" || a.at("closed_at") != nil {
		t.Errorf("%s", a.raw)
	}
	if a = c.get("issues/60"); a.at("user") != nil {
		t.Errorf("the author of 60 is not gone: %s", a.raw)
	}
}

func TestIssues_WithoutPushAccessGitHubDropsWithoutAWord(t *testing.T) {
	c := ines(t, newSandbox(t))
	c.base = "/repos/rijnstad-couriers/depot-map"
	sent := values{"title": "New", "labels": []string{"bug"}, "assignees": []string{"lieke-vdmeer"}, "milestone": 1}
	a := c.do(http.MethodPost, "issues", sent).want(t, http.StatusCreated)
	if a.len("labels") != 0 || a.len("assignees") != 0 || a.at("milestone") != nil {
		t.Errorf("%s", a.raw)
	}
	c.do(http.MethodPatch, "issues/6", values{"title": "Newer", "labels": []string{"bug"}}).want(t, http.StatusOK)
	c.do(http.MethodPatch, "issues/1", values{"title": "Newer"}).want(t, http.StatusForbidden)
	c.do(http.MethodPost, "milestones", values{"title": "Mine"}).want(t, http.StatusForbidden)
}

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

func TestIssues_ThatAreGoneMovedOrSwitchedOff(t *testing.T) {
	c := ines(t, newSandbox(t))
	c.get("issues/97").want(t, http.StatusGone)
	c.get("issues/999").want(t, http.StatusNotFound)
	a := c.get("issues/58").want(t, http.StatusMovedPermanently)
	if a = c.get("%s", a.Header.Get("Location")).want(t, http.StatusOK); a.text("title") != "Steering link of the front loader" {
		t.Errorf("%s", a.raw)
	}
	c.base = "/repos/fernhill-bikes/brand-assets"
	c.get("issues").want(t, http.StatusGone)
	c.get("milestones").want(t, http.StatusOK)
	c.base = "/repos/fernhill-bikes/old-shop"
	c.get("issues/1").want(t, http.StatusOK)
	c.do(http.MethodPatch, "issues/1", values{"title": "x"}).want(t, http.StatusForbidden)
	c.do(http.MethodPost, "milestones", values{"title": "x"}).want(t, http.StatusForbidden)
}

func TestRenamedRepository_RedirectsReadsAndWrites(t *testing.T) {
	c := ines(t, newSandbox(t))
	c.base = "/repos/Fernhill-Bikes/shop-configurator"
	a := c.get("issues?labels=bug").want(t, http.StatusMovedPermanently)
	if to := a.Header.Get("Location"); !strings.HasSuffix(to, "/issues?labels=bug") {
		t.Errorf("Location %s", to)
	}
	c.get("%s", a.Header.Get("Location")).want(t, http.StatusOK)
	a = c.do(http.MethodPost, "issues", values{"title": "x"}).want(t, http.StatusTemporaryRedirect)
	c.do(http.MethodPost, a.Header.Get("Location"), values{"title": "x"}).want(t, http.StatusCreated)
}

func TestComments_ComeOldestFirstInPages(t *testing.T) {
	c := ines(t, newSandbox(t))
	first, second := c.get("issues/77/comments?per_page=100"), c.get("issues/77/comments?per_page=100&page=2")
	if first.len() != 100 || second.len() != 30 || first.text(0, "created_at") >= second.text(0, "created_at") {
		t.Errorf("%d and %d comments", first.len(), second.len())
	}
	if link := second.Header.Get("Link"); strings.Contains(link, `rel="next"`) {
		t.Errorf("Link %s", link)
	}
	a := c.do(http.MethodPost, "issues/12/comments", values{"body": "Seen."}).want(t, http.StatusCreated)
	if a.text("user", "login") != "ines-albrecht" || c.get("issues/12").at("comments") != float64(2) {
		t.Errorf("%s", a.raw)
	}
	for _, body := range []values{{"body": " "}, {"body": strings.Repeat("x", 65_537)}, {}} {
		c.do(http.MethodPost, "issues/12/comments", body).want(t, http.StatusUnprocessableEntity)
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
