package github

import (
	"context"
	"strings"
	"time"

	"basecamp-mcp/internal/fault"
)

// The fragments that the documents share.
const (
	// projectPlace is what a project says about its place.
	projectPlace    = `id number owner { ... on User { login } ... on Organization { login } }`
	projectFragment = `
fragment P on ProjectV2 {
  id number title shortDescription closed public url createdAt updatedAt
  items { totalCount }
  owner { ... on User { login } ... on Organization { login } }
}`
	detailsFragment = `
fragment D on ProjectV2 {
  ...P
  readme viewerCanUpdate
  creator { login }
  fields(first: 100, after: $after) { ...Fields }
}` + projectFragment + fieldsFragment
	fieldsFragment = `
fragment Fields on ProjectV2FieldConfigurationConnection {
  totalCount
  pageInfo { hasNextPage endCursor }
  nodes {
    ...Whole
  }
}` + wholeFieldFragment + fieldFragment
	wholeFieldFragment = `
fragment Whole on ProjectV2FieldConfiguration {
  __typename
  ...F
  ... on ProjectV2SingleSelectField { options { id name } }
  ... on ProjectV2IterationField {
    configuration {
      iterations { id title startDate duration }
      completedIterations { id title startDate duration }
    }
  }
}`
	// fieldFragment asks only for what all kinds of fields have: an Enterprise Server that lacks a
	// newer type would refuse the document.
	fieldFragment = `
fragment F on ProjectV2FieldConfiguration {
  ... on ProjectV2FieldCommon { id name dataType }
}`
	// itemFragment and valueFragment need fieldFragment.
	itemFragment = `
fragment I on ProjectV2Item {
  id type isArchived createdAt updatedAt
  content {
    __typename
    ... on Issue { id number title authorAssociation state url repository { nameWithOwner } assignees(first: 10) { totalCount nodes { login } } }
    ... on PullRequest { id number title authorAssociation prState: state url repository { nameWithOwner } assignees(first: 10) { totalCount nodes { login } } }
    ... on DraftIssue { id title assignees(first: 10) { totalCount nodes { login } } }
  }
  fieldValues(first: 50) { nodes { ...V } }
}` + valueFragment
	valueFragment = `
fragment V on ProjectV2ItemFieldValue {
  __typename
  ... on ProjectV2ItemFieldTextValue { text field { ...F } }
  ... on ProjectV2ItemFieldNumberValue { number field { ...F } }
  ... on ProjectV2ItemFieldDateValue { date field { ...F } }
  ... on ProjectV2ItemFieldSingleSelectValue { name optionId updatedAt field { ...F } }
  ... on ProjectV2ItemFieldIterationValue { title iterationId startDate duration updatedAt field { ...F } }
  ... on ProjectV2ItemFieldMilestoneValue { milestone { number title } field { ...F } }
  ... on ProjectV2ItemFieldRepositoryValue { repository { nameWithOwner } field { ...F } }
}`
	// wideFragment adds the values that are lists. Each list costs points, so only the read of one
	// value asks for them.
	wideFragment = `
fragment W on ProjectV2ItemFieldValue {
  ...V
  ... on ProjectV2ItemFieldUserValue { users(first: 50) { totalCount nodes { login } } field { ...F } }
  ... on ProjectV2ItemFieldLabelValue { labels(first: 50) { totalCount nodes { name } } field { ...F } }
  ... on ProjectV2ItemFieldPullRequestValue { pullRequests(first: 50) { totalCount nodes { number repository { nameWithOwner } } } field { ...F } }
  ... on ProjectV2ItemFieldReviewerValue {
    reviewers(first: 50) { totalCount nodes { __typename ... on User { login } ... on Bot { login } ... on Mannequin { login } ... on Team { combinedSlug } } }
    field { ...F }
  }
}`
	projectsSelection = `
    totalCount
    pageInfo { hasNextPage endCursor }
    nodes { ...P }`
	latestFirst = `query: $query, orderBy: {field: UPDATED_AT, direction: DESC}`
)

