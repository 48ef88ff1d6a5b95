package accounts

import (
	"encoding/json"
	"slices"
	"strconv"

	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/tool/toolanswer"
)

// answerMerge merges the answers of a tool in several accounts: lists are joined, and each of their
// items says its account; numbers are added; what else differs is that of the first answer.
type answerMerge struct {
	accountMerge
	alone  bool // it has the answer of one account, and says so once
	all    toolanswer.Object
	totals int // answers that say how many items there are in all
}

// add adds the answer in an account.
func (m *answerMerge) add(from fence.Account, answer toolanswer.Object) {
	if answer.Get("total") != nil {
		m.totals++
	}
	for _, f := range answer {
		value := f.Value
		if !m.alone {
			value = m.labelled(from.Name, f.Name, value)
		}
		m.set(from.Name, f.Name, value)
	}
}

// leaveOut notes what the answer lacks, and why.
func (m *answerMerge) leaveOut(what string) {
	m.set("", leftOut, []any{what})
}

const leftOut = "left_out"

// setCursor sets the cursor behind the answer, "" if nothing follows, and what depends on it.
func (m *answerMerge) setCursor(next string) {
	if next != "" {
		m.all = slices.DeleteFunc(m.all, func(f toolanswer.Member) bool { return f.Name == m.cursor })
		m.all = append(m.all, toolanswer.Member{Name: m.cursor, Value: next})
	}
	for i, f := range m.all {
		switch f.Name {
		case "has_more":
			if !m.always {
				m.all[i].Value = next != ""
			}
		case "next_page": // of one list
			m.all[i].Value = nil
		}
	}
}

// labelled returns a value of an answer, with the account in each object of a list.
func (m *answerMerge) labelled(account, name string, value any) any {
	list, ok := value.([]any)
	if !ok {
		if text, isText := value.(string); isText && name == "markdown" {
			return "# " + account + "\n\n" + text
		}
		return value
	}
	return lookup.Mapped(list, func(element any) any {
		text, isText := element.(string)
		object, isObject := element.(toolanswer.Object)
		switch {
		case isText && name == leftOut:
			return account + ": " + text
		case !isObject, name == "github":
			return element
		case name != m.groups:
			return append(slices.Clip(object), toolanswer.Member{Name: toolanswer.AccountField, Value: account})
		}
		object = slices.Clone(object)
		for i, f := range object {
			object[i].Value = m.labelled(account, f.Name, f.Value)
		}
		return object
	})
}

// set adds the value of a field to that of the answers before.
func (m *answerMerge) set(account, name string, value any) {
	i := slices.IndexFunc(m.all, func(f toolanswer.Member) bool { return f.Name == name })
	if i < 0 {
		m.all = append(m.all, toolanswer.Member{Name: name, Value: value})
		return
	}
	m.all[i].Value = m.joined(account, name, m.all[i].Value, value)
}

// joined returns two values of a field as one.
func (m *answerMerge) joined(account, name string, was, next any) any {
	switch old := was.(type) {
	case []any:
		more, _ := next.([]any)
		if name == m.groups && name != "" {
			return joinedGroups(old, more)
		}
		return append(slices.Clip(old), more...)
	case toolanswer.Object:
		more, _ := next.(toolanswer.Object)
		return joinedObjects(account, old, more)
	case string:
		if more, ok := next.(string); ok && name == "markdown" {
			return old + "\n\n" + more
		}
	case nil:
		return next
	}
	return joinedLeaves(was, next)
}

// joinedGroups joins the items of groups with the same scope.
func joinedGroups(groups, more []any) []any {
	groups = slices.Clone(groups)
	for _, g := range more {
		group, _ := g.(toolanswer.Object)
		i := slices.IndexFunc(groups, func(other any) bool { return scopeIndex(other) == scopeIndex(g) })
		if i < 0 {
			groups = append(groups, group)
			continue
		}
		known := slices.Clone(groups[i].(toolanswer.Object))
		for j, f := range known {
			if list, ok := f.Value.([]any); ok {
				items, _ := group.Get(f.Name).([]any)
				known[j].Value = append(slices.Clip(list), items...)
			}
		}
		groups[i] = known
	}
	slices.SortStableFunc(groups, func(a, b any) int { return scopeIndex(a) - scopeIndex(b) })
	return groups
}

func scopeIndex(group any) int {
	g, _ := group.(toolanswer.Object)
	scope, _ := g.Get("scope").(string)
	return slices.Index(WorkScopes, scope)
}

// joinedObjects adds numbers of the same name. A name that both have otherwise gets the account.
func joinedObjects(account string, o, more toolanswer.Object) toolanswer.Object {
	o = slices.Clone(o)
	for _, f := range more {
		i := slices.IndexFunc(o, func(known toolanswer.Member) bool { return known.Name == f.Name })
		if i < 0 {
			o = append(o, f)
			continue
		}
		if _, isNumber := wholeNumber(o[i].Value); isNumber {
			o[i].Value = joinedLeaves(o[i].Value, f.Value)
			continue
		}
		o = append(o, toolanswer.Member{Name: f.Name + " (" + account + ")", Value: f.Value})
	}
	return o
}

// joinedLeaves adds two numbers, and is true if one of two values is. Of other values it returns
// the first.
func joinedLeaves(a, b any) any {
	x, isX := wholeNumber(a)
	y, isY := wholeNumber(b)
	switch {
	case isX && isY:
		return json.Number(strconv.FormatInt(x+y, 10))
	case a == false && b == true:
		return b
	}
	return a
}

func wholeNumber(value any) (int64, bool) {
	number, _ := value.(json.Number)
	n, err := number.Int64()
	return n, err == nil
}

// spread returns an answer in which every item has what all of them share, without the object that
// says so.
func spread(answer toolanswer.Object) toolanswer.Object {
	for _, array := range toolanswer.ItemArrays {
		shared, _ := answer.Get(toolanswer.SharedPrefix + array).(toolanswer.Object)
		if shared == nil {
			continue
		}
		answer = slices.DeleteFunc(answer, func(f toolanswer.Member) bool { return f.Name == toolanswer.SharedPrefix+array })
		spreadInto(answer, array, shared)
	}
	return answer
}

func spreadInto(o toolanswer.Object, array string, shared toolanswer.Object) {
	for _, f := range o {
		list, _ := f.Value.([]any)
		for i, element := range list {
			object, ok := element.(toolanswer.Object)
			switch {
			case !ok:
			case f.Name == array:
				list[i] = append(slices.Clip(object), shared...)
			default:
				spreadInto(object, array, shared)
			}
		}
	}
}

// WorkScopes are the groups of a person's work, in the order of the answer.
var WorkScopes = []string{"overdue", "today", "tomorrow", "this_week", "next_week", "later", "no_date", "completed"}
