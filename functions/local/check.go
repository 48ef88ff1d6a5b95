package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"basecamp-mcp/internal/app"
	"basecamp-mcp/internal/config"
)

// variables are the parameters of template.yaml, each with the variable of the functions that it
// sets. Those without a variable are for AWS alone.
var variables = map[string]string{
	"AllowedAccounts": "ALLOWED_ACCOUNTS", "UserAgentContact": "USER_AGENT_CONTACT", "PublicUrl": "PUBLIC_URL", "DomainName": "PUBLIC_URL",
	"BasecampApiUrl": "BASECAMP_API_URL", "GitHubUrl": "GITHUB_URL", "GitHubLockdown": "GITHUB_LOCKDOWN", "Toolsets": "TOOLSETS",
	"ReadOnly": "READ_ONLY", "AllowedClients": "ALLOWED_CLIENTS", "TokenStore": "TOKEN_STORE", "ExistingTable": "TABLE_NAME",
	"CertificateArn": "", "HostedZoneId": "", "AlarmEmail": "", "LogRetentionDays": "",
}

// required are the parameters without a default.
var required = []string{"AllowedAccounts", "UserAgentContact"}

// check reads parameters of the template, Name=value, as the functions will read them. The error
// names every one that they would refuse. With -new as the first argument, it also names those that
// a new stack lacks; an existing one keeps the values that are not given.
func check(_ context.Context, arguments []string, _ io.Reader, out io.Writer) error {
	isNew := len(arguments) > 0 && arguments[0] == "-new"
	if isNew {
		arguments = arguments[1:]
	}
	given, problems := parameters(arguments)
	for _, name := range required {
		if value, ok := given[name]; value == "" && (ok || isNew) {
			problems = append(problems, fmt.Errorf("%s is missing", name))
		}
	}
	if certificate, ok := given["CertificateArn"]; given["DomainName"] != "" && certificate == "" && (ok || isNew) {
		problems = append(problems, errors.New("CertificateArn is missing: DomainName needs a certificate"))
	}
	if name, ok := given["ExistingTable"]; ok && name == "" {
		problems = append(problems, errors.New("ExistingTable must be the name of a table: without one, the stack would make a new, empty table, and every user would sign in again"))
	}
	if _, err := config.Load(environment(given, isNew), app.Toolsets()); err != nil {
		problems = append(problems, inParameters(err))
	}
	if len(problems) > 0 {
		return errors.Join(problems...)
	}
	said := "The functions accept these parameters. An upgrade takes two to five minutes; users stay connected."
	if isNew {
		said = "The functions accept these parameters. They, an HTTP API, a table, secrets, roles, logs and alarms are now created in your account.\n" +
			"This takes about eight minutes: three to build, the first time, and five in AWS."
	}
	_, err := fmt.Fprintln(out, said)
	return err
}

// parameters returns the values of arguments of the form Name=value.
func parameters(arguments []string) (given map[string]string, problems []error) {
	given = map[string]string{}
	for _, argument := range arguments {
		name, value, ok := strings.Cut(argument, "=")
		_, known := variables[name]
		_, twice := given[name]
		given[name] = strings.TrimSpace(value)
		switch {
		case !ok || !known:
			problems = append(problems, fmt.Errorf("%q is not a parameter; the parameters are %s", name, strings.Join(slices.Sorted(maps.Keys(variables)), ", ")))
		case twice:
			problems = append(problems, fmt.Errorf("%s is given twice", name))
		case strings.ContainsAny(value, "\"\\\r\n"): // the SAM CLI would change them
			problems = append(problems, fmt.Errorf("%s must not contain double quotes, backslashes or line breaks", name))
		}
	}
	return given, problems
}

// environment returns the environment that the template makes of these parameters.
func environment(given map[string]string, isNew bool) func(string) string {
	all := map[string]string{}
	for name, value := range given {
		if value != "" && name != "DomainName" {
			all[variables[name]] = value
		}
	}
	if domain := given["DomainName"]; domain != "" && given["PublicUrl"] == "" {
		all["PUBLIC_URL"] = "https://" + domain
	}
	if origin, ok := given["GitHubUrl"]; origin != "" || !ok && !isNew { // an existing stack may have a GitHub
		all["GITHUB_SECRET"] = "set"
	}
	return func(name string) string { return all[name] }
}

// inParameters returns an error of config with the names of parameters in place of variables.
func inParameters(err error) error {
	names := []string{"GITHUB_SECRET", "GitHubUrl"}
	for parameter, variable := range variables {
		if variable != "" && parameter != "DomainName" {
			names = append(names, variable, parameter)
		}
	}
	return errors.New(strings.NewReplacer(names...).Replace(strings.TrimPrefix(err.Error(), "configuration: ")))
}
