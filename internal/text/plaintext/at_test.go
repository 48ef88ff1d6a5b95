package plaintext

import (
	"strings"
	"testing"
)

func TestEscapeAt_EscapesWhatMayMention(t *testing.T) {
	for _, c := range []struct{ name, markdown, want string }{
		{"a name", "ask @hanna, (@ben) and **@team/two**", `ask \@hanna, (\@ben) and **\@team/two**`},
		{"a name in brackets", "[@hanna] @[Ben](person:1)", `[\@hanna] \@[Ben](person:1)`},
		{"no name", "a @ b, @2x, me@fernhill.example", "a @ b, @2x, me@fernhill.example"},
		{"code", "`@media` and\n```\n@x\n```\n@y", "`@media` and\n```\n@x\n```\n\\@y"},
		{"a fence in an item", "- a\n  ```\n  @x\n  ```\n- @y", "- a\n  ```\n  @x\n  ```\n- \\@y"},
		{"a fence that ends with its quote", "> ```\n> @x\n@y", "> ```\n> @x\n\\@y"},
		{"a fence that may end with its item", "- a\n  ```\n@x\n```\n@y", "- a\n  ```\n\\@x\n```\n\\@y"},
		{"code over two lines", "`a\nb` @x `c\nd`", "`a\nb` \\@x `c\nd`"},
		{"a URL", "see https://social.example/@hanna.", "see https://social.example/@hanna."},
		{"no URL", `see https://social.example/\@hanna xhttps://a/@b`, `see https://social.example/\\\@hanna xhttps://a/\@b`},
		{"backslashes", "\\@a \\\\@b `\\@c`", "\\\\\\@a \\\\\\\\\\@b `\\@c`"},
		{"CRLF", "@a\r\n`@b`\r\n", "\\@a\r\n`@b`\r\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := EscapeAt(c.markdown); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			if again := UnescapeAt(c.want); again != c.markdown {
				t.Errorf("%q, want %q", again, c.markdown)
			}
		})
	}
}

func FuzzEscapeAt(f *testing.F) {
	for _, seed := range []string{"@a `@b` \\@c\n\n> ```\n> @d\n@e https://x.example/@f", "- ~~~\n@a\n~~~\r\n\\\\@b", strings.Repeat("`", 3) + "a\n @b\n  ```"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, markdown string) {
		if again := UnescapeAt(EscapeAt(markdown)); again != markdown {
			t.Errorf("%q reads %q and returns as %q", markdown, EscapeAt(markdown), again)
		}
	})
}
