package sandbox

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

func (x *run) queryRoot() *object {
	return &object{"Query", fields{
		"viewer": lazy(func() *object { return x.account(x.t.person) }),
		"repositoryOwner": resolver(func(args map[string]any) (any, error) {
			a := x.s.account(word(args, "login"))
			if a == nil || a.kind != "User" && a.kind != "Organization" {
				return nil, nil // as at GitHub, without an error
			}
			return x.account(a), nil
		}),
		"repository": resolver(func(args map[string]any) (any, error) {
			r, _ := x.s.repository(word(args, "owner"), word(args, "name"))
			refuse(r == nil || !x.sees(r), problemf("NOT_FOUND", "Could not resolve to a Repository with the name '%s/%s'.", word(args, "owner"), word(args, "name")))
			return x.repository(r), nil
		}),
		"search": resolver(x.search),
		"node":   resolver(func(args map[string]any) (any, error) { return x.node(word(args, "id")) }),
	}}
}

// word returns a string argument; empty for none.
func word(args map[string]any, name string) string {
	text, _ := args[name].(string)
	return text
}

func (x *run) url(format string, args ...any) string { return x.origin + fmt.Sprintf(format, args...) }

// account returns an account, nil for one that is gone. Bots and mannequins have fewer fields; the
// schema refuses the others.
func (x *run) account(a *account) *object {
	if a == nil {
		return nil
	}
	return &object{a.kind, fields{
		"id": a.node, "login": a.login, "name": orNull(a.name),
		"organizations": resolver(func(args map[string]any) (any, error) {
			list := filter(x.s.accounts, func(o *account) bool { return o.kind == "Organization" && slices.Contains(o.members, a) })
			return connect("OrganizationConnection", list, x.account)(args)
		}),
		"repositories": resolver(func(args map[string]any) (any, error) {
			return x.listRepositories(func(r *repository) bool { return r.owner == a || affiliated(a, r, args["affiliations"]) }, args)
		}),
		"repositoriesContributedTo": resolver(func(args map[string]any) (any, error) {
			return x.listRepositories(func(r *repository) bool {
				return slices.ContainsFunc(r.issues, func(i *issue) bool { return i.author == a })
			}, args)
		}),
		"membersWithRole": connect("OrganizationMemberConnection", a.members, x.account),
		"teams":           connect("TeamConnection", a.teams, x.team),
		"projectV2": resolver(func(args map[string]any) (any, error) {
			number, _ := integer(args["number"])
			p := first(a.projects, func(p *project) bool { return p.number == number })
			refuse(p == nil || !x.t.person.sees(p), problemf("NOT_FOUND", "Could not resolve to a ProjectV2 with the number %d.", number))
			return x.project(p), nil
		}),
		"projectsV2": resolver(func(args map[string]any) (any, error) {
			matches := projectQuery(word(args, "query"))
			list := filter(a.projects, func(p *project) bool { return x.t.person.sees(p) && matches(p) })
			list = ordered(list, args, func(a, b *project) int { return a.updated.Compare(b.updated) })
			return connect("ProjectV2Connection", list, x.project)(args)
		}),
	}}
}

func (x *run) team(t *team) *object {
	return &object{"Team", fields{
		"id": t.node, "name": t.name, "combinedSlug": t.organization.login + "/" + t.slug,
		"url": x.url("/orgs/%s/teams/%s", t.organization.login, t.slug),
	}}
}

func (x *run) users(accounts []*account) resolver {
	return connect("UserConnection", accounts, x.account)
}

// affiliated reports whether a person works in a repository of others, as one of the affiliations
// says.
func affiliated(a *account, r *repository, affiliations any) bool {
	asked, _ := affiliations.([]any)
	return slices.Contains(asked, any("ORGANIZATION_MEMBER")) && slices.Contains(r.owner.members, a) && !slices.Contains(r.closedTo, a)
}

func (x *run) listRepositories(of func(*repository) bool, args map[string]any) (any, error) {
	list := filter(x.s.repos, func(r *repository) bool { return x.sees(r) && of(r) })
	list = ordered(list, args, func(a, b *repository) int { return cmp.Compare(a.id, b.id) })
	return connect("RepositoryConnection", list, x.repository)(args)
}

