package parts

import (
	"cmp"
	"strconv"
	"strings"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/lazyregexp"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/toolargs"
)

// MaxName is the most characters of a name that has no other limit.
const MaxName = 100

// The forms of references.
var (
	repoForm    = lazyregexp.New(`^([A-Za-z0-9][A-Za-z0-9_-]{0,38})/([A-Za-z0-9._-]{1,100})$`)
	IssueForm   = lazyregexp.New(`^((?:[A-Za-z0-9][A-Za-z0-9_-]{0,38}/)?[A-Za-z0-9._-]{1,100})?#([0-9]+)$`)
	ProjectForm = lazyregexp.New(`^@?([A-Za-z0-9][A-Za-z0-9_-]{0,38})/([0-9]{1,9})$`)
	loginForm   = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_-]{0,38}(\[bot\])?$`)
	projectID   = lazyregexp.New(`^PVT_[A-Za-z0-9_-]{4,200}$`)
	ItemID      = lazyregexp.New(`^PVTI_[A-Za-z0-9_-]{4,200}$`)
)

// Repo reads owner/name, the URL of anything in a repository, or a name. The repository of a name
// has no owner until [kit.found] has looked for it.
func (k *Kit) Repo(argument, text string) (github.Repo, error) {
	text = strings.TrimSpace(text)
	if strings.Contains(text, "://") {
		path, ok := k.GitHub.Path(text)
		if !ok || len(path) < 2 || path[0] == "orgs" || path[0] == "users" { // which no account can be named
			return github.Repo{}, fault.Invalid(argument, "must be owner/name or the URL of a repository on GitHub")
		}
		text = path[0] + "/" + strings.TrimSuffix(path[1], ".git")
	}
	if name := strings.TrimSpace(text); name != "" && len([]rune(name)) <= MaxName && !strings.ContainsAny(name, "/:") && strings.Trim(name, ".") != "" {
		return github.Repo{Name: name}, nil
	}
	form := repoForm.FindStringSubmatch(strings.TrimPrefix(text, "github.com/"))
	if len(form) == 0 || form[2] == "." || form[2] == ".." {
		return github.Repo{}, fault.Invalid(argument, "must be owner/name or the URL of a repository, got %s", plaintext.Quote(text))
	}
	return github.Repo{Owner: form[1], Name: form[2]}, nil
}

// IssueRef is a reference to an issue or a pull request: by number, or by title if that is 0.
type IssueRef struct {
	Repo   github.Repo
	Number int
	Title  string
}

// IssueRef reads a reference to an issue. The text of repo may be empty if the reference names the
// repository.
func (k *Kit) IssueRef(argument string, ref toolargs.Ref, repo string) (IssueRef, error) {
	var in github.Repo
	if repo != "" {
		var err error
		if in, err = k.Repo("repo", repo); err != nil {
			return IssueRef{}, err
		}
	}
	found, err := k.ParseIssue(argument, ref)
	switch {
	case err != nil:
		return IssueRef{}, err
	case found.Repo == github.Repo{} && repo == "":
		return IssueRef{}, fault.Invalid(argument, "must be owner/repo#12 or the URL of an issue; a number or a title needs repo")
	case found.Repo == github.Repo{}:
		found.Repo = in
	case repo != "" && (in.Owner == "" || found.Repo.Owner == "") && strings.EqualFold(found.Repo.Name, in.Name):
		found.Repo.Owner = cmp.Or(found.Repo.Owner, in.Owner)
	case repo != "" && !strings.EqualFold(found.Repo.String(), in.String()):
		return IssueRef{}, fault.Invalid("repo", "is %s, but %s is in %s; leave repo out", named(in), argument, named(found.Repo))
	}
	return found, nil
}

// named returns a repository as a caller named it, who may have left the owner out.
func named(r github.Repo) string { return strings.TrimPrefix(r.String(), "/") }

// ParseIssue reads a reference to an issue. Its repository is empty for a number and a title.
func (k *Kit) ParseIssue(argument string, ref toolargs.Ref) (IssueRef, error) {
	switch {
	case ref.URL != "":
		path, ok := k.GitHub.Path(ref.URL)
		if !ok || len(path) < 4 || path[2] != "issues" && path[2] != "pull" {
			return IssueRef{}, fault.Invalid(argument, "must be the URL of an issue or a pull request on GitHub, such as https://github.com/owner/repo/issues/12")
		}
		return k.numbered(argument, path[0]+"/"+path[1], path[3])
	case IssueForm.MatchString(ref.Name):
		form := IssueForm.FindStringSubmatch(ref.Name)
		return k.numbered(argument, form[1], form[2])
	case ref.ID > 0:
		return k.numbered(argument, "", ref.String())
	}
	if ref.Name == "" || len([]rune(ref.Name)) > MaxTitle {
		return IssueRef{}, fault.Invalid(argument, "must be a number, owner/repo#12, a URL or a title of at most %d characters", MaxTitle)
	}
	return IssueRef{Title: ref.Name}, nil
}

// numbered returns a reference by number. Its repository may be empty.
func (k *Kit) numbered(argument, repo, number string) (IssueRef, error) {
	n, err := strconv.Atoi(number)
	if err != nil || n <= 0 || n >= 1_000_000_000 {
		return IssueRef{}, fault.Invalid(argument, "must name an issue by its number, got %s", plaintext.Quote(number))
	}
	if repo == "" {
		return IssueRef{Number: n}, nil
	}
	in, err := k.Repo(argument, repo)
	return IssueRef{Repo: in, Number: n}, err
}

// ProjectRef reads a reference to a project. It returns the title if the reference is one.
func (k *Kit) ProjectRef(ref toolargs.Ref, owner string) (found github.ProjectRef, title string, err error) {
	switch {
	case ref.ID > 0 && ref.ID < 1_000_000_000:
		return github.ProjectRef{Owner: owner, Number: int(ref.ID)}, "", nil
	case ref.ID != 0:
		return found, "", fault.Invalid("project", "must be a number below 1000000000, owner/5, a URL or a title, got %d", ref.ID)
	case ref.URL != "":
		path, ok := k.GitHub.Path(ref.URL)
		if !ok || len(path) < 4 || path[0] != "orgs" && path[0] != "users" || path[2] != "projects" {
			return found, "", fault.Invalid("project", "must be the URL of a project on GitHub, such as https://github.com/orgs/owner/projects/5")
		}
		ref.Name = path[1] + "/" + path[3]
		if !ProjectForm.MatchString(ref.Name) {
			return found, "", fault.Invalid("project", "must be the URL of a project, with its number")
		}
	case projectID.MatchString(ref.Name):
		return github.ProjectRef{ID: ref.Name}, "", nil
	}
	form := ProjectForm.FindStringSubmatch(ref.Name)
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

// IsNone reports whether an argument is the word none.
func IsNone(text string) bool { return strings.EqualFold(strings.TrimSpace(text), "none") }

// IsAny reports whether an argument is the word any.
func IsAny(text string) bool { return strings.EqualFold(strings.TrimSpace(text), "any") }

// IsAnyOrNone reports whether an argument is one of the two words.
func IsAnyOrNone(text string) bool { return IsAny(text) || IsNone(text) }

// Short returns the caller's text in a form that fits into a message.
func Short(text string) string { return plaintext.Label(text, MaxName) }

// ItemRef returns an issue as arguments take it, or "" for what has no number.
func ItemRef(repo github.Repo, number int) string {
	if number == 0 {
		return ""
	}
	return repo.String() + "#" + strconv.Itoa(number)
}
