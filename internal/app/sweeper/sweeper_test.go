package sweeper

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"basecamp-mcp/internal/sweep"
	"basecamp-mcp/internal/telemetry"
)

func TestFunction_WarnsOfARunThatLeftUsers(t *testing.T) {
	for level, run := range map[string]struct {
		report sweep.Report
		err    error
	}{
		"INFO":  {sweep.Report{Complete: true, Users: 3, Busy: 1}, nil},
		"WARN":  {sweep.Report{Complete: true, Users: 3, Failed: 1}, nil},
		"ERROR": {sweep.Report{Users: 3, Failed: 3}, errors.New("the table does not answer")},
	} {
		var log bytes.Buffer
		f := &Function{table: "t", log: slog.New(slog.NewTextHandler(&log, nil))}
		f.tell(t.Context(), run.report, run.err, 0, &telemetry.Request{})
		if !strings.Contains(log.String(), "level="+level) {
			t.Errorf("%+v, %v: %s", run.report, run.err, log.String())
		}
	}
}
