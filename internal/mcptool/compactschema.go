package mcptool

import "slices"

// shortened returns the schema of a list's result that allows both the compact form and the full
// one: what a compact answer may leave out is optional, and a person may be a name.
func (s *schema) shortened() *schema {
	root := s.loosened(true)
	for _, array := range itemArrays {
		if s.holds(array) {
			root.properties = append([]property{{name: sharedPrefix + array, schema: &schema{kind: object}}}, root.properties...)
		}
	}
	return root
}

func (s *schema) loosened(root bool) *schema {
	loose := *s
	if s.items != nil {
		loose.items = s.items.loosened(false)
	}
	if s.properties == nil {
		return &loose
	}
	loose.properties = make([]property, len(s.properties))
	for i, p := range s.properties {
		q := property{name: p.name, kept: p.kept, schema: p.loosened(false)}
		q.required = p.required && (p.kept || root && !p.nullable && !slices.Contains(neverBrief, p.name))
		if slices.Contains(peopleKeys, p.name) {
			q.schema = q.orNames()
		}
		loose.properties[i] = q
	}
	return &loose
}

// orNames returns the schema of people that also allows their names.
func (s *schema) orNames() *schema {
	people := *s
	switch {
	case s.kind == array:
		people.items = s.items.orNames()
	case s.kind == object && s.property("name") != nil:
		people.orName = true
	}
	return &people
}

// holds reports whether the result has an array of objects with a name, at any depth.
func (s *schema) holds(name string) bool {
	if s.kind == array {
		return s.items.holds(name)
	}
	return slices.ContainsFunc(s.properties, func(p property) bool {
		return p.name == name && p.kind == array && p.items.properties != nil || p.holds(name)
	})
}
