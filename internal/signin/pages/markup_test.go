package pages

import (
	"errors"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"basecamp-mcp/internal/signin/look"
)

func TestMarkup_IsBalanced(t *testing.T) {
	void := []atom.Atom{atom.Meta, atom.Input, atom.Br, atom.Hr, atom.Link, atom.Img}
	eachPage(t, func(t *testing.T, p written) {
		tokens := html.NewTokenizer(strings.NewReader(p.body))
		var open []atom.Atom
		for {
			switch tokens.Next() {
			case html.ErrorToken:
				if !errors.Is(tokens.Err(), io.EOF) || len(open) > 0 {
					t.Errorf("%v, open: %v", tokens.Err(), open)
				}
				return
			case html.StartTagToken:
				if tag := tokens.Token().DataAtom; !slices.Contains(void, tag) {
					open = append(open, tag)
				}
			case html.EndTagToken:
				tag := tokens.Token().DataAtom
				if len(open) == 0 || open[len(open)-1] != tag {
					t.Fatalf("</%s> in %v", tag, open)
				}
				open = open[:len(open)-1]
			}
		}
	})
}

// If the parser moves, drops or closes a tag, the written tags differ from the parsed elements.
func TestMarkup_NestsAsItIsWritten(t *testing.T) {
	eachPage(t, func(t *testing.T, p written) {
		tokens := html.NewTokenizer(strings.NewReader(p.body))
		var written, parsed []string
		for kind := tokens.Next(); kind != html.ErrorToken; kind = tokens.Next() {
			if kind == html.StartTagToken {
				written = append(written, tokens.Token().Data)
			}
		}
		for n := range p.root.Descendants() {
			if n.Type == html.ElementNode {
				parsed = append(parsed, n.Data)
			}
		}
		if !slices.Equal(written, parsed) {
			t.Errorf("written %v\nparsed %v", written, parsed)
		}
	})
}

func TestMarkup_HasItsLandmarksAndOneHeading(t *testing.T) {
	eachPage(t, func(t *testing.T, p written) {
		for _, kind := range []atom.Atom{atom.Header, atom.Main, atom.Footer, atom.H1, atom.Title} {
			if got := len(p.all(kind)); got != 1 {
				t.Errorf("%d <%s>", got, kind)
			}
		}
		if value(p.all(atom.Html)[0], "lang") != "en" {
			t.Error("no language")
		}
		if !strings.HasPrefix(p.body, "<!doctype html>") {
			t.Error("no doctype")
		}
	})
}

func TestMarkup_NamesEachIDOnce(t *testing.T) {
	eachPage(t, func(t *testing.T, p written) {
		seen := map[string]bool{}
		for n := range p.root.Descendants() {
			if id, ok := attr(n, "id"); ok && seen[id] {
				t.Errorf("id %q twice", id)
			}
			seen[value(n, "id")] = true
		}
		for n := range p.root.Descendants() {
			for _, name := range []string{"for", "aria-labelledby", "aria-describedby"} {
				if id, ok := attr(n, name); ok && !seen[id] {
					t.Errorf("<%s %s=%q> names no element", n.Data, name, id)
				}
			}
		}
	})
}

func TestMarkup_LabelsEveryInput(t *testing.T) {
	eachPage(t, func(t *testing.T, p written) {
		labelled := map[string]bool{}
		for _, label := range p.all(atom.Label) {
			labelled[value(label, "for")] = true
		}
		for _, input := range p.all(atom.Input) {
			inside := false
			for n := range input.Ancestors() {
				inside = inside || n.DataAtom == atom.Label
			}
			if value(input, "type") != "hidden" && !inside && !labelled[value(input, "id")] {
				t.Errorf("no label: %v", input.Attr)
			}
		}
	})
}

// Without the script the copy buttons are hidden, and users can select the texts.
func TestLanding_NeedsNoScript(t *testing.T) {
	url := "https://mcp.fernhill.example/mcp"
	p := write(t, Landing{URL: url, Bearer: "sandbox-ines"})
	for _, b := range p.all(atom.Button) {
		if !has(b, "hidden") || value(b, "aria-label") == "" {
			t.Errorf("button %v", b.Attr)
		}
	}
	if address := textOf(p.all(atom.Pre)[0]); address != url {
		t.Errorf("the address is %s", address)
	}
}

// Level AA requires 4.5 to 1 for text and 3 to 1 for the edges of fields (WCAG 2.2, 1.4.3,
// 1.4.11).
func TestStyle_HasContrastInLightAndDark(t *testing.T) {
	light, dark, _ := strings.Cut(look.Style, "prefers-color-scheme: dark")
	for name, css := range map[string]string{"light": light, "dark": dark} {
		colours := map[string]float64{}
		for _, m := range regexp.MustCompile(`--([a-z-]+): #([0-9a-f]{6})`).FindAllStringSubmatch(css, -1) {
			colours[m[1]] = luminance(t, m[2])
		}
		for _, pair := range []struct {
			front, back string
			least       float64
		}{
			{"ink", "page", 4.5},
			{"ink", "card", 4.5},
			{"quiet", "page", 4.5},
			{"quiet", "card", 4.5},
			{"accent", "page", 4.5},
			{"accent", "card", 4.5},
			{"on-accent", "accent", 4.5},
			{"edge", "page", 3},
			{"edge", "card", 3},
		} {
			front, back := colours[pair.front], colours[pair.back]
			if got := (max(front, back) + 0.05) / (min(front, back) + 0.05); got < pair.least {
				t.Errorf("%s: %s on %s is %.2f to 1", name, pair.front, pair.back, got)
			}
		}
	}
}

// luminance returns the relative luminance of a colour (WCAG 2.2).
func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	rgb, err := strconv.ParseUint(colour, 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	return 0.2126*linear(rgb>>16&0xff) + 0.7152*linear(rgb>>8&0xff) + 0.0722*linear(rgb&0xff)
}

func linear(channel uint64) float64 {
	c := float64(channel) / 255
	if c <= 0.04045 {
		return c / 12.92
	}
	return math.Pow((c+0.055)/1.055, 2.4)
}
