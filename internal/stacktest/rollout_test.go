package stacktest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// isGradual is the condition of everything that the parameter Rollout adds.
const isGradual = "IsGradual"

// called returns what the names of the functions that the gateway calls begin with, in order.
func (s stack) called() (all []string) {
	for id := range s.of("AWS::ApiGatewayV2::Integration") {
		all = append(all, strings.TrimSuffix(id, "Integration"))
	}
	slices.Sort(all)
	return all
}

// With the default of Rollout, a deployment publishes no version and needs no CodeDeploy, and the
// gateway calls the functions, so that every change takes effect at once.
func TestTemplate_RolloutAddsNothingByDefault(t *testing.T) {
	document := parsed(t)
	if rollout := document["Parameters"].(anything)["Rollout"].(anything); rollout["Default"] != "AllAtOnce" {
		t.Errorf("Rollout is %v by default", rollout["Default"])
	}
	for kind := range gradual {
		if left := readStack(t).without(isGradual).of(kind); len(left) > 0 {
			t.Errorf("without Rollout, the stack has %v", left)
		}
	}
	for id := range readStack(t).of("AWS::IAM::Role") {
		if role := readStack(t).resources[id].(anything); id != "RolloutRole" && role["Condition"] == isGradual {
			t.Errorf("%s exists only with Rollout", id)
		}
	}
	s := readStack(t)
	for _, function := range s.functions() {
		for _, property := range []string{"AutoPublishAlias", "DeploymentPreference"} {
			if value, has := s.properties(function)[property]; has {
				t.Errorf("%s has the %s %v", function, property, value)
			}
		}
	}
}

// The gateway may call an alias before it does so: the integration refers to the permission.
func TestTemplate_WithRolloutTheGatewayCallsTheAliasOfEachFunction(t *testing.T) {
	s := readStack(t)
	for _, of := range s.called() {
		function := of + "Function"
		const uri = "arn:${AWS::Partition}:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${%s}/invocations"
		want := `!If [IsGradual, !Sub "` + strings.Replace(uri, "%s", of+"Alias", 1) + `", !Sub "` + strings.Replace(uri, "%s", function+".Arn", 1) + `"]`
		integration := s.properties(of + "Integration")
		if diff := cmp.Diff(want, text(integration["IntegrationUri"])); diff != "" {
			t.Error(diff)
		}
		if waits := text(integration["Description"]); !strings.Contains(waits, "[IsGradual, ") || !strings.Contains(waits, "${"+of+"AliasPermission}") {
			t.Errorf("%sIntegration does not wait for the permission: %s", of, waits)
		}
		if diff := cmp.Diff(anything{
			"Action": "lambda:InvokeFunction", "FunctionName": "!Ref " + of + "Alias", "Principal": "apigateway.amazonaws.com",
			"SourceArn": "!Sub arn:${AWS::Partition}:execute-api:${AWS::Region}:${AWS::AccountId}:${Api}/*",
		}, s.properties(of+"AliasPermission")); diff != "" {
			t.Error(diff)
		}
		alias := s.resources[of+"Alias"].(anything)
		if diff := cmp.Diff(anything{
			"Type": "AWS::Lambda::Alias", "Condition": isGradual,
			"Properties": anything{"Name": "live", "FunctionName": "!Ref " + function, "FunctionVersion": "!GetAtt " + of + "Version.Version"},
			"UpdatePolicy": anything{"CodeDeployLambdaAliasUpdate": anything{
				"ApplicationName": "!Ref RolloutApplication", "DeploymentGroupName": "!Ref " + of + "Rollout",
			}},
		}, alias); diff != "" {
			t.Error(diff)
		}
	}
	if aliases := s.of("AWS::Lambda::Alias"); len(aliases) != len(s.called()) {
		t.Errorf("%d aliases", len(aliases))
	}
}

