// Package text holds words, names, dates and JSON as people and providers write them.
package text
