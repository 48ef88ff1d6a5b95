package githubtools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/plaintext"
)

// login reads a login, with or without @. me and an empty text stay as they are.
func login(argument, text string) (string, error) {
	text = strings.TrimPrefix(strings.TrimSpace(text), "@")
	if text != "" && !loginForm.MatchString(text) {
		return "", fault.Invalid(argument, "must be a login of at most 39 letters, digits and hyphens, got %s", plaintext.Quote(text))
	}
	return text, nil
}

// owner reads the login or the name of an owner. An empty one means the caller.
func owner(text string) (string, error) {
	name, err := login("owner", text)
	if plain := strings.TrimSpace(text); err != nil && strings.Contains(plain, " ") && !strings.ContainsAny(plain, "/:@") {
		return plain, nil
	}
	if strings.EqualFold(name, "me") {
		return "", nil
	}
	return name, err
}

// person returns a login in place of me.
func (k *kit) person(ctx context.Context, login string) (string, error) {
	if !strings.EqualFold(login, "me") {
		return login, nil
	}
	return k.github.Login(ctx)
}

// logins returns an error if one of the texts is not a login. It needs no request.
func logins(argument string, names []string) error {
	problems := make([]error, len(names))
	for i, name := range names {
		entry := fmt.Sprintf("%s[%d]", argument, i)
		text, err := login(entry, name)
		switch {
		case err != nil:
		case text == "":
			err = fault.Invalid(entry, "must be a login")
		case isAnyOrNone(text):
			err = fault.Invalid(entry, "must be a login or me, got %s; an empty list of assignees removes all", plaintext.Quote(text))
		}
		problems[i] = err
	}
	return fault.All(problems...)
}

// people returns logins that logins has checked, each once, with the caller's in place of me.
func (k *kit) people(ctx context.Context, names []string) ([]string, error) {
	var found []string
	for _, name := range names {
		person, err := k.person(ctx, strings.TrimPrefix(strings.TrimSpace(name), "@"))
		if err != nil {
			return nil, err
		}
		if !hasName(found, person) {
			found = append(found, person)
		}
	}
	return found, nil
}

// accounts returns the node IDs of the logins that arguments name. The error is a NOT_FOUND that
// names every unknown login, and the similar ones of those that known returns.
func (k *kit) accounts(ctx context.Context, of []term, known func() ([]string, error)) (directory, error) {
	ids, problems := directory{}, make([]error, len(of))
	for i, one := range k.github.Owners(ctx, mapped(of, func(t term) string { return t.value })) {
		ids[strings.ToLower(of[i].value)] = one.Value.ID
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
		problems[i] = noUser(of[i].argument, of[i].value, logins)
	}
	return ids, fault.All(problems...)
}

// assignable does what people does. It returns a NOT_FOUND for unknown logins. It asks GitHub only
// about those who are not assigned yet.
func (k *kit) assignable(ctx context.Context, repo github.Repo, argument string, names, assigned []string) ([]string, error) {
	found, err := k.people(ctx, names)
	if err != nil {
		return nil, err
	}
	var of []term
	for i, name := range names {
		if login := strings.TrimPrefix(strings.TrimSpace(name), "@"); !strings.EqualFold(login, "me") && !hasName(assigned, login) {
			of = append(of, term{argument: entry(argument, i), value: login})
		}
	}
	if _, err := k.accounts(ctx, of, k.latestLogins(ctx, repo)); err != nil {
		return nil, err
	}
	return found, nil
}

// latestLogins returns a function that reads the logins which a repository's latest issues name.
func (k *kit) latestLogins(ctx context.Context, repo github.Repo) func() ([]string, error) {
	return func() (known []string, err error) {
		latest, err := k.github.Issues(ctx, repo, github.IssueFilter{State: "all"}, "")
		for _, i := range latest.Items {
			known = append(append(known, i.Author), i.Assignees...)
		}
		return known, err
	}
}

// userExists returns a NOT_FOUND if GitHub has no user or organization with a login. known are
// logins of which the error lists the similar ones.
func (k *kit) userExists(ctx context.Context, argument, login string, known []string) error {
	if login == "" || hasName(known, login) {
		return nil
	}
	_, err := k.accounts(ctx, []term{{argument: argument, value: login}}, func() ([]string, error) { return known, nil })
	return err
}

// noUser returns the NOT_FOUND for a login that GitHub does not have.
func noUser(argument, login string, known []string) *fault.Error {
	var logins []string
	for _, one := range known {
		if !hasName(logins, one) {
			logins = append(logins, one)
		}
	}
	c := choice[string]{argument: argument, noun: "logins", items: logins, name: func(login string) string { return login }}
	return c.missing("user", login, "GitHub has no user %s", plaintext.Quote(login))
}

// directory has the node IDs of logins, in lower case.
type directory map[string]string

// directory returns the node IDs of the logins that arguments name. The error names the unknown
// ones.
func (k *kit) directory(ctx context.Context, repo github.Repo, argument string, names []string) (directory, error) {
	all, err := k.people(ctx, names)
	if err != nil {
		return nil, err
	}
	of := mapped(all, func(login string) term { return term{argument: argument, value: login} })
	return k.accounts(ctx, of, k.latestLogins(ctx, repo))
}

// of returns the node IDs of logins, of which the issue has some already.
func (d directory) of(logins []string, has []github.Named) []string {
	ids := []string{}
	for _, login := range logins {
		at := slices.IndexFunc(has, func(n github.Named) bool { return strings.EqualFold(n.Login, login) })
		if at >= 0 {
			ids = append(ids, has[at].ID)
		} else {
			ids = append(ids, d[strings.ToLower(login)])
		}
	}
	return ids
}

// The forms of dates and times that errors tell.
const (
	dayForms   = `a date such as 2026-11-22, tomorrow, friday, "in 2 weeks" or "December 7"`
	sinceForms = `a date such as 2026-11-22, yesterday or "3 days ago", a time such as 2026-11-22T09:00:00Z, or a span such as last_7_days`
)
