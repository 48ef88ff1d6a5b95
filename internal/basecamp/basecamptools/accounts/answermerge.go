package accounts

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"basecamp-mcp/internal/fence"
	"basecamp-mcp/internal/rawjson"
	"basecamp-mcp/internal/toolanswer"
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
	if !isNull(answer.Get("total")) {
		m.totals++
	}
	for _, f := range answer {
		value := cloned(f.Value)
		if !m.alone {
			value = m.labelled(from.Name, f.Name, value)
		}
		m.set(from.Name, f.Name, value)
	}
}

// leaveOut notes what the answer lacks, and why.
func (m *answerMerge) leaveOut(what string) {
	m.set("", leftOut, []any{leaf(what)})
}

const leftOut = "left_out"

// setCursor sets the cursor behind the answer, "" if nothing follows, and what depends on it.
func (m *answerMerge) setCursor(next string) {
	if next != "" && m.all.Get(m.cursor) == nil { // a compact answer has no null
		m.all = slices.DeleteFunc(m.all, func(f toolanswer.Member) bool { return f.Name == m.cursor })
		m.all = append(m.all, toolanswer.Member{Name: m.cursor})
	}
	for i, f := range m.all {
		switch f.Name {
		case m.cursor:
			m.all[i].Value = json.RawMessage("null")
			if next != "" {
				m.all[i].Value = leaf(next)
			}
		case "has_more":
			if !m.always {
				m.all[i].Value = json.RawMessage(strconv.FormatBool(next != ""))
			}
		case "next_page": // of one list
			m.all[i].Value = json.RawMessage("null")
		}
	}
}

// labelled returns a value of an answer, with the account in each object of a list.
func (m *answerMerge) labelled(account, name string, value any) any {
	list, ok := value.([]any)
	if !ok {
		if raw, isText := value.(json.RawMessage); isText && name == "markdown" {
			return leaf("# " + account + "\n\n" + unleaf(raw))
		}
		return value
	}
	for i, element := range list {
		switch v := element.(type) {
		case toolanswer.Object:
			if name == "github" {
				continue
			}
			if name != m.groups {
				list[i] = append(v, toolanswer.Member{Name: toolanswer.AccountField, Value: leaf(account)})
				continue
			}
			for j := range v {
				v[j].Value = m.labelled(account, v[j].Name, v[j].Value)
			}
		case json.RawMessage:
			if name == leftOut {
				list[i] = leaf(account + ": " + unleaf(v))
			}
		}
	}
	return list
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
		return append(old, more...)
	case toolanswer.Object:
		more, _ := next.(toolanswer.Object)
		return joinedObjects(account, old, more)
	case json.RawMessage:
		raw, ok := next.(json.RawMessage)
		switch {
		case isNull(was):
			return next
		case !ok || isNull(next):
		case name == "markdown":
			return leaf(unleaf(old) + "\n\n" + unleaf(raw))
		default:
			return joinedLeaves(old, raw)
		}
	case nil:
		return next
	}
	return was
}

// joinedGroups joins the items of groups with the same scope.
func joinedGroups(groups, more []any) []any {
	for _, g := range more {
		group, _ := g.(toolanswer.Object)
		i := slices.IndexFunc(groups, func(other any) bool {
			known, _ := other.(toolanswer.Object)
			return unleaf(known.Get("scope")) == unleaf(group.Get("scope"))
		})
		if i < 0 {
			groups = append(groups, group)
			continue
		}
		known := groups[i].(toolanswer.Object)
		for j, f := range known {
			if list, ok := f.Value.([]any); ok {
				items, _ := group.Get(f.Name).([]any)
				known[j].Value = slices.Concat(list, items)
			}
		}
	}
	slices.SortStableFunc(groups, func(a, b any) int { return scopeIndex(a) - scopeIndex(b) })
	return groups
}

func scopeIndex(group any) int {
	g, _ := group.(toolanswer.Object)
	return slices.Index(WorkScopes, unleaf(g.Get("scope")))
}

// joinedObjects adds numbers of the same name. A name that both have otherwise gets the account.
func joinedObjects(account string, o, more toolanswer.Object) toolanswer.Object {
	for _, f := range more {
		i := slices.IndexFunc(o, func(known toolanswer.Member) bool { return known.Name == f.Name })
		if i < 0 {
			o = append(o, f)
			continue
		}
		old, isLeaf := o[i].Value.(json.RawMessage)
		next, _ := f.Value.(json.RawMessage)
		if _, isNumber := wholeNumber(old); isLeaf && isNumber {
			o[i].Value = joinedLeaves(old, next)
			continue
		}
		o = append(o, toolanswer.Member{Name: f.Name + " (" + account + ")", Value: f.Value})
	}
	return o
}

// joinedLeaves adds two numbers, and is true if one of two values is. Of other values it returns
// the first.
func joinedLeaves(a, b json.RawMessage) json.RawMessage {
	x, isX := wholeNumber(a)
	y, isY := wholeNumber(b)
	switch {
	case isX && isY:
		return strconv.AppendInt(nil, x+y, 10)
	case string(a) == "false" && string(b) == "true":
		return b
	}
	return a
}

func wholeNumber(raw json.RawMessage) (int64, bool) {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	return n, err == nil
}

func isNull(value any) bool {
	raw, ok := value.(json.RawMessage)
	return value == nil || ok && string(raw) == "null"
}

func leaf(s string) json.RawMessage { return toolanswer.MustEncode(s) }

func unleaf(value any) (s string) {
	raw, _ := value.(json.RawMessage)
	_ = json.Unmarshal(raw, &s) // "" if it is no text
	return s
}

// cloned returns a value whose lists and objects can be changed.
func cloned(value any) any {
	switch v := value.(type) {
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = cloned(v[i])
		}
		return list
	case toolanswer.Object:
		o := slices.Clone(v)
		for i := range o {
			o[i].Value = cloned(o[i].Value)
		}
		return slices.Clip(o)
	}
	return value
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

// decodeOrdered decodes JSON to objects whose fields keep their order, lists and raw leaves.
func decodeOrdered(raw json.RawMessage) any {
	switch {
	case strings.HasPrefix(string(raw), "{"):
		object := toolanswer.Object{}
		for key, value := range rawjson.Members(raw) {
			object = append(object, toolanswer.Member{Name: unleaf(key), Value: decodeOrdered(value)})
		}
		return object
	case strings.HasPrefix(string(raw), "["):
		var list []json.RawMessage
		_ = json.Unmarshal(raw, &list) // an answer is valid JSON
		all := make([]any, len(list))
		for i, value := range list {
			all[i] = decodeOrdered(value)
		}
		return all
	}
	return raw
}

// WorkScopes are the groups of a person's work, in the order of the answer.
var WorkScopes = []string{"overdue", "today", "tomorrow", "this_week", "next_week", "later", "no_date", "completed"}
