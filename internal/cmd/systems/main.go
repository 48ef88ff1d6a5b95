// Systems checks that the packages of modules and their tests compile for Windows and macOS. It
// checks types in the sources, and skips the function bodies of what they import. That takes a
// tenth of the time of go vet, for which everything must be compiled first.
//
//	systems directory...
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// released are the systems of the Makefile's PLATFORMS on which no test runs.
var released = []string{"windows", "darwin"}

func main() {
	found := make([]error, len(released))
	var all sync.WaitGroup
	for i, system := range released {
		all.Go(func() {
			for _, module := range os.Args[1:] {
				if err := check(module, system); err != nil {
					found[i] = errors.Join(found[i], fmt.Errorf("%s on %s:\n%w", module, system, err))
				}
			}
		})
	}
	all.Wait()
	if err := errors.Join(found...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// listed is a package as go list describes it.
type listed struct {
	ImportPath, Dir string
	GoFiles         []string
	ImportMap       map[string]string // from a path in the source to the import path, where they differ
	DepOnly         bool              // the package is not in the module
	Module          *struct{ GoVersion string }
}

// check returns all errors in the packages of a module on a system.
func check(module, system string) error {
	list := exec.CommandContext(context.Background(), "go", "list", "-deps", "-test", "-json=ImportPath,Dir,GoFiles,ImportMap,DepOnly,Module", "./...")
	list.Dir, list.Stderr = module, os.Stderr
	list.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
	packages, err := list.Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	var found []error
	known := map[string]*types.Package{"unsafe": types.Unsafe}
	for decoder := json.NewDecoder(bytes.NewReader(packages)); ; { // a package comes after those that it imports
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return errors.Join(found...)
		} else if err != nil {
			return fmt.Errorf("go list: %w", err)
		}
		if p.ImportPath == "unsafe" || strings.HasSuffix(p.ImportPath, ".test") { // go itself writes these
			continue
		}
		read, errs := p.read(known)
		known[p.ImportPath] = read
		found = append(found, errs...)
	}
}

// read checks the types of a package. It needs the packages that this one imports.
func (p listed) read(known map[string]*types.Package) (read *types.Package, found []error) {
	fset, files := token.NewFileSet(), []*ast.File(nil)
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, []error{err}
		}
		files = append(files, file)
	}
	config := types.Config{
		IgnoreFuncBodies: p.DepOnly,
		Error:            func(err error) { found = append(found, err) },
		Importer: importer(func(path string) (*types.Package, error) {
			if to, ok := p.ImportMap[path]; ok {
				path = to
			}
			if known[path] == nil {
				return nil, fmt.Errorf("%s is not known", path)
			}
			return known[path], nil
		}),
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		config.GoVersion = "go" + p.Module.GoVersion
	}
	path, _, _ := strings.Cut(p.ImportPath, " ")   // without the test that a package is compiled for, in brackets
	read, _ = config.Check(path, fset, files, nil) // Error receives each error
	return read, found
}

type importer func(path string) (*types.Package, error)

// Import returns the package that a path in the source means.
func (i importer) Import(path string) (*types.Package, error) { return i(path) }
