package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/bench/peers/work"
)

// bench holds what all measurements of a run share.
type bench struct {
	upstream *upstream
	peers    []peer // this server first
	rounds   int
	programs programs
	running  []*process
	tools    []tool            // of this server, sorted
	listed   string            // file with its result of tools/list
	missing  map[string]string // reasons by the name of the peer that is not measured
	out      io.Writer
}

// newBench starts the upstream and all peers that this machine can run. Its files are in dir.
func newBench(ctx context.Context, dir string, chosen options, out io.Writer) (_ *bench, err error) {
	sources, err := filepath.Abs("peers")
	if err != nil {
		return nil, err
	}
	if err := build(ctx, dir); err != nil {
		return nil, err
	}
	b := &bench{peers: peers(chosen.before), rounds: max(chosen.rounds, 1), programs: programs{dir, sources}, missing: map[string]string{}, out: out, listed: filepath.Join(dir, "tools.json")}
	defer func() {
		if err != nil {
			b.close()
		}
	}()
	if b.upstream, err = newUpstream(ctx); err != nil {
		return nil, err
	}
	for _, p := range b.peers {
		command, err := p.command(b.programs)
		if err != nil { // this machine cannot run it
			b.missing[p.name] = err.Error()
			continue
		}
		started, err := b.start(ctx, p, command)
		if err != nil {
			return nil, err
		}
		b.running = append(b.running, started)
		if err := b.learn(ctx, started); err != nil {
			return nil, err
		}
		if err := started.grow(ctx); err != nil {
			return nil, err
		}
	}
	return b, nil
}

func (b *bench) close() {
	for _, p := range b.running {
		p.stop()
	}
	if b.upstream != nil {
		b.upstream.close()
	}
}

// start starts a peer.
func (b *bench) start(ctx context.Context, p peer, command []string) (*process, error) {
	if p.ours {
		return start(ctx, p, append(command, "-addr", "127.0.0.1:0", "-upstream", "live"), []string{
			"BASECAMP_API_URL=" + b.upstream.origin, "LAUNCHPAD_URL=" + b.upstream.origin, "BASECAMP_ACCESS_TOKEN=" + work.Token,
			fmt.Sprintf("BASECAMP_ACCOUNT_ID=%d", work.Account), "USER_AGENT_CONTACT=https://fernhill.example",
		})
	}
	return start(ctx, p, append(command, "--upstream", b.upstream.origin, "--tools", b.listed), nil)
}

// learn reads the tools that a process must list: this server's own. All peers list them too,
// except an older build, which has its own.
func (b *bench) learn(ctx context.Context, p *process) error {
	if !p.peer.ours {
		p.tools = b.tools
		return nil
	}
	w := dial(ctx, p)
	defer w.close()
	answer, err := w.ask(listTools)
	if err != nil {
		return fmt.Errorf("list the tools of %s: %w", p.peer.name, err)
	}
	var m struct{ Result json.RawMessage }
	var list result
	if err := errors.Join(json.Unmarshal(answer, &m), json.Unmarshal(m.Result, &list)); err != nil {
		return fmt.Errorf("decode the tools of %s: %w", p.peer.name, err)
	}
	p.tools = slices.SortedFunc(slices.Values(list.Tools), func(x, y tool) int { return strings.Compare(x.Name, y.Name) })
	if p.peer.name != measured {
		return nil
	}
	b.tools = p.tools
	return os.WriteFile(b.listed, m.Result, 0o600)
}

// grow makes the calls that a peer has answered before the measurement.
func (p *process) grow(ctx context.Context) error {
	w := dial(ctx, p)
	defer w.close()
	for range p.peer.age {
		if _, err := w.ask(listTasks); err != nil {
			return err
		}
	}
	return nil
}

// first starts one more process of a peer, and returns the time from exec to its first answer in
// milliseconds.
func (b *bench) first(ctx context.Context, p peer) (float64, error) {
	b.upstream.slow(0)
	command, err := p.command(b.programs)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	started, err := b.start(ctx, p, command)
	if err != nil {
		return 0, err
	}
	defer started.stop()
	w := dial(ctx, started)
	defer w.close()
	answer, err := w.ask(listTasks)
	took := time.Since(began)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", p.name, err)
	}
	return took.Seconds() * 1000, listTasks.checked(answer, nil, 0)
}
