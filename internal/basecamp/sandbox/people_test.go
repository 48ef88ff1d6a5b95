package sandbox

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPeople_InesIsFirstAndAllCanLogIn(t *testing.T) {
	s := newSandbox(t)
	people := s.People()
	if people[0].Name != "Ines Albrecht" || people[0].Token != "sandbox-upstream-ines" {
		t.Error(people[0])
	}
	for _, p := range people {
		me := as(t, s, p.Name).get("/my/profile.json").want(200).object()
		if me.text("id") != fmt.Sprint(p.ID) || me.text("email_address") != p.Email {
			t.Errorf("%v: %v", p, me)
		}
	}
}

func TestPeople_OnlyAdministratorsAndThePersonSeeAnEmail(t *testing.T) {
	s := newSandbox(t)
	email := func(who, whose string) string {
		return as(t, s, who).get("/people/%d.json", s.Person(whose).ID).want(200).object().text("email_address")
	}
	for _, test := range []struct{ who, whose, want string }{
		{"Ines Albrecht", "Hanna Koivisto", "hanna@fernhillbikes.example"},
		{"Aoife Brennan", "Hanna Koivisto", "hanna@fernhillbikes.example"},
		{"Hanna Koivisto", "Hanna Koivisto", "hanna@fernhillbikes.example"},
		{"Sam Okafor", "Hanna Koivisto", "h••••@•••••••••••••.•••••••"},
	} {
		if got := email(test.who, test.whose); got != test.want {
			t.Errorf("%s sees %s of %s, want %s", test.who, got, test.whose, test.want)
		}
	}
	todo := s.Find("Todo", "Book the photographer for the launch pictures")
	if got := as(t, s, "Sam Okafor").get("/todos/%d.json", todo).object().list("assignees")[0].text("email_address"); got != "h••••@•••••••••••••.•••••••" {
		t.Errorf("embedded: %s", got)
	}
}

func TestPeople_OneOfTheTwoSamsIsOnTheLaunch(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	all := names(c.all("/people.json"))
	team := names(c.all("/projects/%d/people.json", s.ProjectID(launch)))
	for _, name := range []string{"Sam Okafor", "Sam Lindqvist", "Noémie Laurent", "Mateusz Wójcik", "Parcel Relay"} {
		if !slices.Contains(all, name) {
			t.Errorf("%s is missing", name)
		}
	}
	if !slices.Contains(team, "Sam Okafor") || slices.Contains(team, "Sam Lindqvist") {
		t.Error(team)
	}
}

func TestPeople_AClientSeesOnlySharedRecordings(t *testing.T) {
	s := newSandbox(t)
	c := as(t, s, "Lieke van der Meer")
	if diff := cmp.Diff([]string{"Rijnstad Couriers Fleet"}, names(c.all("/projects.json"))); diff != "" {
		t.Error(diff)
	}
	board := s.ToolID("Rijnstad Couriers Fleet", "message_board")
	if diff := cmp.Diff([]string{"Delivery of bikes 21 to 30", "Service report, last month"}, titles(c.all("/message_boards/%d/messages.json", board))); diff != "" {
		t.Error(diff)
	}
	c.get("/messages/%d.json", s.Find("Message", "Internal: price of the second year")).want(http.StatusNotFound)
	c.get("/todolists/%d.json", s.TodolistID("Rijnstad Couriers Fleet", "Service contract")).want(http.StatusNotFound)
	made := c.post(fmt.Sprintf("/todolists/%d/todos.json", s.TodolistID("Rijnstad Couriers Fleet", "Delivery of forty bikes")), object{"content": "Move the bollard"}).want(201).object()
	if made.text("visible_to_clients") != "true" {
		t.Error(made)
	}
}

