package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

var (
	sectionBegins = regexp.MustCompile(`(?m)^<!-- peers: .*-->\n`)
	sectionEnds   = "<!-- end of peers -->"
)

// writeSection replaces the section "peers" of a document.
func writeSection(path, text string) error {
	document, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	replaced, err := replaceSection(string(document), text)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, []byte(replaced), 0o644)
}

func replaceSection(document, text string) (string, error) {
	marks := sectionBegins.FindAllStringIndex(document, -1)
	if len(marks) != 1 {
		return "", fmt.Errorf("want one line <!-- peers: ... -->, found %d", len(marks))
	}
	head, rest := document[:marks[0][1]], document[marks[0][1]:]
	_, tail, closed := strings.Cut(rest, sectionEnds)
	if !closed {
		return "", fmt.Errorf("the section has no line %s", sectionEnds)
	}
	return head + "\n" + strings.Trim(text, "\n") + "\n\n" + sectionEnds + tail, nil
}
