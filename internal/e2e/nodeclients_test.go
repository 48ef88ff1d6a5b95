package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"testing"
)

// scripted is a client in JavaScript, spoken to as clients/serve.mjs says.
type scripted struct {
	in      io.Writer
	out     *bufio.Reader
	learned struct {
		Version string
		Tools   []string
	}
}

func script(file string, arguments ...string) func(*testing.T, *server) client {
	return func(t *testing.T, s *server) client {
		t.Helper()
		path, err := filepath.Abs(filepath.Join("clients", file))
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(node(t), append([]string{path, s.url, ines}, arguments...)...)
		complaints := &output{}
		cmd.Stderr = complaints
		in, _ := cmd.StdinPipe()
		out, _ := cmd.StdoutPipe()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = in.Close()
			if err := cmd.Wait(); err != nil {
				t.Errorf("%s: %v\n%s", file, err, complaints)
			}
		})
		c := &scripted{in: in, out: bufio.NewReader(out)}
		if err := c.read(&c.learned); err != nil {
			t.Fatalf("%s: %v\n%s", file, err, complaints)
		}
		return c
	}
}

func (c *scripted) version() string          { return c.learned.Version }
func (c *scripted) tools() ([]string, error) { return c.learned.Tools, nil }

func (c *scripted) call(tool string, arguments map[string]any) (r result, err error) {
	err = json.NewEncoder(c.in).Encode(map[string]any{"tool": tool, "arguments": arguments})
	if err == nil {
		err = c.read(&r)
	}
	return r, err
}

func (c *scripted) read(into any) error {
	line, err := c.out.ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(line, into)
}

// inspector is the MCP Inspector on the command line, a new process for every question.
type inspector struct {
	t        *testing.T
	endpoint string
	era      string
	home     string
}

func inspect(era string) func(*testing.T, *server) client {
	return func(t *testing.T, s *server) client {
		return &inspector{t: t, endpoint: s.url, era: era, home: t.TempDir()}
	}
}

func (c *inspector) version() string { return "" }

// tools also has the Inspector look for schemas that some clients cannot read.
func (c *inspector) tools() ([]string, error) {
	var list struct{ Tools []struct{ Name string } }
	if err := c.run(&list, "--method", "tools/list", "--strict"); err != nil {
		return nil, err
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	return names, nil
}

func (c *inspector) call(tool string, arguments map[string]any) (r result, err error) {
	if arguments == nil {
		arguments = map[string]any{}
	}
	given, err := json.Marshal(arguments)
	if err != nil {
		return result{}, err
	}
	err = c.run(&r, "--method", "tools/call", "--tool-name", tool, "--tool-args-json", string(given))
	if r.IsError {
		err = nil // the Inspector also ends with an error then
	}
	return r, err
}

func (c *inspector) run(into any, arguments ...string) error {
	cmd := exec.CommandContext(c.t.Context(), node(c.t), append([]string{
		npmPackage(c.t, "@modelcontextprotocol/inspector/clients/launcher/build/index.js"), "--cli", c.endpoint,
		"--transport", "http", "--protocol-era", c.era, "--stored-auth-only", "--format", "json",
		"--header", "Authorization: Bearer " + ines,
	}, arguments...)...)
	cmd.Env = append(cmd.Environ(), "HOME="+c.home)
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	ended := cmd.Run()
	var printed struct{ Result json.RawMessage }
	if err := json.Unmarshal(out.Bytes(), &printed); err != nil || len(printed.Result) == 0 {
		return fmt.Errorf("%w: %s%s", errors.Join(ended, err), out.Bytes(), complaints.Bytes())
	}
	if err := json.Unmarshal(printed.Result, into); err != nil {
		return err
	}
	if ended != nil {
		return fmt.Errorf("%w: %s", ended, complaints.Bytes())
	}
	return nil
}
