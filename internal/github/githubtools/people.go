package githubtools

import (
	"context"
	"fmt"
	"strings"

	"basecamp-mcp/internal/fault"
)

// login reads a login, with or without @. me and an empty text stay as they are.
func login(argument, text string) (string, error) {
	text = strings.TrimPrefix(strings.TrimSpace(text), "@")
	if text != "" && !loginForm.MatchString(text) {
		return "", fault.Invalid(argument, "must be a login of at most 39 letters, digits and hyphens, got %q", short(text))
	}
	return text, nil
}

// owner reads the login of an owner. An empty one means the caller.
func owner(text string) (string, error) {
	name, err := login("owner", text)
	if strings.EqualFold(name, "me") {
		return "", nil
	}
	return name, err
}

// person returns a login in place of me.
func (k *kit) person(ctx context.Context, login string) (string, error) {
	if !strings.EqualFold(login, "me") {
		return login, nil
	}
	return k.github.Login(ctx)
}

// logins returns an error if one of the texts is not a login. It needs no request.
func logins(argument string, names []string) error {
	problems := make([]error, len(names))
	for i, name := range names {
		entry := fmt.Sprintf("%s[%d]", argument, i)
		text, err := login(entry, name)
		if err == nil && text == "" {
			err = fault.Invalid(entry, "must be a login")
		}
		problems[i] = err
	}
	return fault.All(problems...)
}

// people returns logins that logins has checked, each once, with the caller's in place of me.
func (k *kit) people(ctx context.Context, names []string) ([]string, error) {
	var found []string
	for _, name := range names {
		person, err := k.person(ctx, strings.TrimPrefix(strings.TrimSpace(name), "@"))
		if err != nil {
			return nil, err
		}
		if !hasName(found, person) {
			found = append(found, person)
		}
	}
	return found, nil
}
