package texts

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/basecamp/basecamptools/parts"
	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/richtext"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/naming"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/memo"
	"basecamp-mcp/internal/tool/toolargs"
)

// PostedLine is a new line in a chat or in a ping.
type PostedLine struct {
	ChatLine
	Ping *PingHead `json:"ping,omitempty"`
	lookup.Reach
}

type postChatLineInput struct {
	To   toolargs.Refs `json:"to" jsonschema:"People to ping, or one project or chat" limits:"maxitems=20"`
	Chat toolargs.Ref  `json:"chat,omitzero" jsonschema:"If a project has several"`
	Text string        `json:"text" jsonschema:"Markdown" limits:"minlen=1 maxlen=50000"`
	lookup.MentionsInput
}

// PostChatLine returns the tool post_chat_line.
func PostChatLine(rs *Resolver) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:        "post_chat_line",
		Title:       "Ping people or say something in a chat",
		Description: "Sends a line: privately to people (a ping, which it finds or starts), or to the team's chat (Campfire) in a Basecamp project.",
		Words:       "write in the chat, send a ping to, direct message",
		Effect:      mcptool.Appends,
	}, func(ctx context.Context, in postChatLineInput) (PostedLine, error) {
		if err := parts.NotBlank("text", in.Text); err != nil {
			return PostedLine{}, err
		}
		to, err := rs.addressee(ctx, in.To, in.Chat)
		if err != nil {
			return PostedLine{}, err
		}
		if to.project != 0 {
			return rs.sayInChat(ctx, to, in)
		}
		return rs.sayInPing(ctx, to, in)
	})
}

func (rs *Resolver) sayInChat(ctx context.Context, to addressee, in postChatLineInput) (PostedLine, error) {
	fields, text, err := rs.lineFields(ctx, lookup.Prose{Project: to.project, Markdown: in.Text, Mentions: in.Mentions, Said: true})
	if err != nil {
		return PostedLine{}, err
	}
	beside := rs.AudienceBeside(ctx, lineIn(to.project, to.chat))
	said, err := basecamp.LinesIn.Post(ctx, rs.BC, fields, to.chat)
	if err != nil {
		return PostedLine{}, err
	}
	return viewPosted(said, nil, beside.Created(said.Recording, text)), nil
}

// sayInPing finds or starts the ping, and sends the line only if it is with exactly the people whom
// the caller named: Basecamp leaves out people without saying so.
func (rs *Resolver) sayInPing(ctx context.Context, to addressee, in postChatLineInput) (PostedLine, error) {
	fields, text, err := rs.lineFields(ctx, lookup.Prose{InPing: append(to.people, to.me), Markdown: in.Text, Mentions: in.Mentions, Said: true})
	if err != nil {
		return PostedLine{}, err
	}
	ping := to.ping
	if ping.ID == 0 {
		if ping, err = basecamp.Pings.Post(ctx, rs.BC, map[string]any{"user_ids": lookup.PersonIDs(to.people)}); err != nil {
			return PostedLine{}, parts.Unexplained(err, fault.Invalid("to", "Basecamp starts no ping with these people: the user cannot reach them by a ping; nothing was sent"))
		}
		if err := checkPeople(to, ping); err != nil {
			return PostedLine{}, err
		}
	}
	said, err := basecamp.LinesIn.Post(ctx, rs.BC, fields, ping.Chat())
	if err != nil {
		return PostedLine{}, err
	}
	return viewPosted(said, ViewPing(ping, to.me.ID), lookup.InPing(to.me.ID, ping.People, text)), nil
}

func viewPosted(said basecamp.ChatLine, in *PingHead, reached lookup.Reach) PostedLine {
	v := ViewLine(said)
	v.Trim(parts.MaxWritten)
	v.Seen = reached.ViewClients()
	return PostedLine{v, in, reached}
}

// lineFields returns the line as Basecamp expects it: plain text, or rich text if the text needs
// it.
func (rs *Resolver) lineFields(ctx context.Context, p lookup.Prose) (basecamp.NewChatLine, lookup.Composed, error) {
	p.Argument = "text"
	if lines := richtext.ReadRefs(p.Markdown, "").Files; len(lines) > 0 {
		return basecamp.NewChatLine{}, lookup.Composed{}, fault.Invalid("text", "a chat line cannot hold the file in the line %s; attach it to an item with upload_file, or put the line into backticks", lookup.ShownLine(lines[0]))
	}
	text, err := rs.Compose(ctx, p)
	if len(text.Mentioned) == 0 && richtext.IsPlain(p.Markdown) {
		return basecamp.NewChatLine{Content: lookup.Plainly(p.Markdown)}, text, err
	}
	return basecamp.NewChatLine{Content: text.HTML, Type: basecamp.HTMLLine}, text, err
}

