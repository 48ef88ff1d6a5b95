package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/hub"
	"basecamp-mcp/internal/toolargs"
)

// translate replaces the assignees of a call by those of the system that it makes things in: people
// in Basecamp and @logins.
func (p *promoter) translate(ctx context.Context, in *promoteInput) error {
	var translate func(context.Context, string, toolargs.Ref) (toolargs.Ref, error)
	switch {
	case in.To == "github":
		translate = p.loginOf
	case p.github != nil:
		translate = p.personOf
	default:
		return nil
	}
	all, problems := make(toolargs.Refs, len(in.Assignees)), make([]error, len(in.Assignees))
	for i, who := range in.Assignees {
		all[i], problems[i] = translate(ctx, fmt.Sprintf("assignees[%d]", i), who)
	}
	in.Assignees = all
	return fault.All(problems...)
}

// loginOf returns the login of an assignee: @login, me, or a person in Basecamp whose login is
// known. A word that names no person in Basecamp is a login.
func (p *promoter) loginOf(ctx context.Context, argument string, who toolargs.Ref) (toolargs.Ref, error) {
	text := strings.TrimSpace(who.String())
	if strings.HasPrefix(text, "@") || strings.EqualFold(text, "me") {
		return toolargs.Ref{Name: strings.TrimPrefix(text, "@")}, nil
	}
	human, err := p.basecamp.Human(ctx, argument, text)
	isLogin := who.ID == 0 && who.URL == "" && !strings.ContainsAny(text, " :")
	switch {
	case err != nil && isLogin && (fault.Is(err, fault.NotFound) || fault.Is(err, fault.InvalidInput)):
		return toolargs.Ref{Name: text}, nil
	case err != nil:
		return who, err
	}
	known, err := p.links.People(ctx)
	if i := slices.IndexFunc(known, func(h hub.Human) bool { return h.Person == human.Person }); i >= 0 {
		return toolargs.Ref{Name: known[i].Login}, nil
	}
	if err == nil {
		err = fault.New(fault.NotFound, "%s: it is not known who %s (person:%d) is on GitHub%s; give @login, or first link person:%d with it",
			argument, human.Name, human.Person, whoIsWho(known), human.Person)
	}
	return who, err
}

// personOf returns an assignee in Basecamp. A @login is one whose person is known.
func (p *promoter) personOf(ctx context.Context, argument string, who toolargs.Ref) (toolargs.Ref, error) {
	login, isLogin := strings.CutPrefix(strings.TrimSpace(who.Name), "@")
	if !isLogin {
		return who, nil
	}
	known, err := p.links.People(ctx)
	if i := slices.IndexFunc(known, func(h hub.Human) bool { return strings.EqualFold(h.Login, login) }); i >= 0 {
		return toolargs.Ref{ID: known[i].Person}, nil
	}
	if err == nil {
		err = fault.New(fault.NotFound, "%s: it is not known who @%s is in Basecamp%s; give a name, or first link person:ID with it", argument, login, whoIsWho(known))
	}
	return who, err
}

// mostKnown is how many people an error names.
const mostKnown = 10

// whoIsWho returns who is known, as the part of an error.
func whoIsWho(known []hub.Human) string {
	if len(known) == 0 {
		return ""
	}
	all := make([]string, min(len(known), mostKnown))
	for i := range all {
		all[i] = known[i].String()
	}
	return "; known: " + strings.Join(all, ", ")
}
