package lambdahttp

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStray_IsALineWithoutTheQuotedResponse(t *testing.T) {
	for printed, want := range map[string]string{
		"Unsolicited response received on idle HTTP channel starting with \"secret\\n\"; err=<nil>": "Unsolicited response received on idle HTTP channel",
		"failed to POST to http://127.0.0.1:9001/response\n":                                        "failed to POST to http://127.0.0.1:9001/response",
		"two\nlines": "two\nlines",
	} {
		var lines bytes.Buffer
		slog.NewLogLogger(stray{newLogger(&lines, nil).Handler()}, slog.LevelInfo).Print(printed)
		var line map[string]any
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil || bytes.Count(lines.Bytes(), []byte("\n")) != 1 {
			t.Fatalf("%v in %s", err, lines.String())
		}
		delete(line, "timestamp")
		if diff := cmp.Diff(map[string]any{"level": "WARN", "message": want}, line); diff != "" {
			t.Error(diff)
		}
	}
}
