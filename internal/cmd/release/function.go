package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// functions returns the zips of the functions, and the template that deploys them.
func (r release) functions() (map[string][]byte, error) {
	bootstraps, err := filepath.Glob(filepath.Join(r.built, "*", "bootstrap"))
	if err != nil {
		return nil, err
	}
	if len(bootstraps) == 0 {
		return nil, errors.New("no built function in " + r.built)
	}
	text, err := os.ReadFile(filepath.Join(r.source, "template.yaml"))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, bootstrap := range bootstraps {
		id := filepath.Base(filepath.Dir(bootstrap))
		program, err := os.ReadFile(bootstrap)
		if err != nil {
			return nil, err
		}
		if files[id+".zip"], err = zipped([]entry{{"bootstrap", program, executable}}); err != nil {
			return nil, err
		}
		if text, err = deploying(text, id); err != nil {
			return nil, err
		}
	}
	files["template.yaml"] = text
	return files, nil
}

var source = regexp.MustCompile(`(?m)^(    Metadata:\n      BuildMethod: makefile\n)?(    Properties:\n(?:      .*\n)*?      CodeUri: )\.\n`)

// deploying returns the template with a function's zip in place of its source.
func deploying(template []byte, id string) ([]byte, error) {
	before, function, found := strings.Cut(string(template), "\n  "+id+":\n    Type: AWS::Serverless::Function\n")
	place := source.FindStringSubmatchIndex(function)
	if !found || place == nil || place[0] != 0 {
		return nil, fmt.Errorf("the template has no function %s that is built from its source", id)
	}
	return []byte(before + "\n  " + id + ":\n    Type: AWS::Serverless::Function\n" +
		function[place[4]:place[5]] + id + ".zip\n" + function[place[1]:]), nil
}
