package richtext

import (
	"strings"
	"testing"

	"basecamp-mcp/internal/plaintext"
)

func TestHTML_TabsCountTowardsTheDepthLikeSpaces(t *testing.T) {
	for _, unit := range []string{"- ", "-\t", "- \t", "+ \t", "*\t", "> \t", ">\t", "1. \t", "1)\t", "> -\t"} {
		deep := strings.Repeat(unit, maxDepth+1) + "x"
		if err := checkCost(deep); err == nil {
			t.Errorf("%q is parsed %d times", unit, maxDepth+1)
		}
		if err := checkCost(strings.Repeat(unit, 20) + "x"); err != nil {
			t.Errorf("%q is not parsed 20 times: %v", unit, err)
		}
	}
}

func TestHTML_OnlyIndentationDoesNotCountAsDepth(t *testing.T) {
	for name, text := range map[string]string{
		"code":          strings.Repeat(" ", 300) + "x",
		"code of tabs":  "```\n" + strings.Repeat("\t", 300) + "x\n```",
		"a long list":   strings.Repeat("- a\n  - b\n    > c\n", 3000),
		"many headings": strings.Repeat("# a\n\n- b\n\n1. c\n", 3000),
	} {
		if err := checkCost(text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestExcerpt_ClosesAFenceAfterATab(t *testing.T) {
	cut, _ := plaintext.Excerpt("-\t```\n\tone\n\ttwo\n\tthree\n\t```", 20)
	if _, open := plaintext.OpenFence(cut); open {
		t.Errorf("%q leaves a fence open", cut)
	}
}
