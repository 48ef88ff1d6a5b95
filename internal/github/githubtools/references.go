package githubtools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/lazyregexp"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
	"basecamp-mcp/internal/when"
)

const maxName = 100 // characters of a name that has no other limit

var (
	repoForm    = lazyregexp.New(`^([A-Za-z0-9][A-Za-z0-9_-]{0,38})/([A-Za-z0-9._-]{1,100})$`)
	issueForm   = lazyregexp.New(`^((?:[A-Za-z0-9][A-Za-z0-9_-]{0,38}/)?[A-Za-z0-9._-]{1,100})?#([0-9]+)$`)
	projectForm = lazyregexp.New(`^@?([A-Za-z0-9][A-Za-z0-9_-]{0,38})/([0-9]{1,9})$`)
	loginForm   = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_-]{0,38}(\[bot\])?$`)
	projectID   = lazyregexp.New(`^PVT_[A-Za-z0-9_-]{4,200}$`)
	itemID      = lazyregexp.New(`^PVTI_[A-Za-z0-9_-]{4,200}$`)
)

// repo reads owner/name, the URL of anything in a repository, or a name. The repository of a name
// has no owner until [kit.found] has looked for it.
func (k *kit) repo(argument, text string) (github.Repo, error) {
	text = strings.TrimSpace(text)
	if strings.Contains(text, "://") {
		path, ok := k.github.Path(text)
		if !ok || len(path) < 2 || path[0] == "orgs" || path[0] == "users" { // which no account can be named
			return github.Repo{}, fault.Invalid(argument, "must be owner/name or the URL of a repository on GitHub")
		}
		text = path[0] + "/" + strings.TrimSuffix(path[1], ".git")
	}
	if name := strings.TrimSpace(text); name != "" && len([]rune(name)) <= maxName && !strings.ContainsAny(name, "/:") && strings.Trim(name, ".") != "" {
		return github.Repo{Name: name}, nil
	}
	form := repoForm.FindStringSubmatch(strings.TrimPrefix(text, "github.com/"))
	if len(form) == 0 || form[2] == "." || form[2] == ".." {
		return github.Repo{}, fault.Invalid(argument, "must be owner/name or the URL of a repository, got %s", plaintext.Quote(text))
	}
	return github.Repo{Owner: form[1], Name: form[2]}, nil
}

// issueRef is a reference to an issue or a pull request: by number, or by title if that is 0.
type issueRef struct {
	repo   github.Repo
	number int
	title  string
}

// issueRef reads a reference to an issue. The text of repo may be empty if the reference names the
// repository.
func (k *kit) issueRef(argument string, ref toolargs.Ref, repo string) (issueRef, error) {
	var in github.Repo
	if repo != "" {
		var err error
		if in, err = k.repo("repo", repo); err != nil {
			return issueRef{}, err
		}
	}
	found, err := k.parseIssue(argument, ref)
	switch {
	case err != nil:
		return issueRef{}, err
	case found.repo == github.Repo{} && repo == "":
		return issueRef{}, fault.Invalid(argument, "must be owner/repo#12 or the URL of an issue; a number or a title needs repo")
	case found.repo == github.Repo{}:
		found.repo = in
	case repo != "" && (in.Owner == "" || found.repo.Owner == "") && strings.EqualFold(found.repo.Name, in.Name):
		found.repo.Owner = cmp.Or(found.repo.Owner, in.Owner)
	case repo != "" && !strings.EqualFold(found.repo.String(), in.String()):
		return issueRef{}, fault.Invalid("repo", "is %s, but %s is in %s; leave repo out", named(in), argument, named(found.repo))
	}
	return found, nil
}

// named returns a repository as a caller named it, who may have left the owner out.
func named(r github.Repo) string { return strings.TrimPrefix(r.String(), "/") }

// parseIssue reads a reference to an issue. Its repository is empty for a number and a title.
func (k *kit) parseIssue(argument string, ref toolargs.Ref) (issueRef, error) {
	switch {
	case ref.URL != "":
		path, ok := k.github.Path(ref.URL)
		if !ok || len(path) < 4 || path[2] != "issues" && path[2] != "pull" {
			return issueRef{}, fault.Invalid(argument, "must be the URL of an issue or a pull request on GitHub, such as https://github.com/owner/repo/issues/12")
		}
		return k.numbered(argument, path[0]+"/"+path[1], path[3])
	case issueForm.MatchString(ref.Name):
		form := issueForm.FindStringSubmatch(ref.Name)
		return k.numbered(argument, form[1], form[2])
	case ref.ID > 0:
		return k.numbered(argument, "", ref.String())
	}
	if ref.Name == "" || len([]rune(ref.Name)) > maxTitle {
		return issueRef{}, fault.Invalid(argument, "must be a number, owner/repo#12, a URL or a title of at most %d characters", maxTitle)
	}
	return issueRef{title: ref.Name}, nil
}

// numbered returns a reference by number. Its repository may be empty.
func (k *kit) numbered(argument, repo, number string) (issueRef, error) {
	n, err := strconv.Atoi(number)
	if err != nil || n <= 0 || n >= 1_000_000_000 {
		return issueRef{}, fault.Invalid(argument, "must name an issue by its number, got %s", plaintext.Quote(number))
	}
	if repo == "" {
		return issueRef{number: n}, nil
	}
	in, err := k.repo(argument, repo)
	return issueRef{repo: in, number: n}, err
}

// projectRef reads a reference to a project. It returns the title if the reference is one.
func (k *kit) projectRef(ref toolargs.Ref, owner string) (found github.ProjectRef, title string, err error) {
	switch {
	case ref.ID > 0 && ref.ID < 1_000_000_000:
		return github.ProjectRef{Owner: owner, Number: int(ref.ID)}, "", nil
	case ref.ID != 0:
		return found, "", fault.Invalid("project", "must be a number below 1000000000, owner/5, a URL or a title, got %d", ref.ID)
	case ref.URL != "":
		path, ok := k.github.Path(ref.URL)
		if !ok || len(path) < 4 || path[0] != "orgs" && path[0] != "users" || path[2] != "projects" {
			return found, "", fault.Invalid("project", "must be the URL of a project on GitHub, such as https://github.com/orgs/owner/projects/5")
		}
		ref.Name = path[1] + "/" + path[3]
		if !projectForm.MatchString(ref.Name) {
			return found, "", fault.Invalid("project", "must be the URL of a project, with its number")
		}
	case projectID.MatchString(ref.Name):
		return github.ProjectRef{ID: ref.Name}, "", nil
	}
	form := projectForm.FindStringSubmatch(ref.Name)
	if form == nil {
		return found, ref.Name, nil
	}
	n, _ := strconv.Atoi(form[2])
	if n == 0 {
		return found, "", fault.Invalid("project", "must have a number of at least 1, got %s", plaintext.Quote(ref.Name))
	}
	if owner != "" && !strings.EqualFold(owner, form[1]) {
		return found, "", fault.Invalid("owner", "is %s, but project names %s; leave owner out", owner, form[1])
	}
	return github.ProjectRef{Owner: form[1], Number: n}, "", nil
}

func isNone(text string) bool { return strings.EqualFold(strings.TrimSpace(text), "none") }

func isAny(text string) bool { return strings.EqualFold(strings.TrimSpace(text), "any") }

func isAnyOrNone(text string) bool { return isAny(text) || isNone(text) }

// short returns the caller's text in a form that fits into a message.
func short(text string) string { return plaintext.Label(text, maxName) }

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

// day reads a day as people write it, and returns it as YYYY-MM-DD. A weekday, or a date without a
// year, is the next one, which may be today. GitHub does not tell a user's time zone, so today is
// the date in UTC. Forms is what an error tells about texts that are not a day.
func (k *kit) day(argument, text, forms string) (string, error) {
	said, err := when.Parse(text)
	if err == nil && said.HasTime() {
		return "", fault.Invalid(argument, "must be a day without a time: %s; got %s", forms, plaintext.Quote(text))
	}
	var day time.Time
	if err == nil {
		day, err = said.Day(k.now().UTC(), when.Ahead)
	}
	return day.Format(time.DateOnly), misread(argument, text, forms, err)
}

// dayOrNone reads a day as day does. An empty text and none mean no day.
func (k *kit) dayOrNone(argument, text string) (string, error) {
	if text == "" || isNone(text) {
		return "", nil
	}
	return k.day(argument, text, dayForms)
}

// since reads the beginning of a period that ends now: a day, a time or a span, in UTC unless it
// has an offset. It is zero for an empty text. It counts spans from the last full hour, so that the
// same words ask GitHub for the same address.
func (k *kit) since(argument, text string) (time.Time, error) {
	if strings.TrimSpace(text) == "" {
		return time.Time{}, nil
	}
	said, err := when.Parse(text)
	var begin time.Time
	if err == nil {
		begin, err = said.Time(k.now().UTC().Truncate(time.Hour), when.Back, time.UTC)
	}
	if err == nil && begin.After(k.now()) {
		return begin, fault.Invalid(argument, "must not be in the future, got %s", plaintext.Quote(text))
	}
	return begin, misread(argument, text, sinceForms, err)
}

// misread returns the INVALID_INPUT for an error of package when, or nil.
func misread(argument, text, forms string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, when.ErrUnknown):
		return fault.Invalid(argument, "must be %s; got %s", forms, plaintext.Quote(text))
	case strings.Contains(err.Error(), strings.ToLower(strings.TrimSpace(text))):
		return fault.Invalid(argument, "%s", err)
	}
	return fault.Invalid(argument, "%s; got %s", err, plaintext.Quote(text))
}
