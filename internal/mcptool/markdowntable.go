package mcptool

import (
	"slices"
	"strings"
	"unicode"
)

// longID is longer than the type and ID of any item, and shorter than a UUID.
const longID = 35

// tableColumn is a column of a table: a field of its rows.
type tableColumn struct {
	name  string
	limit int // characters of a cell
}

type tableColumns []tableColumn

// referenceColumn and titleColumn show what different rows call differently.
const (
	referenceColumn = "id"
	titleColumn     = "title"
)

// chosen returns the columns of a table: ID, title and group, and then those that tell most, as
// long as the rows stay within a weight.
func chosen(rows []*briefObject, group string, room int) tableColumns {
	columns := tableColumns{}
	if slices.ContainsFunc(rows, func(o *briefObject) bool { return o.reference() != "" }) {
		columns = append(columns, tableColumn{referenceColumn, maxCell})
	}
	if slices.ContainsFunc(rows, func(o *briefObject) bool { _, ok := o.title(); return ok }) {
		columns = append(columns, tableColumn{titleColumn, maxCell})
	}
	last := len(columns) - 1
	if group != "" {
		columns = append(columns, tableColumn{group, maxCell / 2})
	}
	for _, limit := range []int{maxCell, 60, 40, 30, 20} {
		if last >= 0 && columns[last].name == titleColumn {
			columns[last].limit = limit
		}
		if columns.weight(rows) <= room {
			break
		}
	}
	if columns.weight(rows) > room && last > 0 && len(rows[0].reference()) > longID {
		columns = columns[1:]
	}
	for _, name := range telling {
		if name == group || !slices.ContainsFunc(rows, func(o *briefObject) bool { m, ok := o.member(name); return ok && m.shown(maxCell) != "" }) {
			continue
		}
		wider := append(slices.Clone(columns), tableColumn{name, maxCell / 2})
		if wider.weight(rows) > room {
			break // a column that tells less would only look as if it told more
		}
		columns = wider
	}
	return columns
}

func (c tableColumns) names() []string {
	names := make([]string, len(c))
	for i, column := range c {
		names[i] = column.name
	}
	return names
}

func (c tableColumns) weight(rows []*briefObject) int {
	total := weigh(strings.Join(c.names(), " | ")) + 3*len(c)
	for _, row := range rows {
		total += weigh(c.row(row)) + 1
	}
	return total
}

func (c tableColumns) row(o *briefObject) string {
	cells := make([]string, len(c))
	for i, column := range c {
		switch column.name {
		case referenceColumn:
			cells[i] = o.reference()
		case titleColumn:
			title, _ := o.title()
			cells[i] = title.cell(column.limit)
		default:
			m, _ := o.member(column.name)
			if m.value != nil && !m.value.empty(m.name) {
				cells[i] = m.cell(column.limit)
			}
		}
	}
	return "| " + strings.Join(cells, " | ") + " |"
}

// weigh estimates the number of tokens that a model reads: one for six letters, three digits or two
// other characters in a row, and one more for each character beyond ASCII.
func weigh(text string) int {
	const letters, digits, blanks, others = 0, 1, 2, 3
	size := [...]int{letters: 6, digits: 3, blanks: 20, others: 2}
	total, kind, run := 0, -1, 0
	for _, r := range text {
		now := others
		switch {
		case unicode.IsLetter(r):
			now = letters
		case unicode.IsDigit(r):
			now = digits
		case r == ' ':
			now = blanks
		}
		if now != kind {
			total, kind, run = total+pieces(run, kind, size[:]), now, 0
		}
		run++
		if r > unicode.MaxASCII {
			total++
		}
	}
	return total + pieces(run, kind, size[:])
}

// pieces returns the weight of a run of characters. A single blank belongs to the word after it.
func pieces(run, kind int, size []int) int {
	if kind < 0 || size[kind] == 20 && run == 1 {
		return 0
	}
	return (run + size[kind] - 1) / size[kind]
}
