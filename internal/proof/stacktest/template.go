// Package stacktest reads template.yaml, so that tests check what is deployed and not a copy.
package stacktest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

const name = "template.yaml"

// Text returns the template from the working directory or the nearest directory above it. In a
// test, this is the module's template.
func Text() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		text, err := os.ReadFile(filepath.Join(dir, name))
		above := filepath.Dir(dir)
		if !errors.Is(err, fs.ErrNotExist) || above == dir {
			return string(text), err
		}
		dir = above
	}
}

// Template returns the whole template.
func Template() (map[string]any, error) {
	text, err := Text()
	if err != nil {
		return nil, err
	}
	value, err := Parse(text)
	template, _ := value.(map[string]any)
	return template, err
}

// Resource returns the properties of a resource by its logical ID.
func Resource(id string) (map[string]any, error) {
	template, err := Template()
	if err != nil {
		return nil, err
	}
	resources, _ := mapIn(template, "Resources")
	resource, _ := mapIn(resources, id)
	properties, ok := mapIn(resource, "Properties")
	if !ok {
		return nil, errors.New(name + " has no properties for resource " + id)
	}
	return properties, nil
}

func mapIn(value any, key string) (inner map[string]any, ok bool) {
	outer, _ := value.(map[string]any)
	inner, ok = outer[key].(map[string]any)
	return inner, ok
}
