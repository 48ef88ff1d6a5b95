package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// written returns a line in the form that a JSON log has.
func written(t *testing.T, line []slog.Attr) map[string]any {
	t.Helper()
	var out bytes.Buffer
	slog.New(slog.NewJSONHandler(&out, nil)).LogAttrs(t.Context(), slog.LevelInfo, "call", line...)
	var root map[string]any
	if err := json.Unmarshal(out.Bytes(), &root); err != nil {
		t.Fatalf("%v in %s", err, out.String())
	}
	for _, name := range []string{"time", "level", "msg"} {
		delete(root, name)
	}
	return root
}

type definition struct {
	Timestamp         int64
	CloudWatchMetrics []struct {
		Namespace  string
		Dimensions [][]string
		Metrics    []struct{ Name, Unit string }
	}
}

// metricsIn checks a line in the way CloudWatch does and returns its metrics by their dimensions.
func metricsIn(t *testing.T, root map[string]any) map[string]float64 {
	t.Helper()
	raw, err := json.Marshal(root["_aws"])
	if err != nil {
		t.Fatal(err)
	}
	var d definition
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&d); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	if age := time.Since(time.UnixMilli(d.Timestamp)); age < 0 || age > time.Minute {
		t.Errorf("the time is %d", d.Timestamp)
	}
	found := map[string]float64{}
	for _, directive := range d.CloudWatchMetrics {
		if directive.Namespace != "basecamp-mcp" || len(directive.Dimensions) != 1 || len(directive.Metrics) == 0 {
			t.Errorf("%+v", directive)
		}
		names := ""
		for _, dimension := range directive.Dimensions[0] {
			value, ok := root[dimension].(string)
			if !ok || value == "" {
				t.Errorf("the dimension %s is %v", dimension, root[dimension])
			}
			names += " " + value
		}
		for _, m := range directive.Metrics {
			value, ok := root[m.Name].(float64)
			if !ok {
				t.Errorf("the metric %+v is %v", m, root[m.Name])
			}
			found[m.Name+names] = value
		}
	}
	return found
}

func TestCounts_AreMetricsThatCloudWatchTakes(t *testing.T) {
	met := &Request{}
	Tripped(With(t.Context(), met))
	down := &Request{}
	atSignIn := With(t.Context(), down)
	ExchangeRefused(atSignIn)
	StoreFailed(atSignIn)
	StoreFailed(atSignIn)
	for name, test := range map[string]struct {
		counts Counts
		want   map[string]float64
	}{
		"a sign-in that fails": {Counts{Request: down}, map[string]float64{"SignOnFailures table": 5, "Faults table": 2}},
		"a defect":             {Counts{Request: down, Failure: "INTERNAL_ERROR"}, map[string]float64{"SignOnFailures table": 5, "Faults table": 5}},
		"an ended connection":  {Counts{Failure: "TOKEN_EXPIRED"}, map[string]float64{"SignOnFailures table": 3}},
		"a refusing sign-on":   {Counts{Request: met, Failure: "RATE_LIMITED"}, map[string]float64{"SignOnFailures table": 15}},
	} {
		got := metricsIn(t, written(t, test.counts.Append(nil, "table")))
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
}

func TestCounts_WithoutDataOrTableAreNotWritten(t *testing.T) {
	line := []slog.Attr{slog.String("tool", "get_me")}
	for _, got := range [][]slog.Attr{
		Counts{}.Append(line, "table"),
		Counts{Request: &Request{}}.Append(line, "table"),
		Counts{Request: &Request{}, Failure: "NOT_FOUND"}.Append(line, "table"),
		Counts{Failure: "INTERNAL_ERROR"}.Append(line, ""),
	} {
		if diff := cmp.Diff(map[string]any{"tool": "get_me"}, written(t, got)); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
}

func TestRequest_AppendsTheCollectedFacts(t *testing.T) {
	for name, test := range map[string]struct {
		request *Request
		want    map[string]any
	}{
		"none":          {nil, map[string]any{}},
		"warm":          {&Request{Init: time.Second}, map[string]any{}},
		"cold":          {&Request{Cold: true, Init: 23500 * time.Microsecond}, map[string]any{"cold": true, "init_ms": 23.5}},
		"cold, at home": {&Request{Cold: true}, map[string]any{"cold": true}},
	} {
		if diff := cmp.Diff(test.want, written(t, test.request.Append(nil))); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
	r := &Request{}
	Refreshed(With(t.Context(), r))
	if diff := cmp.Diff(map[string]any{"refreshes": 1.0}, written(t, r.Append(nil))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	Provider(With(t.Context(), r), "orchard")
	if diff := cmp.Diff(map[string]any{"refreshes": 1.0, "provider": "orchard"}, written(t, r.Append(nil))); diff != "" {
		t.Errorf("another provider: -want +got:\n%s", diff)
	}
}

func TestRequest_HasOneLine(t *testing.T) {
	r := &Request{}
	if !r.Tell() || r.Tell() {
		t.Error("only the first line must be told")
	}
	for range 2 {
		if !From(context.Background()).Tell() {
			t.Error("outside a request, every line must be told")
		}
	}
	Refreshed(context.Background()) // no request collects it
	Tripped(context.Background())
	ExchangeRefused(context.Background())
	StoreFailed(context.Background())
}

func TestRequest_MeasuresFromItsStart(t *testing.T) {
	now := time.Now()
	if took := (&Request{Start: now.Add(-time.Hour)}).Took(now); took < time.Hour {
		t.Errorf("took %s", took)
	}
	if took := (*Request)(nil).Took(now.Add(-time.Minute)); took < time.Minute || took > time.Hour {
		t.Errorf("took %s", took)
	}
}
