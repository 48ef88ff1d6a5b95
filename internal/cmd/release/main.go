// Command release packs built functions, so that operators can deploy without a compiler. "release
// BUILT TEMPLATE DIST" writes DIST/<LogicalId>.zip for each BUILT/<LogicalId>/bootstrap, a template
// that deploys these files, and their checksums. The same input produces the same bytes on every
// machine.
package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

func main() {
	if len(os.Args) != 4 {
		_, _ = fmt.Fprintln(os.Stderr, "usage: release BUILT TEMPLATE DIST")
		os.Exit(2)
	}
	if err := pack(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func pack(built, template, dist string) error {
	bootstraps, err := filepath.Glob(filepath.Join(built, "*", "bootstrap"))
	if err != nil || len(bootstraps) == 0 {
		return fmt.Errorf("no built function in %s: %w", built, err)
	}
	text, err := os.ReadFile(template)
	if err != nil {
		return err
	}
	files := map[string][]byte{}
	for _, bootstrap := range bootstraps {
		id := filepath.Base(filepath.Dir(bootstrap))
		program, err := os.ReadFile(bootstrap)
		if err != nil {
			return err
		}
		if files[id+".zip"], err = zipped(program); err != nil {
			return err
		}
		if text, err = deploying(text, id); err != nil {
			return err
		}
	}
	files["template.yaml"] = text
	files["SHA256SUMS"] = sums(files)
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dist, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// epoch is the earliest time that a zip file can store.
var epoch = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

func zipped(program []byte) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	header := &zip.FileHeader{Name: "bootstrap", Method: zip.Deflate, Modified: epoch}
	header.SetMode(0o755)
	f, err := w.CreateHeader(header)
	if err == nil {
		_, err = f.Write(program)
	}
	err = errors.Join(err, w.Close()) // Close writes the directory
	return b.Bytes(), err
}

var source = regexp.MustCompile(`(?m)^(    Metadata:\n      BuildMethod: makefile\n)?(    Properties:\n(?:      .*\n)*?      CodeUri: )\.\n`)

// deploying returns the template with a function's zip in place of its source.
func deploying(template []byte, id string) ([]byte, error) {
	before, function, found := strings.Cut(string(template), "\n  "+id+":\n    Type: AWS::Serverless::Function\n")
	place := source.FindStringSubmatchIndex(function)
	if !found || place == nil || place[0] != 0 {
		return nil, fmt.Errorf("the template has no function %s that is built from its source", id)
	}
	return []byte(before + "\n  " + id + ":\n    Type: AWS::Serverless::Function\n" +
		function[place[4]:place[5]] + id + ".zip\n" + function[place[1]:]), nil
}

// sums returns checksums in the format of sha256sum --check.
func sums(files map[string][]byte) []byte {
	var lines []string
	for name, content := range files {
		lines = append(lines, fmt.Sprintf("%x  %s\n", sha256.Sum256(content), name))
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[64:], b[64:]) })
	return []byte(strings.Join(lines, ""))
}
