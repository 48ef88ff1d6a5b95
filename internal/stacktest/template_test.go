package stacktest_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTemplate_RoutesEveryPathToItsFunction(t *testing.T) {
	s := readStack(t)
	for request, want := range map[string]string{
		// All methods must reach the function, which answers 401 before 405.
		"POST /mcp": "McpFunction", "GET /mcp": "McpFunction", "HEAD /mcp": "McpFunction", "OPTIONS /mcp": "McpFunction",
		"POST /mcp/readonly": "McpFunction", "DELETE /mcp/x/basecamp": "McpFunction", "POST /mcp/x/basecamp/readonly": "McpFunction",
		"GET /healthz": "McpFunction", "GET /favicon.ico": "McpFunction", "GET /tools": "McpFunction", "POST /tools/get_me": "McpFunction",
		"OPTIONS /tools": "McpFunction", "HEAD /tools": "McpFunction", "GET /tools/": "McpFunction",
		"GET /.well-known/oauth-protected-resource": "OAuthFunction", "GET /.well-known/oauth-protected-resource/mcp": "OAuthFunction",
		"HEAD /.well-known/oauth-protected-resource/mcp/x/basecamp": "OAuthFunction",
		"GET /.well-known/oauth-authorization-server":               "OAuthFunction", "OPTIONS /.well-known/oauth-authorization-server/mcp": "OAuthFunction",
		"GET /.well-known/openid-configuration": "OAuthFunction", "GET /.well-known/security.txt": "OAuthFunction",
		"GET /authorize": "OAuthFunction", "POST /authorize": "OAuthFunction", "DELETE /authorize": "OAuthFunction",
		"POST /token": "OAuthFunction", "GET /token": "OAuthFunction", "OPTIONS /token": "OAuthFunction",
		"POST /register": "OAuthFunction", "OPTIONS /register": "OAuthFunction", "POST /revoke": "OAuthFunction", "OPTIONS /revoke": "OAuthFunction",
		"GET /oauth/callback": "OAuthFunction", "POST /oauth/choose": "OAuthFunction", "GET /oauth/start": "OAuthFunction", "POST /oauth/start": "OAuthFunction",
		"GET /account": "OAuthFunction", "POST /account": "OAuthFunction", "GET /": "OAuthFunction", "HEAD /": "OAuthFunction",
	} {
		method, to, _ := strings.Cut(request, " ")
		if route, function := s.route(method, to); function != want {
			t.Errorf("%s is routed by %s to %s", request, route, function)
		}
	}
}

// The endpoint also sends its challenge in a second header. The gateway restores the first from it
// if a proxy changed it (RFC 9728 section 5.1, RFC 6750 section 3.1).
func TestTemplate_RestoresTheChallengeOf401And403(t *testing.T) {
	mapped := anything{"ResponseParameters": []any{anything{
		"Destination": "overwrite:header.www-authenticate", "Source": "$response.header.x-mcp-challenge",
	}}}
	if diff := cmp.Diff(anything{"401": mapped, "403": mapped}, readStack(t).properties("McpIntegration")["ResponseParameters"]); diff != "" {
		t.Error(diff)
	}
	// RFC 6749 section 5.2.
	if diff := cmp.Diff(anything{"401": mapped}, readStack(t).properties("OAuthIntegration")["ResponseParameters"]); diff != "" {
		t.Errorf("OAuthIntegration, -want +got:\n%s", diff)
	}
}

func TestTemplate_FunctionsTimeOutBeforeTheGateway(t *testing.T) {
	timeout := global(t)["Timeout"].(string)
	for id, integration := range readStack(t).of("AWS::ApiGatewayV2::Integration") {
		if timeout != "28" || integration["TimeoutInMillis"] != "30000" || integration["PayloadFormatVersion"] != "2.0" ||
			integration["IntegrationType"] != "AWS_PROXY" || !strings.HasSuffix(text(integration["IntegrationUri"]), "Function.Arn}/invocations") {
			t.Errorf("Timeout %s s, %s %v", timeout, id, integration)
		}
	}
}

