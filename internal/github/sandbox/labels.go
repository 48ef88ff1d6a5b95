package sandbox

// listLabels lists the labels of a repository.
func (c *call) listLabels() reply { return page(c, c.repo.labels, c.labelView) }

func (c *call) labelView(l *label) map[string]any {
	return map[string]any{
		"id": l.id, "node_id": l.node, "name": l.name, "color": l.color, "description": orNull(l.description), "default": false,
		"url": c.api("/labels/" + l.name),
	}
}

// labelled returns the label with a name. GitHub makes a label that does not exist yet.
func (c *call) labelled(name string) *label {
	if l := c.repo.label(name); l != nil {
		return l
	}
	return c.s.addLabel(c.repo, name, "ededed", "")
}

func (s *Server) addLabel(r *repository, name, color, description string) *label {
	l := &label{name: name, color: color, description: description}
	l.thing = s.next("LA")
	r.labels = append(r.labels, l)
	return l
}

// api returns an address below the repository in the API.
func (c *call) api(path string) string {
	return c.origin + restBase + "/repos/" + c.repo.fullName() + path
}

// html returns an address below the repository on the site.
func (c *call) html(path string) string { return c.origin + "/" + c.repo.fullName() + path }

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}
