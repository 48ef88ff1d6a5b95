package stacktest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const boundaryPolicy = "docs/deploy-boundary.json"

// managed are the actions that a policy of AWS gives to the roles: AWSXRayDaemonWriteAccess.
const managed = "xray:PutTraceSegments xray:PutTelemetryRecords xray:GetSamplingRules xray:GetSamplingTargets xray:GetSamplingStatisticSummaries"

func TestBoundary_AllowsExactlyTheActionsOfTheRoles(t *testing.T) {
	s, needed, allowed := readStack(t), strings.Fields(managed), []string{}
	for _, function := range s.functions() {
		for _, st := range s.policies(function) {
			needed = append(needed, words(st["Action"])...)
		}
	}
	_, statements := deployer(t, boundaryPolicy)
	for _, st := range statements {
		allowed = append(allowed, st.Action...)
	}
	for _, actions := range []*[]string{&needed, &allowed} {
		slices.Sort(*actions)
		*actions = slices.Compact(*actions)
	}
	if diff := cmp.Diff(needed, allowed); diff != "" {
		t.Error(diff)
	}
	wantAllowed(t, boundaryPolicy, map[string][]right{"the roles": {
		{"arn:aws:logs:eu-central-1:123456789012:log-group:basecamp-mcp-McpLogGroup-1A2B:*", "logs: CreateLogStream PutLogEvents"},
		{"arn:aws:dynamodb:eu-central-1:123456789012:table/basecamp-mcp-Table-1A2B", "dynamodb: GetItem Scan"},
		{"arn:aws:secretsmanager:eu-central-1:123456789012:secret:basecamp-mcp/user/37s-1-1a2b3c", "secretsmanager: CreateSecret DeleteSecret"},
		{"arn:aws:secretsmanager:eu-central-1:123456789012:secret:ApplicationSecret-1A2B", "secretsmanager: GetSecretValue"},
		{"arn:aws:secretsmanager:eu-central-1:123456789012:secret:GitHubSecret-1A2B", "secretsmanager: GetSecretValue"},
		{"arn:aws:secretsmanager:eu-central-1:123456789012:secret:KeyRingSecret-1A2B", "secretsmanager: GetSecretValue"},
	}})
	for _, st := range statements {
		if slices.Contains(st.Resource, "*") && st.Sid != "Traces" {
			t.Errorf("%s is not limited to a resource", st.Sid)
		}
	}
}

func TestBoundary_IsOnEveryRole(t *testing.T) {
	roles := readStack(t).of("AWS::IAM::Role")
	if len(roles) < 3 {
		t.Errorf("%d roles", len(roles))
	}
	for id, properties := range roles {
		if got := text(properties["PermissionsBoundary"]); got != "!If [HasRoleBoundary, !Ref RoleBoundary, !Ref AWS::NoValue]" {
			t.Errorf("%s has the boundary %q", id, got)
		}
	}
}

// Otherwise, the deploying user could give a function any right in the account.
func TestDeployPolicy_GivesRightsOnlyToRolesWithTheBoundary(t *testing.T) {
	_, statements := deployer(t, deployPolicy)
	for _, st := range statements {
		for _, action := range st.Action {
			switch action {
			case "iam:CreateRole", "iam:PutRolePolicy", "iam:AttachRolePolicy", "iam:PutRolePermissionsBoundary":
				if got := st.Condition["StringLike"]["iam:PermissionsBoundary"]; got != "arn:aws:iam::*:policy/basecamp-mcp-boundary" {
					t.Errorf("%s allows %s with the boundary %q", st.Sid, action, got)
				}
			case "iam:DeleteRolePermissionsBoundary", "iam:CreatePolicyVersion", "iam:CreatePolicy", "iam:SetDefaultPolicyVersion":
				t.Errorf("%s allows %s, which changes the boundary", st.Sid, action)
			}
		}
	}
}

func TestDeployPolicy_ChangesOnlyTheZoneThatIsNamed(t *testing.T) {
	_, statements := deployer(t, deployPolicy)
	for _, st := range statements {
		for _, resource := range st.Resource {
			if strings.Contains(resource, ":hostedzone/") && strings.Contains(resource, "*") {
				t.Errorf("%s covers %s", st.Sid, resource)
			}
		}
	}
}
