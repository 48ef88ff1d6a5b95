package waiting

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/basecamp"
)

var (
	ines  = person(1, "Ines Albrecht")
	samO  = person(2, "Sam Okafor")
	samL  = person(3, "Sam Lindqvist")
	priya = person(4, "Priya Raman")
	mark  = person(5, "Mark Ndiaye")
)

func person(id int64, name string) basecamp.Person {
	return basecamp.Person{ID: id, Name: name, AttachableSGID: fmt.Sprint("sgid-", id)}
}

// mention writes the person's mention as Basecamp does, with the first name alone.
func mention(p basecamp.Person) string {
	first, _, _ := strings.Cut(p.Name, " ")
	return `<bc-attachment sgid="` + p.AttachableSGID + `" content-type="application/vnd.basecamp.mention"><figure><img title="` + p.Name + `"><figcaption>` + first + `</figcaption></figure></bc-attachment>`
}

// TestTalk_KnowsWhomATextAsks has Priya write under an item of Sam Okafor's that is assigned to
// Mark.
func TestTalk_KnowsWhomATextAsks(t *testing.T) {
	for _, x := range []struct {
		text string
		asks string // first names in the order of their IDs; O and L are the two Sams
	}{
		{"Does it work?", "O Mark"},
		{"It works.", ""},
		{mention(ines) + " does it work?", "Ines"},
		{"Does it work, " + mention(ines) + "?", "Ines"},
		{mention(ines) + ", " + mention(samL) + ": does it work?", "Ines L"},
		{"Hi " + mention(ines) + ",<br>it squeaks. Why?", "Ines"},
		{"It squeaks. Why?<br>" + mention(ines), "Ines"},
		{"<p>I spoke to " + mention(ines) + " and she likes it.</p><p>Do you agree?</p>", "Ines O Mark"},
		{"Ines, does it work?", "Ines"},
		{"Ines does it work for you?", "Ines"},
		{"Did Ines send it?", "Ines O Mark"},
		{"INES ALBRECHT: really?", "Ines"},
		{"Does it work, Ines and Mark?", "Ines Mark"},
		{"@Ines does it work?", "Ines"},
		{"Sam, does it work?", "O"},
		{"Sam L., does it work?", "L"},
		{"Sam Lindqvist, does it work?", "L"},
		{"Mark this done?", "O Mark"},
		{"Can you mark it, please?", "O Mark"},
		{"Does the business work?", "O Mark"},
		{"Ça marche ?", "O Mark"},
		{"¿Funciona?", "O Mark"},
		{"Geht das?!", "O Mark"},
		{"動きますか？", "O Mark"},
		{"(Does it work?)", "O Mark"},
		{"<strong>Does it work?</strong>", "O Mark"},
		{"Does https://fernhill.example/?a=b work?", "O Mark"},
		{"Does it use <code>a ? b : c</code> now?", "O Mark"},
		{"Is the 27\" wheel ready, and the 29\" one?", "O Mark"},
		{"Have you read \"Why us?\" already?", "O Mark"},
		{"https://fernhill.example/?a=b", ""},
		{"https://fernhill.example/find?", ""},
		{"See www.fernhill.example/find?q=brakes.", ""},
		{"About 40 (?) came.", ""},
		{"She asked \"does it work?\" twice.", ""},
		{"She asked “does it work?” twice.", ""},
		{"Sie fragte „Geht das?“ und ging.", ""},
		{"Elle a dit « Ça marche ? » hier.", ""},
		{"Sie fragte »Geht das?« und ging.", ""},
		{"She asked 'does it work?' twice.", ""},
		{"Use `a ? b : c`.", ""},
		{"<pre>does it work?</pre>", ""},
		{"```<br>does it work?<br>```", ""},
		{"<blockquote>Does it work?</blockquote>It does.", ""},
		{"&gt; Does it work?<br>It does.", ""},
		{"It works.<br>-- <br>Priya<br>Questions?", ""},
		{"Es geht.<br>Viele Grüße<br>Priya<br>Fragen?", ""},
		{mention(priya) + " does it work?", "O Mark"},
		{mention(basecamp.Person{Name: "Old Colleague", AttachableSGID: "gone"}) + " does it work?", "Old"},
	} {
		talk := New(time.Unix(0, 0))
		talk.Know(ines, samL, priya)
		talk.AddThread(Thread{ID: 10, Kind: "todo", By: samO, Assignees: []basecamp.Person{mark}})
		talk.Add(Text{ID: 11, Kind: "comment", Thread: 10, By: priya, At: time.Unix(100, 0), Body: basecamp.HTML(x.text)})
		people, unread := talk.asks(talk.texts[11])
		var asked []string
		for id := range people {
			name, last, _ := strings.Cut(talk.Name(id), " ")
			if name == "Sam" {
				name = last[:1]
			}
			asked = append(asked, name)
		}
		want := strings.Fields(x.asks)
		slices.Sort(asked)
		slices.Sort(want)
		if !slices.Equal(asked, want) || unread {
			t.Errorf("%s\nasks %q (unread %v), want %q", x.text, asked, unread, want)
		}
	}
}

