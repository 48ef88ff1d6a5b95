// Package lookup finds what callers of Basecamp's tools name: projects, items and people by ID,
// name, title or URL, days and periods in words, and whom a text mentions. It caches what each
// caller has read, and holds the views of items that several tools share.
//
// A Resolver does all of that. A name that fits several things is AMBIGUOUS, with candidates; one
// that fits nothing is NOT_FOUND, with the nearest.
package lookup

import (
	"context"
	"fmt"
	"slices"
	"time"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/richtext"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/text/naming"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/memo"
	"basecamp-mcp/internal/tool/toolargs"
)

// How long and how much is remembered.
const (
	justRead = 10 * time.Second // the largest age of a list that proves that a name is not in it
	maxZones = 100
	maxTexts = 4 << 20 // the size limit of the cache of converted texts, HTML and Markdown, in bytes
)

// Resolver resolves what callers name (projects, items, people) with a Basecamp client, and
// caches what each caller has read.
type Resolver struct {
	BC          *basecamp.Client
	Now         func() time.Time
	projects    cache[int64, basecamp.Project]
	lists       cache[string, []basecamp.Project] // by status
	confirmed   cache[int64, bool]                // projects whose names are as listed
	profiles    cache[int64, basecamp.Person]     // the caller's own, with key 0
	titles      cache[titlesOf, []basecamp.Listed]
	peopleLists cache[int64, []basecamp.Person] // by project, 0 for the account
	everyone    cache[int, []basecamp.Person]   // of the account, with key 0; a write does not end it
	hasClients  cache[int64, bool]              // by project; likewise
	hints       cache[Hint, []int64]
	todoLists   cache[int64, basecamp.ProjectLists] // by to-do set
	wrote       cache[int, time.Time]               // when the caller last wrote, with key 0
	texts       *memo.Memo[basecamp.HTML, string]   // Markdown by HTML, the same for all callers
	zones       *memo.Memo[string, *time.Location]  // those of profiles, because the system reads a file for each
}

// New returns a resolver that uses a client of Basecamp and a clock.
func New(client *basecamp.Client, now func() time.Time) *Resolver {
	return &Resolver{
		BC:          client,
		Now:         now,
		projects:    newCache[int64, basecamp.Project](client, 1000, nil, now),
		lists:       newCache[string, []basecamp.Project](client, 100, nil, now),
		confirmed:   newCache[int64, bool](client, 10_000, nil, now),
		profiles:    newCache[int64, basecamp.Person](client, 1000, nil, now),
		titles:      newCache[titlesOf](client, 20_000, func(items []basecamp.Listed) int { return 1 + len(items) }, now),
		peopleLists: newCache[int64, []basecamp.Person](client, 200, nil, now),
		everyone:    newCache[int, []basecamp.Person](client, 200, nil, now),
		hasClients:  newCache[int64, bool](client, 10_000, nil, now),
		hints:       newCache[Hint](client, 20_000, func(ids []int64) int { return 1 + len(ids) }, now),
		todoLists:   newCache[int64](client, 20_000, func(l basecamp.ProjectLists) int { return 1 + l.Count() }, now),
		wrote:       newCache[int, time.Time](client, 10_000, nil, now),
		texts:       memo.New(maxTexts, func(html basecamp.HTML, text string) int { return len(html) + len(text) }, now),
		zones:       memo.New(maxZones, memo.Units[string, *time.Location], now),
	}
}

// cache keeps what each caller may see in each account.
type cache[K comparable, V any] struct {
	client *basecamp.Client
	memo   *memo.Memo[callerKey[K], V]
}

type callerKey[K comparable] struct {
	subject string
	account int64
	key     K
}

// newCache returns a cache with a limit of the total weight. If weigh is nil, each value weighs 1.
func newCache[K comparable, V any](client *basecamp.Client, limit int, weigh func(V) int, now func() time.Time) cache[K, V] {
	return cache[K, V]{client, memo.New(limit, func(_ callerKey[K], value V) int {
		if weigh == nil {
			return 1
		}
		return weigh(value)
	}, now)}
}

