package jobs

import (
	"slices"
	"strings"
	"testing"
)

// What the jobs on GitHub may cost together. Never raise a limit.
const (
	maxGitHubCalls  = 13
	maxGitHubErrors = 0
)

var githubJobs = []job{
	{"What is in progress on the board Season launch of fernhill-bikes?", inProgress},
	{"Which issues of the milestone Spring launch are open?", openOfMilestone},
	{"File a bug; put it on the board: priority normal, next sprint", fileBug},
	{"Close Translate the cookie notice as not planned, with a comment", closeNotPlanned},
	{"Move Frame colour picker forgets the choice to Done", moveToDone},
	{"Make a milestone for August with three issues in it", milestoneOfThree},
	{"Rename the board Public roadmap, and close it", renameAndClose},
	{"Delete the board Workshop backlog; yes, I am sure", deleteBoard},
	{"Where on the board is Order demo bikes?", findByTitle},
	{"Summarise the issue Range estimate is too hopeful", summarize},
}

func TestGitHubJobs_CostNoMoreThanBefore(t *testing.T) {
	runs, all := measured(t, githubJobs, "/x/basecamp,github")
	if all.calls > maxGitHubCalls || all.errors > maxGitHubErrors || all.done < len(runs) {
		t.Errorf("%d calls, %d errors, %d done; the limits are %d, %d and %d", all.calls, all.errors, all.done, maxGitHubCalls, maxGitHubErrors, len(runs))
	}
}

const (
	configurator = "fernhill-bikes/configurator"
	board        = "Season launch"
	boardOwner   = "fernhill-bikes"
)

// onBoard returns arguments with the board in addition.
func onBoard(more with) with {
	more["project"], more["owner"] = board, boardOwner
	return more
}

// value returns the value of a field of an item on the board.
func (r *run) value(item, fieldName string) string {
	r.t.Helper()
	return r.look("github_get_field_value", onBoard(with{"item": item, "field": fieldName})).String("value")
}

func inProgress(r *run) {
	got := field(r.all("github_list_project_items", onBoard(with{"status": "In progress", "limit": 100})), "id")
	var want []string
	for _, item := range r.lookAll("github_list_project_items", onBoard(with{})) {
		if item.Find("fields", "name", "Status").String("value") == "In progress" {
			want = append(want, item.String("id"))
		}
	}
	r.check(len(want) > 10 && slices.Equal(got, want), "%d items of %d", len(got), len(want))
}

func openOfMilestone(r *run) {
	got := field(r.all("github_list_issues", with{"repo": configurator, "milestone": "Spring launch"}), "ref")
	var want []string
	for _, issue := range r.lookAll("github_list_issues", with{"repo": configurator, "state": "all"}) {
		if issue.String("milestone") == "Spring launch" && issue.String("state") == "open" {
			want = append(want, issue.String("ref"))
		}
	}
	r.check(len(want) > 5 && slices.Equal(got, want), "%v, not %v", got, want)
}

func fileBug(r *run) {
	const title = "Bell rings twice in the preview"
	const urgent = "Normal" // the board has no high
	fields := r.look("github_get_project", with{"project": board, "owner": boardOwner})
	ref := r.call("github_create_issue", with{
		"repo": "configurator", "title": title, "body": "Seen on Tuesday.", "labels": []string{"bug"}, "project": "fernhill-bikes/1",
		"fields": []with{{"field": "Priority", "value": urgent}, {"field": "Sprint", "value": "@next"}},
	}).String("ref")
	issue := r.look("github_get_issue", with{"issue": ref})
	r.check(issue.String("title") == title && issue.String("labels.0") == "bug", "the issue is %s", issue.Text)
	r.check(r.value(ref, "Priority") == urgent, "its priority is %q", r.value(ref, "Priority"))
	next := ""
	for _, iteration := range fields.Find("fields", "name", "Sprint").List("iterations") {
		if start := iteration.String("start_date"); start > r.now.UTC().Format("2006-01-02") && (next == "" || start < next) {
			next = start
		}
	}
	sprint := r.look("github_get_field_value", onBoard(with{"item": ref, "field": "Sprint"}))
	r.check(next != "" && sprint.String("iteration.start_date") == next, "its sprint starts on %q, not %q", sprint.String("iteration.start_date"), next)
}

