package tools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/own/hub"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/fence"
)

// talkShape is what is said in a thread. A line is "who: text"; the text "boost" boosts the last
// one.
type talkShape struct {
	says  string
	lines []string // one without a name is the text of the item
	where []place  // any of them
	waits bool     // whether the last question waits for Ines
	days  int      // before today
}

var (
	others    = []place{{"message", priya, nil}, {"todo", priya, []string{dele}}, {"todo", dele, nil}, {"card", priya, []string{samO}}}
	hers      = []place{{"todo", ines, nil}, {"todo", priya, []string{ines}}, {"card", ines, []string{dele}}, {"todo", samL, []string{ines, samO}}, {"message", ines, nil}}
	tasks     = others[1:]
	anyplaces = slices.Concat(others, hers)
)

// asked are questions of several languages; %s is a mention or a name.
var asked = []string{
	"%s, can you check the brakes?", "%s, kannst du die Bremsen prüfen?", "%s, tu peux vérifier les freins ?", "%s, ¿puedes revisar los frenos?",
	"<div>Thanks %s, that helps.</div><div>Is the paint dry by Friday?</div>", "What do you think, %s?",
	"Danke %s! Wann kommt die Lieferung?<br>Ich frage wegen der Messe.", "%s who should open the doors on Monday?!",
}

// talkShapes are the talkShapes of threads. M is a mention of Ines, N her first name.
var talkShapes = []talkShape{
	{"a mention asks", []string{"Priya Raman: M"}, others, true, 3},
	{"a name asks", []string{"Sam Okafor: N"}, others, true, 3},
	{"a question about her thing", []string{"Dele Adeyemi: Does it still squeak?"}, hers, true, 2},
	{"several texts, then a question", []string{"Dele Adeyemi: It squeaks.", "Priya Raman: Is that the saddle? I would like to know."}, hers, true, 2},
	{"answers her text", []string{"Ines Albrecht: I moved the fair to May.", "Priya Raman: Pourquoi si tard ?"}, others, true, 4},
	{"answers hers, and says more", []string{"Ines Albrecht: The fair is in May.", "Priya Raman: Good.", "Priya Raman: ¿Quién va?"}, tasks, true, 4},
	{"boosted by someone else", []string{"Priya Raman: M", "Sam Okafor: boost"}, tasks, true, 5},
	{"others answered, not she", []string{"Priya Raman: M", "Dele Adeyemi: I wonder too."}, tasks, true, 5},
	{"a link with a real question", []string{`Priya Raman: [Ines Albrecht] is https://fernhill.example/list?color=red the right page?`}, tasks, true, 5},
	{"a quote and a question", []string{"Priya Raman: [Ines Albrecht] she said \"why us?\" and left. What do we tell her?"}, tasks, true, 5},
	{"both are mentioned", []string{"Dele Adeyemi: [Priya Raman] [Ines Albrecht] which of you can come?"}, tasks, true, 5},

	{"the item's text asks", []string{"M"}, others, true, 4},
	{"an assignment asks", []string{"Welche Farbe soll es sein?"}, hers[1:2], true, 4},
	{"an assignment with a mention", []string{"[Ines Albrecht] takes it on."}, hers[1:2], true, 4},

	{"the item's text mentions her", []string{"[Ines Albrecht] knows more."}, tasks, false, 4},
	{"an assignment, answered", []string{"Welche Farbe?", "Ines Albrecht: Blau."}, hers[1:2], false, 4},
	{"answered", []string{"Priya Raman: M", "Ines Albrecht: Yes, on Friday."}, tasks, false, 4},
	{"answered about her thing", []string{"Dele Adeyemi: Does it still squeak?", "Ines Albrecht: Not since Monday."}, hers, false, 4},
	{"answered by a boost", []string{"Priya Raman: M", "Ines Albrecht: boost"}, tasks, false, 4},
	{"no question", []string{"Priya Raman: [Ines Albrecht] it is done."}, anyplaces, false, 3},
	{"her own question", []string{"Ines Albrecht: Does anyone have the keys?"}, anyplaces, false, 3},
	{"mentions others", []string{"Priya Raman: [Dele Adeyemi] can you check the brakes?"}, anyplaces, false, 3},
	{"names others", []string{"Priya Raman: Dele, hast du die Schlüssel?"}, anyplaces, false, 3},
	{"to all, about another's thing", []string{"Dele Adeyemi: Does it still squeak?"}, others, false, 3},
	{"an address with a question mark", []string{`Dele Adeyemi: See <a href="https://fernhill.example/find?q=brakes">https://fernhill.example/find?q=brakes</a> and www.fernhill.example/?a=b.`}, hers, false, 3},
	{"code", []string{"Dele Adeyemi: <pre>ok ? go() : stop()\nreally?</pre>It uses <code>a ?</code> now."}, hers, false, 3},
	{"a quoted text", []string{"Dele Adeyemi: <blockquote>Ines, does it squeak?</blockquote>I greased it."}, hers, false, 3},
	{"a quoted question", []string{"Dele Adeyemi: A rider asked „Quietscht das?“ and laughed.", "Dele Adeyemi: Another wrote \"why?\" on the wall, then « Pourquoi ? »."}, hers, false, 3},
	{"a signature", []string{"Dele Adeyemi: <div>It is greased.</div><div>--</div><div>Dele<br>Questions? Call me.</div>"}, hers, false, 3},
	{"old", []string{"Priya Raman: M"}, others, false, 20},
	{"another of the same first name", []string{"Priya Raman: [Sam Lindqvist] can you ask Ines Muster's dealer?"}, others, false, 3},
	{"an e-mail address", []string{"Dele Adeyemi: Write to ines@fernhill.example, about 40 (?) of them came."}, others, false, 3},
}

