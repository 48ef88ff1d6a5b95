package stacktest_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/stacktest"
)

// front returns cloudfront.yaml, parsed.
func front(t *testing.T) anything {
	t.Helper()
	text, err := os.ReadFile(root + "/cloudfront.yaml")
	if err != nil {
		t.Fatal(err)
	}
	value, err := stacktest.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return value.(anything)
}

// A cache would show answers to other users. The gateway finds its API by the host name.
func TestCloudFront_PassesEveryRequestUncached(t *testing.T) {
	config := front(t)["Resources"].(anything)["Distribution"].(anything)["Properties"].(anything)["DistributionConfig"].(anything)
	if diff := cmp.Diff(any(anything{
		"TargetOriginId": "gateway", "ViewerProtocolPolicy": "https-only",
		"AllowedMethods":        []any{"GET", "HEAD", "OPTIONS", "PUT", "PATCH", "POST", "DELETE"},
		"CachePolicyId":         "4135ea2d-6df8-44a3-9df3-4b5a84be39ad",
		"OriginRequestPolicyId": "b689b0a8-53d0-40ab-baf2-68738e2966ac",
	}), config["DefaultCacheBehavior"]); diff != "" {
		t.Error(diff)
	}
	if config["CacheBehaviors"] != nil || config["CustomErrorResponses"] != nil {
		t.Error("some paths or errors are answered by CloudFront")
	}
}

// MCP clients treat 403 as a lack of rights (RFC 6750 section 3.1).
func TestCloudFront_FirewallAnswers429(t *testing.T) {
	firewall := front(t)["Resources"].(anything)["Firewall"].(anything)["Properties"].(anything)
	if firewall["Scope"] != "CLOUDFRONT" || !cmp.Equal(firewall["DefaultAction"], any(anything{"Allow": anything{}})) {
		t.Errorf("the firewall is %v", firewall)
	}
	limits := map[string]string{}
	for _, each := range firewall["Rules"].([]any) {
		rule := each.(anything)
		if diff := cmp.Diff(any(anything{"Block": anything{"CustomResponse": anything{
			"ResponseCode": "429", "ResponseHeaders": []any{anything{"Name": "Retry-After", "Value": "60"}},
		}}}), rule["Action"]); diff != "" {
			t.Errorf("%s: %s", rule["Name"], diff)
		}
		rate := rule["Statement"].(anything)["RateBasedStatement"].(anything)
		limits[text(rule["Name"])] = text(rate["Limit"])
		_, scoped := rate["ScopeDownStatement"]
		if rate["AggregateKeyType"] != "IP" || scoped != (rule["Name"] == "anonymous") {
			t.Errorf("%s counts %v", rule["Name"], rate)
		}
	}
	if diff := cmp.Diff(map[string]string{"anonymous": "!Ref AnonymousLimit", "all": "!Ref AddressLimit"}, limits); diff != "" {
		t.Error(diff)
	}
}

func TestCloudFront_EveryParameterIsBounded(t *testing.T) {
	for name, each := range front(t)["Parameters"].(anything) {
		p := each.(anything)
		if p["AllowedPattern"] == nil && (p["MinValue"] == nil || p["MaxValue"] == nil) {
			t.Errorf("%s accepts any value", name)
		}
	}
}
