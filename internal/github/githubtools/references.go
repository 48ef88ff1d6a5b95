package githubtools

import (
	"cmp"
	"strconv"
	"strings"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/lazyregexp"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
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

func isNone(text string) bool      { return strings.EqualFold(strings.TrimSpace(text), "none") }
func isAny(text string) bool       { return strings.EqualFold(strings.TrimSpace(text), "any") }
func isAnyOrNone(text string) bool { return isAny(text) || isNone(text) }

// short returns the caller's text in a form that fits into a message.
func short(text string) string { return plaintext.Label(text, maxName) }
