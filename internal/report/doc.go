// Package report holds what callers and operators are told: errors, log lines and metrics.
package report
