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

	"basecamp-mcp/internal/own/sweep"
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

// README.md tries an event this way: SAM starts a container for it.
func TestSamLocalInvoke_AnswersAnEvent(t *testing.T) {
	for function, name := range map[string]string{"McpFunction": "tools-call-list-projects", "OAuthFunction": "register-201"} {
		var answer events.APIGatewayV2HTTPResponse
		if err := json.Unmarshal(samInvoke(t, function, name), &answer); err != nil {
			t.Fatal(err)
		}
		promises[name].check(t, answer)
	}
	wantSwept(t, sweep.Report{Complete: true}, samInvoke(t, "OAuthFunction", sweepEvent))
}

// samInvoke sends an event to a function that starts for it, and returns the last line that SAM
// prints.
func samInvoke(t *testing.T, function, event string) (answer []byte) {
	t.Helper()
	command := samLocal(t, "invoke", function, "--event", filepath.Join(root, "events", event+".json"))
	var said bytes.Buffer
	command.Stderr = &said
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, said.Bytes())
	}
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	return lines[len(lines)-1]
}

var running = regexp.MustCompile(`Running on (http://127\.0\.0\.1:\d+)`)

// samServer runs "sam local start-api" until the test ends, and returns its origin. It keeps the
// container of each function.
func samServer(t *testing.T) (origin string) {
	t.Helper()
	server := samLocal(t, "start-api", "--port", "0", "--warm-containers", "LAZY")
	server.Cancel = func() error { return server.Process.Signal(os.Interrupt) }
	stderr, err := server.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Wait() }) // the end of t's context stops the command
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		if found := running.FindStringSubmatch(lines.Text()); found != nil {
			go func() { _, _ = io.Copy(io.Discard, stderr) }()
			return found[1]
		}
	}
	t.Fatal("sam local start-api ended")
	return ""
}

// The whole stack runs behind SAM's gateway, which uses the template's routes.
func TestSamLocalStartAPI_UsesTheRoutesOfTheTemplate(t *testing.T) {
	origin := samServer(t)
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
		r, err := http.NewRequest(method, origin+path, http.NoBody)
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
