package basecamp

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"basecamp-mcp/internal/writeplan"
)

// sourceOf returns the field of an answer that has what a field of a body sets.
func sourceOf(name string) string {
	switch name {
	case "completion":
		return "completed"
	case "base_name":
		return "filename"
	}
	field, _, _ := relation(name)
	return field
}

// valueIn returns the value of a field of a body in an answer: people and items by their IDs.
func valueIn(name string, f fields) any {
	value := f[sourceOf(name)]
	switch _, list, one := relation(name); {
	case name == "completion":
		if value == true {
			return "on"
		}
		return ""
	case name == "base_name":
		text := writeplan.Text(value)
		return strings.TrimSuffix(text, path.Ext(text))
	case list:
		entries, _ := value.([]any)
		ids := make([]int64, 0, len(entries))
		for _, entry := range entries {
			e, _ := entry.(fields)
			id, _ := strconv.ParseInt(writeplan.Text(e["id"]), 10, 64)
			ids = append(ids, id)
		}
		slices.Sort(ids)
		return ids
	case one:
		e, _ := value.(fields)
		return e["id"]
	}
	return value
}
