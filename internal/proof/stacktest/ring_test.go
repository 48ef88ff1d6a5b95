package stacktest_test

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"basecamp-mcp/internal/store/secrets"
)

// rotation matches the commands of docs/operate.md that put a new key in front of a ring, after
// those that find the ring.
var rotation = regexp.MustCompile(`(?s)\nKEYS=\$\(aws .*?\n` + "```")

func TestOperate_PutsANewKeyInFrontOfTheRing(t *testing.T) {
	environment, manager, _ := awsCLI(t)
	page, err := os.ReadFile(root + "/docs/operate.md")
	if err != nil {
		t.Fatal(err)
	}
	ring := "KeyRingSecret"
	if _, err := manager.CreateSecret(t.Context(), &secretsmanager.CreateSecretInput{Name: &ring, SecretString: &firstKey}); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "sh", "-c", strings.TrimSuffix(rotation.FindString(string(page)), "```"))
	command.Env = append(slices.Clone(environment), "RING="+ring)
	if said, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	keys := secrets.NewRing(manager, ring)
	if _, newKey, err := keys.Current(t.Context()); err != nil || len(newKey) != 64 || string(newKey) == firstKey {
		t.Errorf("the first key is %s, %v", newKey, err)
	}
	if old, err := keys.Key(t.Context(), secrets.Fingerprint([]byte(firstKey))); err != nil || string(old) != firstKey {
		t.Errorf("the old key is %s, %v", old, err)
	}
}
