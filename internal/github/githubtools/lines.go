package githubtools

import (
	"context"
	"strings"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/hub"
	"basecamp-mcp/internal/plaintext"
)

var (
	_ hub.Bearer     = (*Wing)(nil)
	_ hub.Repository = (*Wing)(nil)
)

// Naming returns the line that names an issue.
func (w *Wing) Naming(t hub.Thing) string { return "GitHub: " + t.Ref.ID }

// Parse returns the issue that owner/repo#12 or a URL names.
func (w *Wing) Parse(address string) (hub.Ref, bool) {
	found, err := w.kit.parseIssue("", addresses.ParseRef(address))
	if err != nil || found.repo.Owner == "" || found.number == 0 {
		return hub.Ref{}, false
	}
	return linkRef(github.Issue{Repo: found.repo, Number: found.number}), true
}

// Writers returns the author of an issue. Others may write into it only if they may write to its
// repository (GitHub Docs, "Repository roles for an organization").
func (w *Wing) Writers(_ context.Context, t hub.Thing) ([]string, error) {
	return []string{t.Author}, nil
}

// MayWrite reports whether a user may write to the repository of an issue.
func (w *Wing) MayWrite(ctx context.Context, id, login string) (bool, error) {
	found, err := w.kit.parseIssue("", addresses.ParseRef(id))
	if err != nil || !loginForm.MatchString(login) {
		return false, err
	}
	return w.kit.github.MayWrite(ctx, found.repo, login)
}

// Open reads an issue, to write a line into it.
func (w *Wing) Open(ctx context.Context, t hub.Thing) (hub.Text, error) {
	k := w.kit
	if err := k.github.Require(ctx, writeIssues...); err != nil {
		return hub.Text{}, err
	}
	i, err := k.readIssue(ctx, addresses.ParseRef(t.Ref.ID), "")
	if err != nil {
		return hub.Text{}, err
	}
	repo, err := k.github.Repository(ctx, i.Repo)
	switch {
	case err != nil:
		return hub.Text{}, err
	case i.Withheld:
		return hub.Text{}, fault.New(fault.PermissionDenied, "%s: the text of an outsider is withheld here, so no line is written into it", t.Ref.ID)
	case repo.Archived:
		return hub.Text{}, fault.New(fault.PermissionDenied, "%s: the repository is archived, so it can only be read", t.Ref.ID)
	}
	v := hub.Text{Readers: "everyone, because " + i.Repo.String() + " is public", Closed: repo.Private}
	if repo.Private {
		v.Readers = "those who see " + i.Repo.String()
	}
	v.Add = func(line string) (hub.LineWriter, error) {
		body, err := editInput{Append: line}.edited(i.Body)
		return w.bodyWriter(i, body), err
	}
	v.Drop = func(line string) (hub.LineWriter, error) { return w.bodyWriter(i, withoutLine(i.Body, line)), nil }
	return v, nil
}

// bodyWriter returns what writes a body.
func (w *Wing) bodyWriter(i github.Issue, body string) hub.LineWriter {
	return func(ctx context.Context) (hub.Told, error) {
		_, err := w.kit.github.UpdateIssue(ctx, i.Repo, i.Number, github.IssueChange{Body: &body})
		return hub.Told{}, err
	}
}

// withoutLine returns a body without the last line that is as given, and without the blank lines
// before it.
func withoutLine(body, line string) string {
	at := strings.LastIndex(body, line)
	if at < 0 {
		return body
	}
	before, after := strings.TrimRight(body[:at], "\r\n"), body[at+len(line):]
	if strings.TrimSpace(after) == "" {
		return before
	}
	return before + after
}

// Account returns the login of a user as GitHub writes it; me means the caller.
func (w *Wing) Account(ctx context.Context, argument, text string) (string, error) {
	if err := logins(argument, []string{text}); err != nil {
		return "", fault.Invalid(argument, "must be a login of GitHub, such as @octocat")
	}
	name, _ := login(argument, text)
	if name, err := w.kit.person(ctx, name); err != nil || strings.EqualFold(text, "me") {
		return name, err
	}
	found, err := w.kit.github.Owner(ctx, name)
	if fault.Is(err, fault.NotFound) || err == nil && found.Type != "User" {
		return "", fault.New(fault.NotFound, "%s: GitHub has no user %s", argument, plaintext.Quote(name))
	}
	return found.Login, err
}
