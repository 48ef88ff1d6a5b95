package stacktest_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	dynamodbtypes "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager/types"

	"basecamp-mcp/internal/signin/provider"
	"basecamp-mcp/internal/store/dynamo/dynamotest"
	"basecamp-mcp/internal/store/secrets"
	"basecamp-mcp/internal/store/secrets/secretstest"
)

// purging starts AWS services for purge.sh, and returns a function that runs it.
func purging(t *testing.T) (run func(origin string, args ...string) (string, error), manager *secretsmanager.Client, origin string) {
	t.Helper()
	environment, manager, origin := awsCLI(t)
	return func(origin string, args ...string) (string, error) {
		command := exec.CommandContext(t.Context(), root+"/functions/local/purge.sh", args...)
		command.Env = append(slices.Clone(environment), "AWS_ENDPOINT_URL="+origin)
		said, err := command.CombinedOutput()
		return string(said), err
	}, manager, origin
}

// awsCLI starts AWS services, and returns the environment in which a shell finds the AWS CLI.
func awsCLI(t *testing.T) (environment []string, manager *secretsmanager.Client, origin string) {
	t.Helper()
	integration(t)
	programs, _ := filepath.Glob(root + "/.tools/awscli-*/bin")
	if len(programs) == 0 {
		t.Fatal(".tools has no AWS CLI; run make tools")
	}
	path, err := filepath.Abs(programs[len(programs)-1])
	if err != nil {
		t.Fatal(err)
	}
	origin = secretstest.Moto(t, root)
	manager = secretsmanager.New(secretsmanager.Options{
		Region: "eu-central-1", BaseEndpoint: &origin,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
		}),
	})
	return []string{
		"PATH=" + path + ":" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "AWS_ENDPOINT_URL=" + origin, "AWS_DEFAULT_REGION=eu-central-1",
		"AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test",
	}, manager, origin
}

// connect creates the secret of a person who logged in.
func connect(t *testing.T, manager *secretsmanager.Client, stack, subject string) {
	t.Helper()
	if _, err := secrets.New(manager, stack, "37signals").Save(t.Context(), subject, "test", provider.Tokens{AccessToken: "a"}); err != nil {
		t.Fatal(err)
	}
}