// projectQuery returns the condition of a search: words of the title, is:open and is:closed.
func projectQuery(query string) func(*project) bool {
	words := strings.Fields(strings.ToLower(query))
	return func(p *project) bool {
		return !slices.ContainsFunc(words, func(w string) bool {
			switch w {
			case "is:open":
				return p.closedAt != nil
			case "is:closed":
				return p.closedAt == nil
			}
			return !strings.Contains(strings.ToLower(p.title), strings.Trim(w, `"`))
		})
	}
}

// forbids returns the error of a mutation that the person may not carry out.
func (x *run) forbids() *problem {
	return problemf("FORBIDDEN", "%s does not have the correct permissions for this mutation", x.t.person.login)
}

func (x *run) allProjects() []*project {
	var all []*project
	for _, a := range x.s.accounts {
		all = append(all, a.projects...)
	}
	return all
}

func (x *run) project(p *project) *object {
	kind := "orgs"
	if p.owner.kind == "User" {
		kind = "users"
	}
	return &object{"ProjectV2", fields{
		"id": p.node, "number": p.number, "title": p.title, "shortDescription": orNull(p.description),
		"readme": orNull(p.readme), "closed": p.closedAt != nil, "public": p.public,
		"url":       x.url("/%s/%s/projects/%d", kind, p.owner.login, p.number),
		"createdAt": stamp(p.created), "updatedAt": stamp(p.updated), "creator": x.account(p.creator),
		"owner":           lazy(func() *object { return x.account(p.owner) }),
		"viewerCanUpdate": x.t.person.belongsTo(p.owner) && x.t.has("project"),
		"field": resolver(func(args map[string]any) (any, error) {
			if f := p.field(word(args, "name")); f != nil {
				return x.field(f), nil
			}
			return nil, nil
		}),
		"fields": connect("ProjectV2FieldConfigurationConnection", x.known(p.fields), x.field),
		"statusUpdates": resolver(func(args map[string]any) (any, error) {
			list := ordered(p.updates, args, func(a, b *statusUpdate) int { return a.created.Compare(b.created) })
			return connect("ProjectV2StatusUpdateConnection", list, x.statusUpdate)(args)
		}),
		"items": connect("ProjectV2ItemConnection", p.items, x.item),
	}}
}

// A statusUpdate says where a project stands.
type statusUpdate struct {
	thing
	project       *project
	creator       *account
	status, body  string
	start, target string // dates; empty for none
	created       time.Time
}

func (x *run) statusUpdate(u *statusUpdate) *object {
	return &object{"ProjectV2StatusUpdate", fields{
		"id": u.node, "status": orNull(u.status), "body": orNull(u.body), "startDate": orNull(u.start), "targetDate": orNull(u.target),
		"createdAt": stamp(u.created), "updatedAt": stamp(u.created), "creator": x.account(u.creator),
		"project": lazy(func() *object { return x.project(u.project) }),
	}}
}

// known returns the fields that this GitHub has: an Enterprise Server lacks the newer kinds.
func (x *run) known(list []*field) []*field {
	return filter(list, func(f *field) bool { return x.schema.Types["ProjectV2FieldType"].EnumValues.ForName(f.kind) != nil })
}

func (x *run) field(f *field) *object {
	o := &object{"ProjectV2Field", fields{"id": f.node, "name": f.name, "dataType": f.kind}}
	options := []any{}
	for _, p := range f.options {
		options = append(options, &object{"ProjectV2SingleSelectFieldOption", fields{"id": p.id, "name": p.name}})
	}
	switch f.kind {
	case "SINGLE_SELECT":
		o.kind, o.fields["options"] = "ProjectV2SingleSelectField", options
	case "MULTI_SELECT":
		o.kind, o.fields["options"] = "ProjectV2MultiSelectField", options
	case "ITERATION":
		o.kind, o.fields["configuration"] = "ProjectV2IterationField", x.iterations(f)
	}
	return o
}

func (x *run) iterations(f *field) *object {
	today := x.s.now().UTC().Format(time.DateOnly)
	open, completed := []any{}, []any{}
	for _, i := range f.iterations {
		shown := &object{"ProjectV2IterationFieldIteration", fields{"id": i.id, "title": i.title, "startDate": i.start, "duration": i.days}}
		if i.ended(today) {
			completed = append(completed, shown)
		} else {
			open = append(open, shown)
		}
	}
	slices.Reverse(completed) // the latest first
	return &object{"ProjectV2IterationFieldConfiguration", fields{"iterations": open, "completedIterations": completed}}
}

