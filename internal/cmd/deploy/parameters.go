package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// parameter is what the template says about one of its parameters.
type parameter struct {
	list    bool           // the values are separated by commas, and the pattern is of each
	pattern *regexp.Regexp // nil if all values are valid
	allowed []string       // empty if there is no list of them
	least   *int           // nil if a smaller number is valid, too
	most    *int           // nil if a larger number is valid, too
	rule    string         // what a value must be, in words
}

var (
	parameterName = regexp.MustCompile(`^  ([A-Za-z][A-Za-z0-9]*):$`)
	attribute     = regexp.MustCompile(`^    ([A-Za-z]+): (.*)$`)
	comment       = regexp.MustCompile(` # .*$`)
)

// readParameters returns the parameters of a template.
func readParameters(path string) (map[string]parameter, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	_, section, _ := strings.Cut(string(text), "\nParameters:\n")
	all := map[string]parameter{}
	name := ""
	for line := range strings.Lines(section) {
		line = strings.TrimRight(line, "\r\n")
		if line != "" && line[0] != ' ' {
			break // the next section
		}
		if m := parameterName.FindStringSubmatch(line); m != nil {
			name = m[1]
			all[name] = parameter{}
		} else if m := attribute.FindStringSubmatch(line); m != nil && name != "" {
			p := all[name]
			if err := p.read(m[1], comment.ReplaceAllString(m[2], "")); err != nil {
				return nil, fmt.Errorf("parameter %s of %s: %w", name, path, err)
			}
			all[name] = p
		}
	}
	if len(all) == 0 {
		return nil, errors.New(path + " has no parameters")
	}
	return all, nil
}

func (p *parameter) read(name, value string) (err error) {
	switch name {
	case "Type":
		p.list = value == "CommaDelimitedList"
	case "AllowedPattern":
		p.pattern, err = regexp.Compile(value)
	case "MinValue":
		p.least, err = number(value)
	case "MaxValue":
		p.most, err = number(value)
	case "ConstraintDescription":
		p.rule = value
	case "AllowedValues":
		for word := range strings.SplitSeq(strings.Trim(value, "[]"), ",") {
			p.allowed = append(p.allowed, strings.Trim(strings.TrimSpace(word), `"`))
		}
		p.rule = "must be one of " + strings.Join(p.allowed, ", ")
	}
	return err
}

func number(text string) (*int, error) {
	n, err := strconv.Atoi(text)
	return &n, err
}

// checkNumber returns an error if the value is not a number within the bounds.
func (p parameter) checkNumber(value string) error {
	n, err := strconv.Atoi(value)
	switch {
	case err != nil:
		return errors.New("must be a whole number")
	case p.least != nil && n < *p.least:
		return fmt.Errorf("must be at least %d", *p.least)
	case p.most != nil && n > *p.most:
		return fmt.Errorf("must be at most %d", *p.most)
	}
	return nil
}

// check returns an error if CloudFormation would refuse the value or the SAM CLI could not pass it.
// Only JSON has quotes.
func (p parameter) check(value string) error {
	if strings.ContainsAny(value, `'\`) || strings.Contains(value, `"`) && !strings.HasPrefix(value, "{") || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' }) {
		return errors.New("must not contain quotes, backslashes or line breaks")
	}
	if p.least != nil || p.most != nil {
		return p.checkNumber(value)
	}
	parts := []string{value}
	if p.list {
		parts = strings.Split(value, ",")
	}
	for _, part := range parts {
		if p.list { // CloudFormation ignores the blanks around its items
			part = strings.TrimSpace(part)
		}
		if p.pattern != nil && !p.pattern.MatchString(part) || len(p.allowed) > 0 && !slices.Contains(p.allowed, part) {
			return errors.New(p.rule)
		}
	}
	return nil
}
