package basecamptools

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/basecamp/operations"
	"basecamp-mcp/internal/mcptest"
	"basecamp-mcp/internal/writeplan"
)

// Every operation that changes something is planned as it is carried out, with all of its arguments
// and with some of them.
func TestPreview_PlansWhatOperationsSend(t *testing.T) {
	each, compared := 12, 0
	if testing.Short() {
		each = 1
	}
	r := rand.New(rand.NewPCG(3, 4))
	operating(t, true, func(d *toolEnv, s *standIn, row *operations.Row, in args) {
		if !row.Changes() {
			return
		}
		sent := sentWrites{to: s.next}
		s.next = &sent
		all := in["arguments"].(args)
		for round := range each {
			some := args{}
			for name, value := range all {
				if round == 0 || r.IntN(3) > 0 {
					some[name] = value
				}
			}
			message := mcptest.Message("tools/call", mcptest.ToolCall(t, row.Runner(), args{"operation": row.Name, "arguments": some}))
			ctx, plan := writeplan.With(d.Context())
			wouldBe := mcptest.Post(ctx, d.handler(), d.who, message, nil).Body.String()
			if len(sent.writes) > 0 {
				t.Fatalf("%s: a plan sent %v", row.Name, sent.writes)
			}
			is := mcptest.Post(d.Context(), d.handler(), d.who, message, nil).Body.String()
			if failed := strings.Contains(is, `"isError":true`); failed != strings.Contains(wouldBe, `"isError":true`) {
				t.Errorf("%s %v:\nplanned %.700s\ncalled  %.700s", row.Name, some, wouldBe, is)
			} else if !failed {
				holdToPlan(t, fmt.Sprint(row.Name, some), plan.Writes(), sent.writes)
				compared += len(sent.writes)
			}
			for _, w := range plan.Writes() {
				if w.What == "" {
					t.Errorf("%s: planned %+v", row.Name, w)
				}
			}
			sent.writes = slices.Delete(sent.writes, 0, len(sent.writes))
			s.sent = ""
		}
	})
	if compared == 0 {
		t.Error("no operation wrote")
	}
	t.Log(compared, "writes")
}
