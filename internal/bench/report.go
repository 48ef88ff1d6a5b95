package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// row is a line of both tables.
type row struct {
	what, unit string
	key        key
}

var rows = []row{
	{"CPU a request, `tools/list`", "µs", key{"cpu", "tools/list", 1, 0}},
	{"CPU a request, `list_tasks`", "µs", key{"cpu", "list_tasks", 1, 0}},
	{"CPU a request, `get_me`", "µs", key{"cpu", "get_me", 1, 0}},
	{"CPU a request, `list_todos`", "µs", key{"cpu", "list_todos", 1, 0}},
	{"time of `list_todos`, upstream 0 ms", "ms", key{"wait", "list_todos", 1, 0}},
	{"time of `list_todos`, upstream 20 ms", "ms", key{"wait", "list_todos", 1, 20 * time.Millisecond}},
	{"time of `list_todos`, upstream 200 ms", "ms", key{"wait", "list_todos", 1, 200 * time.Millisecond}},
	{"requests a second, `tools/list`, 1 connection", "/s", key{"rate", "tools/list", 1, 0}},
	{"requests a second, `list_tasks`, 1 connection", "/s", key{"rate", "list_tasks", 1, 0}},
	{"requests a second, `tools/list`, 16 connections", "/s", key{"rate", "tools/list", 16, 0}},
	{"requests a second, `list_tasks`, 16 connections", "/s", key{"rate", "list_tasks", 16, 0}},
	{"requests a second, `list_todos`, 16 connections", "/s", key{"rate", "list_todos", 16, 0}},
	{"exec to first answer", "ms", firstAnswer},
	{"most memory held", "MB", memory},
}

const (
	notMeasured = "not measured"
	notOffered  = "-"
)

// report returns the section of the document: ratios, figures, omissions, method and machine.
func (b *bench) report(f figures, done int, machine string) string {
	var said strings.Builder
	said.WriteString("How many times slower a peer is than this server, or how many times more it needs. Below 1, the peer is ahead.\n\n")
	b.table(&said, "times this server", b.peers[1:], func(p peer, r row) string { return f.ratio(p.name, r.key) })
	said.WriteString("\nThe figures themselves:\n\n")
	b.table(&said, "figure", b.peers, func(p peer, r row) string {
		if all := f[p.name][r.key]; len(all) > 0 {
			return number(median(all)) + " " + r.unit
		}
		return notOffered
	})
	said.WriteString(omissions)
	for _, p := range b.peers {
		fmt.Fprintf(&said, "* **%s**: %s.", p.name, p.omits)
		if reason := b.missing[p.name]; reason != "" {
			fmt.Fprintf(&said, " Not measured: %s.", reason)
		}
		said.WriteString("\n")
	}
	fmt.Fprintf(&said, method, len(b.tools), todosPerPage, done, checkedOneIn)
	said.WriteString(machine + "\n")
	return said.String()
}

// omissions says what all peers leave out.
const omissions = `
All peers leave out what this server does for each call: they check no bearer token, write no log line, keep no trail of
calls, do not look at the list and its groups, cache nothing and do not limit the size of an answer. Each of them also leaves out:

`

// method says how the figures came about.
const method = `
Every peer lists the same %d tools, with the same schemas. ` + "`list_tasks`" + ` reads nothing; ` + "`get_me`" + ` reads two documents
from the upstream at the same time; ` + "`list_todos`" + ` reads %d to-dos with short descriptions in HTML and answers Markdown,
with each library's own converter. The upstream is a stand-in on the same machine. It never sends a text twice, so nothing
comes from a cache, and this server does not limit the rate of its requests to it.

Figures are medians of %d rounds, after one that does not count. In each round, all peers take turns with each kind of request.
A ratio is the median of the rounds' ratios. CPU is the peer's own, by the clock of its process. A wrong answer ends the run:
one in %d is decoded and compared with what the upstream sent, the others are searched for what all have. All programs and
the load generator share the machine, so at 16 connections the machine is full. A load average
above the number of cores means that other work slowed the run.

`

func (b *bench) table(said *strings.Builder, title string, columns []peer, cell func(peer, row) string) {
	said.WriteString("| " + title + " |")
	for _, p := range columns {
		said.WriteString(" " + p.name + " |")
	}
	said.WriteString("\n|---" + strings.Repeat("|---", len(columns)) + "|\n")
	for _, r := range rows {
		said.WriteString("| " + r.what + " |")
		for _, p := range columns {
			text := notMeasured
			if b.missing[p.name] == "" {
				text = cell(p, r)
			}
			said.WriteString(" " + text + " |")
		}
		said.WriteString("\n")
	}
}

// ratio returns how many times worse than this server a peer is, as the median of the rounds.
func (f figures) ratio(peer string, k key) string {
	own, others := f[measured][k], f[peer][k]
	if len(others) == 0 {
		return notOffered
	}
	ratios := make([]float64, len(others))
	for i := range ratios {
		ratios[i] = others[i] / own[i]
		if k.kind == "rate" {
			ratios[i] = own[i] / others[i]
		}
	}
	return number(median(ratios))
}

func median(figures []float64) float64 {
	sorted := slices.Sorted(slices.Values(figures))
	return sorted[len(sorted)/2]
}

// number returns a figure with two or three digits that count.
func number(n float64) string {
	switch {
	case n < 2:
		return fmt.Sprintf("%.2f", n)
	case n < 20:
		return fmt.Sprintf("%.1f", n)
	case n < 1000:
		return fmt.Sprintf("%.0f", n)
	}
	return fmt.Sprintf("%d,%03d", int(n)/1000, int(n)%1000)
}
