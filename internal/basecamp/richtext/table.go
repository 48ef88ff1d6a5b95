package richtext

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// A table is a grid if it has more than one cell, at most maxColumns columns, and at most
// maxPadding empty cells for each written cell. Spans and rows of different lengths add empty
// cells.
const (
	maxColumns = 64
	maxPadding = 8
	maxSpan    = 64
)

// table adds a table. A grid of simple cells becomes a Markdown table. A table that only arranges a
// page becomes blocks. Any other table becomes lines of cells.
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

// rows collects the rows of a table and adds its caption. It also reports whether the table only
// arranges a page: its role says so, it has a single cell, or it contains something that a cell of
// a Markdown table cannot contain.
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

// isUnfit reports whether an element is a block that would lose its meaning in a cell. Lists keep
// theirs, because their marks stay.
func isUnfit(name string) bool { return isStructure(name) && !isList(name) }

// isOneLine reports whether every cell of a row fits on one line: it contains at most one block,
// and no line break, list, attachment or image.
func isOneLine(row *html.Node) bool {
	for _, cell := range cellsOf(row) {
		blocks := 0
		if find(cell, func(name string) bool {
			if isBlock(name) {
				blocks++
			}
			return blocks > 1 || name == "br" || isList(name) || name == bcAttachment || name == "img"
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

// grid returns the cells by row and column, with nil for covered and empty places. ok is false if
// the table is too large for its content: two spans of a hundred bytes can ask for a million
// places.
func grid(rows []*html.Node) (places [][]*html.Node, ok bool) {
	var covered []int // for each column, how many more rows are covered
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
	return places, true
}

func span(cell *html.Node, key string) int {
	n, _ := strconv.Atoi(strings.TrimSpace(attr(cell, key)))
	return min(max(n, 1), maxSpan)
}

// grid adds a table. Its first row becomes the header, because Markdown requires a header.
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

// lines adds a table that is not a grid as one paragraph for each row.
func (t *tree) lines(rows []*html.Node) {
	for _, row := range rows {
		p := t.block("p")
		t.hold(p, " / ", func() {
			t.before = '\n' // a paragraph starts a line, so its first word could start another block
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
