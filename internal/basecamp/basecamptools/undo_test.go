package basecamptools

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/memory"
	"basecamp-mcp/internal/undo"
)

// undone is the answer of undo.
type undone struct {
	Undone []struct {
		ID, Tool, Result, Reason string
		Writes                   []struct {
			What, Type, ID, Result, Reason, By, At string
			Left, Now                              map[string]any
		}
	}
	Changes []struct {
		ID, Tool, Client, Reason string
		Undoable                 bool
		Items                    []struct{ Type, ID, Title string }
	}
	Note string
}

// withUndo returns the environment of a server that keeps how writes are undone.
func withUndo(t *testing.T) *toolEnv {
	d := newToolEnv(t, sandbox.Options{RateLimit: -1})
	d.short = true
	d.server = d.serverWith(undo.New(memory.NewUndo(nil), undo.Unsealed{}, 7*24*time.Hour, nil))
	return d
}

// differences returns what differs between two worlds.
func differences(before, after map[string]string) (lines []string) {
	for name, was := range before {
		if now := after[name]; now != was {
			lines = append(lines, fmt.Sprintf("%s: %s\n      now: %s", name, was, now))
		}
	}
	for name, now := range after {
		if _, had := before[name]; !had {
			lines = append(lines, fmt.Sprintf("%s is new: %s", name, now))
		}
	}
	slices.Sort(lines)
	return lines
}

// irreversible are the tools whose typical call cannot be undone.
var irreversible = []string{"post_chat_line", "mark_notifications_read"}

func TestUndo_PutsTheWorldBackAfterEveryTool(t *testing.T) {
	t.Parallel()
	for _, tool := range writingTools() {
		t.Run(tool.Name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				d := withUndo(t)
				in := typical(d)[tool.Name]
				before := d.sandbox.World()
				answer := call[map[string]any](d, tool.Name, in)
				written := d.sandbox.World()
				code, kept := answer["undo"].(string)
				if kept == slices.Contains(irreversible, tool.Name) {
					t.Fatalf("undo: %q in %v", code, answer)
				}
				u := call[undone](d, "undo", args{"last": 1})
				if !kept {
					if len(u.Undone) != 1 || u.Undone[0].Result != "cannot" || u.Undone[0].Reason == "" {
						t.Errorf("%+v", u)
					}
					return
				}
				if len(u.Undone) != 1 || u.Undone[0].Result != "restored" || u.Undone[0].ID != code {
					t.Errorf("%+v", u)
				}
				restored := d.sandbox.World()
				for _, line := range differences(before, restored) {
					t.Error(line)
				}
				d.fails("INVALID_INPUT", "undo", args{"ids": []string{code}}, "undone already")
				again := call[undone](d, "undo", args{"ids": []string{call[undone](d, "undo", nil).Changes[0].ID}})
				if again.Undone[0].Tool != "undo" {
					t.Errorf("%+v", again)
				}
				if again.Undone[0].Result == "restored" {
					for _, line := range differences(written, d.sandbox.World()) {
						t.Log("undone twice: " + line)
					}
				}
				maps.DeleteFunc(written, func(string, string) bool { return true })
			})
		})
	}
}
