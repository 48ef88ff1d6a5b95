// Package signin holds who may do what, and for how long: the authorization server with its pages,
// grants, providers, callers, and the limits of a client.
package signin
