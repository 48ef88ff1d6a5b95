package sandbox

import (
	"cmp"
	"slices"
	"strings"
)

func (x *run) allProjects() []*project {
	var all []*project
	for _, a := range x.s.accounts {
		all = append(all, a.projects...)
	}
	return all
}

// projectOf returns a project of an owner by number; with a repository, only one linked to it.
func (x *run) projectOf(owner *account, linked *repository, args map[string]any) (any, error) {
	if err := x.admit(owner); err != nil {
		return nil, err
	}
	number, _ := integer(args["number"])
	for _, p := range owner.projects {
		if p.number == number && x.t.sees(p) && (linked == nil || slices.Contains(p.repositories, linked)) {
			return x.project(p), nil
		}
	}
	return nil, problemf("NOT_FOUND", "Could not resolve to a ProjectV2 with the number %d.", number)
}

// projectsOf returns the projects of an owner that match the argument query.
func (x *run) projectsOf(owner *account, linked *repository, args map[string]any) (any, error) {
	if err := x.admit(owner); err != nil {
		return nil, err
	}
	matches := projectQuery(word(args, "query"))
	list := filter(owner.projects, func(p *project) bool {
		if level := word(args, "minPermissionLevel"); level != "" && level != "READ" && !x.t.edits(p) {
			return false
		}
		return x.t.sees(p) && matches(p) && (linked == nil || slices.Contains(p.repositories, linked))
	})
	list = ordered(list, args, func(field string, a, b *project) int {
		switch field {
		case "TITLE":
			return strings.Compare(a.title, b.title)
		case "CREATED_AT":
			return a.created.Compare(b.created)
		case "UPDATED_AT":
			return a.updated.Compare(b.updated)
		}
		return cmp.Compare(a.number, b.number)
	})
	return connect("ProjectV2Connection", list, x.project)(args)
}

// projectQuery returns the condition of a search: words of the title, is:open and is:closed.
func projectQuery(query string) func(*project) bool {
	words := strings.Fields(strings.ToLower(query))
	return func(p *project) bool {
		return !slices.ContainsFunc(words, func(w string) bool {
			switch w {
			case "is:open":
				return p.closedAt != nil
			case "is:closed":
				return p.closedAt == nil
			}
			return !strings.Contains(strings.ToLower(p.title), strings.Trim(w, `"`))
		})
	}
}

func (x *run) project(p *project) *object {
	kind := "orgs"
	if p.owner.kind == "User" {
		kind = "users"
	}
	o := &object{"ProjectV2", fields{
		"id": p.node, "databaseId": p.id, "number": p.number, "title": p.title, "shortDescription": orNull(p.description),
		"readme": orNull(p.readme), "closed": p.closedAt != nil, "closedAt": nil, "public": p.public, "template": false,
		"url":       x.url("/%s/%s/projects/%d", kind, p.owner.login, p.number),
		"createdAt": stamp(p.created), "updatedAt": stamp(p.updated), "creator": x.account(p.creator),
		"owner":           resolver(func(map[string]any) (any, error) { return x.account(p.owner), nil }),
		"viewerCanUpdate": x.t.edits(p) && x.t.has("project"),
		"field": resolver(func(args map[string]any) (any, error) {
			if f := p.field(word(args, "name")); f != nil {
				return x.field(f), nil
			}
			return nil, nil
		}),
		"fields": resolver(func(args map[string]any) (any, error) {
			list := ordered(x.known(p.fields), args, func(by string, a, b *field) int {
				if by == "NAME" {
					return strings.Compare(a.name, b.name)
				}
				return a.created.Compare(b.created)
			})
			return connect("ProjectV2FieldConfigurationConnection", list, x.field)(args)
		}),
		"statusUpdates": resolver(func(args map[string]any) (any, error) {
			list := ordered(p.updates, args, func(_ string, a, b *statusUpdate) int { return a.created.Compare(b.created) })
			return connect("ProjectV2StatusUpdateConnection", list, x.statusUpdate)(args)
		}),
		"items": resolver(func(args map[string]any) (any, error) {
			list := ordered(p.items, args, func(string, *item, *item) int { return 0 })
			return connect("ProjectV2ItemConnection", list, x.item)(args)
		}),
	}}
	if p.closedAt != nil {
		o.fields["closedAt"] = stamp(*p.closedAt)
	}
	return o
}
