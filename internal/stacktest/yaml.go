package stacktest

import (
	"fmt"
	"strings"
)

// Parse reads the part of YAML that template.yaml uses: maps, lists, text, folded text (>-), and
// flow collections on one line. Every scalar is a string; a tag stays in front of it, as in "!Ref
// Table". A tag above a list is the key of a map that holds the list.
func Parse(text string) (value any, err error) {
	r := yamlReader{}
	for i, line := range strings.Split(text, "\n") {
		body := strings.TrimLeft(line, " ")
		if body != "" && body[0] != '#' {
			r.lines = append(r.lines, yamlLine{number: i + 1, indent: len(line) - len(body), text: strings.TrimRight(body, " ")})
		}
	}
	defer func() {
		switch wrong := recover().(type) {
		case nil:
		case yamlError:
			err = wrong
		default:
			panic(wrong)
		}
	}()
	if len(r.lines) == 0 {
		return nil, yamlError("the text is empty")
	}
	value = r.block()
	if len(r.lines) > 0 {
		r.fail("has an indentation that no line before it has")
	}
	return value, nil
}

type yamlReader struct{ lines []yamlLine }

type yamlLine struct {
	number, indent int
	text           string
}

type yamlError string

func (e yamlError) Error() string { return string(e) }

func (r *yamlReader) fail(why string) {
	panic(yamlError(fmt.Sprintf("line %d %s: %s", r.lines[0].number, why, r.lines[0].text)))
}

// block reads a map or a list as far as its indentation goes.
func (r *yamlReader) block() any {
	indent := r.lines[0].indent
	if strings.HasPrefix(r.lines[0].text, "- ") {
		list := r.list(indent)
		if len(r.lines) > 0 && r.lines[0].indent == indent {
			r.fail("is not a list item")
		}
		return list
	}
	m := map[string]any{}
	for len(r.lines) > 0 && r.lines[0].indent == indent {
		key, rest, ok := yamlKey(r.lines[0].text)
		if _, twice := m[key]; !ok || twice {
			r.fail("does not start with a new key")
		}
		m[key] = r.value(rest, indent)
	}
	return m
}

func (r *yamlReader) list(indent int) []any {
	list := []any{}
	for len(r.lines) > 0 && r.lines[0].indent == indent && strings.HasPrefix(r.lines[0].text, "- ") {
		list = append(list, r.item())
	}
	return list
}

// item reads what follows a dash. A map continues below with the indentation of its first key.
func (r *yamlReader) item() any {
	line := &r.lines[0]
	rest := strings.TrimPrefix(line.text, "- ")
	if _, _, isMap := yamlKey(rest); isMap && !strings.ContainsAny(rest[:1], `{["'!`) {
		line.indent, line.text = line.indent+2, rest
		return r.block()
	}
	return r.value(rest, line.indent)
}

// value reads what follows a key or a dash: the rest of the line, and the lines below with a deeper
// indentation.
func (r *yamlReader) value(rest string, indent int) any {
	tag, folded := strings.CutSuffix(rest, ">-")
	switch {
	case rest == "" || rest[0] == '#':
		r.lines = r.lines[1:]
		if len(r.lines) == 0 || r.lines[0].indent <= indent {
			return ""
		}
		return r.block()
	case folded:
		r.lines = r.lines[1:]
		var parts []string
		for ; len(r.lines) > 0 && r.lines[0].indent > indent; r.lines = r.lines[1:] {
			parts = append(parts, r.lines[0].text)
		}
		return tag + strings.Join(parts, " ")
	}
	if tagged(rest) && len(r.lines) > 1 && r.lines[1].indent >= indent && strings.HasPrefix(r.lines[1].text, "- ") {
		r.lines = r.lines[1:]
		return map[string]any{rest: r.list(r.lines[0].indent)}
	}
	value, after := r.flow(rest, "")
	if after = strings.TrimSpace(after); after != "" && after[0] != '#' {
		r.fail("has something after its value")
	}
	r.lines = r.lines[1:]
	return value
}

// tagged reports whether the text is the name of a CloudFormation function, whose arguments are the
// list below it.
func tagged(s string) bool { return s[0] == '!' && !strings.ContainsAny(s, ` "[`) }

// flow reads one value. Plain text ends at one of the characters in ends, or at a comment.
func (r *yamlReader) flow(s, ends string) (value any, rest string) {
	switch s[0] {
	case '"', '\'':
		end := strings.IndexByte(s[1:], s[0])
		if end < 0 {
			r.fail("has an open quote")
		}
		return s[1 : 1+end], s[2+end:]
	case '[':
		list := []any{}
		for s = r.after(s[1:], ','); s[0] != ']'; s = r.after(s, ',') {
			var item any
			item, s = r.flow(s, ",]")
			list = append(list, item)
		}
		return list, s[1:]
	case '{':
		m := map[string]any{}
		for s = r.after(s[1:], ','); s[0] != '}'; s = r.after(s, ',') {
			key, rest, ok := yamlKey(s)
			if !ok {
				r.fail("has no key in a map")
			}
			m[key], s = r.flow(rest, ",}")
		}
		return m, s[1:]
	case '!': // the argument of a CloudFormation function stays text
		if ends == "" || strings.ContainsAny(s[:max(0, strings.IndexAny(s, ends))], `[{"`) {
			return strings.TrimSpace(s), ""
		}
	}
	end := len(s)
	if i := strings.IndexAny(s, ends); i >= 0 {
		end = i
	}
	if i := strings.Index(s[:end], " #"); i >= 0 {
		end = i
	}
	return strings.TrimSpace(s[:end]), s[end:]
}

// after skips blanks and a separator, and fails if nothing follows.
func (r *yamlReader) after(s string, separator byte) string {
	s = strings.TrimLeft(s, " ")
	if s != "" && s[0] == separator {
		s = strings.TrimLeft(s[1:], " ")
	}
	if s == "" {
		r.fail("ends too early")
	}
	return s
}

// yamlKey splits a line at the colon after its key.
func yamlKey(s string) (key, rest string, ok bool) {
	if s[0] == '"' {
		key, rest, ok = strings.Cut(s[1:], `":`)
		return key, strings.TrimSpace(rest), ok
	}
	if key, rest, ok = strings.Cut(s, ": "); ok {
		return key, strings.TrimSpace(rest), true
	}
	key, ok = strings.CutSuffix(s, ":")
	return key, "", ok
}
