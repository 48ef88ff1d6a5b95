package main

import (
	"math/rand/v2"
	"slices"
)

// The defaults of template.yaml, and the quotas of AWS and Basecamp.
const (
	mcpRate, mcpBurst           = 20, 40
	oauthRate, oauthBurst       = 10, 20
	registerRate, registerBurst = 2, 10
	tableReads, tableWrites     = 1000, 400 // units a second
	newAccount, account         = 10, 1000  // instances that an AWS account may run at once
	basecampMost                = 50        // requests in basecampWindow, of one token or from one address
	basecampWindow              = 10.0      // seconds
)

// A limit is reached when it stops more than one request in a thousand.
const tolerated = 0.001

type limit struct {
	name, value, raise string

	reached func(people int) bool
}

// limits returns all limits, in the order in which a request meets them.
func limits(c *company) []limit {
	normal := func(stopped func(h hour) float64) func(int) bool {
		return func(people int) bool { return stopped(c.hour(people, healthy)) > tolerated }
	}
	while := func(down outage) func(int) bool {
		return func(people int) bool { return c.hour(people, down).above(account) > tolerated }
	}
	return []limit{
		{
			"gateway: tools", "20 a second, 40 at once", "`McpLimits`; above 5,000 a second the account's quota",
			normal(func(h hour) float64 { return throttled(h.mcp, 1, mcpRate, mcpBurst) }),
		},
		{
			"gateway: `/token`", "10 a second, 20 at once", "`OAuthLimits`, or `AccessTokenTtl`",
			normal(func(h hour) float64 { return throttled(h.tokens, 1, oauthRate, oauthBurst) }),
		},
		{
			"gateway: `/register`, if all users connect within one hour", "2 a second, 10 at once", "`OAuthLimits`, for that day",
			func(people int) bool { return throttled(firstHour(people), 1, registerRate, registerBurst) > tolerated },
		},
		{
			"instances of a new AWS account", "10 at once", "the account's quota of concurrent executions",
			normal(func(h hour) float64 { return h.above(newAccount) }),
		},
		{
			"instances", "1,000 at once", "the same quota",
			normal(func(h hour) float64 { return h.above(account) }),
		},
		{
			"instances while Basecamp does not answer, without a breaker", "1,000 at once", "nothing: a limit of time and a breaker lower it",
			while(silent),
		},
		{
			"the same, with 8 s for an attempt and a breaker in each instance", "1,000 at once", "the same quota, or split the users by account",
			while(noticed),
		},
		{
			"table: reads", "1,000 units a second", "`MaxReadRequestUnits` in the template",
			normal(func(h hour) float64 { return throttled(h.mcp, c.use.reads(c.reads), tableReads, tableReads) }),
		},
		{
			"table: writes", "400 units a second", "`MaxWriteRequestUnits` in the template",
			normal(func(h hour) float64 { return throttled(h.mcp, c.use.writes(), tableWrites, tableWrites) }),
		},
		{
			"Basecamp: all requests from one address", "50 in 10 s", "run the functions outside a VPC, or ask 37signals",
			normal(func(h hour) float64 { return crowded(h.basecamp) }),
		},
		{
			"Basecamp: an address for each instance, which waits before the limit", "45 in 10 s each", "nothing: Lambda starts more instances",
			normal(func(h hour) float64 { return float64(h.delayed) / float64(len(h.mcp)) }),
		},
	}
}

// agentsOfAUser returns how many agents of one user reach the limit of the user's token, if none of
// them ever pauses.
func agentsOfAUser(u use) int {
	for agents := 1; ; agents++ {
		w := &world{use: u, rand: rand.New(rand.NewPCG(18, uint64(agents)))} //nolint:gosec // a simulation must be repeatable
		for range agents {
			for at := w.waitingTime(think); at < 3600; at += w.waitingTime(think) {
				at = w.ask(newInstance(), at+ownTime, 1+w.geometric(upstream-1))
			}
		}
		if crowded(w.hour.basecamp) > tolerated {
			return agents
		}
	}
}

// firstHour returns the times at which users connect who all do it in the same hour.
func firstHour(people int) (times []float64) {
	random := rand.New(rand.NewPCG(18, uint64(people))) //nolint:gosec // a simulation must be repeatable
	for range min(people, most) {
		times = append(times, random.Float64()*3600*min(1, most/float64(people)))
	}
	slices.Sort(times)
	return times
}

// throttled returns the share of requests that a token bucket refuses. Each request takes cost.
func throttled(times []float64, cost, rate, burst float64) float64 {
	tokens, last, refused := burst, 0.0, 0
	for _, at := range times {
		tokens = min(burst, tokens+(at-last)*rate)
		last = at
		if tokens < cost {
			refused++
			continue
		}
		tokens -= cost
	}
	return share(refused, len(times))
}

// crowded returns the share of requests that Basecamp refuses if it counts them together.
func crowded(times []float64) float64 {
	times = slices.Sorted(slices.Values(times))
	var taken []float64
	refused := 0
	for _, at := range times {
		if n := len(taken); n >= basecampMost && at-taken[n-basecampMost] < basecampWindow {
			refused++
			continue
		}
		taken = append(taken, at)
	}
	return share(refused, len(times))
}

// above returns the share of requests that need an instance more than quota.
func (h hour) above(quota int) float64 {
	refused := 0
	for busy, many := range h.busy {
		if busy >= quota {
			refused += many
		}
	}
	return share(refused, len(h.mcp))
}

func share(part, whole int) float64 { return float64(part) / float64(max(1, whole)) }
