package stacktest_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
)

// samLocal returns a "sam local" command for the template that .ci/sam-local made for this machine.
// Without that template, the test is skipped. The parameters are in samconfig.toml.
func samLocal(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	dir := os.Getenv("SAM_LOCAL")
	if dir == "" {
		t.Skip("run make sam-local")
	}
	absolute, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	args = append([]string{"local"}, args...)
	args = append(args, "--template", dir+"/template.yaml", "--config-file", absolute+"/samconfig.toml", "--skip-pull-image",
		"--invoke-image", os.Getenv("SAM_LOCAL_IMAGE"))
	command := exec.CommandContext(t.Context(), os.Getenv("SAM"), args...)
	command.Env = append(os.Environ(), "SAM_CLI_TELEMETRY=0", "AWS_DEFAULT_REGION=us-east-1")
	return command
}

// docs/deploy.md tries an event this way: SAM runs the function in a container.
func TestSamLocalInvoke_AnswersEveryEventAsItsNameDescribes(t *testing.T) {
	s := readStack(t)
	for _, name := range eventNames(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, function := range receivers(t, s, name) {
				promises[name].check(t, samInvoke(t, function, filepath.Join(root, "events", name+".json")))
			}
		})
	}
}

func samInvoke(t *testing.T, function, event string) (answer events.APIGatewayV2HTTPResponse) {
	t.Helper()
	command := samLocal(t, "invoke", function, "--event", event)
	var said bytes.Buffer
	command.Stderr = &said
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, said.Bytes())
	}
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	if err := json.Unmarshal(lines[len(lines)-1], &answer); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return answer
}

var running = regexp.MustCompile(`Running on (http://127\.0\.0\.1:\d+)`)

// The whole stack runs behind SAM's gateway, which uses the template's routes.
func TestSamLocalStartAPI_UsesTheRoutesOfTheTemplate(t *testing.T) {
	command := samLocal(t, "start-api", "--port", "0", "--warm-containers", "LAZY")
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	stderr, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Wait() }) // the end of t's context stops the command
	var origin []string
	for lines := bufio.NewScanner(stderr); origin == nil && lines.Scan(); {
		origin = running.FindStringSubmatch(lines.Text())
	}
	if origin == nil {
		t.Fatal("sam local start-api ended")
	}
	go func() { _, _ = io.Copy(io.Discard, stderr) }()

	for request, want := range map[string]struct {
		status int
		has    string
	}{
		"GET /healthz": {200, `"status":"ok"`},
		"POST /mcp":    {401, "resource_metadata"},
		"GET /.well-known/oauth-protected-resource/mcp": {200, "authorization_servers"},
		"GET /": {200, "sandbox-ines"},
	} {
		method, path, _ := strings.Cut(request, " ")
		r, err := http.NewRequest(method, origin[1]+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || response.StatusCode != want.status || !strings.Contains(string(body), want.has) {
			t.Errorf("%s: %d %s, %v", request, response.StatusCode, body, err)
		}
	}
}