// key returns a key of the caller, or false if the account of the call is not known: then a request
// fails too.
func (c cache[K, V]) key(ctx context.Context, key K) (callerKey[K], bool) {
	account, err := c.client.Account(ctx)
	caller, _ := identity.From(ctx)
	return callerKey[K]{caller.Subject, account, key}, err == nil
}

func (c cache[K, V]) get(ctx context.Context, key K) (value V, age time.Duration, ok bool) {
	if k, known := c.key(ctx, key); known {
		return c.memo.Get(ctx, k)
	}
	return value, 0, false
}

func (c cache[K, V]) put(ctx context.Context, key K, value V) {
	if k, known := c.key(ctx, key); known {
		c.memo.Put(ctx, k, value)
	}
}

// forget drops what the caller has read in any account.
func (c cache[K, V]) forget(ctx context.Context) {
	caller, _ := identity.From(ctx)
	c.memo.ForgetAll(ctx, func(k callerKey[K]) bool { return k.subject == caller.Subject })
}

// Project resolves a reference to a project and reads it. Argument is the name of the argument in
// the caller's input.
func (rs *Resolver) Project(ctx context.Context, argument string, ref toolargs.Ref) (basecamp.Project, error) {
	ref, err := projectNoun.Bare(argument, ref)
	if err != nil {
		return basecamp.Project{}, err
	}
	if ref.Name != "" {
		return rs.projectByName(ctx, argument, ref.Name)
	}
	id, err := rs.ProjectID(ctx, argument, ref)
	if err != nil {
		return basecamp.Project{}, err
	}
	return rs.ProjectByID(ctx, id)
}

// ProjectID resolves a reference to a project's id. It reads the project only if the reference
// is a name. The URL of an item in a project refers to the project.
func (rs *Resolver) ProjectID(ctx context.Context, argument string, ref toolargs.Ref) (int64, error) {
	ref, err := projectNoun.Bare(argument, ref)
	switch {
	case err != nil:
		return 0, err
	case ref.Name != "":
		project, err := rs.projectByName(ctx, argument, ref.Name)
		return project.ID, err
	case ref.URL != "":
		link, err := rs.Link(ctx, argument, ref.URL)
		if err == nil && link.Project == 0 {
			err = fault.Invalid(argument, "the URL does not say which project; give the project's id or name")
		}
		return link.Project, err
	}
	return ref.ID, nil
}

// ProjectByID returns a project, from the cache if it is there.
func (rs *Resolver) ProjectByID(ctx context.Context, id int64) (basecamp.Project, error) {
	if project, _, ok := rs.projects.get(ctx, id); ok {
		return project, nil
	}
	return rs.readProject(ctx, id)
}

func (rs *Resolver) readProject(ctx context.Context, id int64) (basecamp.Project, error) {
	project, err := basecamp.ProjectAt.Get(ctx, rs.BC, id)
	if err == nil {
		rs.LearnProject(ctx, project)
	}
	return project, err
}

// LearnProject caches a project that was just read. Lists of projects say which tools they have, as
// single projects do.
func (rs *Resolver) LearnProject(ctx context.Context, project basecamp.Project) {
	rs.projects.put(ctx, project.ID, project)
	if project.ClientsEnabled != nil && !*project.ClientsEnabled {
		rs.hasClients.put(ctx, project.ID, false)
	}
	rs.confirmed.put(ctx, project.ID, true)
}

func (rs *Resolver) projectByName(ctx context.Context, argument, name string) (basecamp.Project, error) {
	return findInAccounts(ctx, argument, name, func(ctx context.Context) (basecamp.Project, error) { return rs.projectHere(ctx, argument, name) })
}

// projectHere finds a project by name in the account of the call. If the name is not found, it
// searches once more in fresh lists, because the project may be new. After a write of the caller,
// it reads a project from the cache again before it trusts the name.
func (rs *Resolver) projectHere(ctx context.Context, argument, name string) (basecamp.Project, error) {
	project, age, err := rs.projectNamed(ctx, argument, name, memo.Life)
	_, _, confirmed := rs.confirmed.get(ctx, project.ID)
	switch {
	case fault.Is(err, fault.NotFound):
		project, _, err = rs.projectNamed(ctx, argument, name, justRead)
		return project, err
	case err != nil || age == 0 || confirmed:
		return project, err
	}
	now, err := rs.readProject(ctx, project.ID)
	if fault.Is(err, fault.NotFound) || err == nil && (now.Name != project.Name || now.Status != project.Status) {
		now, _, err = rs.projectNamed(ctx, argument, name, -1)
	}
	return now, err
}

