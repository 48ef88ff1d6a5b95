package sandbox

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
)

const (
	projectParts = `
fragment P on ProjectV2 { id number title shortDescription closed public url createdAt updatedAt items { totalCount } owner { ... on User { login } ... on Organization { login } } }`
	fieldParts = `
fragment F on ProjectV2FieldConfiguration { ... on ProjectV2FieldCommon { id name dataType } }`
	itemParts = `
fragment I on ProjectV2Item {
  id type isArchived updatedAt
  content {
    __typename
    ... on Issue { number title state url repository { nameWithOwner } assignees(first: 10) { nodes { login } } }
    ... on PullRequest { number title prState: state url repository { nameWithOwner } assignees(first: 10) { nodes { login } } }
    ... on DraftIssue { title assignees(first: 10) { nodes { login } } }
  }
  fieldValues(first: 50) { nodes { ...V } }
}
fragment V on ProjectV2ItemFieldValue {
  __typename
  ... on ProjectV2ItemFieldTextValue { text field { ...F } }
  ... on ProjectV2ItemFieldNumberValue { number field { ...F } }
  ... on ProjectV2ItemFieldDateValue { date field { ...F } }
  ... on ProjectV2ItemFieldSingleSelectValue { name optionId field { ...F } }
  ... on ProjectV2ItemFieldIterationValue { title iterationId startDate duration field { ...F } }
  ... on ProjectV2ItemFieldMilestoneValue { milestone { title } field { ...F } }
  ... on ProjectV2ItemFieldRepositoryValue { repository { nameWithOwner } field { ...F } }
}` + fieldParts
	wideParts = `
fragment W on ProjectV2ItemFieldValue {
  __typename
  ... on ProjectV2ItemFieldUserValue { users(first: 50) { nodes { login } } }
  ... on ProjectV2ItemFieldLabelValue { labels(first: 50) { nodes { name } } }
  ... on ProjectV2ItemFieldPullRequestValue { pullRequests(first: 50) { nodes { number repository { nameWithOwner } } } }
  ... on ProjectV2ItemFieldReviewerValue { reviewers(first: 50) { nodes { __typename ... on User { login } ... on Team { combinedSlug } } } }
}`
	ownerProjects = `query($login:String!,$query:String,$after:String){ repositoryOwner(login:$login) { __typename id login ... on ProjectV2Owner {
  projectsV2(first:2, after:$after, query:$query, orderBy:{field:UPDATED_AT,direction:DESC}) { totalCount pageInfo { hasNextPage endCursor } nodes { ...P } } } } }` + projectParts
	projectDetails = `query($id:ID!){ node(id:$id) { ... on ProjectV2 { ...P readme viewerCanUpdate creator { login } fields(first:100) { pageInfo { hasNextPage } nodes { __typename ...F
  ... on ProjectV2SingleSelectField { options { id name } }
  ... on ProjectV2IterationField { configuration { iterations { id title startDate duration } completedIterations { title } } } } } } } }` + projectParts + fieldParts
	itemsPage = `query($id:ID!,$first:Int!,$after:String){ node(id:$id) { ... on ProjectV2 { items(first:$first, after:$after) { totalCount pageInfo { hasNextPage endCursor } edges { cursor node { ...I } } } } } }` + itemParts
)

func season(s *Server) values { return values{"id": s.ProjectID(organization, 1), "first": 100} }

func TestTable_EveryFieldHasAResolver(t *testing.T) {
	s := newSandbox(t)
	s.ready()
	x := &run{s: s, t: s.valid(s.Person("ines-albrecht").Token), schema: s.schema}
	shown := map[string]*object{}
	add := func(objects ...*object) {
		for _, o := range objects {
			shown[o.kind] = o
		}
	}
	add(x.queryRoot(), x.mutationRoot(), x.team(s.account(organization).teams[0]))
	for _, a := range s.accounts {
		add(x.account(a))
	}
	for _, p := range x.allProjects() {
		add(x.project(p), x.statusUpdate(&statusUpdate{project: p}))
		for _, f := range p.fields {
			add(x.field(f))
		}
		for _, i := range p.items {
			add(x.item(i))
			if i.draft != nil {
				add(x.draft(i))
			}
			for _, v := range x.values(i) {
				add(v.shown)
			}
		}
	}
	for _, r := range s.repos {
		add(x.repository(r))
		for _, i := range r.issues {
			add(x.issue(i), x.lastCommit(i), x.lastCommit(i).fields["commit"].(*object))
			add(shown["Commit"].fields["statusCheckRollup"].(*object))
			for _, m := range i.comments {
				add(x.comment(m))
			}
		}
		for _, m := range r.milestones {
			add(x.milestone(m))
		}
	}
	for name, d := range s.schema.Types {
		o := shown[name]
		if d.Kind != ast.Object || o == nil {
			composed := strings.HasPrefix(name, "__") || strings.HasSuffix(name, "Connection") || strings.HasSuffix(name, "Edge") ||
				strings.HasSuffix(name, "Payload") || strings.HasPrefix(name, "ProjectV2IterationField") || strings.HasPrefix(name, "ProjectV2SingleSelectFieldOption")
			if d.Kind == ast.Object && !composed && name != "PageInfo" && name != "Label" {
				t.Errorf("no %s was made", name)
			}
			continue
		}
		for _, f := range d.Fields {
			if _, ok := o.fields[f.Name]; !ok && !strings.HasPrefix(f.Name, "__") {
				t.Errorf("%s.%s has no resolver", name, f.Name)
			}
		}
	}
}

