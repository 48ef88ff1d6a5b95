package githubtools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/github"
	"basecamp-mcp/internal/mcptool"
	"basecamp-mcp/internal/plaintext"
	"basecamp-mcp/internal/toolargs"
	"basecamp-mcp/internal/upstream"
)

// maxCandidates limits what an error lists.
const maxCandidates = 50

// choice is a set of things from which a caller names one.
type choice[T any] struct {
	argument string
	noun     string // plural
	items    []T
	name     func(T) string
	ref      func(T) string // what the argument takes; nil: the name
	where    func(T) string // distinguishes things of one name; may be nil
	partly   bool           // whether a part of only one name means it
	whole    bool           // an error lists all, however many there are
	look     func(int) bool // of looking; nil counts nothing
}

// pick returns the thing with a name. An exact name wins. If there is none, pick ignores case,
// accents and repeated blanks, then also the symbols before names, and then looks for a part of a
// name.
func (c choice[T]) pick(name string) (T, error) {
	found, known, err := c.find(name)
	if err == nil && !known {
		err = c.unknown(name)
	}
	return found, err
}

// find does what pick does. Without a thing that has the name, known is false.
func (c choice[T]) find(name string) (one T, known bool, err error) {
	var found []T
	for _, same := range []func(name string) func(other string) bool{identical, folded, unmarked} {
		if found = c.called(name, same); len(found) > 0 {
			break
		}
	}
	if len(found) == 0 && c.partly {
		found = c.containing(name)
	}
	switch len(found) {
	case 1:
		return found[0], true, nil
	case 0:
		return one, false, nil
	}
	e := fault.New(fault.Ambiguous, "%s: %s matches %d %s; send the ref of one", c.argument, plaintext.Quote(name), len(found), c.noun)
	e.Candidates = c.candidates(found)
	return one, false, e
}

// called returns the things whose name is the same as a name.
func (c choice[T]) called(name string, same func(name string) func(other string) bool) []T {
	var found []T
	if name = strings.TrimSpace(plaintext.Clean(name)); name == "" {
		return nil
	}
	isIt := same(name)
	for _, item := range c.items {
		if isIt(strings.TrimSpace(c.label(item))) {
			found = append(found, item)
		}
	}
	return found
}

func (c choice[T]) containing(part string) []T {
	var found []T
	wanted := fold(plaintext.Clean(part))
	for _, item := range c.items {
		if toolargs.HasPart(fold(c.label(item)), wanted) {
			found = append(found, item)
		}
	}
	return found
}

// label returns a thing's name without invisible characters.
func (c choice[T]) label(item T) string {
	name := c.name(item)
	c.looked(len(name))
	return plaintext.Clean(name)
}

// looked counts n bytes that were compared, and reports whether the call may go on to look for
// similar names.
func (c choice[T]) looked(n int) (goOn bool) { return c.look == nil || c.look(n) }

// looking returns a function that counts what a call compares, and reports whether it may go on to
// look for similar names.
func looking(ctx context.Context) func(n int) (goOn bool) {
	return func(n int) bool { return upstream.Look(ctx, n) }
}

func identical(name string) func(string) bool {
	return func(other string) bool { return other == name }
}

func folded(name string) func(string) bool {
	plain := fold(name)
	return func(other string) bool { return fold(other) == plain }
}

// unmarked reports whether two names are the same without the symbols before them. Names whose
// symbols differ are not: the symbol can be what distinguishes two options.
func unmarked(name string) func(string) bool {
	plain, symbols := split(name)
	return func(other string) bool {
		bare, mark := split(other)
		return plain != "" && bare == plain && (mark == "" || symbols == "" || mark == symbols)
	}
}

// split returns a name without the symbols before it, and the symbols, both folded.
func split(name string) (plain, symbols string) {
	without := bare(name)
	return fold(without), fold(strings.TrimSuffix(name, without))
}

// unknown returns a NOT_FOUND about names that no thing has. It lists the similar names.
func (c choice[T]) unknown(unknown ...string) *fault.Error {
	are := "is not one of"
	if len(unknown) > 1 {
		are = "are not among"
	}
	return c.none(fmt.Sprintf("%s %s the %s", plaintext.QuoteAll(unknown), are, c.noun), unknown...)
}

// none returns a NOT_FOUND that says what was not found, and lists names similar to the unknown
// ones.
func (c choice[T]) none(wrong string, unknown ...string) *fault.Error {
	near, names := c.offer(unknown...)
	e := fault.New(fault.NotFound, "%s: %s; %s", c.argument, wrong, names)
	e.Nearest = near
	return e
}

