package main

import "math"

// company simulates each number of people once.
type company struct {
	use   use
	reads reads // of the most people
	known map[question]hour
}

type question struct {
	people int
	down   outage
}

func newCompany(u use, r reads) *company { return &company{u, r, map[question]hour{}} }

func (c *company) hour(people int, down outage) hour {
	q := question{people, down}
	h, ok := c.known[q]
	if !ok {
		h = simulate(c.use, people, down)
		c.known[q] = h
	}
	return h
}

// largest is the largest number of people that is simulated.
const largest = 1_000_000

var steps = []float64{1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8}

// first returns the first round number of people who reach a limit, and zero if largest do not.
func first(reached func(people int) bool) int {
	low, high := -1, 0 // positions; low is not reached
	for round(high) < largest {
		high++
	}
	if !reached(round(high)) {
		return 0
	}
	for low+1 < high {
		if middle := (low + high) / 2; reached(round(middle)) {
			high = middle
		} else {
			low = middle
		}
	}
	return round(high)
}

// round returns a round number by its position: 1, 1, 2, 2, 3, 3, 4, 5, 6, 8, 10, 12, 15.
func round(position int) int {
	return int(math.Round(steps[position%len(steps)] * math.Pow10(position/len(steps))))
}

// atLeast returns the smallest round number that is not smaller.
func atLeast(n float64) int {
	position := 0
	for float64(round(position)) < n {
		position++
	}
	return round(position)
}