// placedParts has an issue or a pull request and the projects that it is in, with a field of each
// and its value if one is asked for.
const placedParts = `{
      id number title authorAssociation url repository { nameWithOwner }
      projectItems(first: 100, includeArchived: true) {
        totalCount pageInfo { hasNextPage endCursor }
        nodes { id project { ` + projectPlace + ` field(name: $field) @include(if: $asked) { ...Whole } } fieldValueByName(name: $field) @include(if: $asked) { ...V } }
      }
    }`

// The queries.
var (
	viewerDocument = document{thing: []string{"viewer"}, text: `
query Viewer { viewer { __typename id login } }`}
	ownerDocument = document{thing: []string{"repositoryOwner"}, text: `
query Owner($login: String!) { repositoryOwner(login: $login) { __typename id login } }`}
	repositoryDocument = document{thing: []string{"repository"}, inRepository: true, text: `
query Repository($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { id nameWithOwner isPrivate isArchived hasIssuesEnabled } }`}

	viewerProjectsDocument = document{thing: []string{"viewer"}, text: `
query ViewerProjects($first: Int!, $after: String, $query: String) {
  viewer { __typename id login projectsV2(first: $first, after: $after, ` + latestFirst + `) {` + projectsSelection + ` } }
}` + projectFragment}
	ownerProjectsDocument = document{thing: []string{"repositoryOwner"}, text: `
query OwnerProjects($login: String!, $first: Int!, $after: String, $query: String) {
  repositoryOwner(login: $login) {
    __typename id login
    ... on ProjectV2Owner { projectsV2(first: $first, after: $after, ` + latestFirst + `) {` + projectsSelection + ` } }
  }
}` + projectFragment}
	reachableProjectsDocument = document{thing: []string{"viewer"}, text: `
query ReachableProjects($first: Int!, $query: String) {
  viewer {
    __typename id login
    projectsV2(first: $first, ` + latestFirst + `) {` + projectsSelection + ` }
    organizations(first: 20) {
      totalCount
      pageInfo { hasNextPage endCursor }
      nodes { __typename id login projectsV2(first: $first, ` + latestFirst + `) {` + projectsSelection + ` } }
    }
  }
}` + projectFragment}

	projectByIDDocument = document{thing: []string{"node"}, text: `
query ProjectByID($id: ID!, $after: String) { node(id: $id) { __typename ...D } }` + detailsFragment}
	viewerProjectDocument = document{thing: []string{"viewer", "projectV2"}, text: `
query ViewerProject($number: Int!, $after: String) { viewer { projectV2(number: $number) { __typename ...D } } }` + detailsFragment}
	ownerProjectDocument = document{thing: []string{"repositoryOwner", "projectV2"}, text: `
query OwnerProject($login: String!, $number: Int!, $after: String) {
  repositoryOwner(login: $login) { __typename ... on ProjectV2Owner { projectV2(number: $number) { __typename ...D } } }
}` + detailsFragment}
	moreFieldsDocument = document{thing: []string{"node"}, text: `
query MoreFields($id: ID!, $after: String) {
  node(id: $id) { __typename ... on ProjectV2 { id fields(first: 100, after: $after) { ...Fields } } }
}` + fieldsFragment}

	itemsDocument = document{thing: []string{"node"}, text: `
query Items($id: ID!, $first: Int!, $after: String) {
  node(id: $id) {
    __typename
    ... on ProjectV2 {
      id
      items(first: $first, after: $after) { totalCount pageInfo { hasNextPage endCursor } edges { cursor node { ...I } } }
    }
  }
}` + itemFragment + fieldFragment}
	contentDocument = document{thing: []string{"repository", "issueOrPullRequest"}, inRepository: true, text: `
query Content($owner: String!, $name: String!, $number: Int!, $field: String!, $asked: Boolean!) {
  repository(owner: $owner, name: $name) { issueOrPullRequest(number: $number) { __typename ... on Issue ` + placedParts + ` ... on PullRequest ` + placedParts + ` } }
}` + valueFragment + wholeFieldFragment + fieldFragment}
	itemDocument = document{thing: []string{"node"}, text: `
query Item($id: ID!, $name: String!, $asked: Boolean!) {
  node(id: $id) { __typename ...I ... on ProjectV2Item { project { ` + projectPlace + ` field(name: $name) @include(if: $asked) { ...Whole } } fieldValueByName(name: $name) @include(if: $asked) { ...W } } }
}` + itemFragment + wideFragment + wholeFieldFragment + fieldFragment}
)

