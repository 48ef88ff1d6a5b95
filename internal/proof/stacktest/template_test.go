package stacktest_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// All methods must reach a function, which answers 401 before 405.
func TestTemplate_RoutesEveryPathToItsFunction(t *testing.T) {
	s := readStack(t)
	for want, requests := range map[string]string{
		"McpFunction": "POST /mcp, GET /mcp, HEAD /mcp, OPTIONS /mcp, POST /mcp/readonly, DELETE /mcp/x/basecamp, POST /mcp/x/basecamp/readonly, " +
			"GET /healthz, GET /favicon.ico, GET /tools, OPTIONS /tools, GET /tools/, POST /tools/get_me",
		"OAuthFunction": "GET /.well-known/oauth-protected-resource, HEAD /.well-known/oauth-protected-resource/mcp/x/basecamp, " +
			"GET /.well-known/oauth-authorization-server, OPTIONS /.well-known/oauth-authorization-server/mcp, GET /.well-known/openid-configuration, " +
			"GET /.well-known/security.txt, GET /authorize, DELETE /authorize, POST /token, OPTIONS /token, POST /register, OPTIONS /register, POST /revoke, " +
			"OPTIONS /revoke, GET /oauth/callback, POST /oauth/choose, POST /oauth/start, GET /account, POST /account, GET /account/changes, GET /, HEAD /",
	} {
		for request := range strings.SplitSeq(requests, ", ") {
			method, to, _ := strings.Cut(request, " ")
			if route, function := s.route(method, to); function != want {
				t.Errorf("%s is routed by %s to %s", request, route, function)
			}
		}
	}
}

// at returns the value at a path of the template, such as Resources.Api.Type.
func at(tb testing.TB, path string) any {
	tb.Helper()
	var value any = parsed(tb)
	for key := range strings.SplitSeq(path, "/") {
		inside, _ := value.(anything)
		value = inside[key]
	}
	return value
}

// restored is the challenge, which the endpoint also sends in a second header. The gateway restores
// the first from it if a proxy changed it (RFC 9728 section 5.1, RFC 6750 section 3.1).
var restored = anything{"ResponseParameters": []any{anything{
	"Destination": "overwrite:header.www-authenticate", "Source": "$response.header.x-mcp-challenge",
}}}

