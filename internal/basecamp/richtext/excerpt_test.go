package richtext

import (
	"strings"
	"testing"

	"basecamp-mcp/internal/plaintext"
)

func TestExcerpt_KeepsConstructsWhole(t *testing.T) {
	long := strings.Repeat("a", 600)
	for _, c := range []struct {
		name, markdown string
		limit          int
		want           string
	}{
		{"a text within the limit is not cut", "Fernhill", 8, "Fernhill"},
		{"a longer text is cut", long, 500, long[:500]},
		{"a limit of zero", "a", 0, ""},
		{"a negative limit", "a", -1, ""},
		{"characters", "größe", 4, "größ"},
		{"combined characters", "ae\u0301x", 2, "a"},
		{"families", "a👨\u200d👩\u200d👧", 4, "a"},
		{"flags", "a🇩🇰🇸🇪", 4, "a🇩🇰"},
		{"links", "see [the plan](https://x.example/) now", 12, "see "},
		{"links, in their target", "see [the plan](https://x.example/) now", 20, "see "},
		{"links, whole", "see [the plan](https://x.example/) now", 34, "see [the plan](https://x.example/)"},
		{"links with parentheses and titles", `a [b](c(d) "e ) f") g`, 18, "a "},
		{"images", "a ![b](c) d", 3, "a "},
		{"images in links", "a [![b](c)](d) e", 12, "a "},
		{"labels", "Hi [@Mette Lund] there", 10, "Hi "},
		{"stray brackets are text", "a [b c d e f", 8, "a [b c d"},
		{"brackets far apart are text", "[" + long + "](", 10, "[aaaaaaaaa"},
		{"a bracket closed in another paragraph", "a [b\n\nc](d)", 4, "a [b"},
		{"URLs", "see https://x.example/plan now", 10, "see "},
		{"autolinks", "see <https://x.example/plan> now", 10, "see "},
		{"escapes", `a \* b`, 3, "a "},
		{"a fence is closed", "```go\none\ntwo\nthree\n```\n", 20, "```go\none\ntwo\n```"},
		{"a fence is left out if no line of it fits", "text\n\n```go\none\n```", 12, "text"},
		{"a single line of code that is too long", "```\n" + long + "\n```", 14, "```\naaaaaa\n```"},
		{"a fence in an item", "- a\n\n  ````\n  one\n  ```\n  two\n  ````", 29, "- a\n\n  ````\n  one\n  ````"},
		{"a fence in a quote", "> ```\n> one\n> two\n> ```", 20, "> ```\n> one\n> ```"},
		{"after a fence", "```\na\n```\n[b](c) d", 16, "```\na\n```\n[b](c)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, truncated := plaintext.Excerpt(c.markdown, c.limit)
			if got != c.want || truncated != (c.want != c.markdown) {
				t.Errorf("Excerpt(%.60q, %d) = %q, %v, want %q", c.markdown, c.limit, got, truncated, c.want)
			}
		})
	}
}

func TestSlice_PartsJoinToTheText(t *testing.T) {
	text := Markdown(sample(20 << 10))
	for _, limit := range []int{1, 7, 100, 4000, 1 << 20} {
		var parts []string
		for offset, next := 0, -1; next != 0; offset = next {
			var part string
			part, next = plaintext.Slice(text, offset, limit)
			parts = append(parts, part)
		}
		if strings.Join(parts, "") != text {
			t.Errorf("the parts of at most %d characters do not join to the text", limit)
		}
		if limit == 1<<20 && len(parts) != 1 {
			t.Errorf("a text that fits has %d parts", len(parts))
		}
	}
}

func TestSlice_EndsAtLinesAndWords(t *testing.T) {
	for _, c := range []struct {
		name, markdown string
		offset, limit  int
		want           string
		next           int
	}{
		{"at a line's end", "one two\nthree four", 0, 9, "one two\n", 8},
		{"at a word's end", "one two three", 0, 9, "one two ", 8},
		{"before a link", "one twos [a](b) c", 0, 11, "one twos ", 9},
		{"anywhere in a long word", "onetwothree", 0, 6, "onetwo", 6},
		{"the last part", "one two three", 8, 9, "three", 0},
		{"in characters, not bytes", "größe größe", 6, 4, "größ", 10},
		{"after the end", "one", 9, 5, "", 0},
		{"before the beginning", "one", -4, 5, "one", 0},
		{"a limit below one counts as one", "one", 0, 0, "o", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			part, next := plaintext.Slice(c.markdown, c.offset, c.limit)
			if part != c.want || next != c.next {
				t.Errorf("Slice(%q, %d, %d) = %q, %d, want %q, %d", c.markdown, c.offset, c.limit, part, next, c.want, c.next)
			}
		})
	}
}