// A question waits until the person has said something after it, by a text or a boost.
func TestTalk_WaitsUntilThePersonSaysSomething(t *testing.T) {
	at := func(s int64) time.Time { return time.Unix(1_000_000+s, 0) }
	for name, x := range map[string]struct {
		more  func(*Talk)
		waits bool
		asks  int // boosts that must be read
	}{
		"nothing":           {func(*Talk) {}, true, 0},
		"a text":            {func(k *Talk) { k.Add(Text{ID: 12, Thread: 10, By: ines, At: at(9)}) }, false, 0},
		"an earlier text":   {func(k *Talk) { k.Add(Text{ID: 12, Thread: 10, By: ines, At: at(1)}) }, true, 0},
		"another's text":    {func(k *Talk) { k.Add(Text{ID: 12, Thread: 10, By: samO, At: at(9)}) }, true, 0},
		"a boost":           {func(k *Talk) { k.Boosted(11, []Boost{{1, at(9)}}) }, false, 0},
		"another's boost":   {func(k *Talk) { k.Boosted(11, []Boost{{2, at(9)}}) }, true, 0},
		"a boost elsewhere": {func(k *Talk) { k.Boosted(99, []Boost{{1, at(9)}}) }, true, 0},
		"an unread boost":   {func(k *Talk) { x := k.texts[11]; x.Boosts = 1; k.Add(x) }, true, 1},
		"in time":           {func(k *Talk) { k.since = at(6) }, false, 0},
	} {
		talk := New(at(0))
		talk.Know(ines)
		talk.AddThread(Thread{ID: 10, Kind: "message", By: ines})
		talk.Add(Text{ID: 11, Kind: "comment", Thread: 10, By: priya, At: at(5), Body: "Does it work?"})
		x.more(talk)
		waits := talk.Waits(ines.ID, false)
		if (len(waits) == 1) != x.waits || x.waits && len(waits[0].Boosts) != x.asks {
			t.Errorf("%s: %+v", name, waits)
		}
		if from := talk.Waits(priya.ID, true); (len(from) == 1) != x.waits {
			t.Errorf("%s, from Priya: %+v", name, from)
		}
	}
}

func TestTalk_SaysWhatItWouldHaveToRead(t *testing.T) {
	talk := New(time.Unix(0, 0))
	talk.Know(ines)
	talk.AddThread(Thread{ID: 10, Kind: "message"})
	talk.Add(Text{ID: 11, Kind: "comment", Thread: 10, By: priya, At: time.Unix(5, 0), Body: "Does it work?"})
	if waits := talk.Waits(ines.ID, false); len(waits) != 1 || !waits[0].Unread || len(waits[0].For) != 0 {
		t.Errorf("%+v", waits)
	}
	talk.AddThread(Thread{ID: 10, Kind: "message", By: samO})
	if waits := talk.Waits(ines.ID, false); len(waits) != 0 {
		t.Errorf("%+v", waits)
	}
}

// An assignment with a mention waits without a question, as long as it is open.
func TestTalk_TakesAMentionInAnAssignmentAsAQuestion(t *testing.T) {
	for _, done := range []bool{false, true} {
		talk := New(time.Unix(0, 0))
		talk.AddThread(Thread{ID: 10, Kind: "todo", By: priya, Assignees: []basecamp.Person{ines, samO}, Done: done})
		talk.Add(Text{ID: 10, Kind: "todo", Thread: 10, By: priya, At: time.Unix(5, 0), Body: basecamp.HTML("It is ready. " + mention(ines) + " takes it on.")})
		if waits := talk.Waits(ines.ID, false); (len(waits) == 1) == done || !done && waits[0].Says != "@Ines Albrecht takes it on." {
			t.Errorf("done %v: %+v", done, waits)
		}
		if waits := talk.Waits(samO.ID, false); len(waits) != 0 {
			t.Errorf("done %v: %+v", done, waits)
		}
	}
}
