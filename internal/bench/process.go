package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"time"
)

// patience is the longest time that a peer may need to start or to answer one call.
const patience = 20 * time.Second

// process is a peer that runs.
type process struct {
	peer   peer
	cmd    *exec.Cmd
	host   string
	bearer string // empty if the peer wants none
	tools  []tool // that it must list, sorted
}

var (
	readyLine  = regexp.MustCompile(`ready at http://(127\.0\.0\.1:\d+)/mcp`)
	bearerLine = regexp.MustCompile(`^Bearer token: +(\S+)`)
)

// start runs a command and waits until it has printed its URL. It ends with ctx.
func start(ctx context.Context, p peer, command, env []string) (*process, error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env = append(cmd.Environ(), env...)
	cmd.Stderr = nil // to the null device: a log line costs its write
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", p.name, err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", p.name, err)
	}
	late := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	started := &process{peer: p, cmd: cmd}
	lines := bufio.NewReader(out)
	if err := started.read(lines); err != nil {
		started.stop()
		return nil, fmt.Errorf("%s does not start: %w", p.name, err)
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	return started, nil
}

// read reads lines until the process has printed its URL and, if it is this server, its bearer
// token.
func (p *process) read(lines *bufio.Reader) error {
	for range 20 {
		line, err := lines.ReadString('\n')
		if err != nil {
			return errors.New("it ended before it printed its URL")
		}
		if m := readyLine.FindStringSubmatch(line); m != nil {
			p.host = m[1]
		}
		if m := bearerLine.FindStringSubmatch(line); m != nil {
			p.bearer = m[1]
		}
		if p.host != "" && (p.bearer != "" || !p.peer.ours) {
			return nil
		}
	}
	return errors.New("it printed no URL")
}

// stop ends the process and waits for it.
func (p *process) stop() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}