func TestProject_HasEveryKindOfField(t *testing.T) {
	s := newSandbox(t)
	kinds := map[string]int{}
	a := ines(t, s).ask(projectDetails, values{"id": s.ProjectID(organization, 1)}).whole(t)
	fields := []any{"data", "node", "fields", "nodes"}
	for i := range a.len(fields...) {
		at := []any{"data", "node", "fields", "nodes", i}
		kinds[a.text(append(at, "dataType")...)]++
		switch a.text(append(at, "name")...) {
		case "Sprint":
			open, done := a.len(append(at, "configuration", "iterations")...), a.len(append(at, "configuration", "completedIterations")...)
			if open != 4 || done != 4 || a.text(append(at, "configuration", "iterations", 0, "title")...) != "Sprint 15" {
				t.Errorf("%d iterations and %d completed: %s", open, done, a.raw)
			}
		case "Priority":
			if a.text(append(at, "options", 0, "name")...) != "🔴 Urgent" || a.text(append(at, "options", 1, "name")...) != "🟠 Urgent" {
				t.Errorf("%s", a.raw)
			}
		}
	}
	for _, kind := range []string{"TITLE", "TEXT", "NUMBER", "DATE", "SINGLE_SELECT", "ITERATION", "MULTI_SELECT", "ASSIGNEES", "LABELS", "MILESTONE", "REPOSITORY", "REVIEWERS"} {
		if kinds[kind] == 0 {
			t.Errorf("there is no field of the kind %s", kind)
		}
	}
	e := New(Options{Enterprise: true})
	if a := ines(t, e).ask(projectDetails, values{"id": e.ProjectID(organization, 1)}).whole(t); strings.Contains(string(a.raw), "Multi") {
		t.Error("an Enterprise Server knows multi-select fields")
	}
}

func TestItems_ACursorSurvivesTheRemovalOfItsItem(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	in := season(s)
	in["first"] = 3
	a := c.ask(itemsPage, in).whole(t)
	edge := func(i int, part ...any) string {
		return a.text(append([]any{"data", "node", "items", "edges", i}, part...)...)
	}
	cursor, third := edge(1, "cursor"), edge(2, "node", "id")
	c.ask(`mutation($input:DeleteProjectV2ItemInput!){deleteProjectV2Item(input:$input){deletedItemId}}`,
		values{"input": values{"projectId": in["id"], "itemId": edge(1, "node", "id")}}).whole(t)
	in["after"] = cursor
	if a = c.ask(itemsPage, in).whole(t); edge(0, "node", "id") != third {
		t.Errorf("the page begins with another item: %.300s", a.raw)
	}
}

func TestContent_KnowsTheBoardsItIsOn(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	const document = `query($owner:String!,$name:String!,$number:Int!){repository(owner:$owner,name:$name){issueOrPullRequest(number:$number){__typename
  ... on Issue{id title url projectItems(first:100,includeArchived:true){nodes{id project{id number}}}} ... on PullRequest{id}}}}`
	a := c.ask(document, values{"owner": organization, "name": "shop-configurator", "number": 12}).whole(t)
	if n := a.len("data", "repository", "issueOrPullRequest", "projectItems", "nodes"); n != 2 {
		t.Errorf("%d boards: %s", n, a.raw)
	}
	c.ask(document, values{"owner": organization, "name": "configurator", "number": 999}).wantType(t, "NOT_FOUND")
	c.ask(document, values{"owner": organization, "name": "nowhere", "number": 1}).wantType(t, "NOT_FOUND")
	c.ask(document, values{"owner": elsewhere, "name": "dispatch", "number": 1}).wantType(t, "NOT_FOUND")
	c.ask(`{node(id:"PVT_x"){id}}`, nil).wantType(t, "NOT_FOUND")
}

