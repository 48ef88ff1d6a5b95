package sandbox

import (
	"slices"
	"strings"
)

// findRepository returns a repository that the person may see.
func (x *run) findRepository(owner, name string, followRenames bool) (any, error) {
	r, renamed := x.s.repository(owner, name)
	if r == nil || renamed && !followRenames || x.t.person.inRepository(r) == noAccess {
		return nil, problemf("NOT_FOUND", "Could not resolve to a Repository with the name '%s/%s'.", owner, name)
	}
	if err := x.admit(r.owner); err != nil {
		return nil, err
	}
	if x.t.inRepository(r) == noAccess {
		return nil, problemf("NOT_FOUND", "Could not resolve to a Repository with the name '%s/%s'.", owner, name)
	}
	return x.repository(r), nil
}

// sees reports whether the person may read a repository.
func (x *run) sees(r *repository) bool {
	return !x.t.lacksSSO(r.owner) && x.t.inRepository(r) > noAccess
}

func (x *run) repository(r *repository) *object {
	numbered := func(kind, words string) resolver {
		return func(args map[string]any) (any, error) {
			number, _ := integer(args["number"])
			i := r.issue(number)
			if i == nil || kind != "" && i.kind() != kind {
				return nil, problemf("NOT_FOUND", "Could not resolve to %s with the number of %d.", words, number)
			}
			return x.issue(i), nil
		}
	}
	return &object{"Repository", fields{
		"id": r.node, "databaseId": r.id, "name": r.name, "nameWithOwner": r.fullName(), "url": x.url("/%s", r.fullName()),
		"isArchived": r.archived, "isPrivate": r.private, "hasIssuesEnabled": !r.issuesOff,
		"assignableUsers": resolver(func(args map[string]any) (any, error) {
			words := strings.ToLower(word(args, "query"))
			list := filter(x.s.accounts, func(a *account) bool {
				return a.kind == "User" && a.inRepository(r) >= mayPush && strings.Contains(strings.ToLower(a.login+" "+a.name), words)
			})
			return connect("UserConnection", list, x.account)(args)
		}),
		"owner":              resolver(func(map[string]any) (any, error) { return x.account(r.owner), nil }),
		"issue":              numbered("Issue", "an Issue"),
		"pullRequest":        numbered("PullRequest", "a PullRequest"),
		"issueOrPullRequest": numbered("", "an issue or pull request"),
		"milestone": resolver(func(args map[string]any) (any, error) {
			number, _ := integer(args["number"])
			return x.milestone(r.milestone(number)), nil
		}),
		"labels":     x.labels(r.labels),
		"milestones": connect("MilestoneConnection", r.milestones, x.milestone),
		"projectV2":  resolver(func(args map[string]any) (any, error) { return x.projectOf(r.owner, r, args) }),
		"projectsV2": resolver(func(args map[string]any) (any, error) { return x.projectsOf(r.owner, r, args) }),
	}}
}

func (i *issue) kind() string {
	if i.pull {
		return "PullRequest"
	}
	return "Issue"
}

// issue returns an issue or a pull request.
func (x *run) issue(i *issue) *object {
	o := &object{i.kind(), fields{
		"id": i.node, "databaseId": i.id, "number": i.number, "title": i.title, "body": i.body,
		"state": strings.ToUpper(state(i.closed)), "author": x.account(i.author),
		"authorAssociation": i.author.association(i.repository),
		"url":               x.url("/%s/%s/%d", i.repository.fullName(), i.segment(), i.number),
		"assignees":         x.users(i.assignees),
		"labels":            x.labels(i.labels),
		"milestone":         x.milestone(i.milestone),
		"repository":        resolver(func(map[string]any) (any, error) { return x.repository(i.repository), nil }),
		"createdAt":         stamp(i.created), "updatedAt": stamp(i.updated), "closedAt": nil,
		"comments": connect("IssueCommentConnection", i.comments, x.comment),
		"projectItems": resolver(func(args map[string]any) (any, error) {
			return connect("ProjectV2ItemConnection", x.itemsWith(i, args["includeArchived"] != false), x.item)(args)
		}),
	}}
	if i.closedAt != nil {
		o.fields["closedAt"] = stamp(*i.closedAt)
	}
	if !i.pull {
		o.fields["stateReason"] = resolver(func(args map[string]any) (any, error) {
			if i.reason == "duplicate" && args["enableDuplicate"] != true {
				return nil, nil
			}
			return orNull(strings.ToUpper(i.reason)), nil
		})
		o.fields["closedByPullRequestsReferences"] = resolver(func(args map[string]any) (any, error) {
			list := filter(i.pulls, func(p *issue) bool { return x.sees(p.repository) && (!p.closed || args["includeClosedPrs"] == true) })
			return connect("PullRequestConnection", list, x.issue)(args)
		})
		return o
	}
	o.fields["closingIssuesReferences"] = connect("IssueConnection", x.s.closedBy(i, x.sees), x.issue)
	o.fields["isDraft"], o.fields["merged"] = i.draft, i.merged
	o.fields["reviewDecision"] = orNull(i.review())
	o.fields["commits"] = connect("PullRequestCommitConnection", []*issue{i}, x.lastCommit)
	if i.merged {
		o.fields["state"] = "MERGED"
	}
	return o
}

// closedBy returns the issues that a pull request closes, as far as the person sees them.
func (s *Server) closedBy(pull *issue, sees func(*repository) bool) (closes []*issue) {
	for _, r := range filter(s.repos, sees) {
		closes = append(closes, filter(r.issues, func(i *issue) bool { return slices.Contains(i.pulls, pull) })...)
	}
	return closes
}

// lastCommit returns the only commit of a pull request, with the state of its checks.
func (x *run) lastCommit(i *issue) *object {
	rollup := &object{"StatusCheckRollup", fields{"id": nodeID("SCR", i.id), "state": i.checks()}}
	commit := &object{"Commit", fields{"id": nodeID("C", i.id), "statusCheckRollup": rollup}}
	return &object{"PullRequestCommit", fields{"id": nodeID("PRC", i.id), "commit": commit}}
}

// itemsWith returns the items that an issue has on boards that the person may see.
func (x *run) itemsWith(i *issue, archived bool) []*item {
	var items []*item
	for _, p := range x.allProjects() {
		if x.t.lacksSSO(p.owner) || !x.t.sees(p) {
			continue
		}
		for _, it := range p.items {
			if it.content == i && (archived || !it.archived) {
				items = append(items, it)
			}
		}
	}
	return items
}

func (x *run) labels(labels []*label) resolver {
	return connect("LabelConnection", labels, func(l *label) *object {
		return &object{"Label", fields{"id": l.node, "name": l.name, "color": l.color, "description": orNull(l.description)}}
	})
}

// milestone returns a milestone, nil for none.
func (x *run) milestone(m *milestone) *object {
	if m == nil {
		return nil
	}
	o := &object{"Milestone", fields{
		"id": m.node, "number": m.number, "title": m.title, "description": orNull(m.description), "dueOn": nil,
		"state": strings.ToUpper(state(m.closed)), "url": x.url("/%s/milestone/%d", m.repository.fullName(), m.number),
	}}
	if m.due != nil {
		o.fields["dueOn"] = stamp(*m.due)
	}
	return o
}