// addressee is where a line goes: to a chat of a project, or to a ping.
type addressee struct {
	project, chat int64             // 0 for a ping
	me            basecamp.Person   // of a ping
	people        []basecamp.Person // of a ping, without the caller
	ping          basecamp.Ping     // zero if it must be found or started
}

// addressee resolves the people, the ping, or the project or chat, to which a line goes.
func (rs *Resolver) addressee(ctx context.Context, to toolargs.Refs, chat toolargs.Ref) (addressee, error) {
	if len(to) == 0 {
		return addressee{}, fault.Invalid("to", "must name people, or one project")
	}
	if len(to) > 1 {
		people, err := rs.Persons(ctx, "to", to, 0)
		return rs.pingable(ctx, err, people...)
	}
	only := to[0]
	switch word, rest := lookup.CutType(only.Name); {
	case word == lookup.PingKind:
		ping, err := rs.PingNamed(ctx, "to", rest)
		if err != nil {
			return addressee{}, err
		}
		return rs.intoPing(ctx, ping.ID)
	case word == lookup.PersonNoun.Kind, strings.EqualFold(only.Name, "me"):
		person, err := rs.Person(ctx, "to", only, 0)
		return rs.pingable(ctx, err, person)
	case only.URL != "":
		return rs.addresseeAt(ctx, only, chat)
	case word != "", !chat.IsZero():
		return rs.chatOf(ctx, only, chat)
	case only.ID != 0:
		return rs.projectOrPerson(ctx, only)
	}
	return rs.personOrProject(ctx, only, chat)
}

func (rs *Resolver) chatOf(ctx context.Context, project, chat toolargs.Ref) (addressee, error) {
	p, room, err := rs.room(ctx, "to", project, chat)
	return addressee{project: p.ID, chat: room.ID}, err
}

func (rs *Resolver) intoPing(ctx context.Context, id int64) (addressee, error) {
	me, err := rs.Me(ctx)
	if err != nil {
		return addressee{}, err
	}
	ping, err := basecamp.PingAt.Get(ctx, rs.BC, id)
	return addressee{me: me, people: ping.Others(me.ID), ping: ping}, err
}

// addresseeAt resolves a URL. That of a chat or a line names its bucket, which may be a ping's.
func (rs *Resolver) addresseeAt(ctx context.Context, at, chat toolargs.Ref) (addressee, error) {
	link, err := rs.Link(ctx, "to", at.URL)
	if err != nil {
		return addressee{}, err
	}
	switch link.Type {
	case PingLink:
		return rs.intoPing(ctx, link.ID)
	case "people":
		person, err := rs.Person(ctx, "to", at, 0)
		return rs.pingable(ctx, err, person)
	}
	in, err := rs.chatOf(ctx, at, chat)
	if fault.Is(err, fault.NotFound) && (link.Type == "chats" || link.Type == "lines") {
		if ping, pingErr := rs.intoPing(ctx, link.Project); pingErr == nil {
			return ping, nil
		}
	}
	return in, err
}

func (rs *Resolver) projectOrPerson(ctx context.Context, only toolargs.Ref) (addressee, error) {
	in, err := rs.chatOf(ctx, only, toolargs.Ref{})
	if !fault.Is(err, fault.NotFound) {
		return in, err
	}
	person, noPerson := rs.Person(ctx, "to", only, 0)
	if fault.Is(noPerson, fault.NotFound) {
		return addressee{}, neitherFound(only, noPerson, err)
	}
	return rs.pingable(ctx, noPerson, person)
}

// personOrProject resolves a name. A line for one person must not go to a team, so a name
// that both may have is refused, except the whole name of a person.
func (rs *Resolver) personOrProject(ctx context.Context, named, chat toolargs.Ref) (addressee, error) {
	var people []basecamp.Person
	var project basecamp.Project
	var noProject error
	err := listing.Together(ctx,
		func(ctx context.Context) (err error) {
			if people, err = rs.People(ctx, 0, memo.Life); err != nil {
				return err
			}
			if _, err := lookup.PersonAmong("to", people, 0).ByRef(named); err == nil {
				listing.Expect(ctx, 0, func(ctx context.Context, _ int64) (addressee, error) { return rs.pingable(ctx, nil) })
			}
			return nil
		},
		func(ctx context.Context) error {
			if project, noProject = rs.Project(ctx, "to", named); fault.OfArguments(noProject) {
				return nil
			}
			return noProject
		},
	)
	if err != nil {
		return addressee{}, err
	}
	person, noPerson := lookup.PersonAmong("to", people, 0).ByRef(named)
	if fault.Is(noPerson, fault.NotFound) && fault.Is(noProject, fault.NotFound) { // the person may be new
		if person, noPerson = rs.Person(ctx, "to", named, 0); fault.Is(noPerson, fault.NotFound) {
			return addressee{}, neitherFound(named, noPerson, noProject)
		}
	}
	isPerson, isProject := !fault.Is(noPerson, fault.NotFound), !fault.Is(noProject, fault.NotFound)
	whole := noPerson == nil && naming.Fold(person.Name) == naming.Fold(named.Name)
	switch {
	case whole && (noProject != nil || naming.Fold(project.Name) != naming.Fold(named.Name)), noPerson == nil && !isProject:
		return rs.pingable(ctx, nil, person)
	case isPerson && isProject:
		return addressee{}, either(named, person, noPerson, project, noProject)
	case isPerson:
		return addressee{}, noPerson
	case noProject != nil:
		return addressee{}, noProject
	}
	return rs.chatOf(ctx, toolargs.Ref{ID: project.ID}, chat)
}