// whose returns the stacks that own the secrets.
func whose(t *testing.T, manager *secretsmanager.Client) (stacks []string) {
	t.Helper()
	out, err := manager.ListSecrets(t.Context(), &secretsmanager.ListSecretsInput{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range out.SecretList {
		stack, _, _ := strings.Cut(*s.Name, "/user/")
		stacks = append(stacks, stack)
	}
	slices.Sort(stacks)
	return stacks
}

// purge.sh finds a stack's secrets by tag and by name. It deletes only these, and only with
// --delete. It says how to delete the key ring and the table.
func TestPurge_DeletesThePeoplesSecretsOfOneStack(t *testing.T) {
	run, manager, origin := purging(t)
	connect(t, manager, "fernhill", "37s:1")
	connect(t, manager, "fernhill", "37s:2")
	connect(t, manager, "fernhill-two", "37s:1")
	for _, others := range []string{"fernhill-application", "fernhill/user/without-a-tag"} {
		if _, err := manager.CreateSecret(t.Context(), &secretsmanager.CreateSecretInput{
			Name: &others, SecretString: aws.String("{}"),
		}); err != nil {
			t.Fatal(err)
		}
	}
	makeRing(t, manager, "fernhill", "KeyRingSecret-1a")
	makeRing(t, manager, "fernhill-two", "KeyRingSecret-2b")
	makeRing(t, manager, "fernhill", "GitHubSecret-3c")
	makeTable(t, origin, "fernhill-Table-1A")
	makeTable(t, origin, "fernhill-two-Table-2B")
	all := []string{"GitHubSecret-3c", "KeyRingSecret-1a", "KeyRingSecret-2b", "fernhill", "fernhill", "fernhill", "fernhill-application", "fernhill-two"}
	var last string
	for _, c := range []struct {
		args []string
		says string
		left []string
	}{
		{[]string{"fernhill"}, "2 secrets. No secret was deleted", all},
		{[]string{"fern", "--delete"}, "no secrets", all},
		{[]string{"fernhill", "--delete"}, "2 secrets deleted", slices.Delete(slices.Clone(all), 3, 5)},
	} {
		said, err := run(origin, c.args...)
		if last = said; err != nil || !strings.Contains(said, c.says) || !slices.Equal(whose(t, manager), c.left) {
			t.Errorf("purge %v: %v %s; the secrets left are of %v", c.args, err, said, whose(t, manager))
		}
	}
	if !strings.Contains(last, "aws secretsmanager delete-secret --secret-id KeyRingSecret-1a\n") || !strings.Contains(last, "aws dynamodb delete-table --table-name fernhill-Table-1A\n") ||
		strings.Contains(last, "2b") || strings.Contains(last, "2B") || strings.Contains(last, "3c") {
		t.Error(last)
	}
	// A service that is out of reach must not look like an empty stack.
	if said, err := run("http://127.0.0.1:1", "fernhill-two", "--delete"); err == nil || strings.Contains(said, "no secrets") {
		t.Errorf("%v: %s", err, said)
	}
}

// makeRing creates a key ring with the tags that CloudFormation adds.
func makeRing(t *testing.T, manager *secretsmanager.Client, stack, name string) {
	t.Helper()
	_, err := manager.CreateSecret(t.Context(), &secretsmanager.CreateSecretInput{
		Name: &name, SecretString: aws.String("{}"), Tags: []types.Tag{{Key: aws.String("aws:cloudformation:stack-name"), Value: &stack}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// makeTable creates a table as CloudFormation names it.
func makeTable(t *testing.T, origin, name string) {
	t.Helper()
	key := []dynamodbtypes.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: dynamodbtypes.KeyTypeHash}}
	_, err := dynamotest.Client(origin).CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: &name, KeySchema: key, BillingMode: dynamodbtypes.BillingModePayPerRequest,
		AttributeDefinitions: []dynamodbtypes.AttributeDefinition{{AttributeName: aws.String("pk"), AttributeType: dynamodbtypes.ScalarAttributeTypeS}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestPurge_FailsForASecretItCannotDeleteAndDeletesTheOthers(t *testing.T) {
	run, manager, origin := purging(t)
	for _, subject := range []string{"37s:1", "37s:2", "37s:3"} {
		connect(t, manager, "fernhill", subject)
	}
	service, err := url.Parse(origin)
	if err != nil {
		t.Fatal(err)
	}
	var refused atomic.Bool
	policy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".DeleteSecret") && !refused.Swap(true) {
			http.Error(w, `{"__type":"AccessDeniedException","message":"not authorized"}`, http.StatusBadRequest)
			return
		}
		httputil.NewSingleHostReverseProxy(service).ServeHTTP(w, r)
	}))
	defer policy.Close()
	said, err := run(policy.URL, "fernhill", "--delete")
	if err == nil || !strings.Contains(said, "AccessDenied") || strings.Contains(said, "3 secrets deleted") {
		t.Errorf("%v: %s", err, said)
	}
	if left := whose(t, manager); len(left) != 1 {
		t.Errorf("the secrets left are of %v", left)
	}
}

func TestPurge_AcceptsOnlyTheNameOfAStackAndDeletesOnlyWithDELETE1(t *testing.T) {
	integration(t)
	for _, name := range []string{"", "fernhill/", "*", "fernhill,other", "x' || 'x", "--delete"} {
		said, err := exec.CommandContext(t.Context(), root+"/functions/local/purge.sh", name, "--delete").CombinedOutput()
		if err == nil || !strings.HasPrefix(string(said), "usage: ") {
			t.Errorf("%q: %v %s", name, err, said)
		}
	}
	for setting, want := range map[string]bool{"DELETE=1": true, "DELETE=0": false, "DELETE=no": false, "DELETE=": false} {
		said, err := exec.CommandContext(t.Context(), "make", "--dry-run", "--directory", root, "purge", "STACK=fernhill", setting).CombinedOutput()
		if err != nil || strings.Contains(string(said), "--delete") != want {
			t.Errorf("%s: %v %s", setting, err, said)
		}
	}
}
