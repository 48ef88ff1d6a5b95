package sandbox

import "time"

// fillProgress adds what the pages about progress show: two lists on the hill chart of the launch,
// a needle on its gauge, some hours, and a template.
func (d *seeder) fillProgress() {
	launch := d.projectCalled("Cargo Bike Launch")
	for _, tool := range launch.dock {
		if lists := tool.within(kindTodolist); tool.kind == kindTodoset && len(lists) > 1 {
			tool.tracked = lists[:2]
		}
	}
	at, by := launch.updated, launch.people[0]
	launch.needles = []*needle{{
		id: d.s.nextID(), bucket: launch, position: 40, color: "yellow", body: "<div>Frames are on time, brakes are not</div>", by: by, created: at, updated: at,
	}}
	text := "How we bring a new bike to the shops"
	d.a.templates = []*template{{id: d.s.nextID(), name: "Bike launch", description: &text, status: active, created: at, updated: at}}
	for _, r := range d.a.recordings {
		if launch.timesheet && r.bucket == launch && r.kind == kindCard && r.title == "Deck rails: second weld pass underneath" {
			d.a.times = append(d.a.times, &timeEntry{
				id: d.s.nextID(), on: r, date: at.Format(time.DateOnly), hours: "1.5", description: "Welding", by: by, person: by, created: at, updated: at,
			})
		}
	}
}
