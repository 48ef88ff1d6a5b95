package githubtools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/github/githubtools/boards"
	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/report/fault"
)

// valueOf returns what a value means for a field.
func valueOf(t *testing.T, f github.Field, given any) (boards.NewValue, *fault.Error) {
	t.Helper()
	k := &kit{Kit: &boards.Kit{Kit: &parts.Kit{Now: func() time.Time { return time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC) }}}}
	v, err := k.NewValue(f, given)
	if err != nil {
		return v, fault.From(err)
	}
	return v, nil
}

func iterationField(open ...github.Iteration) github.Field {
	f := github.Field{Name: "Sprint", DataType: "ITERATION"}
	if err := json.Unmarshal([]byte(`{"Configuration": {}}`), &f); err != nil {
		panic(err)
	}
	f.Configuration.Iterations = open
	return f
}

func TestIterationInput_AWordThatMeansNoneIsRefusedWithWhatThereIs(t *testing.T) {
	past := github.Iteration{ID: "1", Title: "One", StartDate: "2026-11-01", Duration: 7}
	next := github.Iteration{ID: "2", Title: "Two", StartDate: "2026-12-01", Duration: 7}
	for word, message := range map[string]string{
		"@current":  `value: no iteration matches "@current"; there are "Two"`,
		"@previous": `value: no iteration matches "@previous"; there are "Two"`,
		"@PREVIOUS": `value: no iteration matches "@PREVIOUS"; there are "Two"`,
	} {
		if _, f := valueOf(t, iterationField(next), word); f == nil || f.Message != message {
			t.Errorf("%s: %v", word, f)
		}
	}
	if _, f := valueOf(t, iterationField(past), "@next"); f == nil || f.Message != `value: no iteration matches "@next"; there are "One"` {
		t.Errorf("%v", f)
	}
	if _, f := valueOf(t, iterationField(), "@next"); f == nil || f.Message != `value: no iteration matches "@next"; there are none` {
		t.Errorf("%v", f)
	}
}

func TestIterationInput_IterationsOfOneTitleAreToldApartByTheirDates(t *testing.T) {
	f := iterationField(github.Iteration{ID: "1", Title: "Sprint", StartDate: "2026-11-01", Duration: 7}, github.Iteration{ID: "2", Title: "sprint", StartDate: "2026-12-01", Duration: 7})
	_, ambiguous := valueOf(t, f, "SPRINT")
	if ambiguous == nil || ambiguous.Code != fault.Ambiguous || len(ambiguous.Candidates) != 2 {
		t.Fatalf("%+v", ambiguous)
	}
	for i, c := range ambiguous.Candidates {
		if v, f := valueOf(t, f, c.Ref); f != nil || v.Sent["iterationId"] != fmt.Sprint(i+1) {
			t.Errorf("%s: %+v, %v", c.Ref, v, f)
		}
	}
}

func TestOptionInput_AnExactNameWinsAndASymbolThatDiffersDoesNotMatch(t *testing.T) {
	f := github.Field{Name: "Stage", DataType: "SINGLE_SELECT", Options: []github.Option{
		{ID: "1", Name: "Done"}, {ID: "2", Name: "done"}, {ID: "3", Name: "🔴 Blocked"}, {ID: "4", Name: "None"}, {ID: "5", Name: "Hid\u200bden"}, {ID: "6", Name: "✅Ready"},
	}}
	for given, id := range map[string]string{
		"Done": "1", "done": "2", "blocked": "3", "🔴 blocked": "3", "🔴blocked": "3", "none": "4", "None": "4", "hidden": "5", "🔴": "3", "block": "3", "Hid\u200bden": "5", "✅ ready": "6",
	} {
		if v, f := valueOf(t, f, given); f != nil || v.Clears || v.Sent["singleSelectOptionId"] != id {
			t.Errorf("%q: %+v, %v", given, v, f)
		}
	}
	for given, code := range map[string]fault.Code{"DONE": fault.Ambiguous, "🟢 Blocked": fault.NotFound, "one": fault.Ambiguous, "o": fault.NotFound} {
		_, f := valueOf(t, f, given)
		if f == nil || f.Code != code {
			t.Fatalf("%q: %v", given, f)
		}
		if shown, _ := json.Marshal(f); strings.Contains(string(shown), "\u200b") {
			t.Errorf("%q shows an invisible character: %s", given, shown)
		}
	}
	for given, clears := range map[any]bool{nil: true, "": false, " ": false} {
		if v, f := valueOf(t, f, given); v.Clears != clears || (f == nil) != clears {
			t.Errorf("%v: %+v, %v", given, v, f)
		}
	}
}
