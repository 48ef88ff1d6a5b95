package basecamptools

import (
	"strings"

	"basecamp-mcp/internal/plaintext"
)

const (
	maxPreviousParagraph = 500   // characters of a paragraph in previous
	maxPrevious          = 4_000 // characters of a text in previous
)

// previousText returns the paragraphs of an old Markdown text that the new one does not have, each
// cut to maxPreviousParagraph characters. It returns "" if the new text has all of them.
func previousText(old, now string) string {
	kept := map[string]int{}
	for _, p := range strings.Split(now, "\n\n") {
		kept[p]++
	}
	var gone []string
	for _, p := range strings.Split(old, "\n\n") {
		if kept[p]--; kept[p] < 0 {
			if cut, truncated := plaintext.Excerpt(p, maxPreviousParagraph); truncated {
				p = cut + "…"
			}
			gone = append(gone, p)
		}
	}
	all, _ := plaintext.Excerpt(strings.Join(gone, "\n\n"), maxPrevious)
	return all
}
