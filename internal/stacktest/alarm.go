package stacktest

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Alarm is an alarm of the template, as CloudWatch evaluates it.
type Alarm struct {
	metrics    []metric
	percentage *percentage // of two metrics; nil: the value of the only one
	compared   func(value, threshold float64) bool
	threshold  float64
	period     time.Duration
	periods    int // that are looked at
	datapoints int // of these, how many must breach
}

// metric is the sum of a metric in a period.
type metric struct {
	id, namespace, name string
	dimensions          map[string]string
}

// percentage is the expression IF(part >= many, 100, IF(part >= least, 100 * part / whole, 0)).
type percentage struct {
	part, whole string
	many, least float64
}

// Alarms returns the template's alarms on the sum of a metric in a namespace, by their logical IDs.
// named has the values of the references in their dimensions.
func Alarms(namespace string, named map[string]string) (map[string]Alarm, error) {
	text, err := Text()
	if err != nil {
		return nil, err
	}
	value, err := Parse(text)
	if err != nil {
		return nil, err
	}
	resources, _ := mapIn(value, "Resources")
	alarms := map[string]Alarm{}
	for id, each := range resources {
		resource, _ := each.(map[string]any)
		if resource["Type"] != "AWS::CloudWatch::Alarm" {
			continue
		}
		properties, _ := mapIn(resource, "Properties")
		if properties["ExtendedStatistic"] != nil {
			continue
		}
		a, err := parseAlarm(properties, named)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", id, err)
		}
		if a.metrics[0].namespace == namespace {
			alarms[id] = a
		}
	}
	return alarms, nil
}

var expression = regexp.MustCompile(`^IF\((\w+) >= (\d+), 100, IF\((\w+) >= (\d+), 100 \* (\w+) / (\w+), 0\)\)$`)

func parseAlarm(p map[string]any, named map[string]string) (a Alarm, err error) {
	a.compared = map[any]func(x, y float64) bool{
		"GreaterThanOrEqualToThreshold": func(x, y float64) bool { return x >= y },
		"GreaterThanThreshold":          func(x, y float64) bool { return x > y },
	}[p["ComparisonOperator"]]
	if a.compared == nil || p["TreatMissingData"] != "notBreaching" {
		return a, fmt.Errorf("compares %v, and treats missing data as %v", p["ComparisonOperator"], p["TreatMissingData"])
	}
	period := p["Period"]
	if queries, ok := p["Metrics"].([]any); ok {
		period, err = a.parseQueries(queries, named)
	} else if a.metrics = []metric{parseMetric(p, named)}; p["Statistic"] != "Sum" {
		err = fmt.Errorf("the statistic is %v", p["Statistic"])
	}
	if err != nil {
		return a, err
	}
	if a.periods, err = strconv.Atoi(fmt.Sprint(p["EvaluationPeriods"])); err != nil {
		return a, err
	}
	a.datapoints = a.periods
	if many, ok := p["DatapointsToAlarm"].(string); ok {
		if a.datapoints, err = strconv.Atoi(many); err != nil {
			return a, err
		}
	}
	seconds, err := strconv.Atoi(fmt.Sprint(period))
	if err != nil {
		return a, err
	}
	a.period = time.Duration(seconds) * time.Second
	a.threshold, err = strconv.ParseFloat(fmt.Sprint(p["Threshold"]), 64)
	return a, err
}

// parseQueries reads the metrics and the expression of an alarm that compares metrics.
func (a *Alarm) parseQueries(queries []any, named map[string]string) (period any, err error) {
	for _, each := range queries {
		query, _ := each.(map[string]any)
		if text, ok := query["Expression"].(string); ok {
			m := expression.FindStringSubmatch(text)
			if len(m) == 0 || m[1] != m[3] || m[3] != m[5] {
				return nil, fmt.Errorf("the expression is %s", text)
			}
			many, _ := strconv.ParseFloat(m[2], 64) // digits
			least, _ := strconv.ParseFloat(m[4], 64)
			a.percentage = &percentage{part: m[5], whole: m[6], many: many, least: least}
			continue
		}
		stat, _ := mapIn(query, "MetricStat")
		inner, _ := mapIn(stat, "Metric")
		if stat["Stat"] != "Sum" || query["ReturnData"] != "false" || period != nil && period != stat["Period"] {
			return nil, fmt.Errorf("the metric is %v", query)
		}
		found := parseMetric(inner, named)
		found.id, _ = query["Id"].(string)
		a.metrics, period = append(a.metrics, found), stat["Period"]
	}
	if a.percentage == nil || len(a.metrics) != 2 {
		return nil, fmt.Errorf("there are %d metrics, and the expression is %v", len(a.metrics), a.percentage)
	}
	return period, nil
}

// reference matches a !Ref, also as the first value of an !If: the template with its defaults.
var reference = regexp.MustCompile(`^(?:!If \[\w+, )?!Ref (\w+)`)

func parseMetric(p map[string]any, named map[string]string) metric {
	m := metric{dimensions: map[string]string{}}
	m.namespace, _ = p["Namespace"].(string)
	m.name, _ = p["MetricName"].(string)
	dimensions, _ := p["Dimensions"].([]any)
	for _, each := range dimensions {
		d, _ := each.(map[string]any)
		name, _ := d["Name"].(string)
		value, _ := d["Value"].(string)
		m.dimensions[name] = resolve(value, named)
	}
	return m
}

// resolve returns the value of a dimension.
func resolve(value string, named map[string]string) string {
	if found := reference.FindStringSubmatch(value); len(found) > 0 {
		return named[found[1]]
	}
	if attribute, ok := strings.CutPrefix(value, "!GetAtt "); ok {
		return named[attribute]
	}
	if text, ok := strings.CutPrefix(value, "!Sub "); ok {
		return os.Expand(text, func(reference string) string { return named[reference] })
	}
	return value
}

// Rings reports whether the alarm rings at any time because of some data. A period without data
// does not breach.
func (a Alarm) Rings(data []Datum) bool {
	breaching := map[int64]bool{}
	for period, sums := range a.sums(data) {
		if value, ok := a.value(sums); ok && a.compared(value, a.threshold) {
			breaching[period] = true
		}
	}
	for last := range breaching {
		many := 0
		for period := last - int64(a.periods) + 1; period <= last; period++ {
			if breaching[period] {
				many++
			}
		}
		if many >= a.datapoints {
			return true
		}
	}
	return false
}

// sums returns the sum of each metric, by period and ID.
func (a Alarm) sums(data []Datum) map[int64]map[string]float64 {
	all := map[int64]map[string]float64{}
	for _, d := range data {
		for _, m := range a.metrics {
			if !d.is(m) {
				continue
			}
			period := d.Time.Unix() / int64(a.period.Seconds())
			if all[period] == nil {
				all[period] = map[string]float64{}
			}
			all[period][m.id] += d.Value
		}
	}
	return all
}

// value returns what is compared with the threshold. It is missing if a metric has no data.
func (a Alarm) value(sums map[string]float64) (value float64, ok bool) {
	if a.percentage == nil {
		value, ok = sums[a.metrics[0].id]
		return value, ok
	}
	part, hasPart := sums[a.percentage.part]
	whole, hasWhole := sums[a.percentage.whole]
	switch {
	case !hasPart || !hasWhole:
		return 0, false
	case part >= a.percentage.many:
		return 100, true
	case part >= a.percentage.least:
		return 100 * part / whole, true
	}
	return 0, true
}
