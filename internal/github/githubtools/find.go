package githubtools

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/naming"
	"basecamp-mcp/internal/plaintext"
)

// offering returns tools whose NOT_FOUND about a repository, a project or an owner lists the
// nearest ones that the user reaches. It costs a request, and only after GitHub found nothing.
func (k *kit) offering(tools []mcptool.Tool) []mcptool.Tool {
	for i, tool := range tools {
		tools[i] = tool.Explained(func(ctx context.Context, in json.RawMessage, err error) error {
			return inArgument(in, k.nearby(ctx, err))
		})
	}
	return tools
}

// inArgument puts the name of the argument before the message that GitHub has no such project or
// owner.
func inArgument(arguments json.RawMessage, err error) error {
	f := fault.From(err)
	var given map[string]json.RawMessage
	_ = json.Unmarshal(arguments, &given) // the schema has accepted them
	if f.Code != fault.NotFound || f.Resource == nil || given[f.Resource.Type] == nil || f.Resource.Type != "project" && f.Resource.Type != "owner" || f.Upstream == nil || f.MayHaveHappened {
		return err
	}
	told := *f
	told.Message = f.Resource.Type + ": " + f.Message
	return &told
}

// nearby adds the nearest names to a NOT_FOUND of GitHub that has none. If they cannot be read, the
// error stays as it is.
func (k *kit) nearby(ctx context.Context, err error) error {
	f := fault.From(err)
	if f.Code != fault.NotFound || f.Resource == nil || f.Resource.ID == "" || len(f.Nearest) > 0 || f.MayHaveHappened || github.IsGone(f) {
		return err
	}
	var near []fault.Candidate
	switch f.Resource.Type {
	case "repository", "issue":
		near = k.nearestRepos(ctx, f.Resource.ID)
	case "project":
		near = k.nearestProjects(ctx, f.Resource.ID)
	case "owner":
		if all, me, _, unread := k.github.Organizations(ctx); unread == nil {
			near = nearestOwners(all, me, f.Resource.ID)
		}
	}
	return withNearest(f, near)
}

// withNearest returns the fault with names that its message lists.
func withNearest(f *fault.Error, near []fault.Candidate) *fault.Error {
	if len(near) == 0 {
		return f
	}
	told := *f
	told.Nearest = near
	refs := mapped(near, func(c fault.Candidate) string { return plaintext.Word(c.Ref) })
	told.Message += "; similar: " + strings.Join(refs, ", ")
	return &told
}

// nearestRepos returns the repositories that the user reaches and whose names are similar to that
// in owner/name, or in owner/name#12. There are none if the user reaches that repository: then it
// is its issue that is missing.
func (k *kit) nearestRepos(ctx context.Context, id string) []fault.Candidate {
	wanted, _, _ := strings.Cut(id, "#")
	all, _, _, err := k.github.Repositories(ctx, "")
	if err != nil || slices.ContainsFunc(all, func(r github.Repository) bool { return strings.EqualFold(r.NameWithOwner, wanted) }) {
		return nil
	}
	_, name, _ := strings.Cut(wanted, "/")
	c := reachableRepos(ctx, all)
	return c.candidates(c.nearest(name))
}

// reachableRepos returns repositories, of which a reference names one without its owner.
func reachableRepos(ctx context.Context, all []github.Repository) choice[github.Repository] {
	return choice[github.Repository]{
		argument: "repo", noun: "repositories that you can reach", items: all, partly: true, look: looking(ctx),
		name:  func(r github.Repository) string { return r.Repo().Name },
		ref:   func(r github.Repository) string { return r.NameWithOwner },
		where: func(r github.Repository) string { return r.Repo().Owner },
	}
}

// nearestProjects returns the projects that the user reaches and whose references are similar.
func (k *kit) nearestProjects(ctx context.Context, id string) []fault.Candidate {
	if !strings.Contains(id, "/") {
		return nil // a node ID
	}
	all, _, err := k.reachable(ctx, "")
	if err != nil {
		return nil
	}
	c := choice[github.Project]{items: all, look: looking(ctx), name: nameOf, where: func(p github.Project) string { return plaintext.Label(p.Title, maxName) }}
	return c.candidates(c.nearest(id))
}