// These values are right by themselves, and wrong for this server if they change.
func TestTemplate_HasTheValuesThatNoLinterKnows(t *testing.T) {
	integration := func(function string) anything {
		return anything{
			"ApiId": "!Ref Api", "IntegrationType": "AWS_PROXY", "PayloadFormatVersion": "2.0", "TimeoutInMillis": "30000",
			"IntegrationUri":     "!Sub arn:${AWS::Partition}:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${" + function + ".Arn}/invocations",
			"ResponseParameters": anything{"401": restored},
		}
	}
	mcp := integration("McpFunction")
	mcp["ResponseParameters"].(anything)["403"] = restored
	for path, want := range map[string]any{
		"Globals/Function/Timeout":                          "28", // before the gateway
		"Globals/Function/Runtime":                          "provided.al2023",
		"Globals/Function/Architectures":                    []any{"arm64"},
		"Globals/Function/MemorySize":                       "!FindInMap [ByStore, !Ref TokenStore, Memory]",
		"Globals/Function/Environment/Variables/GOMEMLIMIT": "!FindInMap [ByStore, !Ref TokenStore, Go]",
		"Globals/Function/Environment/Variables/GOGC":       "300",
		// Go uses up to 70 percent of the memory.
		"Mappings/ByStore": anything{
			"secrets":  anything{"Memory": "512", "Go": "358MiB", "McpRate": "20", "McpBurst": "40", "OAuthRate": "10", "OAuthBurst": "20", "RegisterRate": "2", "RegisterBurst": "10"},
			"envelope": anything{"Memory": "192", "Go": "134MiB", "McpRate": "150", "McpBurst": "250", "OAuthRate": "12", "OAuthBurst": "50", "RegisterRate": "6", "RegisterBurst": "25"},
		},
		"Resources/McpIntegration/Properties":   mcp,
		"Resources/OAuthIntegration/Properties": integration("OAuthFunction"), // RFC 6749 section 5.2
		// With a CorsConfiguration, the gateway would answer CORS requests itself.
		"Resources/Api/Properties/CorsConfiguration": nil,
		// A proxy in front of the domain must see every request.
		"Resources/Api/Properties/DisableExecuteApiEndpoint":          "!If [HasDomain, true, false]",
		"Resources/Api/Properties/IpAddressType":                      "dualstack",
		"Resources/Stage/Properties/StageName":                        "$default",
		"Resources/AccessLogGroup/Properties/LogGroupName":            "!Sub /aws/vendedlogs/${AWS::StackName}/access",
		"Resources/Stage/Properties/AccessLogSettings/DestinationArn": "!GetAtt AccessLogGroup.Arn",
		// Data survives the deletion of the stack, and keeps the encryption that AWS has by default.
		"Resources/Table/DeletionPolicy":                              "RetainExceptOnCreate",
		"Resources/Table/UpdateReplacePolicy":                         "Retain",
		"Resources/Table/Properties/SSESpecification":                 nil,
		"Resources/Table/Properties/PointInTimeRecoverySpecification": anything{"PointInTimeRecoveryEnabled": "true"},
		"Resources/Table/Properties/TimeToLiveSpecification":          anything{"AttributeName": "ttl", "Enabled": "true"},
		"Resources/KeyRingSecret/DeletionPolicy":                      "Retain",
		"Resources/KeyRingSecret/UpdateReplacePolicy":                 "Retain",
		"Resources/KeyRingSecret/Condition":                           "HasKeyRing",
		// CloudFormation would replace the keys if this property changed.
		"Resources/KeyRingSecret/Properties/GenerateSecretString": anything{"PasswordLength": "64", "ExcludePunctuation": "true"},
		// A secret's content comes from 37signals or GitHub. It must not pass through CloudFormation.
		"Resources/ApplicationSecret/Properties/SecretString": nil,
		"Resources/GitHubSecret/Properties/SecretString":      nil,
		"Parameters/Toolsets/Type":                            "CommaDelimitedList", // the rule looks into it
		// The functions would not start. The demo has a GitHub of its own.
		"Rules/ToolsetIsSetUp": anything{"RuleCondition": anything{"Fn::Contains": []any{"!Ref Toolsets", "github"}}, "Assertions": []any{anything{
			"Assert":            `!Or [!Not [!Equals [!Ref GitHubUrl, ""]], !Equals [!Ref BasecampApiUrl, sandbox]]`,
			"AssertDescription": "Toolsets may name github only with GitHubUrl",
		}}},
		// What the sweep does not end is told, and the event of its schedule is no request.
		"Resources/SweepAlarm/Properties/MetricName": "AsyncEventsDropped",
		"Resources/SweepAlarm/Properties/Dimensions": []any{anything{"Name": "FunctionName", "Value": "!Ref OAuthFunction"}},
		"Resources/SweepSchedule/Properties/Targets": []any{anything{"Id": "sweep", "Arn": "!GetAtt OAuthFunction.Arn", "Input": `{"dry_run":false}`}},
	} {
		if diff := cmp.Diff(want, at(t, path)); diff != "" {
			t.Errorf("%s, -want +got: %s", path, diff)
		}
	}
	for id, group := range readStack(t).of("AWS::Logs::LogGroup") {
		if group["RetentionInDays"] != "!Ref LogRetentionDays" {
			t.Errorf("%s has the retention %v", id, group["RetentionInDays"])
		}
	}
	for _, never := range []string{`[a-z]{2}-[a-z]+-\d`, `arn:aws:`, `\.amazonaws\.com/`, "SSEEnabled: false", "KmsMasterKeyId: alias/aws/sns", "secretsmanager:ListSecrets", `Action: "\*"`, `Resource: "\*"`} {
		if found := regexp.MustCompile(never).FindString(readTemplate(t)); found != "" {
			t.Errorf("the template has %s", found)
		}
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
	// Other variables may contain a query, a header or the whole request.
	harmless := []string{
		"${Table}", "$context.requestId", "$context.identity.sourceIp", "$context.routeKey", "$context.status",
		"$context.responseLatency", "$context.integrationLatency", "$context.integrationStatus", "$context.integrationErrorMessage",
	}
	for name, variable := range accessLine(t, nil) {
		if !slices.Contains(harmless, variable) {
			t.Errorf("%s logs %s", name, variable)
		}
	}
}

// A tag shows which resources belong to a stack, and what they cost. Two stacks must fit into one
// account, so only names inside a role are fixed.
func TestTemplate_EverythingIsTaggedAndNothingHasAFixedName(t *testing.T) {
	cannot := regexp.MustCompile(`^AWS::(ApiGatewayV2::(ApiMapping|Integration|Route)|IAM::Policy|Lambda::(Alias|Permission|Version)|Logs::MetricFilter|Route53::RecordSet)$`)
	s, named := readStack(t), map[string]string{}
	for id, resource := range s.resources {
		properties := s.properties(id)
		tags := properties["Tags"]
		if resource.(anything)["Type"] == "AWS::Serverless::Function" {
			tags = global(t)["Tags"]
		}
		if !cannot.MatchString(text(resource.(anything)["Type"])) && fmt.Sprint(tags) != "[map[Key:app Value:basecamp-mcp]]" && fmt.Sprint(tags) != "map[app:basecamp-mcp]" {
			t.Errorf("%s has the tags %v", id, tags)
		}
		for property, value := range properties {
			if name := text(value); strings.HasSuffix(property, "Name") && property != "MetricName" && name[:1] != "!" && name != "$default" {
				named[id] = name
			}
		}
	}
	if diff := cmp.Diff(map[string]string{"GitHubPolicy": "github", "KeyRingPolicy": "key-ring"}, named); diff != "" {
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

// Only the gateway can call the functions, and for the sweep its schedule, whose event is not a
// request.
func TestTemplate_OnlyTheGatewayAndTheScheduleCanCallTheFunctions(t *testing.T) {
	s := readStack(t)
	got := map[string]anything{}
	for id := range s.of("AWS::Lambda::Permission") {
		got[id] = s.properties(id)
	}
	may := func(function, principal, source string) anything {
		return anything{"Action": "lambda:InvokeFunction", "FunctionName": "!Ref " + function, "Principal": principal, "SourceArn": source}
	}
	const gateway = "!Sub arn:${AWS::Partition}:execute-api:${AWS::Region}:${AWS::AccountId}:${Api}/*"
	if diff := cmp.Diff(map[string]anything{
		"McpPermission":   may("McpFunction", "apigateway.amazonaws.com", gateway),
		"OAuthPermission": may("OAuthFunction", "apigateway.amazonaws.com", gateway),
		"SweepPermission": may("OAuthFunction", "events.amazonaws.com", "!GetAtt SweepSchedule.Arn"),
	}, got); diff != "" || len(s.of("AWS::Lambda::Url")) > 0 {
		t.Error(diff)
	}
	for _, function := range s.functions() {
		for _, way := range []string{"FunctionUrlConfig", "Events", "Policies"} {
			if _, has := s.properties(function)[way]; has {
				t.Errorf("%s has %s", function, way)
			}
		}
	}
}