func closeNotPlanned(r *run) {
	const title, why = "Translate the cookie notice", "The notice goes away in spring."
	r.call("github_add_issue_comment", with{"repo": configurator, "issue": title, "body": why})
	ref := r.call("github_update_issue", with{"repo": configurator, "issue": title, "state_reason": "not_planned"}).String("ref")
	issue := r.look("github_get_issue", with{"issue": ref})
	r.check(issue.String("state") == "closed" && issue.String("state_reason") == "not_planned", "it is %s: %s", issue.String("state"), issue.String("state_reason"))
	r.check(issue.Find("comments", "body", why).String("author") == "ines-albrecht", "the comment is missing: %s", issue.Text)
}

func moveToDone(r *run) {
	const title = "Frame colour picker forgets the choice"
	before := r.value(title, "Status")
	r.call("github_set_field_value", onBoard(with{"item": title, "field": "Status", "value": "Done"}))
	after := r.value(title, "Status")
	r.check(before != "Done" && after == "Done", "it was in %q and is in %q", before, after)
}

func milestoneOfThree(r *run) {
	const milestone = "August ride"
	titles := []string{"Choose the route", "Print the flyers", "Invite the dealers"}
	r.call("github_create_milestone", with{"repo": configurator, "title": milestone, "due_on": "2027-08-28"})
	var issues []with
	for _, title := range titles {
		issues = append(issues, with{"title": title})
	}
	r.call("github_create_issue", with{"repo": configurator, "issues": issues, "milestone": milestone})
	got := field(r.lookAll("github_list_issues", with{"repo": configurator, "milestone": milestone, "direction": "asc"}), "title")
	r.check(slices.Equal(got, titles), "it has %v", got)
}

func renameAndClose(r *run) {
	r.call("github_update_project", with{"project": "Public roadmap", "owner": boardOwner, "title": "Roadmap 2026", "closed": true})
	closed := r.look("github_list_projects", with{"owner": boardOwner, "state": "closed", "limit": 100})
	r.check(closed.Find("items", "title", "Roadmap 2026").String("state") == "closed", "the closed boards are %v", field(closed.List("items"), "title"))
}

func deleteBoard(r *run) {
	const title = "Workshop backlog"
	before := r.look("github_list_projects", with{"owner": boardOwner, "state": "all"}).List("items")
	r.call("github_delete_project", with{"project": title, "owner": boardOwner, "confirm_title": title})
	after := field(r.look("github_list_projects", with{"owner": boardOwner, "state": "all"}).List("items"), "title")
	r.check(len(after) == len(before)-1 && !slices.Contains(after, title), "the boards are %v", after)
}

func findByTitle(r *run) {
	const title = "Order demo bikes"
	found := r.call("github_get_field_value", onBoard(with{"item": title, "field": "Status"}))
	items := r.lookAll("github_list_project_items", onBoard(with{"type": "draft_issue"}))
	i := slices.Index(field(items, "title"), title)
	r.check(i >= 0 && items[i].Find("fields", "name", "Status").String("value") == found.String("value"), "it is in %q", found.String("value"))
}

func summarize(r *run) {
	issue := r.call("github_get_issue", with{"repo": configurator, "issue": "Range estimate is too hopeful"})
	comments := issue.List("comments")
	for cursor := issue.String("next_cursor"); cursor != ""; {
		page := r.call("github_get_issue", with{"issue": issue.String("ref"), "cursor": cursor})
		comments = append(comments, page.List("comments")...)
		cursor = page.String("next_cursor")
	}
	total := r.look("github_get_issue", with{"issue": issue.String("ref"), "include_comments": false}).String("comments_count")
	r.check(strings.Contains(issue.String("body"), "80 km") && total == "130" && len(comments) == 130, "%d of %s comments", len(comments), total)
}
