package githubtools

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/github/githubtools/boards"
	"basecamp-mcp/internal/github/githubtools/parts"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/naming"
	"basecamp-mcp/internal/text/plaintext"
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

func (k *kit) find(ctx context.Context, in findInput) (foundThings, error) {
	login, err := parts.Owner(in.Owner)
	var repo github.Repo
	var inRepo error
	switch {
	case in.Repo != "":
		repo, inRepo = k.Repo("repo", in.Repo)
	case in.Kind == "label" || in.Kind == "milestone":
		inRepo = fault.Invalid("repo", "is required: a %s belongs to a repository", in.Kind)
	}
	var qualified error
	if in.Kind != "label" && in.Kind != "milestone" { // whose names may look like qualifiers
		qualified = parts.PlainQuery(in.Query, map[string]string{"repo": "repo", "owner": "owner", "org": "owner", "user": "owner", "in": "query", "is": "query"})
	}
	if err := fault.All(err, inRepo, qualified); err != nil {
		return foundThings{}, err
	}
	if in.Repo != "" {
		if repo, err = k.Found(ctx, repo); err != nil {
			return foundThings{}, err
		}
	}
	v, err := k.listThings(ctx, in.Kind, login, in.Query, repo)
	if err != nil {
		return foundThings{}, err
	}
	return v.matching(ctx, in.Kind, in.Query)
}

// listThings returns all things of a kind, before the query.
func (k *kit) listThings(ctx context.Context, kind, login, query string, repo github.Repo) (v foundThings, err error) {
	switch kind {
	case "repo":
		return k.findRepos(ctx, login)
	case "project":
		projects, err := k.Reachable(ctx, login)
		for _, p := range projects.Items {
			shown := boards.ViewProject(p)
			v.Items = append(v.Items, found{Ref: parts.NameOf(p), Name: shown.Title, State: shown.State, Public: &shown.Public})
		}
		v.Incomplete = projects.Incomplete
		return v, err
	case "label":
		labels, err := k.GitHub.Labels(ctx, repo)
		for _, l := range labels {
			v.Items = append(v.Items, found{Ref: plaintext.Clean(l.Name), Name: plaintext.Label(l.Description, parts.MaxName)})
		}
		return v, err
	case "milestone":
		milestones, err := k.GitHub.Milestones(ctx, repo)
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
			people, err := k.GitHub.Assignable(ctx, repo, "")
			v.add(people, "")
			return v, err
		}
	}
	return k.findMembers(ctx, kind, login)
}

func (k *kit) findRepos(ctx context.Context, login string) (v foundThings, err error) {
	repos, err := k.GitHub.Repositories(ctx, login)
	if login != "" && fault.Is(err, fault.NotFound) {
		if login, err = k.OwnerLike(ctx, login, err); err == nil {
			repos, err = k.GitHub.Repositories(ctx, login)
		}
	}
	for _, r := range repos.Items {
		public := !r.Private
		v.Items = append(v.Items, found{Ref: r.NameWithOwner, Public: &public, Archived: r.Archived})
	}
	v.HasMore, v.Incomplete = repos.Next != "", repos.Incomplete
	return v, err
}

// findMembers returns the people or the teams of the user's organizations, or of one of them.
func (k *kit) findMembers(ctx context.Context, kind, login string) (v foundThings, err error) {
	all, me, missing, err := k.GitHub.Organizations(ctx)
	if err != nil {
		return v, err
	}
	if login != "" {
		of, err := parts.OrganizationsOf(all).Pick(login)
		if err != nil {
			return v, err
		}
		all = []github.Organization{of}
	}
	v.Incomplete = missing
	for _, o := range all {
		if kind == "person" {
			v.add(o.MembersWithRole.Items, o.Login)
			continue
		}
		for _, t := range o.Teams.Items {
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
		c := parts.Choice[found]{
			Argument: "query", Noun: kind + "s", Items: all, Look: parts.Looking(ctx),
			Name: func(f found) string { return cmp.Or(f.Name, f.Ref) },
			Ref:  func(f found) string { return f.Ref },
		}
		return v, c.Unknown(query)
	}
	if len(v.Items) > maxFound {
		v.Items, v.HasMore = v.Items[:maxFound], true
	}
	return v, nil
}
