package main

import (
	"fmt"
	"strings"
)

// memories returns a table of what Lambda costs with some sizes.
func (u usage) memories(sizes []float64) string {
	var b strings.Builder
	b.WriteString("| `MemorySize` | a request | a million requests | 10,000 people |\n|---|---|---|---|\n")
	for _, size := range sizes {
		fmt.Fprintf(&b, "| %.0f MB | %.0f ms | $%.2f | $%.2f a month |\n", size, u.use.time(size), u.ofFunctions(size), u.lambda(size, 10_000))
	}
	return b.String()
}

// million returns a table of what a million requests cost, by their parts.
func (u usage) million() string {
	p, use, few, many := u.prices, u.use, u.caches[0], u.caches[len(u.caches)-1]
	var b strings.Builder
	row := func(cost float64, upTo, name string, figures ...any) {
		fmt.Fprintf(&b, "| %s | %s%s |\n", fmt.Sprintf(name, figures...), upTo, dollars(cost))
	}
	b.WriteString("| part | $ a million |\n|---|---|\n")
	row(p.GatewayMillion, "", "API Gateway, HTTP API")
	for _, m := range modes {
		size := use.MemoryMB.value(m)
		row(u.ofFunctions(size), "", "Lambda, arm64, %.0f ms at %.0f MB, with `TokenStore=%s`", use.time(size), size, m)
	}
	row(mostReads*p.ReadMillion, "up to ", "checking the access token: one batch read of three small items, %d read units", mostReads)
	row(many.RecordReads*p.ReadMillion, "up to ", "finding the user's grant: 1 read unit in %.0f to %.0f %% of the tool calls", 100*few.RecordReads, 100*many.RecordReads)
	row(many.TokenReads*100*p.SecretReads10000, "up to ", "reading the user's tokens in %.0f to %.0f %% of the tool calls, with `TokenStore=secrets`", 100*few.TokenReads, 100*many.TokenReads)
	row(many.TokenReads*rowRead*p.ReadMillion, "up to ", "the same with `TokenStore=envelope`: half a read unit")
	row(use.WriteUnits*p.WriteMillion, "", "recording a tool call in the audit trail, how it is undone, and what tools store: %.1f write units", use.WriteUnits)
	row(use.RefreshReads*p.ReadMillion+use.RefreshWrites*p.WriteMillion, "",
		"refreshing an access token of this server: %.0f read units and %.0f write units", use.RefreshReads, use.RefreshWrites)
	row(million*use.LogKB/mb/mb*p.LogGB, "", "logs, %.2f KB", use.LogKB)
	row(million*use.SentKB/mb/mb*p.InternetGB, "", "data sent to the internet, %.2f KB", use.SentKB)
	return b.String()
}

// ofFunctions returns what Lambda costs for a million requests, with a size of memory in MB.
func (u usage) ofFunctions(size float64) float64 {
	return u.prices.LambdaMillion + million*u.use.gbSeconds(size)*u.prices.LambdaGBSecond
}
