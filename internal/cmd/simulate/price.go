package main

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

const (
	costs  = "docs/costs.md" // made by the command costs
	budget = 60              // dollars a month
)

// billed is a line of totals in the table of costs.
type billed struct {
	name    string
	dollars map[int]float64 // by number of people
}

var total = regexp.MustCompile(`(?m)^\| \*\*([^*]+)\*\* \| \*\*([\d.]+)\*\* \| \*\*([\d.]+)\*\* \| \*\*([\d.]+)\*\* \|$`)

// bills reads the totals that the command costs computed, for 1, 100 and 10,000 people.
func bills(root string) (all []billed, err error) {
	text, err := os.ReadFile(filepath.Join(root, costs))
	if err != nil {
		return nil, err
	}
	for _, row := range total.FindAllStringSubmatch(string(text), -1) {
		bill := billed{row[1], map[int]float64{}}
		for i, people := range []int{1, 100, 10_000} {
			if bill.dollars[people], err = strconv.ParseFloat(row[2+i], 64); err != nil {
				return nil, err
			}
		}
		all = append(all, bill)
	}
	if len(all) == 0 {
		return nil, errors.New(costs + " has no line of totals for 1, 100 and 10,000 people")
	}
	return all, nil
}

// people returns the first round number of people who cost more. Between the numbers of the table
// the bill grows evenly.
func (b billed) people(dollars float64) int {
	return first(func(people int) bool {
		from, to := 1, 100
		if people > 100 {
			from, to = 100, 10_000
		}
		each := (b.dollars[to] - b.dollars[from]) / float64(to-from)
		return b.dollars[from]+each*float64(people-from) > dollars
	})
}
