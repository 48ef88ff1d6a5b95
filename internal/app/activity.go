package app

import (
	"context"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/pages"
)

const (
	// recentCalls and recentChanges are how many of each the account page looks at.
	recentCalls   = 60
	recentChanges = 10
	// titlesTime is how long the account page waits for the titles of what was changed: it must be
	// able to disconnect apps without Basecamp, too.
	titlesTime = 3 * time.Second
)

// Recent returns what a user's apps did lately, newest first: each change, what was read in
// between, and the failures about which a user can do something.
func (p changesPage) Recent(ctx context.Context, subject string) ([]pages.Call, error) {
	entries, err := p.Log.Recent(ctx, subject, recentCalls)
	if err != nil {
		return nil, err
	}
	titles, cancel := context.WithTimeout(ctx, titlesTime)
	defer cancel()
	changed, err := p.Changes.List(person(titles, subject), recentChanges)
	wrote := map[string]pages.Change{}
	for _, c := range changed {
		wrote[c.ID] = changeInWords(c)
	}
	var all []pages.Call
	var reads []string // of the last of all, if it only read
	for _, e := range entries {
		one := pages.Call{Time: e.Time, Client: e.Client, Connection: e.Connection}
		change, isChange := wrote[e.ID]
		what := reading(e.Tool)
		switch {
		case isChange:
			one.Did, one.More = change.Did, change.More
		case len(changed) == recentChanges && e.ID < changed[len(changed)-1].ID:
			return all, err
		case refusals[e.Outcome] != "":
			one.Did = []pages.Deed{{What: refusals[e.Outcome]}}
		case e.Outcome != calls.OK || what == "":
			continue
		case reads != nil && all[len(all)-1].Connection == e.Connection && e.Time.UTC().YearDay() == all[len(all)-1].Time.UTC().YearDay():
			if !slices.Contains(reads, what) {
				reads = append(reads, what)
			}
			all[len(all)-1].Did = []pages.Deed{{What: "Read " + listed(reads)}}
			continue
		default:
			reads = []string{what}
			one.Did = []pages.Deed{{What: "Read " + what}}
			all = append(all, one)
			continue
		}
		reads, all = nil, append(all, one)
	}
	return all, err
}

// mostNouns is how many kinds of things a line names.
const mostNouns = 4

// listed returns words as a sentence has them.
func listed(words []string) string {
	if len(words) > mostNouns {
		words = append(slices.Clone(words[:mostNouns]), "more")
	}
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// refusals say what was refused, for the outcomes about which a user can do something.
var refusals = map[string]string{
	calls.Running:                  "Was cut off while it wrote something, which may have happened",
	string(fault.TokenExpired):     "Could not go on, because you had to sign in again",
	string(fault.NotLinked):        "Could not use GitHub, because you have not linked it",
	string(fault.PermissionDenied): "Was refused what you, or its limits, do not allow",
	string(fault.ToolNotEnabled):   "Was refused what its access does not include",
}

// nouns say what tools read whose names contain a word; the first one that fits.
var nouns = [][2]string{
	{"todolist__", "its checklist"}, {"task", "your tasks"}, {"todo", "to-dos"}, {"work", "to-dos and cards"}, {"board", "card tables"}, {"message", "messages"},
	{"comment", "comments"}, {"document", "documents"}, {"file", "files"}, {"attachment", "files"}, {"people", "people"}, {"project", "projects"},
	{"schedule", "schedules"}, {"upcoming", "schedules"}, {"campfire", "chats"}, {"checkin", "check-ins"}, {"notification", "notifications"},
	{"activity", "what people did"}, {"change", "what changed"}, {"report", "reports"}, {"waiting", "who waits"}, {"issue", "issues"}, {"day", "your day"},
	{"search", "search results"}, {"find", "search results"}, {"get_me", "who you are"}, {"connections", "your connected apps"},
}

// reading says what a tool reads, or "" of a tool that writes. The process that shows pages has no
// catalogue of tools.
func reading(tool string) string {
	name, onGitHub := strings.CutPrefix(tool, "github_")
	reads := slices.ContainsFunc([]string{"get_", "list_", "read_", "find", "search", "my_", "todolist__get", "connections", "preview"}, func(start string) bool { return strings.HasPrefix(name, start) })
	if !reads {
		return ""
	}
	what := "other things"
	if at := slices.IndexFunc(nouns, func(n [2]string) bool { return strings.Contains(name, n[0]) }); at >= 0 {
		what = nouns[at][1]
	}
	if onGitHub {
		what += " on GitHub"
	}
	return what
}
