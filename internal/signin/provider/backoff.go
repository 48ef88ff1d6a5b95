package provider

import "time"

// Backoff returns the pause after a failure that follows the given number of failures: first,
// doubled each time up to most.
func Backoff(failures int, first, most time.Duration) time.Duration {
	return min(first<<min(failures, 16), most)
}
