package sandbox

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// table returns the launch project's card table with a title.
func table(t *testing.T, c caller, title string) object {
	t.Helper()
	for _, id := range c.s.ToolIDs(launch, "kanban_board") {
		if o := c.get("/card_tables/%d.json", id).want(200).object(); o.text("title") == title {
			return o
		}
	}
	t.Fatalf("no card table %s", title)
	return nil
}

func column(t *testing.T, table object, title string) object {
	t.Helper()
	for _, o := range table.list("lists") {
		if o.text("title") == title {
			return o
		}
	}
	t.Fatalf("no column %s", title)
	return nil
}

func TestCardTable_PutsTheTeamsColumnsBetweenBasecamps(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	var got []string
	for _, o := range table(t, c, "Frame design").list("lists") {
		got = append(got, o.text("type")+" "+o.text("title"))
		if cards := c.all("/card_tables/lists/%s/cards.json", o.text("id")); fmt.Sprint(len(cards)) != o.text("cards_count") {
			t.Errorf("%s counts %s of %d cards", o.text("title"), o.text("cards_count"), len(cards))
		}
	}
	want := []string{
		"Kanban::Triage Triage", "Kanban::NotNowColumn Not now", "Kanban::Column Next", "Kanban::Column In progress",
		"Kanban::Column In review", "Kanban::Column Waiting for others", "Kanban::DoneColumn Done",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestCard_IsCompletedInTheColumnDoneAndReopenedOutsideIt(t *testing.T) {
	s := newSandbox(t)
	c := as(t, s, "Noémie Laurent")
	frame := table(t, c, "Frame design")
	done, doing := column(t, frame, "Done"), column(t, frame, "In progress")
	id := s.Find("Kanban::Card", "Rear light where the lift button is")
	move := fmt.Sprintf("/card_tables/cards/%d/moves.json", id)
	c.post(move, object{"column_id": done["id"]}).want(204)
	card := c.get("/card_tables/cards/%d.json", id).object()
	if card.text("completed") != "true" || card.text("parent", "title") != "Done" || card.text("completer", "name") != "Noémie Laurent" || card["completed_at"] == nil || card["completion"] != nil {
		t.Error(card)
	}
	if got := c.all("/card_tables/lists/%s/cards.json", done.text("id"))[0].text("id"); got != fmt.Sprint(id) {
		t.Error("the moved card is not at the top")
	}
	c.post(move, object{"column_id": doing["id"], "position": 2}).want(204)
	if card := c.get("/card_tables/cards/%d.json", id).object(); card.text("completed") != "false" || card.text("position") != "2" {
		t.Error(card)
	}
	events := c.all("/recordings/%d/events.json", id)
	adopted := filter(events, func(e object) bool { return e.text("action") == "adopted" })
	if len(adopted) != 3 || !slices.ContainsFunc(adopted, func(e object) bool {
		return e.text("details", "parent_id_was") == done.text("id") && e.text("details", "new_parent_id") == doing.text("id")
	}) {
		t.Error(adopted)
	}
}

func TestCard_MoveRefusesAnInvalidTarget(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	move := fmt.Sprintf("/card_tables/cards/%d/moves.json", s.Find("Kanban::Card", "Suspension fork"))
	other := column(t, table(t, c, "Web shop"), "Doing")
	own := column(t, table(t, c, "Frame design"), "Next")
	c.post(move, object{"column_id": other["id"]}).want(404)
	c.post(move, object{"column_id": own["id"], "position": 0}).want(400)
	c.post(move, object{"column_id": own["id"], "position": "first"}).want(400)
	c.post(move, object{}).want(404)
}

func TestCard_IsCreatedWithoutAssigneesAndUpdatedInPart(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	next := column(t, table(t, c, "Frame design"), "Next")
	noemie := s.Person("Noémie Laurent").ID
	card := c.post("/card_tables/lists/"+next.text("id")+"/cards.json", object{
		"title": "Bell bracket", "content": "<div>Left</div>", "due_on": "2031-05-30", "assignee_ids": []int64{noemie},
	}).want(201).object()
	if len(card.list("assignees")) != 0 || card.text("content") != "<div>Left</div>" || card.text("description") != "<div>Left</div>" {
		t.Error(card)
	}
	path := "/card_tables/cards/" + card.text("id") + ".json"
	got := c.put(path, object{"assignee_ids": []int64{noemie}}).want(200).object()
	if len(got.list("assignees")) != 1 || got.text("due_on") != "2031-05-30" || got.text("title") != "Bell bracket" || got.text("content") != "<div>Left</div>" {
		t.Error(got)
	}
	got = c.put(path, object{"due_on": nil, "assignee_ids": []int64{}}).want(200).object()
	if len(got.list("assignees")) != 0 || got["due_on"] != nil {
		t.Error(got)
	}
	step := c.post("/recordings/"+card.text("id")+"/subtasks.json", object{"title": "Draw", "assignee_ids": []int64{noemie}}).want(201).object()
	if len(step.list("assignees")) != 1 {
		t.Error(step)
	}
	c.post("/card_tables/lists/"+next.text("id")+"/cards.json", object{"content": "no title"}).want(422)
}

func TestColumn_CanBeAddedChangedAndMoved(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	frame := table(t, c, "Frame design")
	made := c.post("/card_tables/"+frame.text("id")+"/columns.json", object{"title": "Printing", "description": "in 3D"}).want(201).object()
	path := "/card_tables/columns/" + made.text("id")
	c.put(path+".json", object{"title": "Printed"}).want(200)
	c.put(path+"/color.json", object{"color": "pink"}).want(200)
	c.put(path+"/color.json", object{"color": "beige"}).want(422)
	c.post("/card_tables/"+frame.text("id")+"/moves.json", object{"source_id": made["id"], "target_id": frame["id"], "position": 1}).want(204)
	frame = table(t, c, "Frame design")
	if got := frame.list("lists")[2]; got.text("title") != "Printed" || got.text("color") != "pink" || got.text("description") != "in 3D" {
		t.Error(got)
	}
	if got := c.post(path+"/on_hold.json", nil).want(200).object(); got["on_hold"] == nil {
		t.Error(got)
	}
}

func TestColumn_SeparatesCardsOnHold(t *testing.T) {
	s := newSandbox(t)
	c := ines(t, s)
	doing := column(t, table(t, c, "Frame design"), "In progress")
	path := "/card_tables/columns/" + doing.text("id") + "/on_hold.json"
	c.post(path, nil).want(200)
	section := c.post(path, nil).want(200).object().text("on_hold", "id")
	card := s.Find("Kanban::Card", "Seat for a rider of 1.52 m")
	c.post(fmt.Sprintf("/card_tables/cards/%d/moves.json", card), object{"column_id": section}).want(204)
	cards := func(list string) int { return len(c.all("/card_tables/lists/%s/cards.json", list)) }
	held := column(t, table(t, c, "Frame design"), "In progress")
	if cards(section) != 1 || held.text("on_hold", "cards_count") != "1" || held.text("cards_count") != "3" || cards(doing.text("id")) != 3 {
		t.Error(held)
	}
	c.delete(path).want(200)
	if held := column(t, table(t, c, "Frame design"), "In progress"); held["on_hold"] != nil || cards(doing.text("id")) != 4 {
		t.Error(held)
	}
	c.get("/card_tables/lists/%s/cards.json", section).want(404)
}

func TestCards_EverythingIsGroupedByProject(t *testing.T) {
	c := ines(t, newSandbox(t))
	for _, path := range []string{"open", "completed", "unassigned", "no_due_date", "not_now"} {
		buckets := c.all("/cards/%s.json", path)
		if len(buckets) != 17 {
			t.Errorf("%s: %d projects", path, len(buckets))
		}
		n := 0
		for _, b := range buckets {
			n += len(b.list("cards"))
		}
		if n == 0 {
			t.Errorf("%s: no cards", path)
		}
	}
	if got := c.get("/cards/overdue.json").want(200).list(); len(got) < 3 {
		t.Errorf("%d overdue cards", len(got))
	}
}