// projectNamed finds a project by its exact name among the active ones, and then by its name or a
// part of it among active and archived ones. It also returns the age of the oldest list.
func (rs *Resolver) projectNamed(ctx context.Context, argument, name string, maxAge time.Duration) (basecamp.Project, time.Duration, error) {
	current, age, err := rs.ProjectList(ctx, Active, maxAge)
	if err != nil {
		return basecamp.Project{}, 0, err
	}
	if exact := naming.Exactly(current, name, ProjectName); len(exact) == 1 {
		return exact[0], age, nil
	}
	past, pastAge, err := rs.ProjectList(ctx, Archived, maxAge)
	if err != nil {
		return basecamp.Project{}, 0, err
	}
	project, err := Pick(ProjectsFrom(ctx, argument, append(current, past...)), name)
	return project, max(age, pastAge), unfound(ctx, err)
}

// ProjectName returns the name of a project as answers show it.
func ProjectName(p basecamp.Project) string { return plaintext.Clean(p.Name) }

// ProjectID returns the id of a project.
func ProjectID(p basecamp.Project) int64 { return p.ID }

// ProjectList returns all projects of a status, and the age of the list. They come from the cache
// if they were read within maxAge; a list that was just read has age 0. The caller may change the
// slice.
func (rs *Resolver) ProjectList(ctx context.Context, status string, maxAge time.Duration) ([]basecamp.Project, time.Duration, error) {
	if projects, age, ok := rs.lists.get(ctx, status); ok && age <= maxAge {
		return slices.Clone(projects), max(age, 1), nil
	}
	projects, err := listing.Everything(fence.Aside(ctx), rs.ProjectsOf(status))
	if err != nil {
		return nil, 0, err
	}
	rs.lists.put(ctx, status, projects)
	for _, project := range projects {
		rs.LearnProject(ctx, project)
	}
	return slices.Clone(projects), 0, nil
}

// ProjectsOf returns the source of the projects of a status.
func (rs *Resolver) ProjectsOf(status string) listing.Source[basecamp.Project] {
	return func(ctx context.Context, page int) (basecamp.Page[basecamp.Project], error) {
		return basecamp.Projects.Where(basecamp.WithStatus(status)).Page(ctx, rs.BC, page)
	}
}

// Markdown converts rich text to Markdown. It caches long texts, because conversion is most of
// the work of an answer whose items have not changed. The list of files supplies the names of
// attachments that have no name in the text.
func (rs *Resolver) Markdown(html basecamp.HTML, files ...basecamp.Attachment) string {
	if len(files) > 0 {
		named := Mapped(files, func(f basecamp.Attachment) richtext.File {
			return richtext.File{SGID: f.SGID, Name: f.Filename, ContentType: f.ContentType}
		})
		html = basecamp.HTML(richtext.NameFiles(string(html), named))
	}
	if len(html) < 200 {
		return richtext.Markdown(string(html))
	}
	text, _, ok := rs.texts.Get(context.Background(), html)
	if !ok {
		text = convert(html)
		rs.texts.Put(context.Background(), html, text)
	}
	return text
}

// converting limits how many long texts are converted at once: meanwhile each takes many times its
// size.
var converting = make(chan struct{}, 4)

func convert(html basecamp.HTML) string {
	if len(html) > 32<<10 {
		converting <- struct{}{}
		defer func() { <-converting }()
	}
	return richtext.Markdown(string(html))
}

// Link parses a Basecamp URL, which must belong to the caller's account.
func (rs *Resolver) Link(ctx context.Context, argument, url string) (basecamp.Link, error) {
	link, err := basecamp.ParseLink(url)
	if err != nil {
		return basecamp.Link{}, fault.Invalid(argument, "must be the URL of a project, item or person in Basecamp").Because(err)
	}
	if err := rs.InAccount(ctx, argument, link.Account); err != nil {
		return link, err
	}
	return link, withinFence(ctx, link)
}