// nearestOwners returns the user and the user's organizations whose logins are similar.
func nearestOwners(all []github.Organization, me github.Owner, login string) []fault.Candidate {
	c := choice[string]{name: func(login string) string { return login }}
	for _, o := range append(all, github.Organization{Login: me.Login}) {
		c.items = append(c.items, o.Login)
	}
	return c.candidates(c.nearest(login))
}

type findInput struct {
	Kind  string `json:"kind" jsonschema:"What" limits:"enum=repo|project|person|label|milestone|team"`
	Query string `json:"query,omitzero" jsonschema:"Part of the name" limits:"word maxlen=100"`
	Owner string `json:"owner,omitzero" jsonschema:"Only of this owner" limits:"maxlen=40"`
	Repo  string `json:"repo,omitzero" jsonschema:"Required for labels and milestones" limits:"maxlen=1000"`
}

// found is a thing that find lists. Ref is what arguments take.
type found struct {
	Ref      string  `json:"ref"`
	Name     string  `json:"name,omitempty"`
	Where    string  `json:"where,omitempty"`
	State    string  `json:"state,omitempty"`
	DueOn    *string `json:"due_on,omitempty"`
	Open     *int    `json:"open,omitempty"`
	Closed   *int    `json:"closed,omitempty"`
	Public   *bool   `json:"public,omitempty"`
	Archived bool    `json:"archived,omitempty"`
}

type foundThings struct {
	Items      []found            `json:"items"`
	HasMore    bool               `json:"has_more"`
	Incomplete *github.Incomplete `json:"incomplete,omitempty"`
}

// maxFound limits what find lists.
const maxFound = 100

func (k *kit) find() mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "github_find",
		Title:       "Find on GitHub",
		Description: "Lists repositories, projects, people, teams, labels or milestones that the user can reach on GitHub.",
	}, func(ctx context.Context, in findInput) (foundThings, error) {
		login, err := owner(in.Owner)
		var repo github.Repo
		var inRepo error
		switch {
		case in.Repo != "":
			repo, inRepo = k.repo("repo", in.Repo)
		case in.Kind == "label" || in.Kind == "milestone":
			inRepo = fault.Invalid("repo", "is required: a %s belongs to a repository", in.Kind)
		}
		var qualified error
		if in.Kind != "label" && in.Kind != "milestone" { // whose names may look like qualifiers
			qualified = plainQuery(in.Query, map[string]string{"repo": "repo", "owner": "owner", "org": "owner", "user": "owner", "in": "query", "is": "query"})
		}
		if err := fault.All(err, inRepo, qualified); err != nil {
			return foundThings{}, err
		}
		if in.Repo != "" {
			if repo, err = k.found(ctx, repo); err != nil {
				return foundThings{}, err
			}
		}
		v, err := k.listThings(ctx, in.Kind, login, in.Query, repo)
		if err != nil {
			return foundThings{}, err
		}
		return v.matching(ctx, in.Kind, in.Query)
	})
}

// listThings returns all things of a kind, before the query.
func (k *kit) listThings(ctx context.Context, kind, login, query string, repo github.Repo) (v foundThings, err error) {
	switch kind {
	case "repo":
		return k.findRepos(ctx, login)
	case "project":
		projects, missing, err := k.reachable(ctx, login)
		for _, p := range projects {
			shown := viewProject(p)
			v.Items = append(v.Items, found{Ref: nameOf(p), Name: shown.Title, State: shown.State, Public: &shown.Public})
		}
		v.Incomplete = missing
		return v, err
	case "label":
		labels, err := k.github.Labels(ctx, repo)
		for _, l := range labels {
			v.Items = append(v.Items, found{Ref: plaintext.Clean(l.Name), Name: plaintext.Label(l.Description, maxName)})
		}
		return v, err
	case "milestone":
		milestones, err := k.github.Milestones(ctx, repo)
		for _, m := range milestones {
			one := found{Ref: plaintext.Clean(m.Title), State: m.State, Open: &m.OpenIssues, Closed: &m.ClosedIssues}
			if m.DueOn != "" {
				one.DueOn = &m.DueOn
			}
			v.Items = append(v.Items, one)
		}
		return v, err
	case "person":
		if repo != (github.Repo{}) {
			people, err := k.github.Assignable(ctx, repo, "")
			v.add(people, "")
			return v, err
		}
	}
	return k.findMembers(ctx, kind, login)
}

