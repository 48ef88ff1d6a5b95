package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// tableKey is the parameter that names a table which the stack did not make.
const tableKey = "ExistingTable"

// keepsTable returns an error if the given settings would replace an existing table by a new, empty
// one of the stack. The table that the stack made before has left the stack.
func (a answers) keepsTable(given map[string]string) error {
	name, set := given[tableKey]
	if !set || name != "" || a.values[tableKey] == "" {
		return nil
	}
	return fmt.Errorf("%s=: the stack would use a new, empty table, and every user would have to sign in again. To go back to the table that "+
		"the stack made, set %s to its name, which aws dynamodb list-tables shows. To begin with an empty table, remove the line %s from %s first",
		tableKey, tableKey, tableKey, a.path())
}

// describesTable returns the command that describes the existing table, or nil if there is none.
func (a answers) describesTable() []string {
	if a.values[tableKey] == "" {
		return nil
	}
	command := []string{"aws", "dynamodb", "describe-table", "--table-name", a.values[tableKey]}
	return append(append(command, a.place()...), "--output", "json")
}

// table is what DynamoDB says about a table.
type table struct {
	Table struct {
		TableStatus          string
		AttributeDefinitions []struct{ AttributeName, AttributeType string }
		KeySchema            []struct{ AttributeName, KeyType string }
	}
}

// checkTable returns an error that names ExistingTable, if the functions could not use it. Nothing
// is deployed then: the stack keeps the table that it has.
func (a answers) checkTable(ctx context.Context, out io.Writer) error {
	command := a.describesTable()
	if command == nil {
		return nil
	}
	if _, err := fmt.Fprintln(out, "$", quoted(command)); err != nil {
		return err
	}
	if err := a.describe(ctx, command); err != nil {
		return fmt.Errorf("%s=%s: %w. The stack was not changed", tableKey, a.values[tableKey], err)
	}
	return nil
}

func (a answers) describe(ctx context.Context, command []string) error {
	said, err := askAWS(ctx, command)
	switch {
	case err != nil && strings.Contains(err.Error(), "ResourceNotFoundException"):
		return errors.New("this account has no table of that name in this region; aws dynamodb list-tables shows the names")
	case err != nil:
		return fmt.Errorf("the table could not be described: %w", err)
	}
	var found table
	if err := json.Unmarshal(said, &found); err != nil {
		return fmt.Errorf("the table could not be described: %w", err)
	}
	return found.check()
}

// check returns an error unless the table has the key of template.yaml and can be used.
func (t table) check() error {
	kinds := map[string]string{}
	for _, attribute := range t.Table.AttributeDefinitions {
		kinds[attribute.AttributeName] = attribute.AttributeType
	}
	var has []string
	for _, key := range t.Table.KeySchema {
		has = append(has, key.AttributeName+" ("+key.KeyType+", "+kinds[key.AttributeName]+")")
	}
	if got := strings.Join(has, ", "); got != "pk (HASH, S), sk (RANGE, S)" {
		return fmt.Errorf("its key is %s, and must be pk (HASH, S), sk (RANGE, S): it is not a table of this server", got)
	}
	if status := t.Table.TableStatus; status != "ACTIVE" && status != "UPDATING" {
		return fmt.Errorf("its status is %s; wait until it is ACTIVE: aws dynamodb wait table-exists --table-name NAME", status)
	}
	return nil
}
