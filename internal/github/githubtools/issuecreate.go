package githubtools

import (
	"context"
	"strings"
	"time"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/github/githubtools/boards"
	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/toolargs"
)

type createIssueInput struct {
	Repo      string              `json:"repo" jsonschema:"Name or owner/name" limits:"minlen=1 maxlen=1000"`
	Title     string              `json:"title,omitzero" jsonschema:"This or issues" limits:"maxlen=256"`
	Body      string              `json:"body,omitzero" jsonschema:"Markdown" limits:"maxlen=65536"`
	Issues    []issueText         `json:"issues,omitzero" jsonschema:"Several; the rest holds for all" limits:"maxitems=25"`
	Labels    []string            `json:"labels,omitzero" jsonschema:"Existing labels" limits:"word maxitems=100"`
	Assignees []string            `json:"assignees,omitzero" jsonschema:"Logins or me" limits:"maxitems=10"`
	Milestone toolargs.Ref        `json:"milestone,omitzero" jsonschema:"Number or title"`
	Type      string              `json:"type,omitzero" jsonschema:"Issue type" limits:"maxlen=50"`
	Parent    toolargs.Ref        `json:"parent,omitzero" jsonschema:"Issue"`
	Project   toolargs.Ref        `json:"project,omitzero" jsonschema:"owner/5, URL or title"`
	Fields    []boards.FieldInput `json:"fields,omitzero" jsonschema:"Of the project"`
	OwnFields []boards.FieldInput `json:"issue_fields,omitzero" jsonschema:"Of the organization"`
}

// issueText is an issue of a batch.
type issueText struct {
	Title     string   `json:"title" jsonschema:"Plain text"`
	Body      string   `json:"body,omitzero" jsonschema:"Markdown" limits:"maxlen=65536"`
	Assignees []string `json:"assignees,omitzero" jsonschema:"Logins or me"` // instead of those of all
}

// writtenIssue is an issue after a write. NotApplied lists what GitHub dropped without an error,
// and what could not be done after the issue was written.
type writtenIssue struct {
	issue
	Body       string   `json:"body"`
	Truncated  bool     `json:"truncated,omitempty"`
	NotApplied []string `json:"not_applied"`
}

func written(i github.Issue, notApplied []string) writtenIssue {
	v := writtenIssue{issue: viewIssue(i), Body: parts.Shown(i.Body), NotApplied: notApplied}
	listing.Excerpt(&v.Body, parts.MaxWritten, &v.Truncated)
	return v
}

// createdIssue is a new issue, with where it was put.
type createdIssue struct {
	writtenIssue
	OwnFields map[string]any     `json:"issue_fields,omitempty"`
	Item      *boards.AddedEntry `json:"project_item,omitempty"`
}

// createdIssues is the answer for one issue, or for several.
type createdIssues struct {
	*createdIssue
	*listing.Applied[madeIssue]
}

// madeIssue is a new issue of a batch.
type madeIssue struct {
	Ref        string             `json:"ref"`
	Title      string             `json:"title"`
	URL        string             `json:"url"`
	OwnFields  map[string]any     `json:"issue_fields,omitempty"`
	Item       *boards.AddedEntry `json:"project_item,omitempty"`
	NotApplied []string           `json:"not_applied,omitempty"`
}

func (k *kit) createIssue(ctx context.Context, in createIssueInput) (createdIssues, error) {
	repo, err := k.InRepo(ctx, in.Repo, writeIssues, in.check())
	if err != nil {
		return createdIssues{}, err
	}
	to, err := k.destination(ctx, repo, in)
	if err != nil {
		return createdIssues{}, err
	}
	if len(in.Issues) > 0 {
		all, err := k.createIssues(ctx, repo, in, to)
		return createdIssues{nil, all}, err
	}
	v, err := k.createOne(ctx, repo, in, to)
	return createdIssues{&v, nil}, err
}

// check returns an error if the arguments do not go together. It needs no request.
func (in createIssueInput) check() error {
	var which, fields error
	switch {
	case len(in.Issues) > 0 && in.Title+in.Body != "":
		which = fault.Invalid("issues", "have titles and bodies of their own; leave title and body out")
	case len(in.Issues) == 0:
		which = titled(in.Title)
	}
	if len(in.Fields) > 0 && in.Project.IsZero() {
		fields = fault.Invalid("fields", "need the project that has them")
	}
	problems := []error{which, fields, parts.Logins("assignees", in.Assignees)}
	for i, one := range in.Issues {
		if err := fault.All(titled(one.Title), parts.Logins("assignees", one.Assignees)); err != nil {
			problems = append(problems, fault.Within(parts.Entry("issues", i), err))
		}
	}
	return fault.All(problems...)
}

