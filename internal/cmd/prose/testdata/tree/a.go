// Package a is an example.
package a

// Good returns one.
func Good() int { return 1 }

// Bad is one.
func Bad() int { return 1 }

// Give gives one.
func Give() int { return 1 }

// It returns one.
func Name() int { return 1 }

// Lock and Unlock guard the door.
func Lock() {}

// Store keeps "nobody" and `somebody`; a
// nonsense that spans
// put
// off.
//
//	nobody knows
type Store interface {
	// Load is a store's.
	Load() string
}

const text = "for whom"

var raw = `first
second anew
third`

// This line is much longer than a hundred columns, because it goes on and on without a line break in it.
var x = 1 // no page
