// Command prose checks the language of this repository: comments, string literals, test names and
// documents. The rules are in STYLE.md, the words in words.txt. It knows no grammar, so it finds
// only what a list can find.
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// pendingList names the files and directories that are still to be rewritten, one on a line.
//
//go:embed pending.txt
var pendingList string

//go:embed words.txt
var wordList string

func main() {
	count := flag.Bool("count", false, "print the number of findings in the whole tree, pending files included")
	all := flag.Bool("all", false, "print the findings of pending files too")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: prose [-count] [-all] [path ...]")
		flag.PrintDefaults()
	}
	flag.Parse()
	opts := options{count: *count, paths: flag.Args()}
	if !*count && !*all && flag.NArg() == 0 {
		opts.pending = parsePending(pendingList)
	}
	ok, err := run(os.Stdout, opts)
	if err != nil {
		fmt.Fprintln(os.Stderr, "prose:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// options are what the command line asks for.
type options struct {
	count   bool     // print only the number of findings
	paths   []string // files and directories to check; empty: the current directory
	pending []string // files and directories to skip
}

// run checks the files, prints the findings and reports whether the language is fine.
func run(out io.Writer, opts options) (bool, error) {
	words, err := parseWords(wordList)
	if err != nil {
		return false, err
	}
	if len(opts.paths) == 0 {
		opts.paths = []string{"."}
	}
	var files int
	var found []finding
	for _, path := range opts.paths {
		err := walk(path, func(name string) error {
			if isPending(opts.pending, name) {
				return nil
			}
			files++
			in, err := checkFile(name, words)
			found = append(found, in...)
			return err
		})
		if err != nil {
			return false, err
		}
	}
	if opts.count {
		fmt.Fprintln(out, len(found))
		return true, nil
	}
	for _, f := range found {
		fmt.Fprintln(out, f)
	}
	if len(found) == 0 {
		fmt.Fprintf(out, "prose: %d files, no findings, %d entries pending\n", files, len(opts.pending))
	}
	return len(found) == 0, nil
}

// parsePending returns the entries of a pending list without blank lines and comments.
func parsePending(list string) []string {
	var entries []string
	for line := range strings.Lines(list) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			entries = append(entries, strings.TrimSuffix(line, "/"))
		}
	}
	return entries
}

// isPending reports whether an entry is the file itself or a directory above it.
func isPending(entries []string, name string) bool {
	for _, entry := range entries {
		if name == entry || strings.HasPrefix(name, entry+"/") {
			return true
		}
	}
	return false
}

// walk calls check for each source file and document below root, with its slash-separated path.
// It skips hidden directories, dependencies, build output and test data.
func walk(root string, check func(name string) error) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if path != root && skipsDirectory(entry.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		if kindOf(entry.Name()) == other {
			return nil
		}
		return check(filepath.ToSlash(filepath.Clean(path)))
	})
}

func skipsDirectory(name string) bool {
	return strings.HasPrefix(name, ".") || name == "node_modules" || name == "testdata" || name == "dist"
}
