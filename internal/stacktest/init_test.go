package stacktest_test

import (
	"os/exec"
	"regexp"
	"strconv"
	"testing"

	"basecamp-mcp/internal/lambdahttp/runtimetest"
)

// Most deployments serve no GitHub. Its packages must not do at every start what only it needs,
// such as compiling regular expressions.
func TestFunctions_StartWithoutWorkForGitHub(t *testing.T) {
	initialized := regexp.MustCompile(`(?m)^init ((?:basecamp-mcp/internal/github|github\.com/vektah)\S*) @.* (\d+) bytes`)
	for function, source := range sources {
		program := exec.Command(runtimetest.Build(t, root, source))
		program.Env = []string{"GODEBUG=inittrace=1"}
		said, err := program.CombinedOutput() // it lacks its configuration
		if err == nil {
			t.Errorf("%s starts without a configuration", function)
		}
		found, total := initialized.FindAllSubmatch(said, -1), 0
		for _, each := range found {
			size, err := strconv.Atoi(string(each[2]))
			if err != nil {
				t.Error(err)
			}
			total += size
		}
		if len(found) < 2 || total > 300_000 {
			t.Errorf("%s initializes %d packages with %d bytes: %s", function, len(found), total, said)
		}
	}
}
