package stacktest_test

import (
	"os"
	"strings"
	"testing"
)

// sam deploy --guided appends the operator's answers to the last section.
func TestSamconfig_NamesNoDeploymentAndEndsWithItsSection(t *testing.T) {
	text, err := os.ReadFile(root + "/samconfig.toml")
	if err != nil {
		t.Fatal(err)
	}
	config := string(text)
	for _, baked := range []string{"stack_name", "region =", "s3_bucket", "profile"} {
		if strings.Contains(config, baked) {
			t.Errorf("samconfig.toml has a %s", baked)
		}
	}
	if last := config[strings.LastIndex(config, "\n["):]; !strings.HasPrefix(last, "\n[default.deploy.parameters]\n") {
		t.Errorf("samconfig.toml ends with %s", last)
	}
}
