package richtext

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// A table is a grid when it is that of a sheet: more than one cell, at most maxColumns, and no more than maxPadding empty
// cells for each that was written (spans and ragged rows make them).
const (
	maxColumns = 64
	maxPadding = 8
	maxSpan    = 64
)

// table takes over a table: as a Markdown table if it is a grid of plain cells, as blocks if it only arranges a page, and as
// lines of cells if it is neither.
func (t *tree) table(n *html.Node) {
	rows, arranges := t.rows(n)
	if t.held() || arranges {
		for _, row := range rows {
			t.flow(row)
		}
		return
	}
	t.boundary()
	if cells, ok := grid(rows); ok {
		t.grid(cells)
		return
	}
	t.lines(rows)
}

// rows collects the rows of a table and takes over its caption. It also reports whether the table only arranges a page: it says
// so, has a single cell, or holds what no cell of a Markdown table can hold.
func (t *tree) rows(n *html.Node) (rows []*html.Node, arranges bool) {
	role := strings.ToLower(attr(n, "role"))
	arranges = role == "presentation" || role == "none"
	widest, oneLine := 0, true
	var collect func(n *html.Node)
	collect = func(n *html.Node) {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			switch {
			case c.Type == html.ElementNode && c.Data == "tr":
				rows = append(rows, c)
				widest = max(widest, len(cellsOf(c)))
				arranges = arranges || find(c, isUnfit) != nil
				oneLine = oneLine && isOneLine(c)
			case c.Type == html.ElementNode && (c.Data == "thead" || c.Data == "tbody" || c.Data == "tfoot"):
				collect(c)
			default:
				t.add(c)
			}
		}
	}
	collect(n)
	return rows, arranges || widest == 0 || widest == 1 && (len(rows) == 1 || !oneLine)
}

// isUnfit names the blocks that no cell can hold without losing what they are. Lists can stand in one, with their marks.
func isUnfit(name string) bool { return isStructure(name) && !isList(name) }

// isOneLine reports whether no cell of a row holds a line break or more than one block.
func isOneLine(row *html.Node) bool {
	for _, cell := range cellsOf(row) {
		blocks := 0
		if find(cell, func(name string) bool {
			if isBlock(name) {
				blocks++
			}
			return blocks > 1 || name == "br" || isList(name) || name == "bc-attachment" || name == "img"
		}) != nil {
			return false
		}
	}
	return true
}

func cellsOf(row *html.Node) (cells []*html.Node) {
	for c := row.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode && (c.Data == "td" || c.Data == "th") {
			cells = append(cells, c)
		}
	}
	return cells
}

// grid lays the cells out, nil for a place that a spanning cell covers or no cell takes. It gives up on what would not be a
// table a person made: two spans of a hundred bytes can ask for a million places.
func grid(rows []*html.Node) (places [][]*html.Node, ok bool) {
	var covered []int // for each column, how many rows from here on are covered
	written, columns := 0, 0
	for _, row := range rows {
		var line []*html.Node
		skip := func() {
			for len(line) < len(covered) && covered[len(line)] > 0 {
				covered[len(line)]--
				line = append(line, nil)
			}
		}
		for _, cell := range cellsOf(row) {
			skip()
			written++
			wide, high := span(cell, "colspan"), span(cell, "rowspan")
			if len(line)+wide > maxColumns {
				return nil, false
			}
			for i := range wide {
				if len(line) == len(covered) {
					covered = append(covered, 0)
				}
				covered[len(line)] = high - 1
				if i == 0 {
					line = append(line, cell)
				} else {
					line = append(line, nil)
				}
			}
		}
		skip()
		columns = max(columns, len(line))
		places = append(places, line)
	}
	if columns*len(places) > maxPadding*written+maxColumns {
		return nil, false
	}
	for i, line := range places {
		places[i] = append(line, make([]*html.Node, columns-len(line))...)
	}
	return places, true
}

func span(cell *html.Node, key string) int {
	n, err := strconv.Atoi(strings.TrimSpace(attr(cell, key)))
	if err != nil || n < 1 {
		return 1
	}
	return min(n, maxSpan)
}

// grid adds a table. Its first row is the header: Markdown knows no table without one.
func (t *tree) grid(places [][]*html.Node) {
	table := t.block("table")
	name, empty := "th", true
	t.cell = true
	for _, line := range places {
		tr := &html.Node{Type: html.ElementNode, Data: "tr"}
		table.AppendChild(tr)
		for _, cell := range line {
			n := &html.Node{Type: html.ElementNode, Data: name}
			tr.AppendChild(n)
			if cell == nil {
				continue
			}
			t.hold(n, " / ", func() { t.children(cell) })
			empty = empty && n.FirstChild == nil
		}
		name = "td"
	}
	t.cell = false
	if empty {
		table.Parent.RemoveChild(table)
	}
}

// lines adds a table that is no grid: a paragraph for each row.
func (t *tree) lines(rows []*html.Node) {
	for _, row := range rows {
		p := t.block("p")
		t.hold(p, " / ", func() {
			t.before = '\n' // a paragraph after all: its first word might make another block of it
			for i, cell := range cellsOf(row) {
				if i > 0 {
					t.space = true
					t.text("| ")
				}
				t.children(cell)
			}
		})
		if p.FirstChild == nil {
			p.Parent.RemoveChild(p)
		}
	}
}
