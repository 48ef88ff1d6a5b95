// Package template reads template.yaml, so that tests hold the product to what is deployed and not to a copy of it.
package template

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

const name = "template.yaml"

// Text is the template in the working directory or the nearest one above it, where go test finds that of the module.
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

// Resource gives the properties of a resource by its logical id.
func Resource(id string) (map[string]any, error) {
	text, err := Text()
	if err != nil {
		return nil, err
	}
	value, err := Parse(text)
	if err != nil {
		return nil, err
	}
	resources, _ := in(value, "Resources")
	resource, _ := in(resources, id)
	properties, ok := in(resource, "Properties")
	if !ok {
		return nil, errors.New(name + " has no properties of a " + id)
	}
	return properties, nil
}

func in(value any, key string) (inner map[string]any, ok bool) {
	outer, _ := value.(map[string]any)
	inner, ok = outer[key].(map[string]any)
	return inner, ok
}
