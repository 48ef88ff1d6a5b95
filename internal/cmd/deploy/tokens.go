package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// These parameters say where users' tokens are stored.
const (
	tokenStoreKey = "TokenStore"
	keyRingKey    = "KeyRing"
)

// describesStack returns the command that prints what the stack has now.
func (a answers) describesStack() []string {
	command := append([]string{"aws", "cloudformation", "describe-stacks", "--stack-name", a.stack}, a.place()...)
	return append(command, "--query", "Stacks[0]", "--output", "json")
}

// keepsRing returns an error if the given settings would replace the key ring in use by a new one,
// which opens no stored tokens.
func (a answers) keepsRing(given map[string]string) error {
	ring, set := given[keyRingKey]
	store := cmp.Or(given[tokenStoreKey], a.values[tokenStoreKey])
	if !set || ring != "" || a.values[keyRingKey] == "" || store != "envelope" {
		return nil
	}
	return fmt.Errorf("%s=: with %s=envelope, the stack would make a new key ring, which does not open the tokens that %s sealed. "+
		"Leave %s out to keep that ring", keyRingKey, tokenStoreKey, a.values[keyRingKey], keyRingKey)
}

// keepTokens asks before it changes TokenStore of a stack, and keeps the key ring for a return to
// secrets. An error means that the stack must not be changed.
func (a answers) keepTokens(ctx context.Context, given map[string]string, in io.Reader, out io.Writer) error {
	store, set := given[tokenStoreKey]
	if !set {
		return nil
	}
	before, ring, err := a.ask(ctx)
	if err != nil || before == "" {
		return err
	}
	if store == "secrets" && a.values[keyRingKey] == "" {
		a.values[keyRingKey] = ring
	}
	if store == before {
		return nil
	}
	return a.confirm(ctx, store, before, in, out)
}

// confirm writes what a change of TokenStore costs, and returns an error unless the next line of in
// is "yes".
func (a answers) confirm(ctx context.Context, store, before string, in io.Reader, out io.Writer) error {
	_, err := fmt.Fprintf(out, "The stack %s stores users' tokens with %s=%s. With %s, every user must sign in to Basecamp once more, and link GitHub again.\n"+
		"The old tokens stay where they are until make retire-tokens removes them. Enter yes to change it: ", a.stack, tokenStoreKey, before, store)
	if err != nil {
		return err
	}
	answer, ended := nextLine(ctx, in)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%s=%s: interrupted. The stack was not changed", tokenStoreKey, store)
	case answer == "yes":
		return nil
	case answer == "" && ended:
		return fmt.Errorf("%s=%s: there was no answer. The stack was not changed. To answer without a terminal: echo yes | make deploy %s=%s",
			tokenStoreKey, store, tokenStoreKey, store)
	default:
		return fmt.Errorf("%s=%s: the answer was not yes. The stack was not changed", tokenStoreKey, store)
	}
}

// nextLine returns the next line of in without blanks around it, and whether in ended with it. It
// returns early if ctx ends.
func nextLine(ctx context.Context, in io.Reader) (line string, ended bool) {
	read := make(chan struct{})
	var text string
	var err error
	go func() {
		defer close(read)
		text, err = bufio.NewReader(io.LimitReader(in, 100)).ReadString('\n')
	}()
	select {
	case <-read:
		return strings.TrimSpace(text), err != nil
	case <-ctx.Done():
		return "", true
	}
}

// ask returns where the stack stores tokens now, and its key ring. Without a stack, both are empty.
func (a answers) ask(ctx context.Context) (store, ring string, err error) {
	said, err := askAWS(ctx, a.describesStack())
	if err != nil && strings.Contains(err.Error(), "does not exist") {
		return "", "", nil
	}
	var stack struct {
		Parameters []struct{ ParameterKey, ParameterValue string }
		Outputs    []struct{ OutputKey, OutputValue string }
	}
	if err == nil {
		err = json.Unmarshal(said, &stack)
	}
	if err != nil {
		return "", "", fmt.Errorf("%s: the stack could not be described: %w. The stack was not changed", tokenStoreKey, err)
	}
	store = "secrets" // as in a release without the parameter
	for _, p := range stack.Parameters {
		if p.ParameterKey == tokenStoreKey {
			store = p.ParameterValue
		}
	}
	for _, o := range stack.Outputs {
		if o.OutputKey == keyRingKey {
			ring = o.OutputValue
		}
	}
	return store, ring, nil
}
