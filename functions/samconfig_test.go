package functions

import (
	"os"
	"strings"
	"testing"
)

// sam deploy --guided adds what it was told to the end of the last section.
func TestSamconfig_BelongsToNoDeploymentAndHasRoomForOne(t *testing.T) {
	text, err := os.ReadFile(root + "/samconfig.toml")
	if err != nil {
		t.Fatal(err)
	}
	config := string(text)
	for _, baked := range []string{"stack_name", "region =", "s3_bucket", "profile"} {
		if strings.Contains(config, baked) {
			t.Errorf("it has a %s", baked)
		}
	}
	if last := config[strings.LastIndex(config, "\n["):]; !strings.HasPrefix(last, "\n[default.deploy.parameters]\n") {
		t.Errorf("it ends with %s", last)
	}
}
