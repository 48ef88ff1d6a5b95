package e2e

import (
	"bufio"
	"encoding/json"
	"io"
	"os/exec"
	"path/filepath"
	"testing"
)

// dialogue is a running script of clients/. The test and the script exchange JSON objects, one a
// line.
type dialogue struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Reader
}

func talk(t *testing.T, file string, arguments ...string) *dialogue {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("clients", file))
	if err != nil {
		t.Fatal(err)
	}
	interpreter := node
	if filepath.Ext(file) == ".py" {
		interpreter = python
	}
	cmd := exec.Command(interpreter(t), append([]string{path}, arguments...)...)
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
	return &dialogue{t: t, in: in, out: bufio.NewReader(out)}
}

func (d *dialogue) ask(question, answer any) error {
	if err := d.write(question); err != nil {
		return err
	}
	return d.read(answer)
}

func (d *dialogue) write(object any) error { return json.NewEncoder(d.in).Encode(object) }

func (d *dialogue) read(into any) error {
	line, err := d.out.ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(line, into)
}
