package githubtools

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
)

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
	words := strings.Fields(fold(plaintext.Clean(query)))
	all := v.Items
	v.Items = []found{}
	for _, item := range all {
		text := fold(item.Ref + " " + item.Name)
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
