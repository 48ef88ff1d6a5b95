package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// peer is a program to measure.
type peer struct {
	name    string
	omits   string // what it leaves out of the work of the measured server
	command func(programs) ([]string, error)
	offers  []string // the calls that it can answer; nil: all
	ours    bool     // a build of this server, whose tools may differ from the current ones if it is older
	age     int      // calls that it answers before the measurement, so that its file has an entry of each
}

// programs are the directories that the peers' commands come from.
type programs struct {
	binaries string // built by build
	peers    string // the sources of the peers
}

// measured is the peer that all others are compared with: this server.
const measured = "this server"

// older is the peer that is an older build of this server.
const older = "this server, before"

// peers returns all programs to measure, this server first. Before is the path of an older build,
// or empty.
func peers(before string) []peer {
	goPeer := func(name string) func(programs) ([]string, error) {
		return func(p programs) ([]string, error) { return []string{filepath.Join(p.binaries, name)}, nil }
	}
	all := []peer{
		{name: measured, ours: true, command: localServer("memory", "none"), omits: "nothing. It is `functions/local -store memory`, with everything that users get"},
		{name: "its default store", ours: true, command: localServer("file", "new"), omits: "nothing. It is `functions/local` with a new file"},
		{name: "the same, aged", ours: true, command: localServer("file", "aged"), age: aged, omits: "nothing. Its file has the entries of 10,000 calls"},
		{name: "net/http", command: goPeer("floor"), offers: []string{"tools/list", "list_tasks"},
			omits: "all work: it answers with constant bytes, and offers no call that reads"},
		{name: "equal work", command: goPeer("equalwork"), omits: "the rest of MCP, and validation"},
		{name: "mcp-go", command: goPeer("mcpgo"), omits: "validation (the schemas are ready JSON)"},
		{name: "Go SDK", command: goPeer("gosdk"), omits: "validation (the schemas are ready JSON)"},
		{name: "TypeScript", command: nodePeer("documented.mjs"),
			omits: "nothing more: McpServer validates arguments and answers"},
		{name: "TypeScript, best", command: nodePeer("best.mjs"), omits: "validation (the schemas are ready JSON) and Express"},
		{name: "FastMCP", command: pythonPeer, omits: "what FastMCP itself does not validate of ready schemas"},
	}
	if before == "" {
		return all
	}
	return slices.Insert(all, 1, peer{name: older, ours: true, omits: "nothing. It is an older build of `functions/local`, which does all of that too and lists its own tools",
		command: func(programs) ([]string, error) {
			path, err := exec.LookPath(before)
			return []string{path, "-store", "memory"}, err
		}})
}

// aged is how many calls a server with an aged file has answered before.
const aged = 10_000

// localServer runs this server with a store, whose files are in a directory of that name. With
// memory, it keeps nothing, as the other peers do.
func localServer(store, data string) func(programs) ([]string, error) {
	return func(p programs) ([]string, error) {
		return []string{filepath.Join(p.binaries, "local"), "-store", store, "-data", filepath.Join(p.binaries, "data", data)}, nil
	}
}

func nodePeer(file string) func(programs) ([]string, error) {
	return func(p programs) ([]string, error) {
		node, err := exec.LookPath("node")
		if err != nil {
			return nil, errors.New("node is not installed")
		}
		dir := filepath.Join(p.peers, "typescript")
		if _, err := os.Stat(filepath.Join(dir, "node_modules", "@modelcontextprotocol", "sdk")); err != nil {
			return nil, errors.New("the npm packages are not installed")
		}
		return []string{node, filepath.Join(dir, file)}, nil
	}
}

func pythonPeer(p programs) ([]string, error) {
	dir := filepath.Join(p.peers, "fastmcp")
	python := filepath.Join(dir, ".venv", "bin", "python")
	if _, err := os.Stat(python); err != nil {
		return nil, errors.New("the Python packages are not installed")
	}
	return []string{python, filepath.Join(dir, "server.py")}, nil
}
