// Package serve holds what answers clients: events of API Gateway as requests, the guard in front
// of MCP, and one client on a pipe.
package serve
