package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// These settings are about the stack itself.
const (
	stackKey   = "STACK"
	regionKey  = "REGION"
	profileKey = "PROFILE"
)

// short are the names that docs/deploy.md uses for the two parameters without a default.
var short = map[string]string{"ACCOUNTS": "AllowedAccounts", "CONTACT": "UserAgentContact"}

// settings returns the values of the named settings.
func settings(names []string, getenv func(string) string, parameters map[string]parameter) (map[string]string, error) {
	given := map[string]string{}
	for _, name := range names {
		full := cmp.Or(short[name], name)
		if _, ok := parameters[full]; !ok && full != stackKey && full != regionKey && full != profileKey {
			known := slices.Concat(slices.Sorted(maps.Keys(short)), []string{stackKey, regionKey, profileKey}, slices.Sorted(maps.Keys(parameters)))
			return nil, fmt.Errorf("%q is not a setting; the settings are %s", name, strings.Join(known, ", "))
		}
		given[full] = strings.TrimSpace(getenv(name)) // a pasted value can have blanks around it
	}
	return given, nil
}

// answers are the settings of one stack.
type answers struct {
	directory, stack string
	values           map[string]string
}

const (
	extension    = ".conf"
	defaultStack = "basecamp-mcp"
)

var stackName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]{0,127}$`)

// open returns what is kept of a stack. If stack is empty, it is the only one that is kept, or the
// default one.
func open(directory, stack string) (answers, error) {
	if stack == "" {
		files, err := filepath.Glob(filepath.Join(directory, "*"+extension))
		if err != nil {
			return answers{}, err
		}
		if len(files) > 1 {
			var stacks []string
			for _, file := range files {
				stacks = append(stacks, strings.TrimSuffix(filepath.Base(file), extension))
			}
			return answers{}, fmt.Errorf("you have several stacks; choose one with STACK=, of %s", strings.Join(stacks, ", "))
		}
		stack = defaultStack
		if len(files) == 1 {
			stack = strings.TrimSuffix(filepath.Base(files[0]), extension)
		}
	}
	if !stackName.MatchString(stack) {
		return answers{}, fmt.Errorf("STACK=%s: must be letters, digits and hyphens, and begin with a letter", stack)
	}
	a := answers{directory, stack, map[string]string{}}
	text, err := os.ReadFile(a.path())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return answers{}, err
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok {
			return answers{}, fmt.Errorf("%s: %q is not Name=value", a.path(), line)
		}
		a.values[name] = value
	}
	return a, nil
}

func (a answers) path() string { return filepath.Join(a.directory, a.stack+extension) }

// update replaces the kept values with the given ones. The first deployment keeps the region of the
// environment: in another region, the next one would create a second stack.
func (a answers) update(given map[string]string, getenv func(string) string) {
	maps.Copy(a.values, given)
	delete(a.values, stackKey)
	if region := cmp.Or(a.values[regionKey], getenv("AWS_REGION"), getenv("AWS_DEFAULT_REGION")); region != "" {
		a.values[regionKey] = region
	}
}

// word matches the name of a region or of a profile.
var word = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@/ -]*$`)

// check returns an error that names every missing and every invalid setting.
func (a answers) check(parameters map[string]parameter) error {
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(short)) {
		if a.values[short[name]] == "" {
			problems = append(problems, fmt.Errorf("%s is missing: %s", name, parameters[short[name]].rule))
		}
	}
	if len(problems) > 0 {
		problems = append(problems, errors.New("the first deployment is: make deploy ACCOUNTS=1234567 CONTACT=you@example.com"))
		return errors.Join(problems...)
	}
	for _, name := range slices.Sorted(maps.Keys(a.values)) {
		value := a.values[name]
		p, ok := parameters[name]
		switch {
		case name == regionKey || name == profileKey:
			if value != "" && !word.MatchString(value) {
				problems = append(problems, fmt.Errorf("%s=%s: must be a name of letters, digits and hyphens", name, value))
			}
		case !ok:
			problems = append(problems, fmt.Errorf("%s: the template has no parameter %s", a.path(), name))
		default:
			if err := p.check(value); err != nil {
				problems = append(problems, fmt.Errorf("%s=%s: %w", name, value, err))
			}
		}
	}
	return errors.Join(problems...)
}

// deployment returns the command that deploys the stack now. SAM reads a list of overrides as it
// would read a line of them, so every value is in quotes, and quotes in it have a backslash.
func (a answers) deployment() []string {
	command := []string{"sam", "deploy", "--stack-name", a.stack}
	command = append(append(command, a.place()...), "--no-confirm-changeset", "--no-fail-on-empty-changeset", "--parameter-overrides")
	for _, name := range slices.Sorted(maps.Keys(a.values)) {
		if name != regionKey && name != profileKey {
			command = append(command, name+`="`+strings.ReplaceAll(a.values[name], `"`, `\"`)+`"`)
		}
	}
	return command
}

// place returns the options of a command that choose the region and the profile.
func (a answers) place() (options []string) {
	for _, option := range []struct{ name, value string }{{"--region", a.values[regionKey]}, {"--profile", a.values[profileKey]}} {
		if option.value != "" {
			options = append(options, option.name, option.value)
		}
	}
	return options
}

// save writes the settings to the stack's file, which only its owner can read.
func (a answers) save() error {
	if err := os.MkdirAll(a.directory, 0o700); err != nil {
		return err
	}
	lines := []string{"# The settings of the stack " + a.stack + ", kept by make deploy. Git ignores this file."}
	for _, name := range slices.Sorted(maps.Keys(a.values)) {
		lines = append(lines, name+"="+a.values[name])
	}
	return os.WriteFile(a.path(), []byte(strings.Join(lines, "\n")+"\n"), 0o600)
}
