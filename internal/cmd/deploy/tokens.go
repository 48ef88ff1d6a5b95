package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// These parameters say where users' tokens are stored.
const (
	tokenStoreKey = "TokenStore"
	keyRingKey    = "KeyRing"
)

// outputs returns the command that prints the outputs of the stack.
func (a answers) outputs() []string {
	command := append([]string{"aws", "cloudformation", "describe-stacks", "--stack-name", a.stack}, a.place()...)
	return append(command, "--query", "Stacks[0].Outputs", "--output", "json")
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

// keepTokens makes sure that a change of TokenStore ends no sign-in. The release that is deployed
// now must already read both places; and a return to secrets needs the key ring of the stack.
func (a answers) keepTokens(ctx context.Context, given map[string]string) error {
	store, changes := given[tokenStoreKey]
	if !changes {
		return nil
	}
	found, exists, err := a.ask(ctx)
	switch {
	case err != nil:
		return err
	case !exists:
		return nil
	case store == "envelope" && found["TokenStores"] == "":
		return errors.New("TokenStore=envelope: the release that this stack runs cannot read sealed tokens. " +
			"Run make deploy without TokenStore first; then again with it")
	case store == "secrets" && a.values[keyRingKey] == "" && found[keyRingKey] != "":
		a.values[keyRingKey] = found[keyRingKey]
	}
	return nil
}

// ask returns the outputs of the stack, and whether it exists.
func (a answers) ask(ctx context.Context) (outputs map[string]string, exists bool, err error) {
	said, err := askAWS(ctx, a.outputs())
	switch {
	case err != nil && strings.Contains(err.Error(), "does not exist"):
		return nil, false, nil
	case err != nil:
		return nil, false, fmt.Errorf("%s: the outputs of the stack could not be read: %w. The stack was not changed", tokenStoreKey, err)
	}
	var listed []struct{ OutputKey, OutputValue string }
	if err := json.Unmarshal(said, &listed); err != nil {
		return nil, false, fmt.Errorf("%s: the outputs of the stack could not be read: %w. The stack was not changed", tokenStoreKey, err)
	}
	outputs = map[string]string{}
	for _, output := range listed {
		outputs[output.OutputKey] = output.OutputValue
	}
	return outputs, true, nil
}
