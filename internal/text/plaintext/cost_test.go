package plaintext

import (
	"strings"
	"testing"
)

func TestTakesLong_TabsCountTowardsTheDepthLikeSpaces(t *testing.T) {
	for _, unit := range []string{"- ", "-\t", "- \t", "+ \t", "*\t", "> \t", ">\t", "1. \t", "1)\t", "> -\t"} {
		deep := strings.Repeat(unit, maxDepth+1) + "x"
		if !TakesLong(deep) {
			t.Errorf("%q is parsed %d times", unit, maxDepth+1)
		}
		if TakesLong(strings.Repeat(unit, 20) + "x") {
			t.Errorf("%q is not parsed 20 times", unit)
		}
	}
}

func TestTakesLong_OnlyIndentationDoesNotCountAsDepth(t *testing.T) {
	for name, text := range map[string]string{
		"code":          strings.Repeat(" ", 300) + "x",
		"code of tabs":  "```\n" + strings.Repeat("\t", 300) + "x\n```",
		"a long list":   strings.Repeat("- a\n  - b\n    > c\n", 3000),
		"many headings": strings.Repeat("# a\n\n- b\n\n1. c\n", 3000),
	} {
		if TakesLong(text) {
			t.Error(name)
		}
	}
}
