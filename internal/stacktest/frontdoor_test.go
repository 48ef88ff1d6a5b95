package stacktest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
	if stage := s.properties("Stage"); stage["ApiId"] != "!Ref Api" || stage["StageName"] != "$default" || stage["AutoDeploy"] != "true" {
		t.Errorf("the stage is %v", stage)
	}
	// A proxy in front of the domain must see every request.
	if api := s.properties("Api"); api["DisableExecuteApiEndpoint"] != "!If [HasDomain, true, false]" || api["IpAddressType"] != "dualstack" {
		t.Errorf("the API is %v", api)
	}
	domain, mapping, record := s.properties("Domain"), s.properties("DomainMapping"), s.properties("DomainRecord")
	if diff := cmp.Diff(anything{
		"DomainName": "!Ref DomainName", "Tags": anything{"app": "basecamp-mcp"},
		"DomainNameConfigurations": []any{anything{"CertificateArn": "!Ref CertificateArn", "EndpointType": "REGIONAL", "IpAddressType": "dualstack", "SecurityPolicy": "TLS_1_2"}},
	}, domain); diff != "" {
		t.Error(diff)
	}
	// The stage must exist before a domain maps to it.
	if diff := cmp.Diff(anything{"ApiId": "!Ref Api", "DomainName": "!Ref Domain", "Stage": "$default"}, mapping); diff != "" ||
		s.resources["DomainMapping"].(anything)["DependsOn"] != "Stage" {
		t.Errorf("the domain mapping is wrong or does not wait for the stage: %s", diff)
	}
	if diff := cmp.Diff(anything{
		"HostedZoneId": "!Ref HostedZoneId", "Name": "!Ref DomainName", "Type": "A",
		"AliasTarget": anything{"DNSName": "!GetAtt Domain.RegionalDomainName", "HostedZoneId": "!GetAtt Domain.RegionalHostedZoneId"},
	}, record); diff != "" {
		t.Error(diff)
	}
	record["Type"] = "AAAA" // a dual-stack domain has addresses of both kinds
	if diff := cmp.Diff(record, s.properties("DomainRecordIPv6")); diff != "" {
		t.Error(diff)
	}
}
