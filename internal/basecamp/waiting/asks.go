package waiting

import (
	"html"
	"maps"
	"slices"
	"strings"

	"basecamp-mcp/internal/basecamp/richtext"
	"basecamp-mcp/internal/text/naming"
	"basecamp-mcp/internal/text/plaintext"
)

// asks returns whom a text asks, each with the first sentence that asks them. unread means that the
// item, which was not read, may say more.
//
// A question asks the people whom it calls: by a mention, or by a name at its beginning or end. If
// it calls no one, it asks those whom the sentences around it call, and otherwise those whom the
// text names or implies.
func (t *Talk) asks(x Text) (people map[int64]string, unread bool) {
	all, mentioned := t.said(x)
	implied, known := t.implied(x)
	people = map[int64]string{}
	hits, called := make([][]hit, len(all)), make([][]hit, len(all))
	for i, s := range all {
		hits[i] = t.hits(s.text, mentioned, x.By.ID)
		called[i] = s.calls(hits[i])
	}
	for i, s := range all {
		if !s.asks {
			continue
		}
		calls := called[i]
		for _, h := range hits[i] {
			if h.strong {
				calls = append(calls, h)
			}
		}
		if len(calls) == 0 {
			calls = around(called, i)
		}
		asked := implied
		if len(calls) == 0 {
			calls = slices.Concat(hits...)
			unread = unread || !known
		} else {
			asked = nil
		}
		for _, h := range calls {
			one, sure := h.among(implied, known)
			asked, unread = append(slices.Clone(asked), one...), unread || !sure
		}
		for _, who := range asked {
			if _, twice := people[who]; !twice && who != x.By.ID {
				people[who] = t.shown(s.text, mentioned)
			}
		}
	}
	if len(people) == 0 {
		t.assigns(x, all, hits, mentioned, people)
	}
	return people, unread
}

// speech is what the writer of a text says.
type speech struct {
	sentences []sentence
	mentioned []richtext.Person
}

// said returns what the writer of a text says. It is worked out once.
func (t *Talk) said(x Text) ([]sentence, []richtext.Person) {
	if known, ok := t.speeches[x.ID]; ok {
		return known.sentences, known.mentioned
	}
	body := string(x.Body)
	if x.Plain {
		body = strings.ReplaceAll(html.EscapeString(body), "\n", "<br>")
	}
	text, mentioned := richtext.Spoken(body)
	title, _ := richtext.Spoken(html.EscapeString(x.Title))
	all := sentences(title + "\n" + text)
	t.speeches[x.ID] = speech{all, mentioned}
	return all, mentioned
}

// around returns whom the sentences around a question call: the last ones before it, or the first
// ones after it.
func around(called [][]hit, i int) []hit {
	for _, calls := range slices.Backward(called[:i]) {
		if len(calls) > 0 {
			return calls
		}
	}
	for _, calls := range called[i+1:] {
		if len(calls) > 0 {
			return calls
		}
	}
	return nil
}

// among returns whom a name means. Of people who share it, it is the one who is implied.
func (h hit) among(implied []int64, known bool) (one []int64, sure bool) {
	if len(h.people) == 1 {
		return h.people, true
	}
	for _, who := range h.people {
		if slices.Contains(implied, who) {
			one = append(one, who)
		}
	}
	if len(one) != 1 {
		return nil, known
	}
	return one, true
}

// implied returns the people whom a question without a name asks: the author of the text before it,
// and the author and the assignees of the item. known is false if the item was not read.
func (t *Talk) implied(x Text) (people []int64, known bool) {
	th := t.threads[x.Thread]
	for _, p := range th.Assignees {
		people = append(people, p.ID)
	}
	if x.ID == x.Thread {
		return people, true
	}
	if th.By.ID != 0 {
		people = append(people, th.By.ID)
	}
	before := t.byThread[x.Thread]
	before = before[:max(0, slices.Index(before, x.ID))]
	for _, id := range slices.Backward(before) {
		if other := t.texts[id]; other.By.ID != x.By.ID {
			people = append(people, other.By.ID)
			break
		}
	}
	return people, th.By.ID != 0
}

// assigns adds the people to whom an open item is assigned and whom its text mentions.
func (t *Talk) assigns(x Text, all []sentence, hits [][]hit, mentioned []richtext.Person, people map[int64]string) {
	th := t.threads[x.Thread]
	if x.ID != x.Thread || th.Done {
		return
	}
	for i, found := range hits {
		for _, h := range found {
			for _, p := range th.Assignees {
				if h.strong && slices.Equal(h.people, []int64{p.ID}) && p.ID != x.By.ID {
					people[p.ID] = t.shown(all[i].text, mentioned)
				}
			}
		}
	}
}

// shown returns a sentence with the names of those whom it mentions.
func (t *Talk) shown(text string, mentioned []richtext.Person) string {
	var b strings.Builder
	for _, r := range text {
		if n := richtext.Mention(r); n >= 0 && n < len(mentioned) {
			b.WriteString("@" + t.people[t.personOf(mentioned[n])].Name)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// personOf returns the ID of a mentioned person: a negative one if the person is not known.
func (t *Talk) personOf(p richtext.Person) int64 {
	for id, known := range t.people {
		if p.SGID != "" && known.SGID == p.SGID || known.SGID == "" && id < 0 && known.Name == p.Name {
			return id
		}
	}
	id := int64(-1 - len(t.people))
	t.people[id] = richtext.Person{ID: id, Name: p.Name}
	return id
}

// names returns the names of the people who are known.
func (t *Talk) names() naming.Names[int64] {
	if t.called == nil {
		known := slices.DeleteFunc(slices.Collect(maps.Keys(t.people)), func(id int64) bool { return id <= 0 })
		names := naming.NamesOf(known, func(id int64) string { return plaintext.Clean(t.people[id].Name) })
		t.called = &names
	}
	return *t.called
}
