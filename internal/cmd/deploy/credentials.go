package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// checkCredentials prints the account and the region of the deployment. It returns an error if AWS
// does not accept the credentials, or if there is no region.
func (a answers) checkCredentials(ctx context.Context, out io.Writer) error {
	_, _ = fmt.Fprintln(out, "Checking the credentials and the region of AWS.")
	said, err := askAWS(ctx, slices.Concat([]string{"aws", "sts", "get-caller-identity"}, a.place(), []string{"--output", "json"}))
	if err != nil {
		return fmt.Errorf("AWS accepts no credentials of yours: %w\nRun aws configure or aws sso login, or choose a profile with PROFILE=name; then run make deploy again", err)
	}
	var caller struct{ Account, Arn string }
	if err := json.Unmarshal(said, &caller); err != nil {
		return fmt.Errorf("the answer of aws sts get-caller-identity could not be read: %w", err)
	}
	region := a.values[regionKey]
	if region == "" {
		region = a.configuredRegion(ctx)
	}
	if region == "" {
		return errors.New("no AWS region is chosen; add REGION=, such as REGION=eu-central-1, or run aws configure")
	}
	_, err = fmt.Fprintf(out, "The stack %s is in the AWS account %s, region %s. You are %s.\n", a.stack, caller.Account, region, caller.Arn)
	return err
}

// configuredRegion returns the region of the profile, or "".
func (a answers) configuredRegion(ctx context.Context) string {
	said, err := askAWS(ctx, slices.Concat([]string{"aws", "configure", "get", "region"}, a.place()))
	if err != nil {
		return "" // the command fails if there is none
	}
	return strings.TrimSpace(string(said))
}