// InAccount returns an error unless the account of a URL is that of the call.
func (rs *Resolver) InAccount(ctx context.Context, argument string, account int64) error {
	own, err := rs.BC.Account(ctx)
	if err != nil || account == own {
		return err
	}
	caller, _ := identity.From(ctx)
	if _, held := caller.In(account); held {
		return crosses(argument, "this", fence.Account{ID: account, Name: accountName(caller, account)}, caller)
	}
	return notConnected(ctx, argument, account, own)
}

// Tool is a kind of tool that a project's dock can hold.
type Tool struct {
	Noun
	Argument string // the argument by which a caller chooses one of several
}

// The tools of a project.
var (
	MessageBoard = Tool{Noun{"message board", "message boards", "message_board"}, "message_board_id"}
	Todoset      = Tool{Noun{"to-do set", "to-do sets", "todoset"}, "todoset_id"}
	Vault        = Tool{Noun{"Docs & Files", "Docs & Files", "vault"}, "folder"}
	Chat         = Tool{Noun{"chat", "chats", "chat"}, "chat"}
	CardTable    = Tool{Noun{"card table", "card tables", "kanban_board"}, "board"}
	Schedule     = Tool{Noun{"schedule", "schedules", "schedule"}, "schedule"}
	Checkins     = Tool{Noun{"automatic check-ins", "sets of automatic check-ins", "questionnaire"}, "questionnaire"}
	Inbox        = Tool{Noun{"e-mail forwards", "inboxes for e-mail forwards", "inbox"}, "inbox"}
)

// Docks returns a project's enabled tools of a kind. If there are none, it returns
// TOOL_NOT_ENABLED.
func (rs *Resolver) Docks(project basecamp.Project, t Tool) ([]basecamp.DockItem, error) {
	enabled := Matching(project.Dock, func(d basecamp.DockItem) bool { return d.Name == t.Kind && d.Enabled })
	if len(enabled) > 0 {
		return enabled, nil
	}
	e := fault.New(fault.ToolNotEnabled, "the project %s has no %s enabled; name another project, or ask the user to switch it on in Basecamp (%s); get_project_tools lists its tools",
		plaintext.Quote(project.Name), t.One, project.AppURL)
	e.Resource = &fault.Resource{Type: projectNoun.Kind, ID: fmt.Sprint(project.ID)}
	return nil, e
}

// Dock returns a project's tool of a kind: the named one, or the only one.
func (rs *Resolver) Dock(ctx context.Context, project basecamp.Project, t Tool, named toolargs.Ref) (basecamp.DockItem, error) {
	if mcptool.Writes(ctx) && (project.Status == Archived || project.Status == Trashed) {
		return basecamp.DockItem{}, fault.Invalid("project", "%s is %s, so users would not see new content there; restore it first with set_item_status", plaintext.Quote(project.Name), project.Status)
	}
	enabled, err := rs.Docks(project, t)
	if err != nil {
		return basecamp.DockItem{}, err
	}
	options := Choice[basecamp.DockItem]{
		Argument: t.Argument, Noun: t.Noun, Items: enabled,
		Name:  func(d basecamp.DockItem) string { return d.Title },
		ID:    func(d basecamp.DockItem) int64 { return d.ID },
		Where: func(basecamp.DockItem) string { return project.Name },
		Few:   true,
	}
	switch {
	case named.URL != "":
		link, err := rs.Link(ctx, t.Argument, named.URL)
		if err != nil {
			return basecamp.DockItem{}, err
		}
		return options.ByRef(toolargs.Ref{ID: link.ID})
	case !named.IsZero():
		return options.ByRef(named)
	case len(enabled) == 1:
		return enabled[0], nil
	}
	return basecamp.DockItem{}, options.Ambiguous(enabled, "the project %s has %d %s; name one", plaintext.Quote(project.Name), len(enabled), t.Many)
}
