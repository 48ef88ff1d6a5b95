package parts

import (
	"maps"
	"slices"
	"strings"

	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/lazyregexp"
	"basecamp-mcp/internal/text/naming"
	"basecamp-mcp/internal/text/plaintext"
)

// Qualifiers has those that GitHub documents for issues and pull requests, with the values that
// they take; nil stands for any (GitHub Docs, "Searching issues and pull requests" and "Filtering
// and searching issues and pull requests"). Of every other, GitHub makes a word, and finds nothing
// without saying so.
var Qualifiers = map[string][]string{
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

// Qualified is a qualifier in a query. A value of several, with commas, is one.
type Qualified struct {
	Name, Value string // the name in lower case, the value without quotes
	Excludes    bool
}

// qualifierForm finds qualifiers and, so that none is found in them, phrases in quotes.
var qualifierForm = lazyregexp.New(`(?:^|[\s(])(?:(-?)([A-Za-z][\w.-]+(?:"[^"]*")?):((?:"[^"]*"|[^\s"()])*)|"[^"]*")`)

// QualifiersIn returns the qualifiers of a query. It leaves out URLs, and words that end with a
// colon and are not names of qualifiers.
func QualifiersIn(query string) (all []Qualified) {
	for _, found := range qualifierForm.FindAllStringSubmatch(query, -1) {
		name, value := strings.ToLower(found[2]), strings.ReplaceAll(found[3], `"`, "")
		_, known := Qualifiers[name]
		if name != "" && (known || value != "" && !strings.HasPrefix(value, "//") && value[0] != ':') {
			all = append(all, Qualified{name, value, found[1] == "-"})
		}
	}
	return all
}

// CheckQualifiers returns an error for a qualifier that GitHub does not have, or that is not passed
// on. It names the argument that does it.
func CheckQualifiers(all []Qualified) error {
	problems := make([]error, len(all))
	for i, q := range all {
		values, known := Qualifiers[q.Name]
		argument := ofArguments[q.Name]
		switch {
		case argument != "":
			problems[i] = fault.Invalid("query", "%s: is not passed on to GitHub; use %s", q.Name, argument)
		case strings.HasPrefix(q.Name, "field."):
			problems[i] = fault.Invalid("query", "%s: GitHub's search does not find issues by their fields; use %s", plaintext.Word(q.Name), inFields)
		case !known:
			similar := "; for a field of a project, use " + inFields
			if near := nearestQualifiers(q.Name); len(near) > 0 {
				similar = "; similar: " + plaintext.QuoteAll(near)
			}
			problems[i] = fault.Invalid("query", "%s: is no qualifier of GitHub's; in quotes, it is looked for as words%s", plaintext.Word(q.Name), similar)
		case q.Value == "":
			problems[i] = fault.Invalid("query", "%s: needs a value without a blank before it, such as %s:x; to look for it as a word, put it in quotes", q.Name, q.Name)
		case values != nil && unlisted(q.Value, values):
			also := ""
			if q.Name == "status" {
				also = "; these are of commits, and for a status on a project use status of github_list_project_items"
			}
			problems[i] = fault.Invalid("query", "%s: must be one of %s, got %s%s", q.Name, plaintext.QuoteAll(values), plaintext.Quote(q.Value), also)
		}
	}
	return fault.All(problems...)
}

// nearestQualifiers returns those whose names differ in at most two characters.
func nearestQualifiers(name string) (near []string) {
	for _, one := range slices.Sorted(maps.Keys(Qualifiers)) {
		if naming.Distance(name, one) <= 2 && len(name) > 2 {
			near = append(near, one)
		}
	}
	return near
}

// unlisted reports whether one of the values that commas separate is not in a list.
func unlisted(value string, values []string) bool {
	return slices.ContainsFunc(strings.Split(value, ","), func(one string) bool { return !HasName(values, one) })
}

// PlainQuery returns an error for a query of names that has a qualifier.
func PlainQuery(query string, arguments map[string]string) error {
	for _, q := range QualifiersIn(query) {
		if argument := arguments[q.Name]; argument != "" {
			return fault.Invalid("query", "%s: the query is a part of a name; use %s", q.Name, argument)
		}
	}
	return nil
}

// NotPlanned is a reason as people write it; GitHub knows it with a blank.
var NotPlanned = lazyregexp.New(`(?i)((?:^|[\s(])-?reason:)"?not[ _-]planned"?`)

// says has the qualifiers, each a name or with its value, by what a query says with one of them.
var says = map[string][]string{
	// GitHub finds nothing that has two states, so a query that says one has no default.
	"state": {"state", "closed", "merged", "reason", "is:open", "is:closed", "is:merged", "is:unmerged"},
	"kind":  {"type", "is:issue", "is:pr"},
	"pull": {
		"base", "draft", "head", "merged", "review", "review-requested", "reviewed-by", "status", "team-review-requested", "user-review-requested",
		"is:draft", "is:merged", "is:unmerged", "is:queued", "linked:issue",
	},
	// Without one of these, a query goes through all of GitHub.
	"scope": {
		"repo", "org", "user", "author", "assignee", "involves", "mentions", "commenter", "project", "review-requested", "user-review-requested",
		"reviewed-by", "team", "team-review-requested", "parent-issue", "blocked-by", "blocking",
	},
}

// Says reports whether a query says its state, its kind, that it asks for what only pull requests
// have, or its scope.
func Says(what string, all []Qualified) bool {
	return slices.ContainsFunc(all, func(q Qualified) bool {
		return !q.Excludes && (slices.Contains(says[what], q.Name) || slices.Contains(says[what], q.Name+":"+strings.ToLower(q.Value)))
	})
}
