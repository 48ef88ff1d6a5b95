//go:build unix

package stacktest_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// standIn is an AWS CLI that names the function, writes down each payload, and gives the answers of
// the sweep in turn: of the files 1, 2, ... in its directory. It fails when there are no more.
const standIn = `#!/usr/bin/env bash
set -eu
cd "$(dirname "$0")"
if [ "$1" = cloudformation ]; then
  [ ! -e unknown ] || { echo "Stack 'fernhill' does not exist" >&2; exit 254; }
  echo fernhill-SweepFunction-1A2B
  exit
fi
last=${!#}
while [ "$1" != --payload ]; do shift; done
printf '%s\n' "$2" >>payloads
cat "$(wc -l <payloads | tr -d ' ')" >"$last"
`

// retiring returns a function that runs retire-tokens.sh with the answers of the sweep, and returns
// the payloads that it sent.
func retiring(t *testing.T, answers ...string) func(args ...string) (said string, payloads []map[string]any, err error) {
	t.Helper()
	directory := t.TempDir()
	write := func(name, text string, mode os.FileMode) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(directory, name), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("aws", standIn, 0o700)
	for i, answer := range answers {
		write(fmt.Sprint(i+1), answer, 0o600)
	}
	if len(answers) == 0 {
		write("unknown", "", 0o600)
	}
	return func(args ...string) (string, []map[string]any, error) {
		command := exec.CommandContext(t.Context(), root+"/internal/cmd/retire-tokens.sh", args...)
		command.Env = []string{"PATH=" + directory + ":" + os.Getenv("PATH"), "TMPDIR=" + t.TempDir()}
		said, err := command.CombinedOutput()
		text, _ := os.ReadFile(filepath.Join(directory, "payloads"))
		var payloads []map[string]any
		for line := range strings.Lines(string(text)) {
			var payload map[string]any
			if err := json.Unmarshal([]byte(line), &payload); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			payloads = append(payloads, payload)
		}
		return string(said), payloads, err
	}
}

// ran returns the answer of a run that found some tokens and ended at a place; "" is the end.
func ran(t *testing.T, retired, failed int, place string) string {
	t.Helper()
	text, err := json.Marshal(place)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`{"dry_run":false,"complete":%t,"users":9,"retired":%d,"busy":0,"failed":%d,"round":{"runs":1,"place":"x"},"next":%s}`,
		place == "", retired, failed, text)
}

func TestRetireTokens_GoesThroughTheWholeTable(t *testing.T) {
	places := []string{`{"pk":"U#37s:1","sk":"G#\"quoted\\twice\""}`, "<a&b> $HOME `id` 'c' \u00e9\t\n"}
	run := retiring(t, ran(t, 2, 0, places[0]), ran(t, 0, 0, places[1]), ran(t, 3, 0, ""))
	said, payloads, err := run("fernhill", "--delete")
	if err != nil || !strings.HasSuffix(said, "2 so far\n2 so far\n5 so far\nThe tokens of 5 grants were removed.\n") {
		t.Errorf("%v: %s", err, said)
	}
	want := []map[string]any{}
	for _, from := range []string{"", places[0], places[1]} {
		want = append(want, map[string]any{"dry_run": false, "retire_tokens": true, "from": from})
	}
	if diff := cmp.Diff(want, payloads); diff != "" {
		t.Error(diff)
	}
}

func TestRetireTokens_FailsAsTheSweepDoes(t *testing.T) {
	for name, test := range map[string]struct {
		answers []string
		says    string
	}{
		"no such stack":        {nil, "does not exist"},
		"a failed run":         {[]string{ran(t, 2, 0, "x"), `{"errorMessage":"sweep: \"retired\":1 stores fail"}`}, "the sweep failed: "},
		"a call that failed":   {[]string{ran(t, 2, 0, "x")}, "2 so far"},
		"users who failed":     {[]string{ran(t, 2, 1, "x"), ran(t, 0, 2, "")}, "3 users failed; the log of the sweep has the reasons"},
		"no progress":          {[]string{ran(t, 2, 0, "x"), ran(t, 0, 0, "x"), ran(t, 0, 0, "x")}, "the sweep ended early"},
		"no progress at first": {[]string{strings.Replace(ran(t, 2, 0, ""), "true", "false", 1)}, "the sweep ended early"},
	} {
		t.Run(name, func(t *testing.T) {
			said, _, err := retiring(t, test.answers...)("fernhill", "--delete")
			if err == nil || !strings.Contains(said, test.says) {
				t.Errorf("%v: %s", err, said)
			}
		})
	}
}

func TestRetireTokens_OnlyCountsWithoutDelete(t *testing.T) {
	for _, args := range [][]string{{"fernhill"}, {"fernhill", ""}, {"fernhill", "-delete"}} {
		said, payloads, err := retiring(t, ran(t, 2, 0, ""))(args...)
		if want := []map[string]any{{"dry_run": true, "retire_tokens": true, "from": ""}}; err != nil || !strings.Contains(said, "2 grants have tokens") || !cmp.Equal(want, payloads) {
			t.Errorf("%q: %v %v: %s", args, err, payloads, said)
		}
	}
}

func TestRetireTokens_AcceptsOnlyTheNameOfAStack(t *testing.T) {
	for _, name := range []string{"", "fernhill/", "*", "fernhill,other", "x' || 'x", "--delete"} {
		said, payloads, err := retiring(t, ran(t, 0, 0, ""))(name, "--delete")
		if err == nil || !strings.HasPrefix(said, "usage: ") || payloads != nil {
			t.Errorf("%q: %v %s", name, err, said)
		}
	}
}
