package sandbox

import (
	"slices"
	"strings"
)

// queryRoot returns the entry points of queries.
func (x *run) queryRoot() *object {
	return &object{"Query", fields{
		"viewer": resolver(func(map[string]any) (any, error) { return x.account(x.t.person), nil }),
		"repositoryOwner": resolver(func(args map[string]any) (any, error) {
			a := x.s.account(word(args, "login"))
			if a == nil || a.kind != "User" && a.kind != "Organization" {
				return nil, nil // as at GitHub, without an error
			}
			return x.account(a), nil
		}),
		"repository": resolver(func(args map[string]any) (any, error) {
			return x.findRepository(word(args, "owner"), word(args, "name"), args["followRenames"] != false)
		}),
		"search": resolver(x.search),
		"node":   resolver(func(args map[string]any) (any, error) { return x.node(word(args, "id")) }),
		"rateLimit": resolver(func(map[string]any) (any, error) {
			b := x.s.budget(x.t.person, graphql)
			cost := x.weight.points()
			return &object{"RateLimit", fields{
				"limit": x.s.limit(graphql), "cost": cost, "used": b.used + cost, "remaining": max(0, x.s.remaining(x.t.person, graphql)-cost),
				"resetAt": stamp(b.reset), "nodeCount": x.weight.nodes,
			}}, nil
		}),
	}}
}

// word returns a string argument; empty for none.
func word(args map[string]any, name string) string {
	text, _ := args[name].(string)
	return text
}

// account returns an account, nil for one that is gone. Bots and mannequins have fewer fields; the
// schema refuses the others.
func (x *run) account(a *account) *object {
	if a == nil {
		return nil
	}
	return &object{a.kind, fields{
		"id": a.node, "databaseId": a.id, "login": a.login, "name": orNull(a.name), "url": x.url("/%s", a.login),
		"repository": resolver(func(args map[string]any) (any, error) {
			return x.findRepository(a.login, word(args, "name"), args["followRenames"] != false)
		}),
		"organization": resolver(func(args map[string]any) (any, error) {
			for _, o := range x.organizations(a) {
				if strings.EqualFold(o.login, word(args, "login")) {
					return x.account(o), nil
				}
			}
			return nil, nil
		}),
		"organizations": resolver(func(args map[string]any) (any, error) {
			return connect("OrganizationConnection", x.organizations(a), x.account)(args)
		}),
		"repositories":              resolver(func(args map[string]any) (any, error) { return x.repositoriesOf(a, args) }),
		"repositoriesContributedTo": resolver(func(args map[string]any) (any, error) { return x.contributedTo(a, args) }),
		"membersWithRole":           connect("OrganizationMemberConnection", a.members, x.account),
		"teams":                     connect("TeamConnection", a.teams, x.team),
		"projectV2":                 resolver(func(args map[string]any) (any, error) { return x.projectOf(a, nil, args) }),
		"projectsV2":                resolver(func(args map[string]any) (any, error) { return x.projectsOf(a, nil, args) }),
	}}
}

// organizations returns the organizations of a person. The list leaves out those whose single
// sign-on the token lacks.
func (x *run) organizations(person *account) []*account {
	return filter(x.s.accounts, func(o *account) bool {
		if o.kind != "Organization" || !slices.Contains(o.members, person) {
			return false
		}
		if x.t.lacksSSO(o) {
			x.leaveOut(o)
			return false
		}
		return true
	})
}

func (x *run) team(t *team) *object {
	return &object{"Team", fields{
		"id": t.node, "name": t.name, "slug": t.slug, "combinedSlug": t.organization.login + "/" + t.slug,
		"organization": resolver(func(map[string]any) (any, error) { return x.account(t.organization), nil }),
		"url":          x.url("/orgs/%s/teams/%s", t.organization.login, t.slug),
	}}
}

func (x *run) users(accounts []*account) resolver {
	return connect("UserConnection", accounts, x.account)
}
