// Package wire holds one exchange with a provider: sent within its limits, or planned.
package wire
