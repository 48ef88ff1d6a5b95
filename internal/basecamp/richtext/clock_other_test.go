//go:build !unix

package richtext

import "time"

var began = time.Now()

// processorTime returns the time since the tests began, because package syscall reads no processor
// time on this system.
func processorTime() time.Duration { return time.Since(began) }
