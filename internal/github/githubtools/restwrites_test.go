package githubtools

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/github/sandbox"
	"basecamp-mcp/internal/report/fault"
)

func TestRESTWrites_AKeyKeepsAWriteOfUnknownOutcomeFromHappeningTwice(t *testing.T) {
	for _, x := range []toolUse{
		{"create_issue", args{"repo": configurator, "title": "Bell rings twice"}},
		{"add_issue_comment", args{"issue": configurator + "#12", "body": "Fixed"}},
		{"create_milestone", args{"repo": configurator, "title": "Autumn"}},
	} {
		for name, lost := range map[string]sandbox.Fault{
			"dropped": {Method: "POST", Times: 1, Drop: true, AfterEffect: true}, "slow": {Method: "POST", Times: 1, Hang: true, AfterEffect: true},
			"garbage": {Method: "POST", Times: 1, Garbage: true, AfterEffect: true}, "502": {Method: "POST", Times: 1, Status: 502, AfterEffect: true},
		} {
			synctest.Test(t, func(t *testing.T) {
				d := withUndo(t)
				x.with["idempotency_key"] = "k1"
				d.sandbox.Inject(lost)
				requests, _ := d.asked(func() {
					if f := d.refusal(x.tool, x.with); f.Code != fault.UpstreamError || f.Message != notSure[x.tool] || f.Retryable || !f.Doubt {
						t.Errorf("%s, %s: %+v", x.tool, name, f)
					}
					for range 2 {
						f := d.refusal(x.tool, x.with)
						want := told{Code: fault.Conflict, Doubt: true, Message: "the first call with this idempotency_key ended without a clear answer and may have happened; " +
							"look whether it did, and use a new key only if it did not"}
						if diff := cmp.Diff(want, f); diff != "" {
							t.Errorf("%s, %s: %s", x.tool, name, diff)
						}
					}
				})
				if w := writes(requests); len(w) != 1 {
					t.Errorf("%s, %s: %v", x.tool, name, w)
				}
			})
		}
	}
}

func TestRESTWrites_AFailedReadBeforeACreateIsCertain(t *testing.T) {
	for tool, with := range map[string]args{
		"create_issue":      {"repo": configurator, "title": "Bell", "labels": []string{"bug"}, "milestone": "Someday"},
		"add_issue_comment": {"issue": "Frame colour picker forgets the choice", "repo": configurator, "body": "Fixed"},
		"update_issue":      {"issue": configurator + "#12", "append": "Fixed"},
	} {
		synctest.Test(t, func(t *testing.T) {
			d := newToolEnv(t)
			d.sandbox.Inject(sandbox.Fault{Method: "GET", Status: 502})
			requests, _ := d.asked(func() {
				if f := d.refusal(tool, with); f.Code != fault.UpstreamError || f.Message != trouble || !f.Retryable || f.Doubt {
					t.Errorf("%s: %+v", tool, f)
				}
			})
			if w := writes(requests); len(requests) != 3 || len(w) != 0 {
				t.Errorf("%s: %+v", tool, requests)
			}
		})
	}
}

func TestRESTWrites_TellWhatGitHubDroppedFromAnUpdate(t *testing.T) {
	d := newToolEnv(t)
	author := d.as("lieke-vdmeer", "repo project read:org")
	mine := call[writtenIssue](author, "create_issue", args{"repo": configurator, "title": "From outside", "labels": []string{"bug"}, "assignees": []string{"me"}, "milestone": 3})
	if want := []string{"labels: bug", "assignees: lieke-vdmeer", "milestone: Summer fleet"}; !slices.Equal(mine.NotApplied, want) {
		t.Errorf("%q", mine.NotApplied)
	}
	got := call[updatedIssue](author, "update_issue", args{
		"issue": mine.Ref, "title": "From the harbour", "add_labels": []string{"bug"}, "assignees": []string{"me"}, "milestone": "Someday", "state": "closed",
	})
	want := []string{"labels: bug", "assignees: lieke-vdmeer", "milestone: Someday"}
	if diff := cmp.Diff(want, got.NotApplied); diff != "" || !slices.Equal(got.Changed, []string{"title", "state", "state_reason"}) {
		t.Errorf("%v %s", got.Changed, diff)
	}
	call[updatedIssue](d, "update_issue", args{"issue": mine.Ref, "labels": []string{"bug", "design"}, "milestone": "Someday"})
	got = call[updatedIssue](author, "update_issue", args{"issue": mine.Ref, "remove_labels": []string{"bug"}, "milestone": "none"})
	want = []string{"labels: bug (not removed)", "milestone: Someday (not removed)"}
	if diff := cmp.Diff(want, got.NotApplied); diff != "" || len(got.Changed) != 0 {
		t.Errorf("%v %s", got.Changed, diff)
	}
}

