package stacktest_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
)

func TestCredentials_AreStoredInTheSecretOfTheStack(t *testing.T) {
	environment, manager, _ := awsCLI(t)
	gocache, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	caches := strings.Fields(string(gocache))
	// The stand-in of AWS has no stacks, so a program in front of the AWS CLI names the secret. One in
	// front of go fails if it is told so.
	programs := map[string]string{
		"aws": "if [ \"$1 $2\" = 'cloudformation describe-stack-resource' ]; then echo fernhill/app; else exec \"$AWS\" \"$@\"; fi\n",
		"go":  "[ -z \"$FAILS\" ] || exit 1; PATH=${PATH#*:} exec go \"$@\"\n",
	}
	directory := t.TempDir()
	for name, script := range programs {
		if err := os.WriteFile(directory+"/"+name, []byte("#!/bin/sh\n"+script), 0o700); err != nil { //nolint:gosec // it is run
			t.Fatal(err)
		}
	}
	path := strings.TrimPrefix(environment[0], "PATH=")
	tools, _, _ := strings.Cut(path, ":")
	environment = append(environment, "GOCACHE="+caches[0], "GOMODCACHE="+caches[1], "PATH="+directory+":"+path, "AWS="+tools+"/aws")
	if _, err := manager.CreateSecret(t.Context(), &secretsmanager.CreateSecretInput{Name: new("fernhill/app"), SecretString: new("none")}); err != nil {
		t.Fatal(err)
	}
	for _, fails := range []string{"", "1"} {
		command := exec.CommandContext(t.Context(), "functions/local/stack.sh", "credentials", "fernhill")
		command.Dir, command.Env = root, append(slices.Clone(environment), "FAILS="+fails)
		command.Stdin = strings.NewReader("0123456789abcdef0123\nfedcba98765432100123\n")
		said, err := command.CombinedOutput()
		if (err == nil) != (fails == "") || strings.Contains(string(said), "Stored.") != (fails == "") || strings.Contains(string(said), "fedcba") {
			t.Errorf("%v: %s", err, said)
		}
	}
	stored, err := manager.GetSecretValue(t.Context(), &secretsmanager.GetSecretValueInput{SecretId: new("fernhill/app")})
	if err != nil || *stored.SecretString != `{"client_id":"0123456789abcdef0123","client_secret":"fedcba98765432100123"}` {
		t.Error(err, stored)
	}
}
