package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"basecamp-mcp/internal/app/local"
	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/catalog/tools"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/own/checklist"
	"basecamp-mcp/internal/own/task"
	"basecamp-mcp/internal/own/undo"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/authserver"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/signin/pages"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/wire/writeplan"
)

// changesPage lists and undoes what users' apps wrote, for a page.
type changesPage struct{ undo.Changes }

// changesOf returns what the page of changes shows, or nothing in the demo, whose users cannot log
// in.
func changesOf(all undo.Changes) authserver.Changes {
	if all.Log == nil {
		return authserver.Changes{}
	}
	page := changesPage{all}
	return authserver.Changes{List: page.List, TakeBack: page.TakeBack}
}

// changes returns what undoes writes in a process that serves no tools.
func (l *logins) changes(c config.Config, log *slog.Logger, up basecampServer, hub *githubServer) (undo.Changes, error) {
	all := undo.Changes{Log: l.calls, Errors: log}
	client, err := up.client(c, l.Credential)
	if err != nil {
		return all, err
	}
	sources := tools.Sources{Basecamp: client, Lists: checklist.New(l.Lists, nil), Tasks: task.New(l.Tasks, nil), Links: l.links()}
	if hub != nil {
		if sources.GitHub, err = hub.client(userAgent(c), &access{logins: l, static: local.NewStaticUsers()}); err != nil {
			return all, fmt.Errorf("github client: %w", err)
		}
	}
	all.Restorers = sources.Restorers()
	return all, nil
}

// client returns a client of Basecamp's API.
func (b basecampServer) client(c config.Config, tokens basecamp.TokenSource) (*basecamp.Client, error) {
	client, err := basecamp.New(basecamp.Config{
		BaseURL:   b.baseURL,
		UserAgent: userAgent(c),
		Transport: b.transport,
		Outside:   b.outside,
		Tokens:    tokens,
		Unlimited: b.unlimited,
	})
	if err != nil {
		return nil, fmt.Errorf("basecamp client: %w", err)
	}
	return client, nil
}

// mostChanges is the number of changes on the page.
const mostChanges = 20

// person returns the context of a user who acts on a page.
func person(ctx context.Context, subject string) context.Context {
	return identity.With(ctx, identity.Caller{Subject: subject, Scopes: identity.AllScopes()})
}

// runGap is the longest time between two changes of a run.
const runGap = time.Hour

// List returns the last changes, newest first, as runs of one client.
func (p changesPage) List(ctx context.Context, subject string) (runs []pages.Run, err error) {
	all, err := p.Changes.List(person(ctx, subject), mostChanges)
	var before undo.Change
	var undoable []string // of the run, newest first
	for _, c := range all {
		if runs == nil || c.Client != before.Client || before.Time.Sub(c.Time) > runGap {
			runs, undoable = append(runs, pages.Run{Client: c.Client, Time: c.Time}), nil
		}
		run := &runs[len(runs)-1]
		run.Changes = append(run.Changes, changeInWords(c))
		if c.Undoable && c.Tool != undo.Tool {
			undoable = append(undoable, c.ID)
		}
		if len(undoable) > 1 {
			run.Step = undoable[len(undoable)-1] + " " + undoable[0]
		}
		before = c
	}
	return runs, err
}

// changeInWords returns a change as users read it.
func changeInWords(c undo.Change) pages.Change {
	shown := pages.Change{ID: c.ID, Did: deeds(c), More: c.More, Undoable: c.Undoable, Undone: c.Reason == undo.Already}
	if !shown.Undone {
		shown.Reason = whyNot(c.Reason)
	}
	return shown
}

// TakeBack undoes the change with an ID, or all of its client from one ID to a second.
func (p changesPage) TakeBack(ctx context.Context, subject, step string) ([]pages.TakenBack, error) {
	ctx = person(ctx, subject)
	from, to, several := strings.Cut(step, " ")
	first, err := p.Find(ctx, from)
	records := []calls.Record{first}
	if err == nil && several {
		records, err = p.Undoable(ctx, first.Time.Add(-calls.Held))
		records = slices.DeleteFunc(records, func(r calls.Record) bool { return r.Client != first.Client || r.ID < from || r.ID > to })
	}
	var all []undo.TakenBack
	if err == nil {
		var left []calls.Record
		if all, left, err = p.All(ctx, records, len(records)); len(left) > 0 {
			all = append(all, undo.TakenBack{Result: writeplan.Refused, Reason: fmt.Sprintf("%d more are left; undo them now", len(left))})
		}
	}
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return []pages.TakenBack{{Result: "Not undone", Reason: capital(f.Message)}}, nil
	}
	taken := make([]pages.TakenBack, len(all))
	for i, t := range all {
		taken[i] = takenInWords(t)
	}
	return taken, err
}