func TestTemplate_GoUsesUpTo70PercentOfTheMemory(t *testing.T) {
	shared := global(t)["Environment"].(anything)["Variables"].(anything)
	by := func(column string) string { return "!FindInMap [ByStore, !Ref TokenStore, " + column + "]" }
	if global(t)["MemorySize"] != by("Memory") || shared["GOMEMLIMIT"] != by("Go") || shared["GOGC"] != "300" {
		t.Errorf("MemorySize %v, GOMEMLIMIT %v and GOGC %v", global(t)["MemorySize"], shared["GOMEMLIMIT"], shared["GOGC"])
	}
	for store, of := range parsed(t)["Mappings"].(anything)["ByStore"].(anything) {
		memory, err := strconv.Atoi(text(of.(anything)["Memory"]))
		if err != nil || of.(anything)["Go"] != fmt.Sprintf("%dMiB", memory*7/10) || !slices.Contains(memories, memory) {
			t.Errorf("%s: %v, %v; make bench-cold measures %v", store, of, err, memories)
		}
	}
}

func TestTemplate_FunctionsRunWhatTheMakefileBuilds(t *testing.T) {
	makefile, err := os.ReadFile(root + "/Makefile")
	if err != nil {
		t.Fatal(err)
	}
	if global(t)["Runtime"] != "provided.al2023" || !cmp.Equal(global(t)["Architectures"], any([]any{"arm64"})) {
		t.Error("the functions do not use arm64 on provided.al2023")
	}
	if !regexp.MustCompile(`(?m)^for_lambda = CGO_ENABLED=0 GOOS=linux GOARCH=\$\(LAMBDA_GOARCH\) go build \$\(LAMBDA_FLAGS\) -o "\$\(ARTIFACTS_DIR\)/bootstrap"$`).Match(makefile) {
		t.Error("the Makefile does not build with LAMBDA_FLAGS")
	}
	for id, dir := range built {
		if !strings.Contains(string(makefile), "\nbuild-"+id+": ; $(for_lambda) "+dir+"\n") {
			t.Errorf("the Makefile does not build %s from %s", id, dir)
		}
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(built)), readStack(t).functions()); diff != "" {
		t.Error(diff)
	}
}

// The gateway limits the requests of all callers together.
func TestTemplate_ThrottlesEveryPublicRoute(t *testing.T) {
	s := readStack(t)
	settings := s.properties("Stage")["RouteSettings"].(anything)
	for to, of := range map[string]string{
		"/mcp": "Mcp", "/tools/get_me": "Mcp", "/register": "Register", "/authorize": "OAuth", "/token": "OAuth", "/revoke": "OAuth",
		"/oauth/callback": "OAuth", "/account": "OAuth", "/.well-known/oauth-authorization-server": "OAuth", "/": "OAuth",
	} {
		key, _ := s.route("POST", to)
		limits, ok := settings[key].(anything)
		if !ok {
			limits = s.properties("Stage")["DefaultRouteSettings"].(anything)
		}
		number := func(what string) string { return "!FindInMap [ByStore, !Ref TokenStore, " + of + what + "]" }
		if diff := cmp.Diff(anything{"ThrottlingRateLimit": number("Rate"), "ThrottlingBurstLimit": number("Burst")}, limits); diff != "" {
			t.Errorf("%s, by %s: %s", to, key, diff)
		}
	}
	// A stage cannot be created before the routes that it has settings for.
	after := words(s.resources["Stage"].(anything)["DependsOn"])
	for id, route := range s.of("AWS::ApiGatewayV2::Route") {
		if _, set := settings[route["RouteKey"].(string)]; set && !slices.Contains(after, id) {
			t.Errorf("the stage does not wait for %s", id)
		}
	}
	if len(after) != len(settings) {
		t.Errorf("the stage has settings for %d routes and waits for %d", len(settings), len(after))
	}
}