// texts returns the lines of a talkShape in one of its variations.
func (x talkShape) texts(n int) (all []string) {
	for _, line := range x.lines {
		who, text, said := strings.Cut(line, ": ")
		if !said {
			who, text = "", line
		}
		switch text {
		case "M":
			text = fmt.Sprintf(asked[n%len(asked)], "["+ines+"]")
		case "N":
			text = fmt.Sprintf(asked[n%len(asked)], "Ines")
		}
		all = append(all, who+": "+text)
	}
	return all
}

// TestGetWaiting_FindsWhatWaits measures a world of 300 threads.
func TestGetWaiting_FindsWhatWaits(t *testing.T) {
	inWorld(t, func(w *world) {
		s := newSpeaker(w)
		waits, says := map[string]bool{}, map[string]string{}
		const threads = 300
		bySize := slices.Clone(talkShapes)
		slices.SortStableFunc(bySize, func(a, b talkShape) int { return b.days - a.days })
		today := 20
		for i, x := range bySize {
			for ; today > x.days; today-- {
				time.Sleep(24 * time.Hour) // synctest's clock
			}
			for n := range (threads - i + len(bySize) - 1) / len(bySize) {
				time.Sleep(time.Minute)
				ref := s.thread(x, n)
				waits[ref], says[ref] = x.waits, x.says
			}
		}
		if len(waits) != threads {
			t.Fatalf("%d threads", len(waits))
		}
		time.Sleep(time.Hour)
		w.sent = nil
		got := call[waitingAnswer](w, "get_waiting", nil)
		if len(w.sent) > 18 {
			t.Errorf("%d requests: %q", len(w.sent), w.sent)
		}
		s.measure(got, waits, says)
	})
}

// thread makes a thread of a talkShape, and returns its reference.
func (s speaker) thread(x talkShape, n int) string {
	s.Helper()
	lines, own := x.texts(n), ""
	if text, isOwn := strings.CutPrefix(lines[0], ": "); isOwn {
		lines, own = lines[1:], text
	}
	ref, last := s.begin(x.where[n%len(x.where)], fmt.Sprintf("Thread %d", n), own)
	id := last
	for _, line := range lines {
		time.Sleep(time.Second)
		who, text, _ := strings.Cut(line, ": ")
		if text == "boost" {
			s.send(who, "POST", fmt.Sprintf("recordings/%d/boosts.json", last), input{"content": "👍"})
			continue
		}
		last = s.send(who, "POST", fmt.Sprintf("recordings/%d/comments.json", id), input{"content": s.mentioning(text)})
	}
	return ref
}

// measure compares what waits for Ines with what should.
func (s speaker) measure(got waitingAnswer, waits map[string]bool, says map[string]string) {
	s.Helper()
	found := map[string]bool{}
	right, all := 0, 0
	for _, item := range got.ToAnswer.Items {
		ref, _ := item.Answer.Arguments["item"].(string)
		want, ours := waits[ref]
		if !ours || found[ref] {
			continue
		}
		found[ref] = true
		all++
		if want {
			right++
		} else {
			s.Logf("%s should not wait: %q", says[ref], item.Says)
		}
	}
	should := 0
	for ref, want := range waits {
		if want {
			should++
		}
		if want && !found[ref] {
			s.Logf("%s %s should wait", ref, says[ref])
		}
	}
	precision, recall := float64(right)/float64(max(1, all)), float64(right)/float64(should)
	s.Logf("%d of %d found, precision %.3f, recall %.3f", right, should, precision, recall)
	if precision < 0.95 || recall < 0.95 {
		s.Errorf("precision %.3f, recall %.3f", precision, recall)
	}
}

