package stacktest_test

import (
	"regexp"
	"slices"
	"strings"
)

var changeID = regexp.MustCompile(`name="step" value="(u[0-9a-z]{13})"`)

// takesBack lets a client write what this server stores, and takes each change back on the account
// page.
func (d *deployed) takesBack(handle, access string) {
	d.Helper()
	s := d.begin(access)
	s.wantSaid("todolist__set", `{"todos":[{"content":"Sweep the floor","status":"pending","activeForm":"Sweeping the floor"}]}`, `"revision":1`)
	s.wantSaid("todolist__set", `{"todos":[]}`, `"revision":2`)
	id := taskID.FindStringSubmatch(s.wantSaid("add_task", `{"title":"Sweep"}`, `"completed":false`))
	if id == nil {
		d.Fatal("a task without an id")
	}
	this := `{"task_id":"` + id[1] + `"`
	s.wantSaid("link", `{"a":"task:`+id[1]+`","b":"Decide the colour of the first hundred bikes"}`, `"a":`)
	s.wantSaid("update_task", this+`,"title":"Sweep twice"}`, "Sweep twice")
	s.wantSaid("delete_task", this+`}`, "Sweep twice")
	browser, _ := d.Visit(d.URL+"/oauth/start?for=account", handle)
	taken := 0
	for range 6 {
		page := d.Get(browser, d.URL+"/account/changes")
		change := changeID.FindStringSubmatch(page)
		if change == nil {
			break
		}
		d.Fill(browser, d.URL+"/account/changes", "step", change[1])
		taken++
	}
	if taken < 5 {
		d.Errorf("%d changes were taken back", taken)
	}
	if left := s.wantSaid("list_tasks", `{}`, `"tasks"`); strings.Contains(left, "Sweep") {
		d.Errorf("after taking all back: %s", left)
	}
}

// wantUsed checks that every permission of the functions' roles was used.
func (d *deployed) wantUsed(functions ...string) {
	for _, function := range functions {
		role := d.roles[function]
		var idle []string
		for _, st := range role.stack.statements(function) {
			kinds := st.keys
			switch {
			case strings.HasPrefix(st.actions[0], "logs:"):
				continue // Lambda uses it
			case strings.HasPrefix(st.resource, "!Ref "):
				kinds = []string{strings.TrimPrefix(st.resource, "!Ref ")}
			case st.keys == nil:
				kinds = []string{"user"}
			}
			for _, action := range st.actions {
				for _, kind := range kinds {
					_, action, _ := strings.Cut(action, ":")
					kind, _, _ := strings.Cut(kind, "#")
					if use := action + " " + kind; !role.used[use] {
						idle = append(idle, use)
					}
				}
			}
		}
		// moto accepts a new value for a secret that is scheduled for deletion. AWS requires
		// RestoreSecret first. Sealed tokens are the work of another test. A family that is revoked was
		// read shortly before, and is rarely read again.
		expected := []string{"RestoreSecret user", "GetItem tokens", "PutItem tokens", "DeleteItem tokens", "GetItem family"}
		if idle = slices.DeleteFunc(idle, func(use string) bool { return slices.Contains(expected, use) }); len(idle) > 0 {
			d.Errorf("%s has unused permissions: %v", function, idle)
		}
	}
}