// listed returns an INVALID_INPUT that says what is wrong, and lists the existing names.
func (c choice[T]) listed(wrong string) *fault.Error {
	near, names := c.offer()
	e := fault.Invalid(c.argument, "%s; %s", wrong, names)
	e.Nearest = near
	return e
}

// maxListed is the number of things that an error lists although their names are not similar.
const maxListed = 10

// offer returns the things that an error lists, and the words that list them: all if there are few,
// otherwise those with names similar to the unknown ones or, without any, the first.
func (c choice[T]) offer(unknown ...string) ([]fault.Candidate, string) {
	if len(c.items) == 0 {
		return nil, "there are none"
	}
	var near []T
	most := maxListed
	if c.whole {
		most = maxCandidates
	}
	if len(c.items) > most {
		for _, name := range unknown {
			near = append(near, c.nearest(name)...)
		}
	}
	lead, more := "similar: ", ""
	if len(near) == 0 {
		lead, near = "there are ", c.items[:min(len(c.items), most)]
		if left := len(c.items) - len(near); left > 0 {
			more = fmt.Sprintf(" and %d more", left)
		}
	}
	listed := c.candidates(near)
	names := mapped(listed, func(c fault.Candidate) string { return c.Name })
	return listed, lead + plaintext.QuoteAll(names) + more
}

// missing returns a NOT_FOUND about a kind of resource. It lists the names that are similar to the
// one that was not found, so that the caller can correct a typing error.
func (c choice[T]) missing(kind, name, format string, args ...any) *fault.Error {
	e := fault.New(fault.NotFound, c.argument+": "+format, args...)
	e.Resource = &fault.Resource{Type: kind, ID: short(name)}
	e.Nearest = c.candidates(c.nearest(name))
	for i, candidate := range e.Nearest {
		lead := ", "
		if i == 0 {
			lead = "; similar: "
		}
		e.Message += lead + plaintext.Quote(candidate.Name)
		if c.ref != nil {
			e.Message += " (" + plaintext.Word(candidate.Ref) + ")"
		}
	}
	return e
}

const (
	maxNearest  = 3
	maxDistance = 3 // characters
	leastPart   = 4 // characters of a name that count as a part of another
)

// nearest returns the things whose names are most similar to a name: one contains the other, or
// the name differs in a few characters from the whole or from its first word, as jonass does from
// jonas-brandt.
func (c choice[T]) nearest(name string) []T {
	wanted := fold(bare(plaintext.Clean(name)))
	folded := func(item T) string { return fold(bare(c.label(item))) }
	partOf := func(part, whole string) bool { return len([]rune(part)) >= leastPart && strings.Contains(whole, part) }
	type scored struct {
		item    T
		changes int
	}
	var found []scored
	allowed := min(maxDistance, len([]rune(wanted))/3)
	for _, item := range toolargs.Likeliest(c.items, wanted, folded) {
		if !c.looked(0) {
			break
		}
		has, changes := folded(item), 0
		if !partOf(wanted, has) && !partOf(has, wanted) {
			c.looked(10 + min(len(has), 100)*min(len(wanted), 100)/10)
			first := strings.FieldsFunc(has, func(r rune) bool { return r == '-' || r == ' ' })
			changes = toolargs.Distance(has, wanted)
			if len(first) > 1 {
				changes = min(changes, toolargs.Distance(first[0], wanted))
			}
		}
		if changes <= allowed {
			found = append(found, scored{item, changes})
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int { return cmp.Compare(a.changes, b.changes) })
	var most []T
	for _, s := range found[:min(len(found), maxNearest)] {
		most = append(most, s.item)
	}
	return most
}

func (c choice[T]) candidates(items []T) []fault.Candidate {
	items = items[:min(len(items), maxCandidates)]
	all := make([]fault.Candidate, len(items))
	for i, item := range items {
		all[i].Name = plaintext.Label(c.name(item), maxTitle)
		all[i].Ref = plaintext.Clean(c.name(item))
		if c.ref != nil {
			all[i].Ref = c.ref(item)
		}
		if c.where != nil {
			all[i].Where = c.where(item)
		}
	}
	return all
}

// fold removes what users omit when they type a name: case, accents and repeated blanks.
func fold(name string) string {
	plain := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFKD.String(strings.ToLower(name)))
	return strings.Join(strings.Fields(plain), " ")
}

// bare returns a name without the symbols before it, such as emoji.
func bare(name string) string {
	return strings.TrimLeftFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}

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
