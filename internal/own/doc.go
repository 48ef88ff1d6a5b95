// Package own holds the server's own things: checklists, tasks, links, the record of calls, undo.
package own
