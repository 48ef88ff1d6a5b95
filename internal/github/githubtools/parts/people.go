package parts

import (
	"context"
	"slices"
	"strings"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
)

// Login reads a login, with or without @. me and an empty text stay as they are.
func Login(argument, text string) (string, error) {
	text = strings.TrimPrefix(strings.TrimSpace(text), "@")
	if text != "" && !loginForm.MatchString(text) {
		return "", fault.Invalid(argument, "must be a login of at most 39 letters, digits and hyphens, got %s", plaintext.Quote(text))
	}
	return text, nil
}

// Owner reads the login or the name of an owner. An empty one means the caller.
func Owner(text string) (string, error) {
	name, err := Login("owner", text)
	if plain := strings.TrimSpace(text); err != nil && strings.Contains(plain, " ") && !strings.ContainsAny(plain, "/:@") {
		return plain, nil
	}
	if strings.EqualFold(name, "me") {
		return "", nil
	}
	return name, err
}

// Person returns a login in place of me.
func (k *Kit) Person(ctx context.Context, login string) (string, error) {
	if !strings.EqualFold(login, "me") {
		return login, nil
	}
	return k.GitHub.Login(ctx)
}

// Logins returns an error if one of the texts is not a login. It needs no request.
func Logins(argument string, names []string) error {
	_, err := Each(argument, names, func(entry, name string) (string, error) {
		text, err := Login(entry, name)
		switch {
		case err != nil:
		case text == "":
			err = fault.Invalid(entry, "must be a login")
		case IsAnyOrNone(text):
			err = fault.Invalid(entry, "must be a login or me, got %s; an empty list of assignees removes all", plaintext.Quote(text))
		}
		return text, err
	})
	return err
}

// People returns logins that logins has checked, each once, with the caller's in place of me.
func (k *Kit) People(ctx context.Context, names []string) ([]string, error) {
	var found []string
	for _, name := range names {
		person, err := k.Person(ctx, strings.TrimPrefix(strings.TrimSpace(name), "@"))
		if err != nil {
			return nil, err
		}
		if !HasName(found, person) {
			found = append(found, person)
		}
	}
	return found, nil
}

// Accounts returns the node IDs of the logins that arguments name. The error is a NOT_FOUND that
// names every unknown login, and the similar ones of those that known returns.
func (k *Kit) Accounts(ctx context.Context, of []Term, known func() ([]string, error)) (Directory, error) {
	ids, problems := Directory{}, make([]error, len(of))
	for i, one := range k.GitHub.Owners(ctx, Mapped(of, func(t Term) string { return t.Value })) {
		ids[strings.ToLower(of[i].Value)] = one.Value.ID
		if one.Err != nil && !fault.Is(one.Err, fault.NotFound) {
			return nil, one.Err
		} else if one.Err == nil {
			continue
		}
		logins, err := known()
		if err != nil {
			return nil, err
		}
		known = func() ([]string, error) { return logins, nil }
		problems[i] = NoUser(of[i].Argument, of[i].Value, logins)
	}
	return ids, fault.All(problems...)
}

// Assignable does what people does. It returns a NOT_FOUND for unknown logins. It asks GitHub only
// about those who are not assigned yet.
func (k *Kit) Assignable(ctx context.Context, repo github.Repo, argument string, names, assigned []string) ([]string, error) {
	found, err := k.People(ctx, names)
	if err != nil {
		return nil, err
	}
	var of []Term
	for i, name := range names {
		if login := strings.TrimPrefix(strings.TrimSpace(name), "@"); !strings.EqualFold(login, "me") && !HasName(assigned, login) {
			of = append(of, Term{Argument: Entry(argument, i), Value: login})
		}
	}
	if _, err := k.Accounts(ctx, of, k.LatestLogins(ctx, repo)); err != nil {
		return nil, err
	}
	return found, nil
}

// LatestLogins returns a function that reads the logins which a repository's latest issues name.
func (k *Kit) LatestLogins(ctx context.Context, repo github.Repo) func() ([]string, error) {
	return func() (known []string, err error) {
		latest, err := k.GitHub.Issues(ctx, repo, github.IssueFilter{State: "all"}, "")
		for _, i := range latest.Items {
			known = append(append(known, i.Author), i.Assignees...)
		}
		return known, err
	}
}

// UserExists returns a NOT_FOUND if GitHub has no user or organization with a login. known are
// logins of which the error lists the similar ones.
func (k *Kit) UserExists(ctx context.Context, argument, login string, known []string) error {
	if login == "" || HasName(known, login) {
		return nil
	}
	_, err := k.Accounts(ctx, []Term{{Argument: argument, Value: login}}, func() ([]string, error) { return known, nil })
	return err
}

// NoUser returns the NOT_FOUND for a login that GitHub does not have.
func NoUser(argument, login string, known []string) *fault.Error {
	var logins []string
	for _, one := range known {
		if !HasName(logins, one) {
			logins = append(logins, one)
		}
	}
	c := Choice[string]{Argument: argument, Noun: "logins", Items: logins, Name: func(login string) string { return login }}
	return c.Missing("user", login, "GitHub has no user %s", plaintext.Quote(login))
}

// Directory has the node IDs of logins, in lower case.
type Directory map[string]string

// Directory returns the node IDs of the logins that arguments name. The error names the unknown
// ones.
func (k *Kit) Directory(ctx context.Context, repo github.Repo, argument string, names []string) (Directory, error) {
	all, err := k.People(ctx, names)
	if err != nil {
		return nil, err
	}
	of := Mapped(all, func(login string) Term { return Term{Argument: argument, Value: login} })
	return k.Accounts(ctx, of, k.LatestLogins(ctx, repo))
}

// Of returns the node IDs of logins, of which the issue has some already.
func (d Directory) Of(logins []string, has github.Issue) []string {
	ids := []string{}
	for _, login := range logins {
		at := slices.IndexFunc(has.Assignees, func(one string) bool { return strings.EqualFold(one, login) })
		if at >= 0 {
			ids = append(ids, has.AssigneeIDs[at])
		} else {
			ids = append(ids, d[strings.ToLower(login)])
		}
	}
	return ids
}

// The forms of dates and times that errors tell.
const (
	DayForms   = `a date such as 2026-11-22, tomorrow, friday, "in 2 weeks" or "December 7"`
	sinceForms = `a date such as 2026-11-22, yesterday or "3 days ago", a time such as 2026-11-22T09:00:00Z, or a span such as last_7_days`
)

// Without returns the names of a list that another list lacks. Case does not count.
func Without(names, other []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return HasName(other, n) })
}

// HasName reports whether a list has a name. Case does not count.
func HasName(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}

// Term is a qualifier in a search. Argument is the one that gave it.
type Term struct{ Argument, Name, Value string }
