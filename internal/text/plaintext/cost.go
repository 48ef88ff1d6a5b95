package plaintext

import "strings"

// What a Markdown text may have that a parser reads.
const (
	maxDepth      = 100        // the deepest nesting of quotes and lists
	maxOpenChecks = 2_000_000  // open blocks, summed over the lines: each line is checked against each open block
	maxCells      = 100_000    // cells of tables: short rows get all columns
	maxSearched   = 70_000_000 // pairs of brackets or marks, and links times bytes or lines
)

// TakesLong reports whether a parser would need more than linear time or memory for a Markdown
// text.
func TakesLong(markdown string) bool {
	open, openChecks, cells, searched := 0, 0, 0, 0
	var c chunk
	for line := range strings.Lines(markdown) {
		open = openBlocks(open, line)
		openChecks += open
		if strings.TrimSpace(line) == "" {
			cells += c.cells()
			searched += c.searched()
			c = chunk{}
		}
		c.add(line)
		if open > maxDepth || openChecks > maxOpenChecks || cells+c.cells() > maxCells || searched+c.searched() > maxSearched {
			return true
		}
	}
	return false
}

// openBlocks returns the largest number of quotes and lists that can be open after a line, given
// the number before it. A line without marks may belong to all of them. A line inside an item is
// indented by at least two more columns.
func openBlocks(open int, line string) int {
	_, marks, blanks := Markers(line)
	if marks == 0 {
		return open
	}
	return min(open, blanks/2) + marks
}

// chunk counts the contents between two blank lines. The parser never searches beyond them.
type chunk struct {
	size, lines, columns  int
	marks, ticks, targets int
	open, closed          int // brackets; open counts those that are not closed yet
	pairs                 int // for each closing bracket, the opening brackets that it may match
}

func (c *chunk) cells() int { return c.lines * c.columns }

func (c *chunk) searched() int {
	return c.pairs + c.closed*c.lines + c.marks*c.marks + (c.ticks+c.targets)*c.size
}

func (c *chunk) add(line string) {
	c.size += len(line)
	c.lines++
	if strings.Trim(line, "|-: \t\n") == "" {
		c.columns = max(c.columns, strings.Count(line, "|")+1)
	}
	for i := range len(line) {
		switch line[i] {
		case '*', '_', '~':
			c.marks++
		case '`':
			c.ticks++
		case '[':
			c.open++
		case ']':
			c.closed++
			c.pairs += c.open
			c.open = max(c.open-1, 0)
		case '(':
			if i > 0 && line[i-1] == ']' {
				c.targets++
			}
		}
	}
}
