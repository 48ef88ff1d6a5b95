package main

import (
	_ "embed"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// wantFindings are the findings in testdata/tree, each without its advice.
//
//go:embed testdata/want.txt
var wantFindings string

func TestProse_ReportsWhatTheRulesForbid(t *testing.T) {
	t.Chdir("testdata/tree")
	var out strings.Builder
	ok, err := run(&out, options{})
	if ok || err != nil {
		t.Fatalf("run = %t, %v; want findings", ok, err)
	}
	want := strings.Split(strings.TrimSpace(wantFindings), "\n")
	got := strings.Split(strings.TrimSpace(out.String()), "\n")
	for i := range min(len(got), len(want)) {
		if strings.HasPrefix(got[i], want[i]) {
			got[i] = want[i]
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestProse_SkipsPendingFiles(t *testing.T) {
	entries := parsePending("# comment\ninternal/authserver/\n\nREADME.md\n")
	for name, want := range map[string]bool{
		"README.md": true, "docs/README.md": false, "internal/authserver/token.go": true, "internal/brokers/token.go": false,
	} {
		if got := isPending(entries, name); got != want {
			t.Errorf("isPending(%q) = %t, want %t", name, got, want)
		}
	}
	var out strings.Builder
	if ok, err := run(&out, options{paths: []string{"testdata/tree"}, pending: []string{"testdata/tree"}}); !ok || err != nil {
		t.Errorf("run = %t, %v and\n%s", ok, err, out.String())
	}
	out.Reset()
	if ok, err := run(&out, options{count: true, paths: []string{"testdata/tree/README.md"}}); !ok || err != nil || out.String() != "2\n" {
		t.Errorf("-count = %q, %t, %v; want 2", out.String(), ok, err)
	}
}

func TestProse_SaysOneLineWhenAllIsWell(t *testing.T) {
	var out strings.Builder
	if ok, err := run(&out, options{paths: []string{"main.go"}}); !ok || err != nil || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("run = %t, %v and\n%s", ok, err, out.String())
	}
}

func TestProse_FailsForAFileThatItCannotRead(t *testing.T) {
	if _, err := run(io.Discard, options{paths: []string{"testdata/missing.go"}}); err == nil {
		t.Error("no error for a file that does not exist")
	}
}

func TestWords_AreAllInTheFormat(t *testing.T) {
	if _, err := parseWords(wordList); err != nil {
		t.Error(err)
	}
	for _, line := range []string{"any; word; advice", "some; word;; advice", "any;;; advice", "any; word;;"} {
		if _, err := parseWords(line); err == nil {
			t.Errorf("%q: no error", line)
		}
	}
}

func TestPending_NamesOnlyPathsThatExist(t *testing.T) {
	for _, entry := range parsePending(pendingList) {
		if _, err := os.Stat("../../../" + entry); err != nil {
			t.Error(err)
		}
	}
}

func FuzzTokenize(f *testing.F) {
	for _, text := range []string{"a.b c", "it's\n\n\"x", "\xff.\xff-a", "`", "é-é"} {
		f.Add(text)
	}
	words, err := parseWords(wordList)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		lines := 1 + strings.Count(text, "\n")
		words.check(tokenize(unquote(text, '`'), 1), inDocument, func(line int, message string) {
			if line < 1 || line > lines || message == "" {
				t.Errorf("line %d of %d: %s", line, lines, message)
			}
		})
	})
}
