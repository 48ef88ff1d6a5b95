package undo_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/calls"
	"basecamp-mcp/internal/identity"
	"basecamp-mcp/internal/memory"
	"basecamp-mcp/internal/undo"
	"basecamp-mcp/internal/writeplan"
)

// A later write may stand on an earlier one, so it is undone before it.
func TestAll_UndoesTheLastWriteFirst(t *testing.T) {
	l := calls.New(memory.New(nil), slog.New(slog.DiscardHandler), nil)
	ctx := identity.With(t.Context(), identity.Caller{Subject: "ines"})
	c := calls.Start(ctx, calls.Entry{Time: time.Now()})
	err := l.Claim(ctx, c)
	c.State = calls.Done
	c.Undo([]byte(`[{"provider":"shelf","id":"1","opposite":{}},{"provider":"shelf","id":"2","opposite":{}},{"provider":"shelf","id":"3","opposite":{}}]`), "")
	if err == nil {
		err = l.End(ctx, c)
	}
	if err != nil {
		t.Fatal(err)
	}
	var order string
	restore := undo.Each(func(_ context.Context, s writeplan.Step) (writeplan.Restored, error) {
		order += s.ID
		return writeplan.Restored{Result: writeplan.Undone}, nil
	})
	changes := undo.Changes{Log: l, Restorers: map[string]undo.Restorer{"shelf": {Restore: restore}}, Errors: slog.New(slog.DiscardHandler)}
	all, _, err := changes.All(ctx, []calls.Record{c.Record}, 1)
	if err != nil || order != "321" || len(all) != 1 || all[0].Result != writeplan.Undone {
		t.Errorf("order %s, %+v, %v", order, all, err)
	}
}

func TestChange_SaysHowManyItemsItDoesNotName(t *testing.T) {
	if shown, err := json.Marshal(undo.Change{More: 8}); err != nil || !strings.Contains(string(shown), `"more":8`) {
		t.Errorf("%s, %v", shown, err)
	}
}
