package richtext

import (
	"strings"

	"golang.org/x/net/html"
)

// Superscript and subscript become Unicode characters where these exist: x², H₂O. Otherwise they
// are written as in formulas: x^(Q), a_(max speed).

var (
	superscript = scriptTable("0⁰1¹2²3³4⁴5⁵6⁶7⁷8⁸9⁹+⁺-⁻−⁻=⁼(⁽)⁾aᵃbᵇcᶜdᵈeᵉfᶠgᵍhʰiⁱjʲkᵏlˡmᵐnⁿoᵒpᵖrʳsˢtᵗuᵘvᵛwʷxˣyʸzᶻTᵀMᴹ®®™™")
	subscript   = scriptTable("0₀1₁2₂3₃4₄5₅6₆7₇8₈9₉+₊-₋−₋=₌(₍)₎aₐeₑhₕiᵢjⱼkₖlₗmₘnₙoₒpₚrᵣsₛtₜuᵤvᵥxₓ")
)

func scriptTable(pairs string) map[rune]rune {
	table := map[rune]rune{}
	runes := []rune(pairs)
	for i := 0; i < len(runes); i += 2 {
		table[runes[i]], table[runes[i+1]] = runes[i+1], runes[i+1]
	}
	return table
}

// script describes how the text of a sup or sub element is shown.
type script struct {
	table map[rune]rune // nil if Unicode lacks one of the characters
	mark  string        // the sign before the parentheses if table is nil
}

// maxScript is the longest text, in bytes, of a sup or sub element that is shown as one.
const maxScript = 100

// scriptOf returns how the element of that name shows a text. It returns false if the element
// changes nothing.
func scriptOf(name, text string) (s script, ok bool) {
	s = script{table: superscript, mark: "^"}
	if name == "sub" {
		s = script{table: subscript, mark: "_"}
	}
	text = strings.TrimSpace(text)
	if text == "" || len(text) > maxScript {
		return script{}, false
	}
	if strings.ContainsFunc(text, func(r rune) bool { return s.table[r] == 0 }) {
		s.table = nil
	}
	return s, true
}

func (s script) show(text string) string {
	return strings.Map(func(r rune) rune {
		if shown, ok := s.table[r]; ok {
			return shown
		}
		return r
	}, text)
}

// script adds a sup or sub element.
func (t *tree) script(name string, n *html.Node) {
	s, ok := scriptOf(name, words(n))
	if !ok || t.scripted.table != nil || find(n, func(name string) bool { return isBlock(name) || name == bcAttachment }) != nil {
		t.children(n)
		return
	}
	if s.table == nil {
		t.text(s.mark + "(")
		t.children(n)
		t.space = false
		t.text(")")
		return
	}
	t.scripted = s
	t.children(n)
	t.scripted = script{}
}