// TestGetWaiting_SaysWhoWaitsAndHowToAnswer has Sam ping Ines and mention her in a chat, which only
// notifications show, and Ines ask Priya, who boosts later.
func TestGetWaiting_SaysWhoWaitsAndHowToAnswer(t *testing.T) {
	inWorld(t, func(w *world) {
		s := newSpeaker(w)
		chat := fmt.Sprintf("chats/%d/lines.json", w.basecamp.ToolID("Workshop & Tools", "chat"))
		s.send(samO, "POST", chat, input{"content": s.mentioning("[Ines Albrecht] who has the saw?"), "content_type": "text/html"})
		s.send(samO, "POST", chat, input{"content": "Does anyone have the saw?"})
		time.Sleep(time.Minute) // synctest's clock
		call[map[string]any](&world{Client: s.as(samO)}, "post_chat_line", input{"to": "person:" + fmt.Sprint(w.basecamp.Person(ines).ID), "text": "Is the door open?"})
		_, mine := s.begin(place{"message", ines, nil}, "The fair", s.mentioning("[Priya Raman], can you order the tent?"))
		call[map[string]any](w, "add_subtasks", input{"item": "Decide the colour of the first hundred bikes", "steps": []input{{"title": "Ask Priya", "due_on": "1999-12-30", "assignees": []string{"me"}}}})
		day := call[dayAnswer](w, "my_day", nil)
		got := call[waitingAnswer](w, "get_waiting", nil)
		if got.Person != ines || got.TimeZone != "Europe/Berlin" {
			t.Errorf("%+v", got)
		}
		overdue := 0
		by := map[string][]string{}
		for _, item := range got.ToAnswer.Items {
			by[item.Answer.Tool] = append(by[item.Answer.Tool], item.Says)
			if item.DueOn != "" { // which is not done by an answer
				overdue++
				if item.By == ines {
					t.Errorf("her own: %+v", item)
				}
				call[map[string]any](w, "preview", input{"tool": "create_comment", "arguments": input{"item": item.Answer.Arguments["item"], "body": "Tomorrow."}})
			}
		}
		if by["set_completed"] != nil || overdue != day.Overdue.Count-3 || len(by["answer_checkin"]) != 3 || !slices.Equal(by["post_chat_line"], []string{"Is the door open?", `\@Ines Albrecht who has the saw?`}) {
			t.Errorf("%d overdue, %q", overdue, by)
		}
		if day.WaitingForYou.Count != 5 || len(day.WaitingForYou.Items) != 5 {
			t.Errorf("%+v", day.WaitingForYou)
		}
		first := got.WaitsFor.Items[0]
		if first.By != priya || first.Ref != fmt.Sprint("message:", mine) || first.Says != `\@Priya Raman, can you order the tent?` || first.In != "Company HQ" {
			t.Errorf("%+v", first)
		}
		s.send(priya, "POST", fmt.Sprintf("recordings/%d/boosts.json", mine), input{"content": "Yes"})
		for _, item := range got.ToAnswer.Items {
			if item.Says == "Is the door open?" {
				item.Answer.Arguments["text"] = "Yes."
				call[map[string]any](w, item.Answer.Tool, item.Answer.Arguments)
			}
		}
		time.Sleep(10 * time.Minute) // synctest's clock
		again := call[waitingAnswer](w, "get_waiting", nil)
		if again.ToAnswer.Count != got.ToAnswer.Count-1 || again.WaitsFor.Count != got.WaitsFor.Count-1 {
			t.Errorf("%d and %d, then %d and %d: %+v", got.ToAnswer.Count, got.WaitsFor.Count, again.ToAnswer.Count, again.WaitsFor.Count, again.Coverage)
		}
	})
}

