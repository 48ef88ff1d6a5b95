package jobs

import (
	"fmt"
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

// What the further jobs on GitHub may cost together. Never raise a limit.
const maxMoreGitHubCalls = 24

var moreGitHubJobs = []job{
	{"Give the unassigned cards of the board to Jonas and Hanna, ready, in the next sprint", shareOut},
	{"What blocks the release?", whatBlocks},
	{"Everything Jonas opened this month, in all repositories", openedByJonas},
	{"Turn these five steps into an epic with sub-issues on the board", makeEpic},
	{"Post a status update: at risk, brakes are late", postStatus},
	{"Which repositories do we have?", findRepos},
	{"Which milestones are open, and when are they due?", findMilestones},
	{"What is Noémie's login?", findPerson},
	{"Which pull requests wait for a review by Noémie?", reviewsOf},
	{"Who works on what, and what is stuck on the board?", boardReport},
	{"How did the configurator do this month?", repoReport},
	{"Close these three as not planned", closeThree},
	{"Tell the people of these four issues that the release moved", tellFour},
	{"Put six issues on my board", putSix},
	{"This one duplicates that one", isDuplicate},
	{"Move a sub-issue to the end of its epic", moveSub},
	{"The child seat page waits for the price summary", waitsFor},
	{"Which open issues mention photos?", mentionPhotos},
	{"Make it a bug", makeBug},
	{"Where does the board stand?", readStatus},
}

func TestMoreGitHubJobs_CostAtMostTheirCalls(t *testing.T) {
	runs, all := measured(t, moreGitHubJobs, "/x/basecamp,github")
	if all.calls > maxMoreGitHubCalls || all.errors > 0 || all.done < len(runs) {
		t.Errorf("%d calls, %d errors, %d of %d done; the limit is %d calls", all.calls, all.errors, all.done, len(runs), maxMoreGitHubCalls)
	}
}

const launchBoard = "fernhill-bikes/1"

func shareOut(r *run) {
	var refs []string
	for _, ref := range field(r.all("github_list_project_items", with{"project": launchBoard, "assignee": "none", "type": "issue", "limit": 100}), "ref") {
		if strings.HasPrefix(ref, configurator) && len(refs) < 9 {
			refs = append(refs, ref)
		}
	}
	for i, login := range []string{"jonas-brandt", "hanna-koivisto"} {
		mine := refs[i*5 : min(len(refs), i*5+5)]
		r.call("github_update_issue", with{"issues": mine, "add_assignees": []string{login}})
	}
	r.call("github_set_field_value", with{
		"project": launchBoard, "items": refs, "fields": []with{{"field": "Status", "value": "Ready"}, {"field": "Sprint", "value": "@next"}},
	})
	for i, ref := range refs {
		want := []string{"jonas-brandt", "hanna-koivisto"}[i/5]
		issue := r.look("github_get_issue", with{"issue": ref})
		r.check(issue.String("assignees.0") == want && r.value(ref, "Status") == "Ready", "%s is of %s", ref, issue.String("assignees.0"))
	}
}

// issueOf returns a reference to an issue of the configurator.
func issueOf(number int) string { return fmt.Sprintf("%s#%d", configurator, number) }

func whatBlocks(r *run) {
	r.look("github_update_issue", with{"issue": issueOf(83), "blocked_by": []string{issueOf(12), issueOf(77)}})
	found := r.call("github_get_issue", with{"issue": "Checklist for the launch", "repo": "configurator", "include_comments": false})
	r.check(slices.Equal(field(found.List("blocked_by"), "ref"), []string{issueOf(12), issueOf(77)}), "%s", found.Text)
}

func openedByJonas(r *run) {
	got := field(r.all("github_list_issues", with{"author": "jonas-brandt", "type": "any", "state": "all", "query": "created:>=" + r.day(-30), "limit": 100}), "ref")
	var want []string
	for _, repo := range []string{configurator, "fernhill-bikes/old-shop"} {
		for _, i := range r.lookAll("github_list_issues", with{"repo": repo, "creator": "jonas-brandt", "state": "all", "type": "any"}) {
			if i.String("created_at") >= r.day(-30) {
				want = append(want, i.String("ref"))
			}
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	r.check(len(want) > 3 && slices.Equal(got, want), "%v, not %v", got, want)
}

func makeEpic(r *run) {
	epic := r.call("github_create_issue", with{"repo": "configurator", "title": "Autumn ride", "project": launchBoard}).String("ref")
	var steps []with
	for _, title := range []string{"Choose a route", "Book the hall", "Invite riders", "Order soup", "Thank helpers"} {
		steps = append(steps, with{"title": title})
	}
	r.call("github_create_issue", with{
		"repo": "configurator", "issues": steps, "parent": epic, "project": launchBoard, "fields": []with{{"field": "Status", "value": "Backlog"}},
	})
	subs := r.look("github_get_issue", with{"issue": epic}).List("sub_issues.items")
	r.check(len(subs) == 5 && r.value(subs[4].String("ref"), "Status") == "Backlog", "%v", field(subs, "title"))
}

func postStatus(r *run) {
	r.call("github_update_project", with{"project": launchBoard, "status_update": with{"status": "at_risk", "body": "Brakes are late."}})
	status := r.look("github_get_project", with{"project": launchBoard})
	r.check(status.String("status_update.status") == "at_risk", "%s", status.String("status_update.status"))
}

func findRepos(r *run) {
	refs := field(r.call("github_find", with{"kind": "repo"}).List("items"), "ref")
	r.check(slices.Contains(refs, configurator) && slices.Contains(refs, "fernhill-bikes/old-shop"), "%v", refs)
}

func findMilestones(r *run) {
	found := r.call("github_find", with{"kind": "milestone", "repo": "configurator"})
	r.check(found.Find("items", "ref", "Spring launch").String("due_on") != "", "%s", found.Text)
}

func findPerson(r *run) {
	found := r.call("github_find", with{"kind": "person", "query": "Noémie"})
	r.check(found.String("items.0.ref") == "noemie-laurent", "%s", found.Text)
}

func reviewsOf(r *run) {
	got := r.all("github_list_issues", with{"type": "pull_request", "review_asked": "noemie-laurent", "limit": 100})
	r.check(len(got) > 3 && got[0].String("pull_request.checks") != "", "%d", len(got))
}

func boardReport(r *run) {
	got := r.call("github_get_report", with{"project": launchBoard})
	r.check(got.String("stuck.count") != "0" && len(got.List("by_status")) > 4, "%s", got.Text)
}

func repoReport(r *run) {
	got := r.call("github_get_report", with{"repo": "configurator", "since": "last_30_days"})
	r.check(got.String("new.count") != "0" && got.String("done.count") != "0", "%s", got.Text)
}

// three are open issues.
var three = []string{issueOf(12), issueOf(45), issueOf(77)}

func closeThree(r *run) {
	r.call("github_update_issue", with{"issues": three, "state_reason": "not_planned"})
	for _, ref := range three {
		r.check(r.look("github_get_issue", with{"issue": ref, "include_comments": false}).String("state_reason") == "not_planned", "%s is open", ref)
	}
}

func tellFour(r *run) {
	four := append(slices.Clone(three), issueOf(83))
	r.call("github_add_issue_comment", with{"issues": four, "body": "The release moved to May."})
	for _, ref := range four[1:2] {
		r.check(strings.Contains(r.look("github_get_issue", with{"issue": ref}).Text, "moved to May"), "%s has no comment", ref)
	}
}

func putSix(r *run) {
	six := append(slices.Clone(three), issueOf(83), issueOf(46), issueOf(60))
	r.call("github_add_project_item", with{"project": "ines-albrecht/1", "items": six, "fields": []with{{"field": "Status", "value": "Todo"}}})
	items := r.lookAll("github_list_project_items", with{"project": "ines-albrecht/1", "status": "Todo", "type": "issue"})
	r.check(len(items) == 6, "%v", field(items, "ref"))
}

func isDuplicate(r *run) {
	r.call("github_update_issue", with{"issue": issueOf(46), "duplicate_of": issueOf(45)})
	r.check(r.look("github_get_issue", with{"issue": issueOf(46)}).String("state_reason") == "duplicate", "it is not closed")
}

func moveSub(r *run) {
	r.look("github_update_issue", with{"issue": issueOf(83), "add_sub_issues": three})
	r.call("github_update_issue", with{"issue": three[0], "after": three[2]})
	subs := field(r.look("github_get_issue", with{"issue": issueOf(83)}).List("sub_issues.items"), "ref")
	r.check(slices.Equal(subs, []string{three[1], three[2], three[0]}), "%v", subs)
}

func waitsFor(r *run) {
	r.call("github_update_issue", with{"issue": issueOf(83), "blocked_by": []string{issueOf(77)}})
	r.check(len(r.look("github_get_issue", with{"issue": issueOf(77), "include_comments": false}).List("blocking")) == 1, "it blocks nothing")
}

func mentionPhotos(r *run) {
	got := r.all("github_list_issues", with{"query": "photos"})
	r.check(len(got) > 0 && slices.ContainsFunc(field(got, "title"), func(t string) bool { return strings.Contains(t, "photos") }), "%v", field(got, "title"))
}

func makeBug(r *run) {
	r.call("github_update_issue", with{"issue": issueOf(77), "type": "bug"})
	r.check(r.look("github_get_issue", with{"issue": issueOf(77), "include_comments": false}).String("issue_type") == "Bug", "it has another type")
}

func readStatus(r *run) {
	r.look("github_update_project", with{"project": launchBoard, "status_update": with{"status": "on_track"}})
	got := r.call("github_get_project", with{"project": "launch", "owner": "fernhill"})
	r.check(got.String("status_update.status") == "on_track", "%s", got.Text)
}
