package main

import (
	"strings"
	"testing"
)

func TestReport_APeerThatIsMissingIsNotMeasured(t *testing.T) {
	f := figures{}
	for _, r := range rows {
		for _, p := range peers("") {
			if p.name != "FastMCP" {
				f.add(p.name, r.key, 10)
			}
		}
	}
	b := &bench{peers: peers(""), missing: map[string]string{"FastMCP": "no Python"}}
	text := b.report(f, 1, "a machine")
	if strings.Count(text, notMeasured) != 2*len(rows) || !strings.Contains(text, "Not measured: no Python.") {
		t.Errorf("got %s", text)
	}
}

func TestRatio_AboveOneMeansThatThePeerIsWorse(t *testing.T) {
	cpu, rate := key{kind: "cpu", call: "x"}, key{kind: "rate", call: "x"}
	f := figures{
		measured: {cpu: {10, 20, 30}, rate: {100, 200, 300}},
		"slow":   {cpu: {30, 60, 90}, rate: {50, 100, 150}},
	}
	if got := f.ratio("slow", cpu); got != "3.0" {
		t.Errorf("CPU: %s", got)
	}
	if got := f.ratio("slow", rate); got != "2.0" {
		t.Errorf("requests a second: %s", got)
	}
}

func TestSection_IsReplacedBetweenItsMarks(t *testing.T) {
	got, err := replaceSection("a\n<!-- peers: x -->\nold\n<!-- end of peers -->\nb\n", "\nnew\n")
	if want := "a\n<!-- peers: x -->\n\nnew\n\n<!-- end of peers -->\nb\n"; got != want || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	for _, document := range []string{"none", "<!-- peers: x -->\nopen"} {
		if _, err := replaceSection(document, "new"); err == nil {
			t.Errorf("%q is accepted", document)
		}
	}
}