// titled returns an error for a title that an issue cannot have.
func titled(title string) error {
	switch length := len([]rune(title)); {
	case title == "":
		return fault.Invalid("title", "is required")
	case length > parts.MaxTitle:
		return fault.Invalid("title", "must be at most %d characters, got %d", parts.MaxTitle, length)
	}
	return parts.NotBlank("title", title)
}

// destination is where new issues are put, read before they are written.
type destination struct {
	kind      string // an issue type
	parent    github.Issue
	project   *github.ProjectDetails
	settings  []boards.Setting
	own       []boards.Setting // issue fields
	milestone *github.Milestone
}

func (k *kit) destination(ctx context.Context, repo github.Repo, in createIssueInput) (to destination, err error) {
	if in.Type != "" {
		if to.kind, err = k.issueType(ctx, "type", repo, in.Type); err != nil {
			return to, err
		}
	}
	if !in.Parent.IsZero() {
		if to.parent, err = k.relative(ctx, "parent", github.Issue{Repo: repo}, in.Parent); err != nil {
			return to, err
		}
		subs := make([]github.Issue, max(1, len(in.Issues)))
		for i := range subs {
			subs[i].Repo, subs[i].ID = repo, "new"
		}
		if err := k.mayHold(ctx, "parent", to.parent, subs); err != nil {
			return to, err
		}
	}
	if !in.Project.IsZero() {
		p, err := k.Project(ctx, in.Project, "", boards.WriteProjects)
		if err != nil {
			return to, err
		}
		if to.settings, err = k.SettingsOf(p, boards.GivenFields(in.Fields)); err != nil {
			return to, err
		}
		to.project = &p
	}
	if !in.Milestone.IsZero() && !parts.IsNone(in.Milestone.Name) {
		found, err := k.milestone(ctx, repo, in.Milestone)
		if err != nil {
			return to, err
		}
		to.milestone = &found
	}
	to.own, err = k.issueSettings(ctx, repo, in.OwnFields)
	return to, err
}

func (k *kit) createOne(ctx context.Context, repo github.Repo, in createIssueInput, to destination) (createdIssue, error) {
	set := wishes{milestone: to.milestone}
	var err error
	if set.labels, err = k.labels(ctx, repo, "labels", in.Labels); err != nil {
		return createdIssue{}, err
	}
	if set.assignees, err = k.Assignable(ctx, repo, "assignees", in.Assignees, nil); err != nil {
		return createdIssue{}, err
	}
	draft := github.Given(github.Fields{
		"title": in.Title, "body": parts.Sent(in.Body), "type": to.kind, "issue_field_values": sentFields(to.own), "labels": set.labels, "assignees": set.assignees,
	})
	if to.milestone != nil {
		draft["milestone"] = to.milestone.Number
	}
	made, err := k.GitHub.CreateIssue(ctx, repo, draft)
	if err != nil {
		return createdIssue{}, parts.Unconfirmed(err, "created this issue", "look for it with github_list_issues before you retry")
	}
	values, unset := fieldsNow(made, to.own)
	v := createdIssue{writtenIssue: written(made, append(set.missing(made), unset...)), OwnFields: values}
	if to.parent.ID != "" {
		if _, err := carryOut([]nestStep{k.nest(ctx, nestStep{argument: "parent"}, to.parent, made, true)}); err != nil {
			v.NotApplied = append(v.NotApplied, "parent: "+fault.From(err).Message)
		}
	}
	if to.project != nil {
		one := k.PlaceAll(ctx, *to.project, []github.Issue{made}, to.settings)[0]
		v.Item, v.NotApplied = putOn(one, v.NotApplied)
	}
	return v, nil
}

// putOn returns where an issue was put, and adds what failed to what was not applied.
func putOn(one github.Outcome[boards.AddedEntry], missing []string) (*boards.AddedEntry, []string) {
	if one.Err != nil {
		missing = append(missing, "project: "+fault.From(one.Err).Message)
	}
	if one.Value.Item.ID == "" {
		return nil, missing
	}
	return &one.Value, missing
}