func (k *kit) findRepos(ctx context.Context, login string) (v foundThings, err error) {
	repos, more, missing, err := k.github.Repositories(ctx, login)
	if login != "" && fault.Is(err, fault.NotFound) {
		if login, err = k.ownerLike(ctx, login, err); err == nil {
			repos, more, missing, err = k.github.Repositories(ctx, login)
		}
	}
	for _, r := range repos {
		public := !r.Private
		v.Items = append(v.Items, found{Ref: r.NameWithOwner, Public: &public, Archived: r.Archived})
	}
	v.HasMore, v.Incomplete = more, missing
	return v, err
}

// findMembers returns the people or the teams of the user's organizations, or of one of them.
func (k *kit) findMembers(ctx context.Context, kind, login string) (v foundThings, err error) {
	all, me, missing, err := k.github.Organizations(ctx)
	if err != nil {
		return v, err
	}
	if login != "" {
		of, err := organizationsOf(all).pick(login)
		if err != nil {
			return v, err
		}
		all = []github.Organization{of}
	}
	v.Incomplete = missing
	for _, o := range all {
		if kind == "person" {
			v.add(o.MembersWithRole.Entries(), o.Login)
			continue
		}
		for _, t := range o.Teams.Entries() {
			v.Items = append(v.Items, found{Ref: t.CombinedSlug, Name: plaintext.Clean(t.Name)})
		}
	}
	if kind == "person" && login == "" {
		v.add([]github.Named{{Login: me.Login}}, "")
	}
	return v, nil
}

// add adds people, each once.
func (v *foundThings) add(people []github.Named, where string) {
	for _, p := range people {
		if !slices.ContainsFunc(v.Items, func(f found) bool { return f.Ref == p.Login }) {
			v.Items = append(v.Items, found{Ref: p.Login, Name: plaintext.Clean(p.Name), Where: where})
		}
	}
}

// matching returns the things whose names have all words of a query, or a NOT_FOUND with the
// nearest ones.
func (v foundThings) matching(ctx context.Context, kind, query string) (foundThings, error) {
	words := strings.Fields(naming.Fold(plaintext.Clean(query)))
	all := v.Items
	v.Items = []found{}
	for _, item := range all {
		text := naming.Fold(item.Ref + " " + item.Name)
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
			v.Items = append(v.Items, item)
		}
	}
	if len(v.Items) == 0 && len(words) > 0 {
		c := choice[found]{
			argument: "query", noun: kind + "s", items: all, look: looking(ctx),
			name: func(f found) string { return cmp.Or(f.Name, f.Ref) },
			ref:  func(f found) string { return f.Ref },
		}
		return v, c.unknown(query)
	}
	if len(v.Items) > maxFound {
		v.Items, v.HasMore = v.Items[:maxFound], true
	}
	return v, nil
}

// found returns a repository with its owner. It looks for a name without one among the repositories
// that the user owns, works in or recently contributed to.
func (k *kit) found(ctx context.Context, repo github.Repo) (github.Repo, error) {
	if repo.Owner != "" || repo.Name == "" {
		return repo, nil
	}
	all, _, _, err := k.github.Repositories(ctx, "")
	if err != nil {
		return repo, err
	}
	one, err := reachableRepos(ctx, all).pick(repo.Name)
	return one.Repo(), err
}

// ownerLike returns the organization of the user whose login or name a text is, or is a part of.
// The error is missing if there is none, with the nearest.
func (k *kit) ownerLike(ctx context.Context, text string, missing error) (string, error) {
	all, me, _, err := k.github.Organizations(ctx)
	if err != nil {
		return "", err
	}
	if strings.EqualFold(me.Login, text) || slices.ContainsFunc(all, func(o github.Organization) bool { return strings.EqualFold(o.Login, text) }) {
		return "", missing
	}
	one, known, err := organizationsOf(all).find(text)
	if err == nil && !known {
		err = withNearest(fault.From(missing), nearestOwners(all, me, text))
	}
	return one.Login, err
}

// organizationsOf returns organizations, of which an owner names one by login or name.
func organizationsOf(all []github.Organization) choice[github.Organization] {
	return choice[github.Organization]{
		argument: "owner", noun: "organizations of yours", items: all, partly: true,
		name: func(o github.Organization) string { return o.Login + " " + o.Name },
		ref:  func(o github.Organization) string { return o.Login },
	}
}
