package plaintext

import "strings"

const (
	maxDroppedParagraph = 500   // characters of a paragraph in Dropped
	maxDropped          = 4_000 // characters of a text in Dropped
)

// Dropped returns the paragraphs of an old Markdown text that the new one does not have, each cut
// to maxDroppedParagraph characters. It returns "" if the new text has all of them.
func Dropped(old, now string) string {
	kept := map[string]int{}
	for _, p := range strings.Split(now, "\n\n") {
		kept[p]++
	}
	var gone []string
	for _, p := range strings.Split(old, "\n\n") {
		if kept[p]--; kept[p] < 0 {
			if cut, truncated := Excerpt(p, maxDroppedParagraph); truncated {
				p = cut + "…"
			}
			gone = append(gone, p)
		}
	}
	all, _ := Excerpt(strings.Join(gone, "\n\n"), maxDropped)
	return all
}
