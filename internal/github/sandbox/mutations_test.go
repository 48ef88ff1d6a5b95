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

func TestProject_OnlyItsPeopleWrite(t *testing.T) {
	s := newSandbox(t)
	lieke := as(t, s, s.Person("lieke-vdmeer").Token)
	lieke.mutate("updateProjectV2", "projectV2{id}", values{"projectId": s.ProjectID(organization, 3), "title": "Mine"}).wantType(t, "FORBIDDEN")
	lieke.mutate("deleteProjectV2", "projectV2{id}", values{"projectId": s.ProjectID(organization, 1)}).wantType(t, "NOT_FOUND")
	org := lieke.ask(`{repositoryOwner(login:"fernhill-bikes"){id}}`, nil).whole(t).text("data", "repositoryOwner", "id")
	lieke.mutate("createProjectV2", "projectV2{id}", values{"ownerId": org, "title": "Mine"}).wantType(t, "FORBIDDEN")
	lieke.mutate("createProjectV2", "projectV2{id}", values{"ownerId": "O_x", "title": "Mine"}).wantType(t, "NOT_FOUND")
}

func TestValue_OfAnotherKindIsRefused(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	board := s.ProjectID(organization, 1)
	item := s.ItemID(organization, 1, "Frame colour picker forgets the choice")
	s.mu.Lock()
	p := s.mustProject(organization, 1)
	in := func(field string, value values) values {
		return values{"projectId": board, "itemId": item, "fieldId": p.field(field).node, "value": value}
	}
	s.mu.Unlock()
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
