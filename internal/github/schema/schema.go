// Package schema has facts of GitHub's public GraphQL schema: the types, fields, arguments and
// values that this project uses. The documents of the client and the fake of GitHub are both held
// to them, so that a test shows a mistake that otherwise only GitHub would find.
package schema

import _ "embed"

// SDL is the schema that GitHub and current Enterprise Servers have in common.
//
//go:embed schema.graphql
var SDL string

// Newer has what GitHub has and Enterprise Servers may lack. A document must not name it: a server
// without it refuses the whole document. It extends SDL.
//
//go:embed newer.graphql
var Newer string
