package github

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

// contentWith selects an issue or a pull request and the projects that it is in, with more of each
// project and of each item.
func contentWith(ofProject, more string) string {
	parts := `{
      id number title authorAssociation url repository { nameWithOwner }
      projectItems(first: 100, includeArchived: true) { totalCount pageInfo { hasNextPage endCursor } nodes { id project { ` + projectPlace + ofProject + ` } ` + more + ` } }
    }`
	return `issueOrPullRequest(number: $number) { __typename ... on Issue ` + parts + ` ... on PullRequest ` + parts + ` }`
}

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
query Content($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) { ` + contentWith("", "") + ` }
}`}
	contentValueDocument = document{thing: []string{"repository", "issueOrPullRequest"}, inRepository: true, text: `
query ContentValue($owner: String!, $name: String!, $number: Int!, $field: String!) {
  repository(owner: $owner, name: $name) { ` + contentWith(" field(name: $field) { ...Whole }", "fieldValueByName(name: $field) { ...V }") + ` }
}` + valueFragment + wholeFieldFragment + fieldFragment}
	itemDocument = document{thing: []string{"node"}, text: `
query Item($id: ID!) { node(id: $id) { __typename ...I ... on ProjectV2Item { project { ` + projectPlace + ` } } } }` + itemFragment + fieldFragment}
	itemValueDocument = document{thing: []string{"node"}, text: `
query ItemValue($id: ID!, $name: String!) {
  node(id: $id) { __typename ...I ... on ProjectV2Item { project { ` + projectPlace + ` field(name: $name) { ...Whole } } fieldValueByName(name: $name) { ...W } } }
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
