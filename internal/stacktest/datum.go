package stacktest

import (
	"encoding/json"
	"fmt"
	"maps"
	"time"
)

// Datum is one value of a metric.
type Datum struct {
	Namespace, Name string
	Dimensions      map[string]string
	Value           float64
	Time            time.Time
}

// is reports whether the value belongs to a metric: the namespace, the name and all dimensions are
// equal.
func (d Datum) is(m metric) bool {
	return d.Namespace == m.namespace && d.Name == m.name && maps.Equal(d.Dimensions, m.dimensions)
}

// Data returns the values in a log line in CloudWatch's embedded metric format. A line without
// metrics has none.
func Data(line []byte) ([]Datum, error) {
	var root map[string]json.RawMessage
	var directives struct {
		Timestamp         int64
		CloudWatchMetrics []struct {
			Namespace  string
			Dimensions [][]string
			Metrics    []struct{ Name string }
		}
	}
	if err := json.Unmarshal(line, &root); err != nil {
		return nil, fmt.Errorf("%w in %s", err, line)
	}
	if root["_aws"] == nil {
		return nil, nil
	}
	if err := json.Unmarshal(root["_aws"], &directives); err != nil {
		return nil, fmt.Errorf("%w in %s", err, line)
	}
	var data []Datum
	for _, directive := range directives.CloudWatchMetrics {
		for _, names := range directive.Dimensions {
			dimensions := map[string]string{}
			for _, name := range names {
				var value string
				if err := json.Unmarshal(root[name], &value); err != nil {
					return nil, fmt.Errorf("dimension %s: %w in %s", name, err, line)
				}
				dimensions[name] = value
			}
			for _, m := range directive.Metrics {
				d := Datum{Namespace: directive.Namespace, Name: m.Name, Dimensions: dimensions, Time: time.UnixMilli(directives.Timestamp)}
				if err := json.Unmarshal(root[m.Name], &d.Value); err != nil {
					return nil, fmt.Errorf("metric %s: %w in %s", m.Name, err, line)
				}
				data = append(data, d)
			}
		}
	}
	return data, nil
}
