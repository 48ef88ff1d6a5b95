package undo_test

import (
	"encoding/json"
	"strings"
	"testing"

	"basecamp-mcp/internal/undo"
)

func TestChange_SaysHowManyItemsItDoesNotName(t *testing.T) {
	if shown, err := json.Marshal(undo.Change{More: 8}); err != nil || !strings.Contains(string(shown), `"more":8`) {
		t.Errorf("%s, %v", shown, err)
	}
}