// What GitHub's sentences about invalid input begin with, and the arguments of the tools.
var (
	ofProjects = map[string]string{"title": "title", "short description": "short_description", "readme": "readme", "owner": "owner"}
	ofValues   = map[string]string{
		"item": "item", "field": "field", "text": "value", "number": "value", "date": "value", "single select option": "value",
		"iteration": "value", "did not receive": "value",
	}
)

// The mutations. Creating a project twice makes two; every other mutation can be repeated.
var (
	createProjectDocument = document{thing: []string{"createProjectV2"}, mutation: true, spoken: ofProjects, text: `
mutation CreateProject($input: CreateProjectV2Input!) { createProjectV2(input: $input) { projectV2 { ...P } } }` + projectFragment}
	updateProjectDocument = document{thing: []string{"updateProjectV2"}, mutation: true, again: true, spoken: ofProjects, text: `
mutation UpdateProject($input: UpdateProjectV2Input!) { updateProjectV2(input: $input) { projectV2 { ...P readme } } }` + projectFragment}
	deleteProjectDocument = document{thing: []string{"deleteProjectV2"}, mutation: true, again: true, text: `
mutation DeleteProject($input: DeleteProjectV2Input!) { deleteProjectV2(input: $input) { projectV2 { id } } }`}
	deleteItemDocument = document{thing: []string{"deleteProjectV2Item"}, mutation: true, again: true, text: `
mutation DeleteItem($input: DeleteProjectV2ItemInput!) { deleteProjectV2Item(input: $input) { deletedItemId } }`}
)

// The mutations of which one document carries several. What creates is never sent twice.
var (
	addItemsDocument     = mutates("AddItems", "addProjectV2ItemById", `item { id createdAt fieldValues(first: 50) { nodes { ...V } } }`, document{again: true}, valueFragment+fieldFragment, "item")
	setValuesDocument    = mutates("SetValues", "updateProjectV2ItemFieldValue", `projectV2Item { id }`, document{again: true, spoken: ofValues}, "")
	clearValuesDocument  = mutates("ClearValues", "clearProjectV2ItemFieldValue", `projectV2Item { id }`, document{again: true, spoken: ofValues}, "")
	createIssuesDocument = mutates("CreateIssues", "createIssue", `issue { __typename body ...CI }`, document{}, issueFragment, "issue")
	updateIssuesDocument = mutates("UpdateIssues", "updateIssue", `issue { __typename ...CI }`, document{again: true}, issueFragment, "issue")
	closeIssuesDocument  = mutates("CloseIssues", "closeIssue", `issue { __typename ...CI }`, document{again: true}, issueFragment, "issue")
	addCommentsDocument  = mutates("AddComments", "addComment", `commentEdge { node { id body url createdAt author { login } authorAssociation } }`, document{}, "", "commentEdge", "node")
)

// mutates returns a document with mutations of one kind, and what it asks of each payload.
func mutates(name, field, payload string, d document, fragments string, below ...string) several {
	d.mutation = true
	return several{
		document: d, name: name, field: field, declares: "$input#: " + strings.ToUpper(field[:1]) + field[1:] + "Input!",
		part: "(input: $input#) { " + payload + " }", fragments: fragments, below: below,
	}
}

// Node is a thing of which an answer has only the ID.
type Node struct{ ID string }

func (n Node) check() error {
	if n.ID == "" {
		return errNotAnItem
	}
	return nil
}

// Placement is an issue or a pull request for a project, both by node ID.
type Placement struct {
	ProjectID string `json:"projectId"`
	ContentID string `json:"contentId"`
}

// AddItems adds issues and pull requests to projects. One that is there already comes back.
func (c *Client) AddItems(ctx context.Context, all []Placement) []Outcome[Node] {
	return batch[Node](ctx, c, addItemsDocument, fault.Resource{Type: "project"}, partsWith("input", all))
}