func TestTemplate_AccessLogsHaveNoQuery(t *testing.T) {
	stage := readStack(t).properties("Stage")["AccessLogSettings"].(anything)
	format := accessFormat(t)
	var line map[string]string
	if err := json.Unmarshal([]byte(format), &line); err != nil {
		t.Fatalf("%v in %s", err, format)
	}
	// Other variables may contain a query, a header or the whole request.
	harmless := []string{
		"${Table}", "$context.requestId", "$context.identity.sourceIp", "$context.routeKey", "$context.status",
		"$context.responseLatency", "$context.integrationLatency", "$context.integrationStatus", "$context.integrationErrorMessage",
	}
	for name, variable := range line {
		if !slices.Contains(harmless, variable) {
			t.Errorf("%s logs %s", name, variable)
		}
	}
	if stage["DestinationArn"] != "!GetAtt AccessLogGroup.Arn" {
		t.Errorf("the access logs go to %v", stage["DestinationArn"])
	}
}

func TestTemplate_LogsHaveARetention(t *testing.T) {
	s := readStack(t)
	groups := s.of("AWS::Logs::LogGroup")
	for id, group := range groups {
		if group["RetentionInDays"] != "!Ref LogRetentionDays" {
			t.Errorf("%s has the retention %v", id, group["RetentionInDays"])
		}
	}
	if len(groups) != len(s.functions())+1 { // that of the gateway
		t.Errorf("%d groups", len(groups))
	}
}

// A secret's content comes from 37signals or GitHub. It must not pass through CloudFormation.
func TestTemplate_TheApplicationsSecretsStartEmpty(t *testing.T) {
	s := readStack(t)
	for id, condition := range map[string]string{"ApplicationSecret": "", "GitHubSecret": "HasGitHub"} {
		secret := s.resources[id].(anything)
		got := slices.Sorted(maps.Keys(s.properties(id)))
		if diff := cmp.Diff([]string{"Description", "Tags"}, got); diff != "" || secret["DeletionPolicy"] != "Delete" || text(secret["Condition"]) != condition {
			t.Errorf("%s: %v %v %s", id, secret["DeletionPolicy"], secret["Condition"], diff)
		}
	}
	for name := range parsed(t)["Parameters"].(anything) {
		if regexp.MustCompile(`(?i)secret|password|token$`).MatchString(name) {
			t.Errorf("the template has a parameter %s", name)
		}
	}
}

// A tag shows which resources belong to a stack, and what they cost.
func TestTemplate_EverythingIsTagged(t *testing.T) {
	cannot := []string{
		"AWS::ApiGatewayV2::ApiMapping", "AWS::ApiGatewayV2::Integration", "AWS::ApiGatewayV2::Route",
		"AWS::IAM::Policy", "AWS::Lambda::Alias", "AWS::Lambda::Permission", "AWS::Lambda::Version", "AWS::Logs::MetricFilter", "AWS::Route53::RecordSet", "AWS::Serverless::Function",
	}
	s := readStack(t)
	for id, resource := range s.resources {
		tags := s.properties(id)["Tags"]
		listed := cmp.Equal(tags, any([]any{anything{"Key": "app", "Value": "basecamp-mcp"}}))
		mapped := cmp.Equal(tags, any(anything{"app": "basecamp-mcp"}))
		if !listed && !mapped && !slices.Contains(cannot, text(resource.(anything)["Type"])) {
			t.Errorf("%s has the tags %v", id, tags)
		}
	}
	if tags := global(t)["Tags"]; !cmp.Equal(tags, any(anything{"app": "basecamp-mcp"})) {
		t.Errorf("the functions have the tags %v", tags)
	}
}

func TestTemplate_TwoStacksFitIntoOneAccountInAnyRegion(t *testing.T) {
	for _, fixed := range []string{`[a-z]{2}-[a-z]+-\d`, `arn:aws:`, `\.amazonaws\.com/`} {
		if found := regexp.MustCompile(fixed).FindString(readTemplate(t)); found != "" {
			t.Errorf("the template contains the fixed name %q", found)
		}
	}
	named := map[string]string{}
	s := readStack(t)
	for id := range s.resources {
		for property, value := range s.properties(id) {
			if name := text(value); strings.HasSuffix(property, "Name") && property != "MetricName" && !strings.HasPrefix(name, "!Ref ") {
				named[id] = name
			}
		}
	}
	if diff := cmp.Diff(map[string]string{
		"GitHubPolicy": "github", "SweepGitHubPolicy": "github-tokens", "KeyRingPolicy": "key-ring", // names inside a role
		// AWS's own
		"Stage": "$default", "AccessLogGroup": "!Sub /aws/vendedlogs/${AWS::StackName}/access",
	}, named); diff != "" {
		t.Error(diff)
	}
}

