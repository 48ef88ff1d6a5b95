//go:build !race

package app

// underRace says that sync.Pool forgets.
const underRace = false
