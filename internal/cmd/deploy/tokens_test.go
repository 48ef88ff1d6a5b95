package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// answerAsAWS answers as the AWS CLI does when it is asked for a table or a stack.
func answerAsAWS() int {
	if slices.Contains(os.Args, "describe-table") {
		return describeTable()
	}
	if slices.Contains(os.Args, "sts") || slices.Contains(os.Args, "configure") {
		return answerAboutTheCaller()
	}
	stack := os.Getenv("STACK_NOW")
	if stack == "" {
		fmt.Fprintln(os.Stderr, "An error occurred (ValidationError) when calling the DescribeStacks operation: Stack with id second does not exist")
		return 254
	}
	if !strings.HasPrefix(stack, "{") && stack != "[]" {
		fmt.Fprintln(os.Stderr, stack)
		return 255
	}
	fmt.Println(stack)
	return 0
}

const (
	ringARN = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:KeyRingSecret-1aB2-x9Y8z7"
	older   = `{"Parameters":[{"ParameterKey":"GitHub","ParameterValue":"true"}],"Outputs":[]}`
	secrets = `{"Parameters":[{"ParameterKey":"TokenStore","ParameterValue":"secrets"}]}`
	sealing = `{"Parameters":[{"ParameterKey":"TokenStore","ParameterValue":"envelope"}],"Outputs":[{"OutputKey":"KeyRing","OutputValue":"` + ringARN + `"}]}`
	// back is a stack that went back to secrets.
	back = `{"Parameters":[{"ParameterKey":"TokenStore","ParameterValue":"secrets"}],"Outputs":[{"OutputKey":"KeyRing","OutputValue":"` + ringARN + `"}]}`
)

func TestDeploy_ChangesTokenStoreOnlyAfterAYes(t *testing.T) {
	const costs = "With envelope, every user must sign in to Basecamp once more, and link GitHub again."
	for name, test := range map[string]struct {
		stack, answer string
		refused       string // "" if the stack is changed
	}{
		"yes":                           {secrets, "yes\n", ""},
		"yes, without a line break":     {secrets, "yes", ""},
		"yes, on Windows":               {secrets, "yes\r\n", ""},
		"yes, from an older release":    {older, "yes\n", ""},
		"no":                            {secrets, "no\n", "TokenStore=envelope: the answer was not yes. The stack was not changed"},
		"y":                             {secrets, "y\n", "the answer was not yes"},
		"only Enter":                    {secrets, "\n", "the answer was not yes"},
		"yes in the second line":        {secrets, "\nyes\n", "the answer was not yes"},
		"a long line that ends in yes":  {secrets, strings.Repeat(" ", 200) + "yes\n", "The stack was not changed"},
		"no terminal":                   {secrets, "", "The stack was not changed. To answer without a terminal: echo yes | make deploy TokenStore=envelope"},
		"no terminal, an older release": {older, "", "The stack was not changed"},
	} {
		t.Run(name, func(t *testing.T) {
			asked := samRecorder(t)
			t.Setenv("STACK_NOW", test.stack)
			directory := t.TempDir()
			set := map[string]string{"ACCOUNTS": "1234567", "CONTACT": "you@example.com", "TokenStore": "envelope"}
			said, err := answered(t, test.answer, directory, set)
			if !strings.Contains(said, costs) {
				t.Errorf("it says %s", said)
			}
			kept, _ := os.ReadDir(directory)
			if test.refused != "" {
				if err == nil || !strings.Contains(err.Error(), test.refused) || len(asked()) > 0 || len(kept) > 0 {
					t.Errorf("%v, ran %v, kept %v", err, asked(), kept)
				}
				return
			}
			if calls := asked(); err != nil || len(calls) != 2 || !strings.Contains(strings.Join(calls[1], " "), `TokenStore="envelope"`) {
				t.Fatalf("%v, ran %v", err, calls)
			}
			// The next deployment takes the same parameter from the file, and asks nothing.
			if said, err := deployed(t, directory, nil); err != nil || strings.Contains(said, costs) {
				t.Fatal(said, err)
			}
			if calls := asked(); !strings.Contains(strings.Join(calls[3], " "), `TokenStore="envelope"`) {
				t.Errorf("the next one ran %v", calls[3])
			}
		})
	}
}

func TestDeploy_StopsAtTheQuestionWhenInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	in, operator := io.Pipe()
	defer operator.Close()
	interrupt()
	err := answers{stack: "team"}.confirm(ctx, "envelope", "secrets", in, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "interrupted. The stack was not changed") {
		t.Error(err)
	}
}

func TestDeploy_AsksNothingIfTokenStoreStays(t *testing.T) {
	other := strings.ReplaceAll(ringARN, "1aB2", "2bC3")
	for name, test := range map[string]struct {
		stack, answer, store string
		kept                 map[string]string
		want, refused        string // a part of the command; of the error
	}{
		"a new stack":                    {"", "", "envelope", nil, `TokenStore="envelope"`, ""},
		"the same again":                 {sealing, "", "envelope", nil, `TokenStore="envelope"`, ""},
		"secrets again":                  {secrets, "", "secrets", nil, `TokenStore="secrets"`, ""},
		"an older release, no change":    {older, "", "secrets", nil, `TokenStore="secrets"`, ""},
		"secrets again keeps the ring":   {back, "", "secrets", nil, `KeyRing="` + ringARN + `"`, ""},
		"back to secrets keeps the ring": {sealing, "yes\n", "secrets", nil, `KeyRing="` + ringARN + `"`, ""},
		"the ring of the operator":       {sealing, "yes\n", "secrets", map[string]string{"KeyRing": other}, `KeyRing="` + other + `"`, ""},
		"AWS does not answer":            {"Unable to locate credentials", "yes\n", "envelope", nil, "", "TokenStore: the stack could not be described: exit status 255: Unable to locate credentials. The stack was not changed"},
		"AWS answers something else":     {"[]", "yes\n", "envelope", nil, "", "TokenStore: the stack could not be described"},
	} {
		t.Run(name, func(t *testing.T) {
			asked := samRecorder(t)
			t.Setenv("STACK_NOW", test.stack)
			set := map[string]string{"ACCOUNTS": "1234567", "CONTACT": "you@example.com", "TokenStore": test.store}
			maps.Copy(set, test.kept)
			said, err := answered(t, test.answer, t.TempDir(), set)
			calls := asked()
			if test.refused != "" {
				if err == nil || !strings.Contains(err.Error(), test.refused) || len(calls) > 0 {
					t.Errorf("%v, ran %v", err, calls)
				}
				return
			}
			if err != nil || len(calls) != 2 || !strings.Contains(strings.Join(calls[1], " "), test.want) {
				t.Fatalf("%v, ran %v", err, calls)
			}
			if asks := strings.Contains(said, "Enter yes"); asks != (test.answer != "") {
				t.Errorf("it says %s", said)
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
	samRecorder(t)
	t.Setenv("STACK_NOW", sealing)
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
	if said, err = deployed(t, t.TempDir(), set, "-n"); err != nil || strings.Contains(said, "If the outputs") || !strings.Contains(said, ringARN) {
		t.Errorf("with the ring: %s, %v", said, err)
	}
}

func TestDeploy_PrintsThatItAsksBeforeAChangeOfTokenStore(t *testing.T) {
	said, err := deployed(t, t.TempDir(), map[string]string{"ACCOUNTS": "1234567", "CONTACT": "you@example.com", "TokenStore": "envelope", "REGION": "eu-central-1"}, "-n")
	if err != nil || !strings.Contains(said, "\n# If the stack has another TokenStore, make deploy asks before it changes anything.\n") ||
		!strings.HasPrefix(said, "aws cloudformation describe-stacks --stack-name basecamp-mcp --region eu-central-1 --query 'Stacks[0]' --output json\n") {
		t.Errorf("%v: %s", err, said)
	}
}
