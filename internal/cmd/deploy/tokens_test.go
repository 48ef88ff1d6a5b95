package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// answerAsAWS answers as the AWS CLI does when it is asked for a table or the outputs of a stack.
func answerAsAWS() int {
	if slices.Contains(os.Args, "describe-table") {
		return describeTable()
	}
	outputs := os.Getenv("STACK_OUTPUTS")
	if outputs == "" {
		fmt.Fprintln(os.Stderr, "An error occurred (ValidationError) when calling the DescribeStacks operation: Stack with id second does not exist")
		return 254
	}
	if !strings.HasPrefix(outputs, "[") {
		fmt.Fprintln(os.Stderr, outputs)
		return 255
	}
	fmt.Println(outputs)
	return 0
}

const (
	ringARN = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:KeyRingSecret-1aB2-x9Y8z7"
	older   = `[{"OutputKey":"McpUrl","OutputValue":"https://mcp.fernhill.example/mcp"}]`
	secrets = `[{"OutputKey":"TokenStores","OutputValue":"secrets envelope"}]`
	sealing = `[{"OutputKey":"TokenStores","OutputValue":"secrets envelope"},{"OutputKey":"KeyRing","OutputValue":"` + ringARN + `"}]`
)

func TestDeploy_ChangesTokenStoreWithoutEndingASignIn(t *testing.T) {
	for name, test := range map[string]struct {
		outputs, store string
		kept           map[string]string
		want, refused  string // a part of the command; of the error
	}{
		"a new stack":                   {"", "envelope", nil, `TokenStore="envelope"`, ""},
		"a release that reads both":     {secrets, "envelope", nil, `TokenStore="envelope"`, ""},
		"an older release":              {older, "envelope", nil, "", "Run make deploy without TokenStore first"},
		"an older release, no change":   {older, "secrets", nil, `TokenStore="secrets"`, ""},
		"back to secrets":               {sealing, "secrets", nil, `KeyRing="` + ringARN + `"`, ""},
		"with the ring of the operator": {sealing, "secrets", map[string]string{"KeyRing": strings.ReplaceAll(ringARN, "1aB2", "2bC3")}, `KeyRing="` + strings.ReplaceAll(ringARN, "1aB2", "2bC3") + `"`, ""},
		"AWS does not answer":           {"Unable to locate credentials", "envelope", nil, "", "TokenStore: the outputs of the stack could not be read: exit status 255: Unable to locate credentials. The stack was not changed"},
	} {
		t.Run(name, func(t *testing.T) {
			asked := samRecorder(t)
			aws(t)
			t.Setenv("STACK_OUTPUTS", test.outputs)
			set := map[string]string{"ACCOUNTS": "1234567", "CONTACT": "you@example.com", "TokenStore": test.store}
			maps.Copy(set, test.kept)
			directory := t.TempDir()
			_, err := deployed(t, directory, set)
			if test.refused != "" {
				if err == nil || !strings.Contains(err.Error(), test.refused) || len(asked()) > 0 {
					t.Errorf("%v, ran %v", err, asked())
				}
				return
			}
			if calls := asked(); err != nil || len(calls) != 2 || !strings.Contains(strings.Join(calls[1], " "), test.want) {
				t.Fatalf("%v, ran %v", err, calls)
			}
			// The next deployment takes the same parameters from the file.
			if _, err := deployed(t, directory, nil); err != nil {
				t.Fatal(err)
			}
			if calls := asked(); !strings.Contains(strings.Join(calls[3], " "), test.want) {
				t.Errorf("the next one ran %v", calls[3])
			}
		})
	}
}

func TestDeploy_KeepsTheKeyRingInUse(t *testing.T) {
	for name, test := range map[string]struct {
		kept, set map[string]string
		refused   bool
	}{
		"sealed tokens":                {map[string]string{"TokenStore": "envelope", "KeyRing": ringARN}, map[string]string{"KeyRing": ""}, true},
		"to envelope a second time":    {map[string]string{"TokenStore": "secrets", "KeyRing": ringARN}, map[string]string{"TokenStore": "envelope", "KeyRing": ""}, true},
		"secrets for each user":        {map[string]string{"TokenStore": "secrets", "KeyRing": ringARN}, map[string]string{"KeyRing": ""}, false},
		"the first ring":               {map[string]string{"TokenStore": "secrets"}, map[string]string{"TokenStore": "envelope", "KeyRing": ""}, false},
		"another ring of the operator": {map[string]string{"TokenStore": "envelope", "KeyRing": ringARN}, map[string]string{"KeyRing": ringARN + "x"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			err := answers{values: test.kept}.keepsRing(test.set)
			if (err != nil) != test.refused {
				t.Errorf("%v", err)
			}
			if err != nil && !strings.Contains(err.Error(), "KeyRing=: with TokenStore=envelope, the stack would make a new key ring") {
				t.Error(err)
			}
		})
	}
	directory := t.TempDir()
	aws(t)
	samRecorder(t)
	t.Setenv("STACK_OUTPUTS", sealing)
	if _, err := deployed(t, directory, map[string]string{"ACCOUNTS": "1", "CONTACT": "a@b.example", "TokenStore": "envelope", "KeyRing": ringARN}); err != nil {
		t.Fatal(err)
	}
	if said, err := deployed(t, directory, map[string]string{"KeyRing": ""}); err == nil || !strings.Contains(err.Error(), ringARN) {
		t.Errorf("%s, %v", said, err)
	}
}

func TestDeploy_PrintsThatAReturnToSecretsNeedsTheKeyRing(t *testing.T) {
	set := map[string]string{"ACCOUNTS": "1234567", "CONTACT": "you@example.com", "TokenStore": "secrets"}
	said, err := deployed(t, t.TempDir(), set, "-n")
	if err != nil || !strings.Contains(said, "# If the outputs have a KeyRing, make deploy adds it to the last command") {
		t.Errorf("%s, %v", said, err)
	}
	set["KeyRing"] = ringARN
	if said, err = deployed(t, t.TempDir(), set, "-n"); err != nil || strings.Contains(said, "#") || !strings.Contains(said, ringARN) {
		t.Errorf("with the ring: %s, %v", said, err)
	}
}

func TestDeploy_PrintsThatItAsksForTheOutputs(t *testing.T) {
	said, err := deployed(t, t.TempDir(), map[string]string{"ACCOUNTS": "1234567", "CONTACT": "you@example.com", "TokenStore": "envelope", "REGION": "eu-central-1"}, "-n")
	if err != nil || !strings.HasPrefix(said, "aws cloudformation describe-stacks --stack-name basecamp-mcp --region eu-central-1 --query 'Stacks[0].Outputs' --output json\n") {
		t.Errorf("%v: %s", err, said)
	}
}
