// Package catalog holds the catalogue of all tools, and those for checklists, tasks and accounts.
package catalog