// item returns an item of a project. What the person may not see is redacted.
func (x *run) item(i *item) *object {
	o := &object{"ProjectV2Item", fields{
		"id": i.node, "isArchived": i.archived, "createdAt": stamp(i.created), "updatedAt": stamp(i.updated),
		"project": lazy(func() *object { return x.project(i.project) }),
	}}
	values := x.values(i)
	switch {
	case x.hidden(i):
		o.fields["type"], o.fields["content"], values = "REDACTED", nil, nil
	case i.draft != nil:
		o.fields["type"], o.fields["content"] = "DRAFT_ISSUE", x.draft(i)
	case i.content.pull:
		o.fields["type"], o.fields["content"] = "PULL_REQUEST", x.issue(i.content)
	default:
		o.fields["type"], o.fields["content"] = "ISSUE", x.issue(i.content)
	}
	o.fields["fieldValues"] = connect("ProjectV2ItemFieldValueConnection", values, func(v fieldValue) *object { return v.shown })
	o.fields["fieldValueByName"] = resolver(func(args map[string]any) (any, error) {
		wanted := i.project.field(word(args, "name"))
		return first(values, func(v fieldValue) bool { return v.field == wanted }).shown, nil
	})
	return o
}

func (x *run) hidden(i *item) bool { return i.content != nil && !x.sees(i.content.repository) }

func (x *run) draft(i *item) *object {
	return &object{"DraftIssue", fields{"id": i.draft.node, "title": i.draft.title, "assignees": x.users(i.draft.assignees)}}
}

// A fieldValue is the value of a field, as the answer shows it.
type fieldValue struct {
	field *field
	shown *object
}

func (v fieldValue) key() string { return v.field.node }

// values returns the values of an item in the order of the fields. Fields without a value have no
// entry, and neither have the kinds whose values the API does not show.
func (x *run) values(i *item) []fieldValue {
	var list []fieldValue
	for _, f := range i.project.fields {
		kind, shown := x.value(i, f)
		if kind != "" {
			shown["field"] = lazy(func() *object { return x.field(f) })
			list = append(list, fieldValue{f, &object{"ProjectV2ItemField" + kind + "Value", shown}})
		}
	}
	return list
}

// value returns the value of a field, with the word for it in the name of its type. The word is
// empty if there is none.
func (x *run) value(i *item, f *field) (kind string, shown fields) {
	v, set := i.values[f]
	c := i.content
	switch {
	case f.kind == "TITLE":
		return "Text", fields{"text": i.title()}
	case f.kind == "TEXT" && set:
		return "Text", fields{"text": v.text}
	case f.kind == "NUMBER" && set:
		return "Number", fields{"number": v.number}
	case f.kind == "DATE" && set:
		return "Date", fields{"date": v.date}
	case f.kind == "SINGLE_SELECT" && set:
		p := first(f.options, func(p option) bool { return p.id == v.chosen[0] })
		return "SingleSelect", fields{"name": p.name, "optionId": p.id, "updatedAt": stamp(v.updated)}
	case f.kind == "ITERATION" && set:
		it := first(f.iterations, func(it iteration) bool { return it.id == v.chosen[0] })
		return "Iteration", fields{"title": it.title, "iterationId": it.id, "startDate": it.start, "duration": it.days, "updatedAt": stamp(v.updated)}
	case f.kind == "ASSIGNEES" && len(i.assignees()) > 0:
		return "User", fields{"users": x.users(i.assignees())}
	case c == nil: // the rest is what an issue has
	case f.kind == "LABELS" && len(c.labels) > 0:
		return "Label", fields{"labels": x.labels(c.labels)}
	case f.kind == "MILESTONE" && c.milestone != nil:
		return "Milestone", fields{"milestone": x.milestone(c.milestone)}
	case f.kind == "REPOSITORY":
		return "Repository", fields{"repository": x.repository(c.repository)}
	case f.kind == "LINKED_PULL_REQUESTS" && len(c.pulls) > 0:
		return "PullRequest", fields{"pullRequests": connect("PullRequestConnection", c.pulls, x.issue)}
	case f.kind == "REVIEWERS" && len(c.reviewers) > 0:
		return "Reviewer", fields{"reviewers": connect("RequestedReviewerConnection", c.reviewers, x.reviewer)}
	}
	return "", nil
}