// CloudFormation replaces a version, and so publishes one, if its description changes. Lambda
// publishes none if neither the code nor the configuration changed, so the function's description
// changes too. The old version stays for a rollback.
func TestTemplate_WithRolloutEachDeploymentPublishesAVersion(t *testing.T) {
	s := readStack(t)
	for _, of := range s.called() {
		function := of + "Function"
		version := s.resources[of+"Version"].(anything)
		if diff := cmp.Diff(anything{
			"Type": "AWS::Lambda::Version", "Condition": isGradual, "DeletionPolicy": "Retain", "UpdateReplacePolicy": "Retain",
			"Properties": anything{"FunctionName": "!Ref " + function, "Description": "!Ref Deployment"},
		}, version); diff != "" {
			t.Error(diff)
		}
		if said := text(s.properties(function)["Description"]); !strings.HasPrefix(said, `!If [IsGradual, !Sub "`) || !strings.Contains(said, `. ${Deployment}", "`) {
			t.Errorf("the description of %s is %s", function, said)
		}
	}
	rule := parsed(t)["Rules"].(anything)["RolloutPublishesAVersion"].(anything)
	assertion := rule["Assertions"].([]any)[0].(anything)["Assert"]
	if rule["RuleCondition"] != "!Not [!Equals [!Ref Rollout, AllAtOnce]]" || assertion != `!Not [!Equals [!Ref Deployment, ""]]` {
		t.Errorf("Rollout is accepted without Deployment: %v", rule)
	}
}

// An alarm that rings for another reason than the new version would end every rollout.
func TestTemplate_ARolloutEndsAtTheAlarmsOfAFaultyVersion(t *testing.T) {
	s := readStack(t)
	for function, want := range map[string][]string{
		"Mcp": {"McpVersionAlarm", "DefectAlarm", "FailingAlarm", "StoreAlarm"}, "OAuth": {"OAuthVersionAlarm", "FailingAlarm", "StoreAlarm"},
	} {
		group := s.properties(function + "Rollout")
		alarms := group["AlarmConfiguration"].(anything)
		var watched []string
		for _, alarm := range alarms["Alarms"].([]any) {
			watched = append(watched, strings.TrimPrefix(text(alarm.(anything)["Name"]), "!Ref "))
		}
		if diff := cmp.Diff(want, watched); diff != "" || alarms["Enabled"] != "true" {
			t.Errorf("%sRollout, enabled %v: %s", function, alarms["Enabled"], diff)
		}
		for _, alarm := range watched {
			if condition := s.resources[alarm].(anything)["Condition"]; s.resources[alarm].(anything)["Type"] != "AWS::CloudWatch::Alarm" || condition != nil && condition != isGradual {
				t.Errorf("%s is missing, or exists only if %v", alarm, condition)
			}
		}
		rollback := group["AutoRollbackConfiguration"].(anything)
		if rollback["Enabled"] != "true" || !slices.Contains(words(rollback["Events"]), "DEPLOYMENT_STOP_ON_ALARM") {
			t.Errorf("%sRollout does not roll back: %v", function, rollback)
		}
		if group["DeploymentConfigName"] != "!Sub CodeDeployDefault.Lambda${Rollout}" || group["ServiceRoleArn"] != "!GetAtt RolloutRole.Arn" {
			t.Errorf("%sRollout: %v", function, group)
		}
	}
	role := s.properties("RolloutRole")
	if diff := cmp.Diff(any([]any{anything{
		"Effect": "Allow", "Principal": anything{"Service": "codedeploy.amazonaws.com"}, "Action": "sts:AssumeRole",
	}}), role["AssumeRolePolicyDocument"].(anything)["Statement"]); diff != "" || role["Policies"] != nil {
		t.Errorf("RolloutRole is %v: %s", role, diff)
	}
	// AWS's policy covers the aliases of every function in the account, but only CodeDeploy can assume
	// the role.
	managed := words(role["ManagedPolicyArns"])
	if len(managed) != 1 || !strings.HasSuffix(managed[0], ":policy/service-role/AWSCodeDeployRoleForLambdaLimited") {
		t.Errorf("RolloutRole has %v", managed)
	}
}