// createIssues creates several issues, nests them in a parent and puts them on a project. After a
// lost answer, it looks for the issues that were made.
func (k *kit) createIssues(ctx context.Context, repo github.Repo, in createIssueInput, to destination) (*listing.Applied[madeIssue], error) {
	if to.kind != "" {
		return nil, fault.Invalid("type", "cannot be set on several new issues at once; create them, and then set it with github_update_issue")
	}
	inputs, err := k.issueInputs(ctx, repo, in, to)
	if err != nil {
		return nil, listing.Unwritten(len(in.Issues), err)
	}
	begin := k.GitHub.Now()
	made := k.GitHub.WriteIssues(ctx, github.CreateIssues, inputs)
	k.lookForMade(ctx, repo, inputs, made, begin)
	done := make([]github.Outcome[madeIssue], len(made))
	titles := make([]string, len(made))
	var of []int
	var subjects []github.Issue
	for i, one := range made {
		titles[i] = in.Issues[i].Title
		done[i] = github.Outcome[madeIssue]{Value: madeIssue{Ref: parts.RefOf(one.Value), Title: plaintext.Clean(one.Value.Title), URL: one.Value.URL}, Err: one.Err, Tried: one.Tried}
		if one.Err == nil {
			of, subjects = append(of, i), append(subjects, one.Value)
		}
	}
	for n, missing := range k.giveFields(ctx, subjects, to.own) {
		if done[of[n]].Value.NotApplied = missing; missing == nil {
			done[of[n]].Value.OwnFields = shownFields(to.own...)
		}
	}
	if to.project != nil {
		for n, one := range k.PlaceAll(ctx, *to.project, subjects, to.settings) {
			v := &done[of[n]].Value
			v.Item, v.NotApplied = putOn(one, v.NotApplied)
		}
	}
	return parts.Applied("issues", titles, done)
}

// takingIssues returns a repository in which issues can be created.
func (k *kit) takingIssues(ctx context.Context, repo github.Repo) (github.Repository, error) {
	there, err := k.GitHub.Repository(ctx, repo)
	switch {
	case err != nil:
	case there.Archived:
		err = fault.Invalid("repo", "%s is archived, so it is read-only; an owner can unarchive it", there.NameWithOwner)
	case !there.HasIssues:
		err = fault.Invalid("repo", "%s has its issues switched off; an owner can switch them on", there.NameWithOwner)
	}
	return there, err
}

// issueInputs returns what GitHub gets for new issues.
func (k *kit) issueInputs(ctx context.Context, repo github.Repo, in createIssueInput, to destination) ([]github.Fields, error) {
	there, err := k.takingIssues(ctx, repo)
	if err != nil {
		return nil, err
	}
	var labels []string
	if len(in.Labels) > 0 {
		all, err := k.GitHub.Labels(ctx, repo)
		if err != nil {
			return nil, err
		}
		names, err := labelsOf(ctx, all, "labels", in.Labels)
		if err != nil {
			return nil, err
		}
		labels = nodesOf(all, names)
	}
	everyone := append([]string{}, in.Assignees...)
	for _, one := range in.Issues {
		everyone = append(everyone, one.Assignees...)
	}
	people, err := k.Directory(ctx, repo, "assignees", everyone)
	if err != nil {
		return nil, err
	}
	inputs := make([]github.Fields, len(in.Issues))
	for i, one := range in.Issues {
		input := github.Given(github.Fields{"repositoryId": there.ID, "title": one.Title, "body": parts.Sent(one.Body), "labelIds": labels, "parentIssueId": to.parent.ID})
		if to.milestone != nil {
			input["milestoneId"] = to.milestone.ID
		}
		given := one.Assignees
		if len(given) == 0 {
			given = in.Assignees
		}
		if len(given) > 0 {
			logins, err := k.People(ctx, given)
			if err != nil {
				return nil, err
			}
			input["assigneeIds"] = people.Of(logins, github.Issue{})
		}
		inputs[i] = input
	}
	return inputs, nil
}

// lookForMade replaces the errors of writes whose answer was lost by the issues that they made.
func (k *kit) lookForMade(ctx context.Context, repo github.Repo, inputs []github.Fields, made []github.Outcome[github.Issue], since time.Time) {
	var latest []github.Issue
	used := map[string]bool{}
	for _, one := range made {
		used[one.Value.ID] = true
	}
	for i := range made {
		if made[i].Err == nil || !fault.From(made[i].Err).MayHaveHappened {
			continue
		}
		if latest == nil {
			me, err := k.GitHub.Login(ctx)
			if err == nil {
				page, unread := k.GitHub.Issues(ctx, repo, github.IssueFilter{State: "all", Creator: me, Sort: "created", Direction: "desc"}, "")
				latest, err = page.Items, unread
			}
			if err != nil {
				latest = []github.Issue{}
			}
		}
		made[i].Err = parts.Unconfirmed(made[i].Err, "created this issue", "look for it with github_list_issues before you retry")
		for _, one := range latest {
			if !used[one.ID] && one.Title == strings.TrimSpace(inputs[i]["title"].(string)) && !one.CreatedAt.Before(since) {
				used[one.ID] = true
				made[i] = github.Outcome[github.Issue]{Tried: true, Value: one}
				break
			}
		}
	}
}
