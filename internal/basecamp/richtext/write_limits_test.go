package richtext

import (
	"strings"
	"testing"
)

// hostileMarkdown returns texts that could make a parser slow, large or recursive.
func hostileMarkdown() map[string]string {
	const size = maxHTML - 1024
	texts := map[string]string{
		"brackets then closing":  strings.Repeat("[", size/2) + strings.Repeat("]", size/2),
		"stars then stars":       fill("*a ", size/2) + fill("a* ", size/2),
		"underscores then stars": fill("_a ", size/2) + fill("b* ", size/2),
		"strong then closing":    fill("**a ", size/2) + fill("b** ", size/2),
		"quotes then lines":      strings.Repeat(">", 900) + "x\n" + fill("x\n", size-2000),
		"quotes and lines":       fill(strings.Repeat(">", 100)+"x\n", size),
		"deep, all marks":        fill("> -\t1.\t+ *\t2) ", size),
		"deep, marks end lines":  fill("-\n \t", size),
		"stairs of tabs":         stairsOf("\t", "-\ta", 600),
		"check boxes in lines":   fill("[x] \n", size),
		"brackets in lines":      fill("[a]\r", size),
		"stairs":                 stairs("- a", 350),
		"stairs then lines":      stairs("- a", 250) + fill("x\n", size/2),
		"wide table":             fill("a|", size/8) + "\n" + fill("-|", size/8) + "\n" + fill("x\n", size/2),
		"table of 60 columns":    fill("a|", 120) + "\n" + fill("-|", 120) + "\n" + fill("x\n", size-300),
		"escaped pipes":          "a|b\n-|-\n" + fill("`\\|`|x\n", size-20),
		"many delimiter rows":    fill("a\n-\n", size),
		"table after table":      fill("a|b\n-|-\n", size),
		"broken escapes":         fill("\\``a", size),
		"runs of backticks":      backticks(size),
		"targets then nothing":   fill("[a](", size),
		"titles":                 fill("[a](b \"", size),
		"titles in parentheses":  fill("[a](b (", size),
		"nested labels":          fill(strings.Repeat("[", 400)+strings.Repeat("]", 400), size),
		"nested links":           strings.Repeat("[", size/8) + fill("](b)", size/2),
		"links in images":        strings.Repeat("![", size/8) + fill("](b)", size/2),
		"code in labels":         fill("[`a`", size/2) + fill("]", size/2),
		"code":                   fill("`a` ", size),
		"mentions":               fill("@[a](person:1) ", size),
		"nearly mentions":        fill("@Mette Lun ", size),
		"url in url":             fill("https://a.example/(", size),
		"urls of parentheses":    fill("https://a.example/"+strings.Repeat(")", 4000)+" ", size),
		"nearly addresses":       fill("a.a", size),
		"nearly many addresses":  fill("(a@", size),
		"autolinks":              fill("<https://a", size),
		"headings":               fill("# a\n", size),
		"setext":                 fill("a\n=\n", size),
		"open fence":             "```\n" + fill("x\n", size),
		"open fence in a list":   "- ```\n" + fill("  x\n", size),
		"indented":               fill("    x\n", size),
		"mixed marks":            fill("*_~~a", size),
		"html":                   fill("<div><b>", size),
		"references":             fill("[a]: b\n", size),
		"footnotes":              fill("[^a]", size),
		"list":                   fill("- a\n", size),
		"emphasis in emphasis":   strings.Repeat("*a **b ", 2000) + strings.Repeat("c** d* ", 2000),
	}
	for name, unit := range map[string]string{ // as much as is parsed
		"marks":    fill("_a ", 17_000) + fill("b* ", 17_000),
		"brackets": strings.Repeat("[", 16_000) + strings.Repeat("]", 16_000),
		"escapes":  fill("\\``a", 16_000),
		"angles":   fill("[a](<b", 30_000),
		"titles":   fill("[a](b \"", 30_000),
		"parens":   fill("[a](b (", 30_000),
		"targets":  fill("[a](", 23_000),
		"cells":    fill("a|", 120) + "\n" + fill("-|", 120) + "\n" + fill("x\n", 2*1600),
		"quoted":   strings.Repeat(">", 15) + fill("x\n", size-100),
		"deep":     strings.Repeat(">", 999) + fill("x\n", 2*1990),
		"stairs":   stairs("- a", 120) + fill("x\n", 2*8000),
	} {
		texts["allowed: "+name] = unit
		texts["allowed, at the end: "+name] = fill("words ", size-len(unit)) + "\n\n" + unit
	}
	for name, text := range hostile() {
		texts["html: "+name] = text
	}
	return texts
}

func stairs(line string, steps int) string { return stairsOf("  ", line, steps) }

func stairsOf(step, line string, steps int) string {
	var b strings.Builder
	for i := range steps {
		b.WriteString(strings.Repeat(step, i) + line + "\n")
	}
	return b.String()
}

func backticks(size int) string {
	var b strings.Builder
	for n := 1; b.Len() < size; n++ {
		b.WriteString(strings.Repeat("`", n%700+1) + "a")
	}
	return b.String()
}

func TestHTML_NoTextTakesLong(t *testing.T) {
	takesSeconds(t)
	writing := Writing{
		Inline:  []Person{{ID: 1, Name: "Mette Lund", SGID: "m"}},
		Mention: []Person{{ID: 2, Name: "Mette Lundgren", SGID: "n"}, {ID: 3, Name: "Victor", SGID: "v"}},
		Old:     strings.Repeat(mentionTag+"Mette</bc-attachment>"+`<bc-attachment filename="a.jpg"></bc-attachment>`, 200),
	}
	for name, text := range hostileMarkdown() {
		t.Run(name, func(t *testing.T) {
			withinLimits(t, func() { writing.HTML(text) })
		})
	}
	for _, unit := range []string{"x\n", "a\n\n", "@Mette\n", "[", "*a ", "> "} {
		t.Run("too long: "+unit, func(t *testing.T) {
			withinLimits(t, func() { writing.HTML(fill(unit, 1<<20-1)) })
		})
	}
	for name, old := range map[string]string{
		"mentions": mentionTag + "A</bc-attachment>",
		"files":    `<bc-attachment filename="a"></bc-attachment>`,
		"previews": `<bc-attachment content-type="application/vnd.basecamp.x">a</bc-attachment>`,
		"open":     "<bc-attachment>",
		"nested":   strings.Repeat("<bc-attachment>", 6000) + strings.Repeat("</bc-attachment>", 6000),
		"in files": strings.Repeat("<bc-attachment filename=a>", 4000) + strings.Repeat("</bc-attachment>", 4000),
	} {
		t.Run("many old "+name, func(t *testing.T) {
			field := fill(old, max(200_000, len(old)))
			markdown := Markdown(field)
			withinLimits(t, func() { Writing{Old: field}.HTML(markdown) })
			withinLimits(t, func() { Writing{Old: field}.HTML(fill("[@B] ", 200_000)) })
		})
	}
}
