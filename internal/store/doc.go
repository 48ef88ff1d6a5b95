// Package store holds every store: items, the engines that keep them, and what seals tokens.
package store