// either returns the error for what can be a person and a project. Each is found, or is one of the
// candidates of its error.
func either(named toolargs.Ref, person basecamp.Person, noPerson error, project basecamp.Project, noProject error) error {
	f := fault.New(fault.Ambiguous, "to: %s can be a person and a project; give person:ID for a ping, or project:ID for the chat of the project", plaintext.Quote(named.String()))
	found := func(err error, id int64, kind, name string) []fault.Candidate {
		if err != nil {
			return fault.From(err).Candidates
		}
		return []fault.Candidate{{ID: id, Type: kind, Name: lookup.ShortName(plaintext.Clean(name))}}
	}
	f.Candidates = append(found(noPerson, person.ID, lookup.PersonNoun.Kind, person.Name), found(noProject, project.ID, lookup.ProjectKind.Kind, project.Name)...)
	return f
}

// neitherFound returns the error for what neither a person nor a project is called.
func neitherFound(named toolargs.Ref, noPerson, noProject error) error {
	f := fault.New(fault.NotFound, "to: no person and no project that you can see is %s", plaintext.Quote(named.String()))
	f.Nearest = append(slices.Clone(fault.From(noPerson).Nearest), fault.From(noProject).Nearest...)
	if len(f.Nearest) > 0 {
		f.Message += "; nearest: " + plaintext.QuoteAll(lookup.Mapped(f.Nearest, func(near fault.Candidate) string { return near.Name }))
	}
	f.Resource = &fault.Resource{Type: lookup.PersonNoun.Kind, ID: lookup.Shorten(named.String())}
	return f
}

// pingable returns the addressee of a ping with people, all of whom the caller must be able to
// ping, unless they are unknown.
func (rs *Resolver) pingable(ctx context.Context, unknown error, people ...basecamp.Person) (addressee, error) {
	if unknown != nil {
		return addressee{}, unknown
	}
	var me basecamp.Person
	var pingable []basecamp.Person
	err := listing.Together(ctx,
		func(ctx context.Context) (err error) { me, err = rs.Me(ctx); return err },
		func(ctx context.Context) (err error) { pingable, err = basecamp.Pingable.All(ctx, rs.BC); return err },
	)
	if err != nil {
		return addressee{}, err
	}
	a, problems := addressee{me: me}, make([]error, len(people))
	for i, p := range people {
		path := "to"
		if len(people) > 1 {
			path = fmt.Sprintf("to[%d]", i)
		}
		switch {
		case p.ID == me.ID:
			problems[i] = fault.Invalid(path, "is the user, who cannot ping themselves; name only other people")
		case !lookup.IsAmong(pingable, p.ID):
			problems[i] = fault.Invalid(path, "%s cannot be pinged in Basecamp; write in a chat of a project that they are on, or mention them in a comment", plaintext.Quote(p.Name))
		case !lookup.IsAmong(a.people, p.ID):
			a.people = append(a.people, p)
		}
	}
	return a, fault.All(problems...)
}

// checkPeople returns an error unless a ping is with exactly the people to whom the line goes.
func checkPeople(to addressee, ping basecamp.Ping) error {
	others := ping.Others(to.me.ID)
	var missing []string
	for _, p := range to.people {
		if !lookup.IsAmong(others, p.ID) {
			missing = append(missing, p.Name)
		}
	}
	switch {
	case len(missing) > 0:
		return fault.New(fault.PermissionDenied, "to: Basecamp left out %s, whom the user cannot reach by a ping; nothing was sent", plaintext.QuoteAll(missing))
	case len(others) != len(to.people):
		return fault.New(fault.Conflict, "to: the ping that Basecamp found has other people too; nothing was sent")
	case ping.Chat() == 0:
		return fault.New(fault.UpstreamError, "Basecamp did not say where the lines of this ping are; nothing was sent")
	}
	return nil
}
