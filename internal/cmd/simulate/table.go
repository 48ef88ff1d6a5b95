package main

import (
	"fmt"
	"strconv"
	"strings"
)

var sizes = []int{1, 100, 1000, 10_000}

// rates returns a table of the limits that the gateway needs for teams of several sizes.
func rates(c *company) string {
	var b strings.Builder
	b.WriteString("| people | requests a second: average | busiest hour | busiest second | `McpLimits` | `OAuthLimits`, without `/register` | the same of `/register` |\n")
	b.WriteString("|---|---|---|---|---|---|---|\n")
	for _, people := range sizes {
		n := c.needs(people)
		fmt.Fprintf(&b, "| %s | %s | %s | %d | %d, %d | %d, %d | %d, %d |\n", thousands(people), brief(n.average), brief(n.average*peak), n.busiest,
			n.mcp.rate, n.mcp.burst, n.oauth.rate, n.oauth.burst, n.register.rate, n.register.burst)
	}
	return b.String()
}

// needs is what a team of one size asks of the gateway, and the parameters that suit it.
type needs struct {
	average              float64
	busiest              int
	mcp, oauth, register bucket
}

type bucket struct{ rate, burst int }

// needs leaves twice the room that the busiest hour takes, and never goes below the defaults.
func (c *company) needs(people int) needs {
	h := c.hour(people, healthy)
	average, connects := c.use.average(people), firstHour(people)
	tokens := c.use.jobs(people) * c.use.refreshes()
	const steps = 2 // requests of a login to one route: a page, and the form on it
	return needs{
		average, busiest(h.mcp),
		suiting(bucket{mcpRate, mcpBurst}, peak*average, busiest(h.mcp)),
		suiting(bucket{oauthRate, oauthBurst}, max(tokens, steps*float64(people)/3600), max(busiest(h.tokens), steps*busiest(connects))),
		suiting(bucket{registerRate, registerBurst}, float64(people)/3600, busiest(connects)),
	}
}

func suiting(least bucket, mean float64, busiest int) bucket {
	return bucket{max(least.rate, atLeast(2*mean)), max(least.burst, atLeast(2*float64(busiest)))}
}

// busiest returns the most requests in one second.
func busiest(times []float64) (most int) {
	from := 0
	for to, at := range times {
		for at-times[from] >= 1 {
			from++
		}
		most = max(most, to-from+1)
	}
	return most
}

// reached returns a table of the limits, and of how many people reach each of them.
func reached(c *company, bills []billed) string {
	var b strings.Builder
	b.WriteString("| limit | by default | reached at | to raise it |\n|---|---|---|---|\n")
	for _, l := range limits(c) {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", l.name, l.value, peopleOf(first(l.reached)), l.raise)
	}
	fmt.Fprintf(&b, "| Basecamp: one user's token | 50 in 10 s | %d agents of one user at once | ask the agents for less at once, or ask 37signals |\n", agentsOfAUser(c.use))
	for _, bill := range bills {
		fmt.Fprintf(&b, "| price: %s | $%d a month | %s | [costs.md](costs.md) says which part costs most |\n", bill.name, budget, peopleOf(bill.people(budget)))
	}
	return b.String()
}

func peopleOf(n int) string {
	if n == 0 {
		return "more than " + thousands(largest) + " people"
	}
	return thousands(n) + " people"
}

// thousands writes a number with commas.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// brief writes a number with two significant digits.
func brief(n float64) string {
	if n >= 10 {
		return fmt.Sprintf("%.0f", n)
	}
	return strings.TrimSuffix(strconv.FormatFloat(n, 'g', 2, 64), ".0")
}
