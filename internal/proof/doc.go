// Package proof holds what only tests and checks use.
package proof
