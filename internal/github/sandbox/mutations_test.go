package sandbox

import (
	"fmt"
	"strings"
	"testing"
)

// mutate carries out a mutation and returns its answer.
func (c *client) mutate(name, selection string, input values) answer {
	c.t.Helper()
	kind := strings.ToUpper(name[:1]) + name[1:] + "Input"
	return c.ask(fmt.Sprintf(`mutation M($input:%s!){%s(input:$input){clientMutationId %s}}`, kind, name, selection), values{"input": input})
}

func TestProject_IsCreatedChangedAndDeleted(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	me := c.ask(`{viewer{id} repository(owner:"fernhill-bikes",name:"configurator"){id}}`, nil).whole(t)
	a := c.mutate("createProjectV2", "projectV2{id number title fields(first:100){totalCount}}", values{
		"ownerId": me.text("data", "viewer", "id"), "title": " Autumn ", "repositoryId": me.text("data", "repository", "id"), "clientMutationId": "m1",
	}).whole(t)
	made := []any{"data", "createProjectV2", "projectV2"}
	id := a.text(append(made, "id")...)
	if a.text(append(made, "title")...) != "Autumn" || a.at(append(made, "number")...) != float64(2) || a.text("data", "createProjectV2", "clientMutationId") != "m1" {
		t.Errorf("%s", a.raw)
	}
	a = c.mutate("updateProjectV2", "projectV2{title readme public closed shortDescription}", values{"projectId": id, "readme": "# a\r\n", "closed": true, "public": true}).whole(t)
	changed := []any{"data", "updateProjectV2", "projectV2"}
	if a.text(append(changed, "title")...) != "Autumn" || a.text(append(changed, "readme")...) != "# a\r\n" || a.at(append(changed, "closed")...) != true {
		t.Errorf("%s", a.raw)
	}
	c.mutate("updateProjectV2", "projectV2{id}", values{"projectId": id, "title": " "}).wantType(t, "UNPROCESSABLE")
	c.mutate("updateProjectV2", "projectV2{id}", values{"projectId": id, "shortDescription": strings.Repeat("x", 257)}).wantType(t, "UNPROCESSABLE")
	c.mutate("deleteProjectV2", "projectV2{id}", values{"projectId": id}).whole(t)
	c.mutate("deleteProjectV2", "projectV2{id}", values{"projectId": id}).wantType(t, "NOT_FOUND")
}

func TestProject_OnlyItsPeopleWrite(t *testing.T) {
	s := newSandbox(t)
	lieke := as(t, s, s.Person("lieke-vdmeer").Token)
	lieke.mutate("updateProjectV2", "projectV2{id}", values{"projectId": s.ProjectID(organization, 3), "title": "Mine"}).wantType(t, "FORBIDDEN")
	lieke.mutate("deleteProjectV2", "projectV2{id}", values{"projectId": s.ProjectID(organization, 1)}).wantType(t, "NOT_FOUND")
	org := lieke.ask(`{repositoryOwner(login:"fernhill-bikes"){id}}`, nil).whole(t).text("data", "repositoryOwner", "id")
	lieke.mutate("createProjectV2", "projectV2{id}", values{"ownerId": org, "title": "Mine"}).wantType(t, "FORBIDDEN")
	lieke.mutate("createProjectV2", "projectV2{id}", values{"ownerId": "O_x", "title": "Mine"}).wantType(t, "NOT_FOUND")
}

func TestItem_IsAddedOnceAndRemoved(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	board := s.ProjectID(organization, 1)
	issue := c.ask(`{repository(owner:"fernhill-bikes",name:"configurator"){issueOrPullRequest(number:142){... on Issue{id}}}}`, nil).whole(t).text("data", "repository", "issueOrPullRequest", "id")
	add := func() string {
		return c.mutate("addProjectV2ItemById", "item{id type}", values{"projectId": board, "contentId": issue}).whole(t).text("data", "addProjectV2ItemById", "item", "id")
	}
	first := add()
	if again := add(); first == "" || again != first {
		t.Errorf("%s, then %s", first, again)
	}
	c.mutate("addProjectV2ItemById", "item{id}", values{"projectId": board, "contentId": "I_x"}).wantType(t, "NOT_FOUND")
	gone := values{"projectId": board, "itemId": first}
	if a := c.mutate("deleteProjectV2Item", "deletedItemId", gone).whole(t); a.text("data", "deleteProjectV2Item", "deletedItemId") != first {
		t.Errorf("%s", a.raw)
	}
	c.mutate("deleteProjectV2Item", "deletedItemId", gone).wantType(t, "NOT_FOUND")
}

func TestValue_IsSetAndCleared(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	board := s.ProjectID(organization, 1)
	item := s.ItemID(organization, 1, "Frame colour picker forgets the choice")
	s.mu.Lock()
	p := s.mustProject(organization, 1)
	in := func(field string, value values) values {
		return values{"projectId": board, "itemId": item, "fieldId": p.field(field).node, "value": value}
	}
	option, iteration := p.field("Status").options[4].id, p.field("Sprint").iterations[5].id
	s.mu.Unlock()
	for field, value := range map[string]values{
		"Notes": {"text": "a"}, "Estimate": {"number": 0}, "Ship by": {"date": "2031-04-01"}, "Status": {"singleSelectOptionId": option}, "Sprint": {"iterationId": iteration},
	} {
		a := c.mutate("updateProjectV2ItemFieldValue", `projectV2Item{fieldValueByName(name:"`+field+`"){__typename ... on ProjectV2ItemFieldNumberValue{number}}}`, in(field, value)).whole(t)
		if a.at("data", "updateProjectV2ItemFieldValue", "projectV2Item", "fieldValueByName") == nil {
			t.Errorf("%s: %s", field, a.raw)
		}
		clearing := in(field, nil)
		delete(clearing, "value")
		a = c.mutate("clearProjectV2ItemFieldValue", `projectV2Item{fieldValueByName(name:"`+field+`"){__typename}}`, clearing).whole(t)
		if a.at("data", "clearProjectV2ItemFieldValue", "projectV2Item", "fieldValueByName") != nil {
			t.Errorf("%s: %s", field, a.raw)
		}
	}
	for field, value := range map[string]values{
		"Notes": {"number": 1}, "Estimate": {"number": 1, "text": "a"}, "Ship by": {"date": "soon"}, "Status": {"singleSelectOptionId": "x"}, "Sprint": {"iterationId": "x"},
	} {
		c.mutate("updateProjectV2ItemFieldValue", "projectV2Item{id}", in(field, value)).wantType(t, "VALIDATION")
	}
	for _, field := range []string{"Title", "Labels", "Markets"} {
		c.mutate("updateProjectV2ItemFieldValue", "projectV2Item{id}", in(field, values{"text": "a"})).wantType(t, "UNPROCESSABLE")
	}
	elsewhere := in("Notes", values{"text": "a"})
	elsewhere["itemId"] = s.ItemID("ines-albrecht", 1, "Pack for Utrecht")
	c.mutate("updateProjectV2ItemFieldValue", "projectV2Item{id}", elsewhere).wantType(t, "NOT_FOUND")
}