// A question that names no one, under something of the person's own that no list has, waits too.
func TestGetWaiting_ReadsWhatAQuestionIsUnder(t *testing.T) {
	inWorld(t, func(w *world) {
		s := newSpeaker(w)
		at := func(path, tool string) string { return fmt.Sprintf(path, w.basecamp.ToolID("Company HQ", tool)) }
		for _, id := range []int64{
			s.send(ines, "POST", at("vaults/%d/documents.json", "vault"), input{"title": "Rust", "content": "x", "status": "active"}),
			s.send(ines, "POST", at("schedules/%d/entries.json", "schedule"), input{"summary": "Fair", "starts_at": "2026-12-01T10:00:00Z", "ends_at": "2026-12-01T11:00:00Z"}),
			s.send(ines, "POST", at("todosets/%d/todolists.json", "todoset"), input{"name": "Tent"}),
		} {
			s.send(dele, "POST", fmt.Sprintf("recordings/%d/comments.json", id), input{"content": "Is it complete?"})
		}
		time.Sleep(time.Minute) // synctest's clock
		found := 0
		for _, item := range call[waitingAnswer](w, "get_waiting", nil).ToAnswer.Items {
			if item.Says == "Is it complete?" {
				found++
			}
		}
		if found != 3 {
			t.Errorf("%d of 3", found)
		}
	})
}

func TestGetWaiting_OfAnotherPersonIsWhatTheCallerSees(t *testing.T) {
	inWorld(t, func(w *world) {
		s := newSpeaker(w)
		_, todo := s.begin(place{"todo", ines, []string{priya}}, "The tent", "Which colour?")
		_, secret := s.begin(place{"payroll", "Aoife Brennan", nil}, "The raise", s.mentioning("[Ines Albrecht], how much?"))
		of := func(caller, who string) waitingAnswer {
			return call[waitingAnswer](&world{Client: s.as(caller)}, "get_waiting", input{"for": who})
		}
		refs := func(x hub.Section) (refs []string) {
			for _, item := range x.Items {
				refs = append(refs, item.Ref)
			}
			return refs
		}
		got := of(ines, "Priya")
		if got.Person != priya || !slices.Contains(refs(got.ToAnswer), fmt.Sprint("todo:", todo)) || len(got.Coverage) < 2 || got.Coverage[0].Code != fault.PermissionDenied {
			t.Errorf("%+v", got)
		}
		for caller, sees := range map[string]bool{ines: true, samO: false} {
			got := of(caller, "Ines Albrecht")
			if slices.Contains(refs(got.ToAnswer), fmt.Sprint("message:", secret)) != sees || !slices.Contains(refs(got.WaitsFor), fmt.Sprint("todo:", todo)) {
				t.Errorf("%s: %+v", caller, got)
			}
		}
		w.Fails(fault.NotFound, "get_waiting", input{"for": "Nobody"}, "for: ")
		w.Fails(fault.Ambiguous, "get_waiting", input{"for": "Sam"}, "for: ")
	})
}

// A source that is silent or refuses is named; what the others say stands.
func TestGetWaiting_SaysWhatItLacks(t *testing.T) {
	for _, part := range []string{"my/readings", "question_reminders", "my/assignments", "type=Todo", "type=Kanban", "type=Comment", "type=Message"} {
		t.Run(part, func(t *testing.T) {
			inWorld(t, func(w *world) {
				s := newSpeaker(w)
				s.begin(place{"todo", priya, []string{ines}}, "The tent", "Which colour?")
				w.silent[part] = true
				began := time.Now()
				var got waitingAnswer
				text, _ := w.Raw("get_waiting", nil)
				if err := json.Unmarshal([]byte(text), &got); err != nil || strings.Contains(text, `"count":0`) {
					t.Errorf("%v: %s", err, text)
				}
				if time.Since(began) > 17*time.Second || len(w.sent) > 18 {
					t.Errorf("%s, %d requests", time.Since(began), len(w.sent))
				}
				named := slices.ContainsFunc(got.Coverage, func(g hub.Gap) bool { return g.Code == fault.UpstreamError })
				if !named || got.ToAnswer.Count == 0 {
					t.Errorf("%+v", got)
				}
			})
		})
	}
}

func TestGetWaiting_StaysWithinTheFence(t *testing.T) {
	inWorld(t, func(w *world) {
		s := newSpeaker(w)
		s.begin(place{"todo", priya, []string{ines}}, "The tent", "Which colour?")
		s.begin(place{"payroll", "Aoife Brennan", nil}, "The raise", s.mentioning("[Ines Albrecht], how much?"))
		open := call[waitingAnswer](w, "get_waiting", nil)
		w.Caller.Fence.Read = &fence.Places{Projects: []int64{w.basecamp.ProjectID("Company HQ")}}
		got := call[waitingAnswer](w, "get_waiting", nil)
		if got.ToAnswer.Count == 0 || got.ToAnswer.Count >= open.ToAnswer.Count {
			t.Errorf("%+v", got)
		}
		for _, item := range slices.Concat(got.ToAnswer.Items, got.WaitsFor.Items) {
			if item.In != "Company HQ" {
				t.Errorf("%+v", item)
			}
		}
	})
}
