// Package tool holds what a tool is: its arguments, its answers, its lists, and the serving of it.
package tool