func TestRESTWrites_CountCharactersAndNotBytes(t *testing.T) {
	longest := strings.Repeat("🚲", 65_536)
	d := newToolEnv(t)
	for _, x := range []struct {
		tool, argument string
		with           args
	}{
		{"create_issue", "body", args{"repo": configurator, "title": "Bell"}},
		{"update_issue", "body", args{"issue": configurator + "#12"}},
		{"add_issue_comment", "body", args{"issue": configurator + "#12"}},
		{"create_milestone", "description", args{"repo": configurator, "title": "Autumn"}},
	} {
		x.with[x.argument] = longest + "x"
		want := told{Code: fault.InvalidInput, Message: x.argument + ": must be at most 65536 characters, got 65537",
			Validation: []fault.Violation{{Path: x.argument, Message: "must be at most 65536 characters, got 65537", Code: "too_long"}}}
		d.asksNothing(x.tool, func() {
			if diff := cmp.Diff(want, d.refusal(x.tool, x.with)); diff != "" {
				t.Errorf("%s: %s", x.tool, diff)
			}
		})
		x.with[x.argument] = longest
		call[map[string]any](d, x.tool, x.with)
	}
	if got := stored(d, 12); got != longest {
		t.Errorf("%d bytes", len(got))
	}
	d.writesNothing("what is refused", func() {
		d.fails(fault.InvalidInput, "update_issue", args{"issue": configurator + "#12", "append": "x"}, "append", "65536 characters")
		d.fails(fault.InvalidInput, "update_issue", args{"issue": configurator + "#12", "find": "x", "replace": longest + "x"}, "replace", "65536 characters")
		d.fails(fault.InvalidInput, "create_issue", args{"repo": configurator, "title": strings.Repeat("ä", 257)}, "title", "256 characters")
	})
	fits := strings.Repeat("ä", 65_533)
	call[updatedIssue](d, "update_issue", args{"issue": configurator + "#12", "body": fits})
	call[updatedIssue](d, "update_issue", args{"issue": configurator + "#12", "append": "x"}) // after a blank line
	if got := stored(d, 12); got != fits+"\n\nx" {
		t.Errorf("%d bytes", len(got))
	}
}

func TestRESTWrites_FindMatchesEveryLineBreakAndChangesNothingElse(t *testing.T) {
	const issue = configurator + "#83"
	for name, x := range map[string]struct{ body, find, replace, want string }{
		"LF finds CRLF":         {"- a\r\n- b\r\n", "- a\n- b", "- c", "- c\r\n"},
		"CRLF finds LF":         {"- a\n- b\n", "- a\r\n- b", "- c", "- c\n"},
		"CRLF finds CRLF":       {"- a\r\n- b\r\n", "a\r\n-", "c\r\n-", "- c\r\n- b\r\n"},
		"both in one body":      {"a\r\nb\nc\n<!-- x -->", "b\nc", "d", "a\r\nd\n<!-- x -->"},
		"a pattern is text":     {"costs $1 (.*)\n", "$1 (.*)", "${1} \\1", "costs ${1} \\1\n"},
		"nothing in its place":  {"keep drop\r\n", " drop", "", "keep\r\n"},
		"a lone CR stays a CR":  {"a\rb", "a\rb", "c", "c"},
		"at both ends":          {"\r\na\r\n", "\na\n", "b", "b"},
		"before a CRLF":         {"a\r\nb", "a", "c", "c\r\nb"},
		"after a CRLF":          {"a\r\nb", "b", "c", "a\r\nc"},
		"a line break alone":    {"a\r\nb", "\n", " ", "a b"},
		"an @ as it is shown":   {"ask @hanna, @ben", `ask \@hanna`, `\@ines`, "@ines, @ben"},
		"an @ as it is":         {"ask @hanna", "@hanna", "@ines", "ask @ines"},
		"an escaped @":          {`ask \@hanna`, `\\\@hanna`, `\\\@ines`, `ask \@ines`},
		"code stays code":       {"```\nf(\\@list)\n```\n", `f(\@list)`, `g(\@list)`, "```\ng(\\@list)\n```\n"},
		"lines get a CRLF":      {"a\r\nb", "b", "c\nd", "a\r\nc\r\nd"},
		"blanks are not folded": {"a  b and a b", "a b", "c", "a  b and c"},
	} {
		d := newToolEnv(t)
		store(d, 83, x.body)
		call[updatedIssue](d, "update_issue", args{"issue": issue, "find": x.find, "replace": x.replace})
		if got := stored(d, 83); got != x.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestRESTWrites_FindRefusesATextThatOccursTwiceEvenIfTheOccurrencesOverlap(t *testing.T) {
	d := newToolEnv(t)
	call[updatedIssue](d, "update_issue", args{"issue": configurator + "#83", "body": "a\r\na\r\na"})
	d.writesNothing("what is refused", func() {
		d.fails(fault.InvalidInput, "update_issue", args{"issue": configurator + "#83", "find": "a\na", "replace": "b"}, "find", "2 times")
		d.fails(fault.InvalidInput, "update_issue", args{"issue": configurator + "#83", "find": "a", "replace": "b"}, "find", "3 times")
	})
}

func TestRESTWrites_FindTakesNoLongerForALongTextOfLineBreaks(t *testing.T) {
	body, find := strings.Repeat("\r\n", 32_768), strings.Repeat("\n", 32_000)+"x"
	if _, _, times := parts.Place(body, find); times != 0 {
		t.Errorf("%d times", times)
	}
	if start, end, times := parts.Place(body+"x", find); times != 1 || start != len(body)-2*32_000 || end != len(body)+1 {
		t.Errorf("%d to %d, %d times", start, end, times)
	}
}

func FuzzPlace(f *testing.F) {
	f.Add("a\r\nb\r\r\n", "\n")
	f.Add("- a\n- b\r\n", "a\r\n-")
	f.Add("@a \\@b", "\\@b")
	f.Fuzz(func(t *testing.T, body, find string) {
		if find == "" {
			return
		}
		start, end, times := parts.Place(body, find)
		if !strings.Contains(parts.WithLF(body), parts.WithLF(find)) {
			find = parts.Sent(parts.WithLF(find))
		}
		if found := strings.Contains(parts.WithLF(body), parts.WithLF(find)); found != (times > 0) {
			t.Fatalf("%d times", times)
		}
		// The LF of a CRLF is never separated from its CR.
		if times > 0 && (parts.WithLF(body[:start])+parts.WithLF(find)+parts.WithLF(body[end:]) != parts.WithLF(body) || parts.WithLF(body[start:end]) != parts.WithLF(find)) {
			t.Errorf("%q and %q", body[:start], body[end:])
		}
	})
}
