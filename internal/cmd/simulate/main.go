// Command simulate finds out at how many people a deployment reaches each of its limits. It
// simulates the busiest hour of a company whose agents work as internal/cmd/costs/prices.json says,
// and compares it with the limits of the gateway, the instances, the table and Basecamp. The same
// code always prints the same numbers.
//
// Run it in the root of the repository. It prints the tables of docs/scale.md.
package main

import (
	"errors"
	"fmt"
	"os"
)

func main() {
	rates, reached, err := tables(".")
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "simulate:", err)
		os.Exit(1)
	}
	_, _ = fmt.Println(rates + "\n" + reached)
}

// tables returns both tables for the repository in a directory.
func tables(root string) (rated, limited string, err error) {
	u, cached, err := load(root)
	if err != nil {
		return "", "", err
	}
	totals, err := bills(root)
	if err != nil {
		return "", "", err
	}
	if len(cached) == 0 {
		return "", "", errors.New(usage + " has no caches")
	}
	c := newCompany(u, cached[len(cached)-1])
	return rates(c), reached(c, totals), nil
}
