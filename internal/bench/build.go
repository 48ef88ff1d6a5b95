package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
)

// binaries are the programs in Go, by the directory of their module and their package.
var binaries = []struct{ name, dir, pkg string }{
	{"local", filepath.Join("..", ".."), "./functions/local"},
	{"floor", ".", "./peers/floor"},
	{"equalwork", ".", "./peers/equalwork"},
	{"mcpgo", ".", "./peers/mcpgo"},
	{"gosdk", ".", "./peers/gosdk"},
}

// build builds all programs in Go into dir.
func build(ctx context.Context, dir string) error {
	for _, b := range binaries {
		cmd := exec.CommandContext(ctx, "go", "build", "-ldflags", "-s -w", "-o", filepath.Join(dir, b.name), b.pkg)
		cmd.Dir = b.dir
		if said, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w\n%s", b.pkg, err, said)
		}
	}
	return nil
}
