package plaintext

import (
	"strings"
	"testing"
	"unicode/utf8"
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
		{"a fence after a tab", "-\t```\n\tone\n\ttwo\n\tthree\n\t```", 20, "-\t```\n\tone\n \t```"},
		{"after a fence", "```\na\n```\n[b](c) d", 16, "```\na\n```\n[b](c)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, truncated := Excerpt(c.markdown, c.limit)
			if got != c.want || truncated != (c.want != c.markdown) {
				t.Errorf("Excerpt(%.60q, %d) = %q, %v, want %q", c.markdown, c.limit, got, truncated, c.want)
			}
		})
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
			part, next := Slice(c.markdown, c.offset, c.limit)
			if part != c.want || next != c.next {
				t.Errorf("Slice(%q, %d, %d) = %q, %d, want %q, %d", c.markdown, c.offset, c.limit, part, next, c.want, c.next)
			}
		})
	}
}

func FuzzExcerpt(f *testing.F) {
	f.Add("see [the plan](https://fernhill.example/plan) now", 12)
	f.Add("```go\nfunc main() {}\n```\ntext", 12)
	f.Add("- item\n  ````\n  ```\n  x\n  ````", 14)
	f.Add("00000)  ````\n000000000\n  ````", 28)
	f.Add(" m\n  ```  `", 8)
	f.Add("> ~~~\n> a\n> ~~~~", 9)
	f.Add("e\u0301e\u0301 👩\u200d👩\u200d👧 🇩🇪🇩🇪 ![a](b) <https://x.example> \\*", 10)
	f.Fuzz(func(t *testing.T, markdown string, limit int) {
		cut, truncated := Excerpt(markdown, limit)
		if truncated != (utf8.RuneCountInString(markdown) > limit && markdown != "") {
			t.Errorf("Excerpt(%q, %d) reports truncated %v", markdown, limit, truncated)
		}
		if !truncated && cut != markdown {
			t.Errorf("Excerpt(%q, %d) = %q, which is not cut", markdown, limit, cut)
		}
		if n := utf8.RuneCountInString(cut); truncated && n > 0 && n > limit {
			t.Errorf("Excerpt(%q, %d) has %d characters", markdown, limit, n)
		}
		if utf8.ValidString(markdown) && !utf8.ValidString(cut) {
			t.Errorf("Excerpt(%q, %d) = %q, invalid UTF-8", markdown, limit, cut)
		}
		if _, open := OpenFence(cut); open && truncated {
			t.Errorf("Excerpt(%q, %d) = %q, a fence is open", markdown, limit, cut)
		}
	})
}

func FuzzSlice(f *testing.F) {
	f.Add("one two three\nfour five", 7)
	f.Add("e\u0301e\u0301e\u0301", 1)
	f.Add("a\xffb\xe2\x82", 1)
	f.Add("[a](b) [c](d)", 5)
	f.Fuzz(func(t *testing.T, markdown string, limit int) {
		var joined strings.Builder
		for offset := 0; ; {
			part, next := Slice(markdown, offset, limit)
			joined.WriteString(part)
			if n := utf8.RuneCountInString(part); n > 1 && n > limit {
				t.Fatalf("Slice(%q, %d, %d) has %d characters", markdown, offset, limit, n)
			}
			if next == 0 {
				break
			}
			if next <= offset {
				t.Fatalf("Slice(%q, %d, %d) continues at %d", markdown, offset, limit, next)
			}
			offset = next
		}
		if joined.String() != markdown {
			t.Errorf("parts of %q, %d join to %q", markdown, limit, joined.String())
		}
	})
}
