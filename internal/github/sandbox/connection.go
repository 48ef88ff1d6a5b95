package sandbox

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// connect returns a resolver for a connection of a kind: UserConnection. Cursors have the node IDs
// of entries, so that one still leads to the right place after another entry was removed.
func connect[T keyed](kind string, items []T, show func(T) *object) resolver {
	return func(args map[string]any) (any, error) {
		keys := apply(items, T.key)
		from, to, err := window(keys, args)
		if err != nil {
			return nil, err
		}
		entries := func(wrap func(i int) any) resolver {
			return func(map[string]any) (any, error) {
				list := []any{}
				for i := from; i < to; i++ {
					list = append(list, wrap(i))
				}
				return list, nil
			}
		}
		entry := func(i int) any { return show(items[i]) }
		info := &object{"PageInfo", fields{
			"hasNextPage": to < len(items), "hasPreviousPage": from > 0, "startCursor": nil, "endCursor": nil,
		}}
		if to > from {
			info.fields["startCursor"], info.fields["endCursor"] = cursor(keys, from), cursor(keys, to-1)
		}
		return &object{kind, fields{
			"totalCount": len(items), "pageInfo": info, "nodes": entries(entry),
			"edges": entries(func(i int) any {
				return &object{strings.TrimSuffix(kind, "Connection") + "Edge", fields{"cursor": cursor(keys, i), "node": entry(i)}}
			}),
		}}, nil
	}
}

// cursor returns the cursor of an entry.
func cursor(keys []string, i int) string {
	return base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "cursor:%d:%s", i, keys[i]))
}

// place returns the index of the entry that a cursor names. If that entry is gone, it returns the
// index that it had, and false.
func place(keys []string, text string) (index int, there bool, err error) {
	raw, decodeErr := base64.StdEncoding.DecodeString(text)
	parts := strings.SplitN(string(raw), ":", 3)
	if decodeErr != nil || len(parts) != 3 || parts[0] != "cursor" {
		return 0, false, problemf("INVALID_CURSOR_ARGUMENTS", "`%s` does not appear to be a valid cursor.", text)
	}
	if i := slices.Index(keys, parts[2]); i >= 0 {
		return i, true, nil
	}
	n, numberErr := strconv.Atoi(parts[1])
	if numberErr != nil || n < 0 {
		return 0, false, problemf("INVALID_CURSOR_ARGUMENTS", "`%s` does not appear to be a valid cursor.", text)
	}
	return min(n, len(keys)), false, nil
}

// window returns the bounds of the entries that the arguments ask for.
func window(keys []string, args map[string]any) (from, to int, err error) {
	to = len(keys)
	if after, ok := args["after"].(string); ok {
		index, there, err := place(keys, after)
		if err != nil {
			return 0, 0, err
		}
		if from = index; there {
			from++
		}
	}
	if before, ok := args["before"].(string); ok {
		index, _, err := place(keys, before)
		if err != nil {
			return 0, 0, err
		}
		to = max(from, index)
	}
	if first, ok := integer(args["first"]); ok {
		to = min(to, from+max(0, min(first, largestPage)))
	}
	if last, ok := integer(args["last"]); ok {
		from = max(from, to-max(0, min(last, largestPage)))
	}
	return from, to, nil
}

// integer returns an argument of the type Int.
func integer(v any) (int, bool) {
	switch n := v.(type) {
	case int:
		return n, true
	case int64:
		return int(n), true
	case float64:
		return int(n), true
	case json.Number:
		i, err := n.Int64()
		return int(i), err == nil
	}
	return 0, false
}

// ordered returns a list in the order of the argument orderBy. compare compares by its field.
func ordered[T any](items []T, args map[string]any, compare func(field string, a, b T) int) []T {
	order, ok := args["orderBy"].(map[string]any)
	if !ok {
		return items
	}
	field, _ := order["field"].(string)
	sign := 1
	if order["direction"] == "DESC" {
		sign = -1
	}
	sorted := slices.Clone(items)
	if field == "POSITION" {
		if sign < 0 {
			slices.Reverse(sorted)
		}
		return sorted
	}
	slices.SortStableFunc(sorted, func(a, b T) int { return sign * compare(field, a, b) })
	return sorted
}
