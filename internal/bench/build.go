package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
)

// build builds all programs in Go into dir.
func build(ctx context.Context, dir string) error {
	for _, name := range []string{"local", "floor", "equalwork", "mcpgo", "gosdk"} {
		cmd := exec.CommandContext(ctx, "go", "build", "-ldflags", "-s -w", "-o", filepath.Join(dir, name), "./peers/"+name)
		if name == "local" { // this server, in another module
			cmd.Dir, cmd.Args[len(cmd.Args)-1] = filepath.Join("..", ".."), "./functions/local"
		}
		if said, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w\n%s", name, err, said)
		}
	}
	return nil
}