func TestValue_OfEachKindByName(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	kinds := map[string]bool{}
	s.mu.Lock()
	p := s.mustProject(organization, 1)
	items, fields := p.items, p.fields
	s.mu.Unlock()
	for _, i := range items[:30] {
		for _, f := range fields {
			a := c.ask(`query($id:ID!,$name:String!){node(id:$id){...I ... on ProjectV2Item{fieldValueByName(name:$name){...V ...W}}}}`+itemParts+wideParts,
				values{"id": i.node, "name": f.name}).whole(t)
			kinds[a.text("data", "node", "fieldValueByName", "__typename")] = true
		}
	}
	if len(kinds) != 12 { // eleven kinds and none
		t.Errorf("%d kinds of values: %v", len(kinds), kinds)
	}
}

func TestDocuments_ThatGitHubRefuses(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	for document, code := range map[string]string{
		`{viewer{lgoin}}`: "undefinedField",
		`{viewer{projectsV2(first:1,colour:"red"){totalCount}}}`: "argumentNotAccepted",
		`{repositoryOwner{login}}`:                               "missingRequiredArguments",
		`{node(id:$id){id}}`:                                     "invalidDocument",
		`query($a:Int){viewer{login}}`:                           "invalidDocument",
		`query($a:Int!){node(id:$a){id}}`:                        "variableMismatch",
		`{viewer{login ... on Stranger{id}}}`:                    "undefinedType",
		`{viewer}`:                                               "invalidDocument",
		`{viewer{projectsV2(first:"x"){totalCount}}}`:            "invalidDocument",
		`{viewer{`: "parseError",
		`{viewer{...A}} fragment A on User{...B} fragment B on User{...A}`:                                  "invalidDocument",
		`{node(id:"x"){... on ProjectV2MultiSelectField{name} ... on ProjectV2ItemFieldTextValue{number}}}`: "undefinedField",
	} {
		a := c.ask(document, nil).want(t, http.StatusOK)
		if a.text("errors", 0, "extensions", "code") != code || a.at("data") != nil {
			t.Errorf("%s: %s", document, a.raw)
		}
	}
	a := c.ask(`query($n:Int!){viewer{projectV2(number:$n){id}}}`, values{"n": "seven"}).want(t, http.StatusOK)
	if a.at("errors") == nil || a.at("data") != nil {
		t.Errorf("%s", a.raw)
	}
	c.do(http.MethodPost, URL+graphqlPath, "{").want(t, http.StatusBadRequest)
	c.do(http.MethodPost, URL+graphqlPath, "{}").want(t, http.StatusOK)
}

func TestDocuments_AreBounded(t *testing.T) {
	c := ines(t, newSandbox(t))
	for kind, document := range map[string]string{
		"MISSING_PAGINATION_BOUNDARIES": `{viewer{projectsV2{nodes{id}}}}`,
		"EXCESSIVE_PAGINATION":          `{viewer{projectsV2(first:101){nodes{id}}}}`,
		"INVALID_PAGINATION":            `{viewer{projectsV2(first:-1){nodes{id}}}}`,
	} {
		c.ask(document, nil).wantType(t, kind)
	}
	deep := strings.Repeat(`owner{... on User{projectV2(number:1){`, 30) + "id" + strings.Repeat("}}}", 30)
	c.ask(`{viewer{projectV2(number:1){`+deep+`}}}`, nil).whole(t)
	bomb := `{viewer{projectV2(number:1){...F0}}} fragment F15 on ProjectV2{id}`
	for i := range 15 {
		half := fmt.Sprintf(`owner{... on User{projectV2(number:1){...F%d}}}`, i+1)
		bomb += fmt.Sprintf(` fragment F%d on ProjectV2{a:%s b:%s}`, i, half, half)
	}
	c.ask(bomb, nil).wantType(t, "RESOURCE_LIMITS_EXCEEDED")
	c.ask(`{viewer{`+strings.Repeat("projectV2(number:1){id} ", 25_000)+`}}`, nil).want(t, http.StatusOK)
}

func TestScopes_AreNamedInTheRefusal(t *testing.T) {
	s := newSandbox(t)
	few := as(t, s, s.Person("sam-lindqvist").Token)
	few.ask(ownerProjects, values{"login": organization}).whole(t)
	a := few.ask(`mutation($input:DeleteProjectV2Input!){deleteProjectV2(input:$input){projectV2{id}}}`, values{"input": values{"projectId": s.ProjectID(organization, 1)}}).
		wantType(t, "INSUFFICIENT_SCOPES")
	if !strings.Contains(a.text("errors", 0, "message"), "['project']") {
		t.Errorf("%s", a.raw)
	}
	none := as(t, s, s.Grant("sam-okafor", "repo"))
	none.ask(`{viewer{login}}`, nil).whole(t)
	none.ask(`{viewer{projectsV2(first:1){totalCount}}}`, nil).wantType(t, "INSUFFICIENT_SCOPES")
	a = none.ask(`{viewer{organizations(first:1){nodes{login}}}}`, nil).wantType(t, "INSUFFICIENT_SCOPES")
	if !strings.Contains(a.text("errors", 0, "message"), "['read:org']") {
		t.Errorf("%s", a.raw)
	}
}