// takenInWords returns what became of a call that was to be undone, as users read it.
func takenInWords(t undo.TakenBack) pages.TakenBack {
	v := pages.TakenBack{Result: map[string]string{
		writeplan.Undone: "Undone", writeplan.Refused: "Not undone",
	}[t.Result], Reason: whyNot(t.Reason)}
	v.Result = cmp.Or(v.Result, "Cannot be undone")
	if t.Result == writeplan.Undone && len(t.Except) > 0 {
		v.Result = "Undone in part"
	}
	var did, reasons []string
	for _, w := range t.Writes {
		if what := inPast(w.What); !slices.Contains(did, what) {
			did = append(did, what)
		}
		if why := refusalInWords(w.Restored); why != "" && !slices.Contains(reasons, why) {
			reasons = append(reasons, why)
		}
	}
	v.Did = strings.Join(did, ", ")
	reasons = slices.DeleteFunc(append([]string{v.Reason}, reasons...), func(why string) bool { return why == "" })
	v.Reason = capital(strings.Join(reasons, "; "))
	return v
}

// capital returns a sentence with a capital letter.
func capital(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// refusalInWords says why a write was not undone, or what its undoing left: who changed which field
// since, when, and both texts.
func refusalInWords(r writeplan.Restored) string {
	why := r.Reason
	if slices.Contains(r.Except, writeplan.Position) {
		why = "it has another place than before"
	}
	if r.By != "" {
		why += " by " + r.By
	}
	if at, err := time.Parse(time.RFC3339, r.At); err == nil && r.Result == writeplan.Refused {
		why += at.UTC().Format(" on 2 January 2006, 15:04 UTC")
	}
	parts := []string{why}
	for _, name := range slices.Sorted(maps.Keys(r.Now)) {
		parts = append(parts, fmt.Sprintf("%s is %s now, and was left as %s", strings.ReplaceAll(name, "_", " "), quoted(r.Now[name]), quoted(r.Left[name])))
	}
	return strings.Join(parts, "; ")
}

func quoted(value any) string {
	if text, ok := value.(string); ok {
		return "'" + plaintext.Clean(text) + "'" // as pages show quotation marks in claims
	}
	if value == nil {
		return "empty"
	}
	return fmt.Sprint(value)
}

// deeds returns what a call did, as users read it.
func deeds(c undo.Change) (all []pages.Deed) {
	said := ""
	for _, item := range c.Items {
		d := pages.Deed{What: capital(inPast(item.What)), Title: item.Title, Within: item.Within}
		if last := len(all) - 1; last >= 0 && said == d.What {
			d.What = ""
			if all[last].Within == d.Within {
				all[last].Within = "" // both are there
			}
		} else {
			said = d.What
		}
		all = append(all, d)
	}
	if all == nil {
		all = []pages.Deed{{What: "Changed something"}}
	}
	return all
}

// whyNot returns why something cannot be undone, as users read it.
func whyNot(reason string) string {
	if words, ok := strings.CutPrefix(reason, "may_have_happened: "); ok {
		return "it is not known whether it happened, because " + words
	}
	return reason
}

// irregular has past tenses that do not end in ed, or double a letter.
var irregular = map[string]string{
	"put": "put", "send": "sent", "set": "set", "take": "took", "stop": "stopped", "log": "logged", "pin": "pinned", "unpin": "unpinned",
}

// inPast returns what a write does in the past tense: "create a to-do" is "created the to-do".
func inPast(what string) string {
	verb, rest, _ := strings.Cut(what, " ")
	verb = strings.TrimSuffix(verb, ":")
	past := irregular[verb]
	switch {
	case past != "":
	case strings.HasSuffix(verb, "e"):
		past = verb + "d"
	default:
		past = verb + "ed"
	}
	for _, article := range []string{"a ", "an "} {
		if noun, ok := strings.CutPrefix(rest, article); ok {
			rest = "the " + noun
		}
	}
	return strings.TrimSpace(past + " " + strings.NewReplacer(" a ", " the ", " an ", " the ").Replace(rest))
}
