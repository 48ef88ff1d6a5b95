package githubtools

import (
	"maps"
	"slices"
	"strings"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/lazyregexp"
	"basecamp-mcp/internal/naming"
	"basecamp-mcp/internal/plaintext"
)

// qualifiers has those that GitHub documents for issues and pull requests, with the values that
// they take; nil stands for any (GitHub Docs, "Searching issues and pull requests" and "Filtering
// and searching issues and pull requests"). Of every other, GitHub makes a word, and finds nothing
// without saying so.
var qualifiers = map[string][]string{
	"archived": {"true", "false"}, "assignee": nil, "author": nil, "base": nil, "blocked-by": nil, "blocking": nil, "closed": nil,
	"commenter": nil, "comments": nil, "created": nil, "draft": {"true", "false"}, "has": missable, "head": nil,
	"in": {"title", "body", "comments"}, "interactions": nil, "involves": nil,
	"is": {
		"issue", "pr", "open", "closed", "merged", "unmerged", "queued", "draft", "public", "internal", "private", "locked", "unlocked", "blocked", "blocking",
	},
	"label": nil, "language": nil, "linked": {"pr", "issue"}, "mentions": nil, "merged": nil, "milestone": nil, "no": missable, "org": nil,
	"parent-issue": nil, "project": nil, "reactions": nil, "reason": {"completed", "not planned", "duplicate", "reopened"}, "repo": nil,
	"review": {"none", "required", "approved", "changes_requested"}, "review-requested": nil, "reviewed-by": nil, "state": {"open", "closed"},
	"status": {"pending", "success", "failure"}, "team": nil, "team-review-requested": nil, "type": nil, "updated": nil, "user": nil,
	"user-review-requested": nil,
}

// missable is what an issue can lack.
var missable = []string{"label", "milestone", "assignee", "project", "type", "parent-issue", "sub-issue"}

// ofArguments has the arguments that do what people ask of a qualifier which is not passed on.
var ofArguments = map[string]string{
	"sort": "sort and direction", "order": "direction", "direction": "direction", "since": "since", "creator": "creator", "labels": "labels",
	"limit": "limit", "page": "cursor", "per_page": "limit", "review_asked": "review_asked",
	"title": "in", "body": "in", "priority": inFields, "sprint": inFields, "iteration": inFields, "estimate": inFields,
}

const inFields = "fields of github_list_project_items"

// qualified is a qualifier in a query. A value of several, with commas, is one.
type qualified struct {
	name, value string // the name in lower case, the value without quotes
	excludes    bool
}

// qualifierForm finds qualifiers and, so that none is found in them, phrases in quotes.
var qualifierForm = lazyregexp.New(`(?:^|[\s(])(?:(-?)([A-Za-z][\w.-]+(?:"[^"]*")?):((?:"[^"]*"|[^\s"()])*)|"[^"]*")`)

// qualifiersIn returns the qualifiers of a query. It leaves out URLs, and words that end with a
// colon and are not names of qualifiers.
func qualifiersIn(query string) (all []qualified) {
	for _, found := range qualifierForm.FindAllStringSubmatch(query, -1) {
		name, value := strings.ToLower(found[2]), strings.ReplaceAll(found[3], `"`, "")
		_, known := qualifiers[name]
		if name != "" && (known || value != "" && !strings.HasPrefix(value, "//") && value[0] != ':') {
			all = append(all, qualified{name, value, found[1] == "-"})
		}
	}
	return all
}

// checkQualifiers returns an error for a qualifier that GitHub does not have, or that is not passed
// on. It names the argument that does it.
func checkQualifiers(all []qualified) error {
	problems := make([]error, len(all))
	for i, q := range all {
		values, known := qualifiers[q.name]
		argument := ofArguments[q.name]
		switch {
		case argument != "":
			problems[i] = fault.Invalid("query", "%s: is not passed on to GitHub; use %s", q.name, argument)
		case strings.HasPrefix(q.name, "field."):
			problems[i] = fault.Invalid("query", "%s: GitHub's search does not find issues by their fields; use %s", plaintext.Word(q.name), inFields)
		case !known:
			similar := "; for a field of a project, use " + inFields
			if near := nearestQualifiers(q.name); len(near) > 0 {
				similar = "; similar: " + plaintext.QuoteAll(near)
			}
			problems[i] = fault.Invalid("query", "%s: is no qualifier of GitHub's; in quotes, it is looked for as words%s", plaintext.Word(q.name), similar)
		case q.value == "":
			problems[i] = fault.Invalid("query", "%s: needs a value without a blank before it, such as %s:x; to look for it as a word, put it in quotes", q.name, q.name)
		case values != nil && unlisted(q.value, values):
			also := ""
			if q.name == "status" {
				also = "; these are of commits, and for a status on a project use status of github_list_project_items"
			}
			problems[i] = fault.Invalid("query", "%s: must be one of %s, got %s%s", q.name, plaintext.QuoteAll(values), plaintext.Quote(q.value), also)
		}
	}
	return fault.All(problems...)
}

// nearestQualifiers returns those whose names differ in at most two characters.
func nearestQualifiers(name string) (near []string) {
	for _, one := range slices.Sorted(maps.Keys(qualifiers)) {
		if naming.Distance(name, one) <= 2 && len(name) > 2 {
			near = append(near, one)
		}
	}
	return near
}

// unlisted reports whether one of the values that commas separate is not in a list.
func unlisted(value string, values []string) bool {
	return slices.ContainsFunc(strings.Split(value, ","), func(one string) bool { return !hasName(values, one) })
}

// plainQuery returns an error for a query of names that has a qualifier.
func plainQuery(query string, arguments map[string]string) error {
	for _, q := range qualifiersIn(query) {
		if argument := arguments[q.name]; argument != "" {
			return fault.Invalid("query", "%s: the query is a part of a name; use %s", q.name, argument)
		}
	}
	return nil
}

// notPlanned is a reason as people write it; GitHub knows it with a blank.
var notPlanned = lazyregexp.New(`(?i)((?:^|[\s(])-?reason:)"?not[ _-]planned"?`)

// qualifies reports whether a query has one of the qualifiers, each a name or with its value.
func qualifies(all []qualified, names ...string) bool {
	return slices.ContainsFunc(all, func(q qualified) bool {
		return !q.excludes && (slices.Contains(names, q.name) || slices.Contains(names, q.name+":"+strings.ToLower(q.value)))
	})
}

// saysState reports whether a query says the state, so that it has no default: GitHub finds nothing
// that is both.
func saysState(all []qualified) bool {
	return qualifies(all, "state", "closed", "merged", "reason", "is:open", "is:closed", "is:merged", "is:unmerged")
}

// saysKind reports whether a query says whether it is about issues or pull requests.
func saysKind(all []qualified) bool { return qualifies(all, "type", "is:issue", "is:pr") }

// saysPull reports whether a query asks for what only pull requests have.
func saysPull(all []qualified) bool {
	return qualifies(all, "base", "draft", "head", "merged", "review", "review-requested", "reviewed-by", "status", "team-review-requested", "user-review-requested",
		"is:draft", "is:merged", "is:unmerged", "is:queued", "linked:issue")
}

// hasScope reports whether a query does not go through all of GitHub.
func hasScope(all []qualified) bool {
	return qualifies(all, "repo", "org", "user", "author", "assignee", "involves", "mentions", "commenter", "project", "review-requested", "user-review-requested",
		"reviewed-by", "team", "team-review-requested", "parent-issue", "blocked-by", "blocking")
}
