package functions

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/secrets"
	"basecamp-mcp/internal/secrets/secretstest"
)

// What a stack leaves behind is found by its tag and its name, and only that goes, and only when asked.
func TestPurge_DeletesThePeoplesSecretsOfOneStack(t *testing.T) {
	if os.Getenv("INTEGRATION") == "" {
		t.Skip("needs moto and the AWS CLI: make integration")
	}
	programs, _ := filepath.Glob(root + "/.tools/awscli-*/bin")
	if len(programs) == 0 {
		t.Fatal("no AWS CLI below .tools; make tools installs it")
	}
	path, err := filepath.Abs(programs[len(programs)-1])
	if err != nil {
		t.Fatal(err)
	}
	origin := secretstest.Moto(t)
	manager := secretsmanager.New(secretsmanager.Options{
		Region: "eu-central-1", BaseEndpoint: &origin,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
		}),
	})
	for stack, people := range map[string][]string{"fernhill": {"37s:1", "37s:2"}, "fernhill-two": {"37s:1"}} {
		for _, subject := range people {
			if _, err := secrets.New(manager, stack+"/", stack).Save(t.Context(), subject, "test", grant.Tokens{AccessToken: "a"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := manager.CreateSecret(t.Context(), &secretsmanager.CreateSecretInput{
		Name: aws.String("fernhill-application"), SecretString: aws.String("{}"),
	}); err != nil {
		t.Fatal(err)
	}
	left := func() (names []string) {
		out, err := manager.ListSecrets(t.Context(), &secretsmanager.ListSecretsInput{})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range out.SecretList {
			stack, _, _ := strings.Cut(*s.Name, "/user/")
			names = append(names, stack)
		}
		slices.Sort(names)
		return names
	}
	purging := func(args ...string) (string, error) {
		command := exec.CommandContext(t.Context(), root+"/functions/purge.sh", args...)
		command.Env = []string{
			"PATH=" + path + ":" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "AWS_ENDPOINT_URL=" + origin, "AWS_DEFAULT_REGION=eu-central-1",
			"AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test",
		}
		said, err := command.CombinedOutput()
		return string(said), err
	}
	purge := func(args ...string) string {
		said, err := purging(args...)
		if err != nil {
			t.Errorf("purge %v: %v %s", args, err, said)
		}
		return said
	}

	all := []string{"fernhill", "fernhill", "fernhill-application", "fernhill-two"}
	if said := purge("fernhill"); !strings.Contains(said, "2 secrets. Nothing was deleted") || !slices.Equal(left(), all) {
		t.Errorf("%s; there are %v", said, left())
	}
	if said := purge("fernhill", "--delete"); !strings.Contains(said, "2 secrets deleted") || !slices.Equal(left(), all[2:]) {
		t.Errorf("%s; there are %v", said, left())
	}
	if said := purge("fernhill"); !strings.Contains(said, "no secrets") {
		t.Error(said)
	}
	origin = "http://127.0.0.1:1" // a service out of reach is no empty stack
	if said, err := purging("fernhill-two", "--delete"); err == nil || strings.Contains(said, "no secrets") {
		t.Errorf("%v: %s", err, said)
	}
}