// NewValue is a value of a field of an item, all by node ID. A value without parts clears the
// field.
type NewValue struct {
	ProjectID string `json:"projectId"`
	ItemID    string `json:"itemId"`
	FieldID   string `json:"fieldId"`
	Value     *Value `json:"value,omitempty"`
}

// SetValues sets fields of items, all of them or, without values, clears them.
func (c *Client) SetValues(ctx context.Context, all []NewValue) []Outcome[struct{}] {
	kinds := map[bool]several{true: clearValuesDocument, false: setValuesDocument}
	done := make([]Outcome[struct{}], len(all))
	for _, clears := range []bool{false, true} {
		var of []int
		var sent []NewValue
		for i, v := range all {
			if (v.Value == nil) == clears {
				of, sent = append(of, i), append(sent, v)
			}
		}
		for k, one := range batch[happened](ctx, c, kinds[clears], fault.Resource{Type: "project_item"}, partsWith("input", sent)) {
			done[of[k]] = Outcome[struct{}]{Err: one.Err, Tried: one.Tried}
		}
	}
	return done
}

// IssueInput has the fields of a new issue, or with an ID what changes in one. All IDs are node
// IDs. What is nil stays.
type IssueInput struct {
	ID           string    `json:"id,omitempty"`
	RepositoryID string    `json:"repositoryId,omitempty"`
	ParentID     string    `json:"parentIssueId,omitempty"`
	Title        *string   `json:"title,omitempty"`
	Body         *string   `json:"body,omitempty"`
	State        string    `json:"state,omitempty"` // OPEN or CLOSED
	LabelIDs     *[]string `json:"labelIds,omitempty"`
	AssigneeIDs  *[]string `json:"assigneeIds,omitempty"`
	MilestoneID  any       `json:"milestoneId,omitzero"` // a string, or [None]
}

// None clears a field of an input.
type None struct{}

// MarshalJSON implements json.Marshaler.
func (None) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

// CreateIssues adds issues to repositories.
func (c *Client) CreateIssues(ctx context.Context, all []IssueInput) []Outcome[Subject] {
	return batch[Subject](ctx, c, createIssuesDocument, fault.Resource{Type: "repository"}, partsWith("input", all))
}

// UpdateIssues changes issues.
func (c *Client) UpdateIssues(ctx context.Context, all []IssueInput) []Outcome[Subject] {
	return batch[Subject](ctx, c, updateIssuesDocument, fault.Resource{Type: "issue"}, partsWith("input", all))
}

// Closing closes an issue for a reason.
type Closing struct {
	ID          string `json:"issueId"`
	Reason      string `json:"stateReason"`                // COMPLETED, NOT_PLANNED or DUPLICATE
	DuplicateOf string `json:"duplicateIssueId,omitempty"` // node ID of the issue that stays
}

// CloseIssues closes issues.
func (c *Client) CloseIssues(ctx context.Context, all []Closing) []Outcome[Subject] {
	return batch[Subject](ctx, c, closeIssuesDocument, fault.Resource{Type: "issue"}, partsWith("input", all))
}

// NewComment is a comment for an issue or a pull request, by node ID.
type NewComment struct {
	SubjectID string `json:"subjectId"`
	Body      string `json:"body"`
}

// AddComments adds comments.
func (c *Client) AddComments(ctx context.Context, all []NewComment) []Outcome[MadeComment] {
	return batch[MadeComment](ctx, c, addCommentsDocument, fault.Resource{Type: "issue"}, partsWith("input", all))
}

// MadeComment is a comment as GraphQL has it.
type MadeComment struct {
	ID                string
	Body              string
	URL               string
	CreatedAt         time.Time
	Author            Login
	AuthorAssociation string
	Withheld          bool `json:"-"` // the body is withheld, because the author is an outsider
}

// Comment returns the comment as REST has it, without the ID of REST.
func (m MadeComment) Comment() Comment {
	return Comment{NodeID: m.ID, Author: m.Author, Association: m.AuthorAssociation, Body: m.Body, CreatedAt: m.CreatedAt, URL: m.URL, Withheld: m.Withheld}
}

func (m MadeComment) check() error { return Node{m.ID}.check() }
