package plaintext

import "strings"

// Fence is a block of code that opens in a Markdown text and is not closed in it.
type Fence struct {
	start  int    // index of the line that opens it
	body   int    // index of the first line of code
	prefix string // quote marks and indentation of its lines
	mark   string // its run of backticks or tildes
	marked bool   // its line begins with the mark of a quote or list item
}

// OpenFence returns the fence that is open at the end. It reads from the top, to distinguish
// opening from closing lines.
func OpenFence(markdown string) (f Fence, open bool) {
	for at := 0; at < len(markdown); {
		next := len(markdown)
		if feed := strings.IndexByte(markdown[at:], '\n'); feed >= 0 {
			next = at + feed + 1
		}
		line := strings.TrimRight(markdown[at:next], "\r\n")
		switch {
		case open && f.closes(line):
			open = false
		case !open:
			f, open = opensFence(line)
			f.start, f.body = at, next
		}
		at = next
	}
	return f, open
}

// opensFence reports whether a line opens a fence, which may be in a quote or a list item.
func opensFence(line string) (f Fence, ok bool) {
	at, marks, _ := Markers(line)
	rest := line[at:]
	if !strings.HasPrefix(rest, "```") && !strings.HasPrefix(rest, "~~~") {
		return Fence{}, false
	}
	info := strings.TrimLeft(rest, rest[:1])
	if rest[0] == '`' && strings.Contains(info, "`") {
		return Fence{}, false // inline code
	}
	prefix := []byte(line[:at])
	for i, c := range prefix {
		if c != '>' && c != '\t' {
			prefix[i] = ' '
		}
	}
	return Fence{prefix: string(prefix), mark: rest[:len(rest)-len(info)], marked: marks > 0}, true
}

// Markers returns where a line's quote marks, list markers and indentation end, the number of
// marks, and the number of columns of blanks. A tab counts as four columns.
func Markers(line string) (end, marks, blanks int) {
	for end < len(line) {
		if size := MarkerSize(line[end:]); size > 0 {
			end += size
			marks++
			continue
		}
		switch line[end] {
		case ' ':
			blanks++
		case '\t':
			blanks += 4
		default:
			return end, marks, blanks
		}
		end++
	}
	return end, marks, blanks
}

// MarkerSize returns the length of the quote mark or list marker that rest begins with, or 0.
func MarkerSize(rest string) int {
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	switch c := rest[min(digits, len(rest)-1)]; {
	case c == '>' && digits == 0:
		return 1
	case digits == 0 && (c == '-' || c == '*' || c == '+'), digits > 0 && digits <= 9 && (c == '.' || c == ')'):
		if after := rest[digits+1:]; after == "" || strings.IndexByte(" \t\r\n", after[0]) >= 0 {
			return digits + 1
		}
	}
	return 0
}

// closes reports whether a line closes the fence.
func (f Fence) closes(line string) bool {
	rest := strings.TrimRight(strings.TrimLeft(line, " \t>"), " \t\r")
	return strings.HasPrefix(rest, f.mark) && strings.Trim(rest, f.mark[:1]) == ""
}

// holds reports whether a line is in the quote or list item of the fence.
func (f Fence) holds(line string) bool {
	if strings.TrimSpace(line) == "" {
		return !strings.Contains(f.prefix, ">")
	}
	return strings.HasPrefix(line, f.prefix)
}
