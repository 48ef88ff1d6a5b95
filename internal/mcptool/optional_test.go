package mcptool

import (
	"log/slog"
	"strconv"
	"strings"
	"testing"
)

func TestToolset_OptionalIsServedOnlyByName(t *testing.T) {
	of := func(name string) []Tool { return []Tool{define(name, Reads, failWith(nil))} }
	s := NewServer([]Toolset{
		{Name: "plain", Instructions: "Read.", Writing: "Write.", Tools: append(of("seen"), define("making", Creates, failWith(nil)))},
		{Name: "more", Optional: true, Instructions: "More.", Tools: append(of("hidden"), define("changing", Creates, failWith(nil)))},
		{Name: "far", Prefix: "away_", Optional: true, Tools: append(of("away_look"), define("away_change", Creates, failWith(nil)))},
	}, Options{Name: "test", Version: "1", Instructions: "All.", MoreTools: "name %s", Log: slog.New(slog.DiscardHandler)})
	for _, c := range []struct {
		toolsets     []string
		readOnly     bool
		hidden       bool
		instructions string
	}{
		{nil, false, false, "All.\nRead.\nWrite.\nNot served here: hidden, changing, away_*. To get them, name plain,more,far."},
		{nil, true, false, "All.\nRead.\nNot served here: hidden, away_*. To get them, name plain,more,far."},
		{[]string{"more"}, false, true, "All.\nMore.\nNot served here: toolsets plain, far. To get them, name plain,more,far."},
		{[]string{"more", "plain"}, true, true, "All.\nRead.\nMore.\nNot served here: toolsets far. To get them, name plain,more,far."},
		{[]string{"far", "more", "plain"}, true, true, "All.\nRead.\nMore."},
	} {
		if _, found := s.Scope(Selection{Toolsets: c.toolsets, ReadOnly: c.readOnly}, "hidden"); found != c.hidden {
			t.Errorf("%v: hidden is found: %v", c.toolsets, found)
		}
		if got := s.instructions(Selection{Toolsets: c.toolsets, ReadOnly: c.readOnly}); got != c.instructions {
			t.Errorf("%v: %q", c.toolsets, got)
		}
		list := post(t.Context(), t, s.Handler(Selection{Toolsets: c.toolsets, ReadOnly: c.readOnly}), "tools/list", "", "").Body.String()
		if strings.Contains(list, `"hidden"`) != c.hidden {
			t.Errorf("%v: %s", c.toolsets, list)
		}
	}
}

func TestServer_KeepsAFewSelectionsInMemory(t *testing.T) {
	var toolsets []Toolset
	for i := range 2 * mostSelections {
		name := "t" + strconv.Itoa(i)
		toolsets = append(toolsets, Toolset{Name: name, Tools: []Tool{define(name, Reads, failWith(nil))}})
	}
	s := NewServer(toolsets, Options{Name: "test", Version: "1", Log: slog.New(slog.DiscardHandler)})
	for _, toolset := range toolsets {
		s.Handler(Selection{Toolsets: []string{toolset.Name}})
		s.Scope(Selection{Toolsets: []string{toolset.Name}}, toolset.Name)
	}
	if len(s.handlers) > mostSelections || len(s.names) > mostSelections {
		t.Errorf("%d handlers and the names of %d selections", len(s.handlers), len(s.names))
	}
}
