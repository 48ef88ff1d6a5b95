package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// notes returns what CHANGELOG.md says about the version. A version between two tags has no notes.
// A candidate such as 1.2.3-rc.1 has the notes of the next version.
func (r release) notes() (string, error) {
	if !number.MatchString(r.version) || described.MatchString(r.version) {
		return "", nil
	}
	text, err := os.ReadFile(filepath.Join(r.source, "CHANGELOG.md"))
	if err != nil {
		return "", err
	}
	title, candidate, _ := strings.Cut(r.version, "-")
	if candidate != "" {
		title = "Unreleased"
	}
	for section := range strings.SplitSeq("\n"+string(text), "\n## ") {
		heading, body, _ := strings.Cut(section, "\n")
		if name, _, _ := strings.Cut(heading, " "); name == title {
			return strings.TrimSpace(body) + "\n", nil
		}
	}
	return "", errors.New("CHANGELOG.md has no section " + title + "; name the section of the changes after the version, and tag that commit")
}