func (i *item) assignees() []*account {
	if i.draft != nil {
		return i.draft.assignees
	}
	return i.content.assignees
}

// reviewer returns a user, a bot or a team.
func (x *run) reviewer(r keyed) *object {
	if t, ok := r.(*team); ok {
		return x.team(t)
	}
	return x.account(r.(*account))
}

func (x *run) sees(r *repository) bool { return x.t.inRepository(r) > noAccess }

func (x *run) repository(r *repository) *object {
	return &object{"Repository", fields{
		"id": r.node, "name": r.name, "nameWithOwner": r.fullName(),
		"isArchived": r.archived, "isPrivate": r.private, "hasIssuesEnabled": !r.issuesOff,
		"assignableUsers": resolver(func(args map[string]any) (any, error) {
			words := strings.ToLower(word(args, "query"))
			list := filter(x.s.accounts, func(a *account) bool {
				return a.kind == "User" && a.inRepository(r) >= mayPush && strings.Contains(strings.ToLower(a.login+" "+a.name), words)
			})
			return x.users(list)(args)
		}),
		"issueOrPullRequest": resolver(func(args map[string]any) (any, error) {
			number, _ := integer(args["number"])
			i := r.issue(number)
			refuse(i == nil, problemf("NOT_FOUND", "Could not resolve to an issue or pull request with the number of %d.", number))
			return x.issue(i), nil
		}),
		"labels":     x.labels(r.labels),
		"milestones": connect("MilestoneConnection", r.milestones, x.milestone),
	}}
}

func (i *issue) kind() string {
	if i.pull {
		return "PullRequest"
	}
	return "Issue"
}

func (x *run) issue(i *issue) *object {
	o := &object{i.kind(), fields{
		"id": i.node, "number": i.number, "title": i.title, "body": i.body,
		"state": strings.ToUpper(state(i.closed)), "author": x.account(i.author),
		"authorAssociation": i.author.association(i.repository),
		"url":               x.url("/%s/%s/%d", i.repository.fullName(), i.segment(), i.number),
		"assignees":         x.users(i.assignees),
		"labels":            x.labels(i.labels),
		"milestone":         x.milestone(i.milestone),
		"repository":        lazy(func() *object { return x.repository(i.repository) }),
		"createdAt":         stamp(i.created), "updatedAt": stamp(i.updated), "closedAt": stampOrNull(i.closedAt),
		"comments": connect("IssueCommentConnection", i.comments, x.comment),
		"projectItems": resolver(func(args map[string]any) (any, error) {
			return connect("ProjectV2ItemConnection", x.itemsWith(i, args["includeArchived"] != false), x.item)(args)
		}),
	}}
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
func (x *run) itemsWith(i *issue, archived bool) (items []*item) {
	for _, p := range filter(x.allProjects(), x.t.person.sees) {
		items = append(items, filter(p.items, func(it *item) bool { return it.content == i && (archived || !it.archived) })...)
	}
	return items
}

func (x *run) labels(labels []*label) resolver {
	return connect("LabelConnection", labels, func(l *label) *object { return &object{"Label", fields{"id": l.node, "name": l.name}} })
}

// milestone returns a milestone, nil for none.
func (x *run) milestone(m *milestone) *object {
	if m == nil {
		return nil
	}
	return &object{"Milestone", fields{"id": m.node, "number": m.number, "title": m.title}}
}

func (x *run) comment(m *comment) *object {
	r := m.issue.repository
	return &object{"IssueComment", fields{
		"repository": lazy(func() *object { return x.repository(r) }),
		"id":         m.node, "author": x.account(m.author), "authorAssociation": m.author.association(r), "body": m.body,
		"url":       x.url("/%s/%s/%d#issuecomment-%d", r.fullName(), m.issue.segment(), m.issue.number, m.id),
		"createdAt": stamp(m.created), "updatedAt": stamp(m.updated),
	}}
}
