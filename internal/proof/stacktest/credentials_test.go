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
	environment = append(environment, "GOCACHE="+caches[0], "GOMODCACHE="+caches[1])
	run := func(in, name string, args ...string) (string, error) {
		command := exec.CommandContext(t.Context(), name, args...)
		command.Dir, command.Env, command.Stdin = root, slices.Clone(environment), strings.NewReader(in)
		said, err := command.CombinedOutput()
		return string(said), err
	}
	// The stand-in of AWS has no stacks, so a program in front of the AWS CLI names the secret.
	const stacks = "#!/bin/sh\nif [ \"$1 $2\" = 'cloudformation describe-stack-resource' ]; then echo fernhill/app; else exec \"$AWS\" \"$@\"; fi\n"
	directory := t.TempDir()
	if err := os.WriteFile(directory+"/aws", []byte(stacks), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	path := strings.TrimPrefix(environment[0], "PATH=")
	programs, _, _ := strings.Cut(path, ":")
	environment = append(environment, "PATH="+directory+":"+path, "AWS="+programs+"/aws")
	if _, err := manager.CreateSecret(t.Context(), &secretsmanager.CreateSecretInput{Name: new("fernhill/app"), SecretString: new("none")}); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ in, want string }{
		{"0123456789abcdef0123\nfedcba98765432100123\n", "Stored."},
		{"...\n...\n", "the client ID has 3 characters"},
	} {
		said, err := run(test.in, "functions/local/stack.sh", "credentials", "fernhill")
		if (err == nil) != (test.want == "Stored.") || !strings.Contains(said, test.want) || strings.Contains(said, "fedcba") {
			t.Errorf("%v: %s", err, said)
		}
	}
	stored, err := manager.GetSecretValue(t.Context(), &secretsmanager.GetSecretValueInput{SecretId: new("fernhill/app")})
	if err != nil || *stored.SecretString != `{"client_id":"0123456789abcdef0123","client_secret":"fedcba98765432100123"}` {
		t.Error(err, stored)
	}
}