func TestClientVisibility_OfWhatInheritsIsItsHoldersAndCannotBeSet(t *testing.T) {
	s := newSandbox(t)
	const fleet = "Rijnstad Couriers Fleet"
	staff, client := ines(t, s), as(t, s, "Lieke van der Meer")
	todo, card := s.FindIn(fleet, "Todo", "Hand over the key list"), s.FindIn(fleet, "Kanban::Card", "RC-04: second flat this month")
	client.get("/todos/%d.json", todo).want(http.StatusOK)
	for _, id := range []int64{todo, card} {
		staff.put(fmt.Sprintf("/recordings/%d/client_visibility.json", id), object{"visible_to_clients": true}).want(http.StatusForbidden)
	}
	for id, seen := range map[int64]int64{s.TodolistID(fleet, "Delivery of forty bikes"): todo, s.ToolID(fleet, "kanban_board"): card} {
		path := map[int64]string{todo: "/todos/%d.json", card: "/card_tables/cards/%d.json"}[seen]
		for _, visible := range []bool{false, true} {
			staff.put(fmt.Sprintf("/recordings/%d/client_visibility.json", id), object{"visible_to_clients": visible}).want(http.StatusOK)
			client.get(path, seen).want(map[bool]int{false: http.StatusNotFound, true: http.StatusOK}[visible])
			staff.get(path, seen).want(http.StatusOK)
		}
	}
}

func TestPeople_AccessIsGrantedAndRevoked(t *testing.T) {
	s := newSandbox(t)
	sam := s.Person("Sam Lindqvist")
	path := fmt.Sprintf("/projects/%d/people/users.json", s.ProjectID(launch))
	o := ines(t, s).put(path, object{"grant": []int64{sam.ID}, "revoke": []int64{s.Person("Dele Adeyemi").ID}}).want(200).object()
	if len(o.list("granted")) != 1 || len(o.list("revoked")) != 1 {
		t.Error(o)
	}
	as(t, s, "Sam Lindqvist").get("/projects/%d.json", s.ProjectID(launch)).want(200)
	as(t, s, "Dele Adeyemi").get("/projects/%d.json", s.ProjectID(launch)).want(404)
}

func TestProfile_CanBeChanged(t *testing.T) {
	s := newSandbox(t)
	c := as(t, s, "Hanna Koivisto")
	c.put("/my/profile.json", object{"title": "Marketing, mostly", "time_zone_name": "Asia/Tokyo"}).want(204)
	me := c.get("/my/profile.json").object()
	if me.text("title") != "Marketing, mostly" || me.text("time_zone") != "Asia/Tokyo" || me.text("name") != "Hanna Koivisto" {
		t.Error(me)
	}
	c.put("/my/profile.json", object{"time_zone_name": "Nowhere/Land"}).want(422)
}

func TestAccount_HasItsName(t *testing.T) {
	s := newSandbox(t)
	account := as(t, s, "Sam Okafor").get("/account.json").want(200).object()
	if account.text("id") != fmt.Sprint(s.Account()) || account.text("name") != "Fernhill Bikes" || account.text("owner_name") == "" {
		t.Errorf("got %v", account)
	}
}

func TestEvents_ListAddedAndRemovedAssignees(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	card := s.Find("Kanban::Card", "Kickstand plate, 8 mm back")
	noemie, mateusz := s.Person("Noémie Laurent").ID, s.Person("Mateusz Wójcik").ID
	c.put(fmt.Sprintf("/card_tables/cards/%d.json", card), object{"assignee_ids": []int64{mateusz}}).want(200)
	c.put(fmt.Sprintf("/card_tables/cards/%d.json", card), object{"due_on": "2031-05-14"}).want(200)
	c.put(fmt.Sprintf("/card_tables/cards/%d.json", card), object{"title": "Kickstand plate, 9 mm back"}).want(200)
	events := c.get("/recordings/%d/events.json", card).want(200).list()
	for i, want := range []string{"content_changed", "due_date_changed", "assignment_changed"} {
		if got := events[i].text("action"); got != want {
			t.Errorf("%d: %s, want %s", i, got, want)
		}
	}
	want := fmt.Sprintf("map[added_person_ids:[%d] removed_person_ids:[%d]]", mateusz, noemie)
	if diff := cmp.Diff(want, events[2].text("details")); diff != "" {
		t.Error(diff)
	}
}
