package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

// machine describes this machine and the versions of everything that was measured.
func machine(ctx context.Context, loadBefore string) string {
	return fmt.Sprintf("Machine: %d virtual cores, %s, %s; load average %s before and %s after. Versions: %s, %s, %s, %s.",
		runtime.NumCPU(), processor(), runtime.GOOS+"/"+runtime.GOARCH, loadBefore, load(),
		strings.Replace(runtime.Version(), "go", "Go ", 1),
		versions("go.mod", `(?m)^\t\S*?/?([\w-]+)(?:/v\d+)? v(\S+)$`, "mcp-go go-sdk html-to-markdown"),
		"Node "+said(ctx, "node", "--version")+" with "+versions(filepath.Join("peers", "typescript", "package.json"), `"([@\w/-]+)": "([\d.]+)"`, ""),
		said(ctx, filepath.Join("peers", "fastmcp", ".venv", "bin", "python"), "--version")+" with "+
			versions(filepath.Join("peers", "fastmcp", "requirements.txt"), `(?m)^([\w-]+)==(\S+)$`, "fastmcp mcp uvicorn httpx2 markdownify"))
}

// processor returns the name of this machine's processor.
func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	m := regexp.MustCompile(`(?m)^model name\s*: (.+)$`).FindSubmatch(text)
	if err != nil || m == nil {
		return "processor unknown"
	}
	return string(m[1])
}

// said returns what a command prints, or "(missing)".
func said(ctx context.Context, command string, arguments ...string) string {
	out, err := exec.CommandContext(ctx, command, arguments...).Output()
	if err != nil {
		return "(missing)"
	}
	return strings.TrimPrefix(strings.TrimSpace(string(out)), "v")
}

// versions returns the names and versions that a pattern finds in a file: all, or only those among
// names.
func versions(file, pattern, names string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return "no " + file
	}
	var found []string
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(text), -1) {
		if names == "" || strings.Contains(" "+names+" ", " "+m[1]+" ") {
			found = append(found, m[1]+" "+m[2])
		}
	}
	return strings.Join(found, ", ")
}