// mentioned matches the logical IDs in a value of the template, among other names.
var mentioned = regexp.MustCompile(`!Ref (\w+)|!GetAtt (\w+)|\$\{(\w+)`)

// cfn-lint does not check the dependencies of functions.
func TestTemplate_HasNoCircularDependency(t *testing.T) {
	s := readStack(t)
	waits := map[string][]string{}
	for id, resource := range s.resources {
		said := fmt.Sprint(resource)
		if slices.Contains(s.functions(), id) {
			said += fmt.Sprint(global(t))
		}
		for _, m := range mentioned.FindAllStringSubmatch(said, -1) {
			waits[id] = append(waits[id], m[1]+m[2]+m[3])
		}
		if after := resource.(anything)["DependsOn"]; after != nil {
			waits[id] = append(waits[id], words(after)...)
		}
	}
	for before := -1; before != len(waits); { // a resource can be created when nothing that it waits for is left
		before = len(waits)
		maps.DeleteFunc(waits, func(_ string, others []string) bool {
			return !slices.ContainsFunc(others, func(other string) bool { return waits[other] != nil })
		})
	}
	if len(waits) > 0 {
		t.Errorf("these resources depend on each other: %v", waits)
	}
}

// global returns the properties that all functions share.
func global(t testing.TB) anything {
	t.Helper()
	return parsed(t)["Globals"].(anything)["Function"].(anything)
}

// The gateway is the only way to call a function, except the sweep, which only its schedule calls.
func TestTemplate_OnlyTheGatewayCanCallTheFunctions(t *testing.T) {
	s := readStack(t)
	called := map[string]anything{}
	for _, permission := range s.of("AWS::Lambda::Permission") {
		called[strings.TrimPrefix(text(permission["FunctionName"]), "!Ref ")] = permission
	}
	for _, function := range s.functions() {
		want := anything{
			"Action": "lambda:InvokeFunction", "FunctionName": "!Ref " + function, "Principal": "apigateway.amazonaws.com",
			"SourceArn": "!Sub arn:${AWS::Partition}:execute-api:${AWS::Region}:${AWS::AccountId}:${Api}/*",
		}
		if function == "SweepFunction" {
			want["Principal"], want["SourceArn"] = "events.amazonaws.com", "!GetAtt SweepSchedule.Arn"
		}
		if diff := cmp.Diff(want, called[function]); diff != "" {
			t.Errorf("%s: %s", function, diff)
		}
		for _, way := range []string{"FunctionUrlConfig", "Events", "Policies"} {
			if _, has := s.properties(function)[way]; has {
				t.Errorf("%s has %s", function, way)
			}
		}
	}
	if there := len(s.of("AWS::Lambda::Permission")) + len(s.of("AWS::Lambda::Url")); there != len(s.functions()) {
		t.Errorf("%d permissions to call %d functions", there, len(s.functions()))
	}
}

func TestTemplate_TheGatewayServesAtTheRootOfItsHost(t *testing.T) {
	s := readStack(t)
	// With a CorsConfiguration, the gateway would answer CORS requests itself.
	if api := s.properties("Api"); api["ProtocolType"] != "HTTP" || api["CorsConfiguration"] != nil {
		t.Errorf("the API is %v", api)
	}
	// A proxy in front of the domain must see every request.
	if api := s.properties("Api"); api["DisableExecuteApiEndpoint"] != "!If [HasDomain, true, false]" || api["IpAddressType"] != "dualstack" {
		t.Errorf("the API is %v", api)
	}
}
