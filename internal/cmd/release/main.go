// Command release packs built programs. "release -version V BUILT SOURCE DIST" writes to DIST:
//
//   - for each BUILT/local/<os>_<arch>, an archive of the local server, named as GoReleaser names
//     them, and a desktop bundle;
//   - for each BUILT/<LogicalId>/bootstrap, a zip of the function, and a template.yaml that deploys
//     these zips without a compiler;
//   - with -owner, a server.json for the MCP registry;
//   - checksums.txt.
//
// With -check and only SOURCE, it checks the version, the owner and the documents, and writes
// nothing.
//
// It writes what CHANGELOG.md says about the version to BUILT/notes.md, and refuses a tag about
// which it says nothing.
//
// The same input produces the same bytes on every machine.
package main

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	tag := flags.String("version", "dev", "the tag of the release, such as v1.2.3")
	owner := flags.String("owner", "", "the owner of the repository on GitHub; writes server.json")
	check := flags.Bool("check", false, "only check what can be checked before the programs are built")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	r := release{version: strings.TrimPrefix(*tag, "v"), owner: *owner, built: flags.Arg(0), source: flags.Arg(1)}
	if *check && flags.NArg() == 1 {
		r.source = flags.Arg(0)
		_, err := r.check()
		return err
	}
	if flags.NArg() != 3 {
		return errors.New("usage: release [-version TAG] [-owner OWNER] BUILT SOURCE DIST, or -check SOURCE")
	}
	notes, err := r.check()
	if err != nil {
		return err
	}
	files, err := r.files()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(r.built, "notes.md"), []byte(notes), 0o644); err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(flags.Arg(2), name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// release says what is packed, and where it is.
type release struct {
	version string // of the tag, without the v
	owner   string // empty if the registry is not told
	built   string // the directory of the programs
	source  string // the root of the repository
}

// number matches the versions that the MCP registry sorts (Semantic Versioning 2.0.0).
var number = regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

// described matches the name that git describe gives to a commit after a tag: 1.2.3-4-gabcdef0.
var described = regexp.MustCompile(`-\d+-g[0-9a-f]{7,40}$`)

// account matches the name of a user or of an organization at GitHub.
var account = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})$`)

// check returns the notes of the release, or what is wrong with its version, its owner or the
// documents.
func (r release) check() (notes string, err error) {
	if r.owner != "" && !account.MatchString(r.owner) {
		return "", fmt.Errorf("OWNER=%s must be the name of an account at GitHub", r.owner)
	}
	if r.owner != "" && (!number.MatchString(r.version) || described.MatchString(r.version)) {
		return "", fmt.Errorf("OWNER needs a released version, and this one is %s; check out a tag such as v1.2.3", r.version)
	}
	if _, err := r.documents(); err != nil {
		return "", err
	}
	return r.notes()
}

// files returns everything that DIST receives, by name.
func (r release) files() (map[string][]byte, error) {
	files, err := r.functions()
	if err != nil {
		return nil, err
	}
	programs, err := r.programs()
	if err != nil {
		return nil, err
	}
	for _, p := range programs {
		if err := r.pack(p, files); err != nil {
			return nil, err
		}
	}
	if r.owner != "" {
		if files["server.json"], err = r.registration(programs, files); err != nil {
			return nil, err
		}
	}
	files["checksums.txt"] = sums(files)
	return files, nil
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
