package stacktest_test

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// right is a set of actions on a resource, as the stack basecamp-mcp names it.
type right struct{ resource, actions string }

// changes lists, for each type of the template, what CloudFormation calls for the deploying user
// when it creates, reads, changes and deletes such a resource.
var changes = map[string][]right{
	"AWS::ApiGatewayV2::Api": {
		{"arn:aws:apigateway:eu-central-1::/apis", "apigateway: POST GET"},
		{"arn:aws:apigateway:eu-central-1::/apis/a1b2c3", "apigateway: GET PATCH DELETE TagResource UntagResource"},
		{"arn:aws:apigateway:eu-central-1::/tags/arn%3Aaws", "apigateway: GET POST PUT DELETE"},
		{"arn:aws:iam::123456789012:role/aws-service-role/ops.apigateway.amazonaws.com/AWSServiceRoleForAPIGateway", "iam: CreateServiceLinkedRole"},
	},
	"AWS::ApiGatewayV2::Stage": {
		{"arn:aws:apigateway:eu-central-1::/apis/a1b2c3/stages", "apigateway: POST GET"},
		{"arn:aws:apigateway:eu-central-1::/apis/a1b2c3/stages/$default", "apigateway: GET PATCH DELETE"},
		{"*", "logs: CreateLogDelivery GetLogDelivery UpdateLogDelivery DeleteLogDelivery ListLogDeliveries DescribeLogGroups DescribeResourcePolicies PutResourcePolicy"},
	},
	"AWS::ApiGatewayV2::Integration": {{"arn:aws:apigateway:eu-central-1::/apis/a1b2c3/integrations/d4", "apigateway: POST GET PATCH DELETE"}},
	"AWS::ApiGatewayV2::Route":       {{"arn:aws:apigateway:eu-central-1::/apis/a1b2c3/routes/d4", "apigateway: POST GET PATCH DELETE"}},
	"AWS::ApiGatewayV2::DomainName": {
		{"arn:aws:apigateway:eu-central-1::/domainnames", "apigateway: POST GET"},
		{"arn:aws:apigateway:eu-central-1::/domainnames/mcp.example.com", "apigateway: GET PATCH DELETE"},
		{"arn:aws:acm:eu-central-1:123456789012:certificate/1a2b", "acm: DescribeCertificate"},
	},
	"AWS::ApiGatewayV2::ApiMapping": {{"arn:aws:apigateway:eu-central-1::/domainnames/mcp.example.com/apimappings", "apigateway: POST GET PATCH DELETE"}},
	"AWS::Route53::RecordSet": {
		{"arn:aws:route53:::hostedzone/YOUR-ZONE", "route53: ChangeResourceRecordSets ListResourceRecordSets GetHostedZone"},
		{"arn:aws:route53:::change/C1", "route53: GetChange"},
	},
	"AWS::Lambda::Permission": {{"arn:aws:lambda:eu-central-1:123456789012:function:basecamp-mcp-McpFunction-1A2B", "lambda: AddPermission RemovePermission GetPolicy"}},
	"AWS::Serverless::Function": {
		{"arn:aws:lambda:eu-central-1:123456789012:function:basecamp-mcp-McpFunction-1A2B", "lambda: CreateFunction GetFunction GetFunctionConfiguration " +
			"UpdateFunctionCode UpdateFunctionConfiguration DeleteFunction PutFunctionConcurrency DeleteFunctionConcurrency GetFunctionCodeSigningConfig " +
			"GetFunctionRecursionConfig GetFunctionScalingConfig GetRuntimeManagementConfig TagResource UntagResource ListTags"},
		{"arn:aws:iam::123456789012:role/basecamp-mcp-McpRole-1A2B", "iam: PassRole"},
		{"arn:aws:s3:::aws-sam-cli-managed-default-samclisourcebucket-1a2b/1a2b", "s3: PutObject GetObject DeleteObject"},
		{"arn:aws:s3:::aws-sam-cli-managed-default-samclisourcebucket-1a2b", "s3: CreateBucket PutBucketVersioning PutEncryptionConfiguration " +
			"PutBucketPublicAccessBlock PutBucketTagging PutBucketPolicy GetBucketPolicy ListBucket"},
		{"arn:aws:cloudformation:eu-central-1:aws:transform/Serverless-2016-10-31", "cloudformation: CreateChangeSet"},
	},
	"AWS::IAM::Role": {{"arn:aws:iam::123456789012:role/basecamp-mcp-McpRole-1A2B", "iam: CreateRole GetRole UpdateRole UpdateRoleDescription UpdateAssumeRolePolicy " +
		"DeleteRole PutRolePermissionsBoundary PutRolePolicy GetRolePolicy DeleteRolePolicy ListRolePolicies AttachRolePolicy DetachRolePolicy ListAttachedRolePolicies TagRole UntagRole"}},
	"AWS::IAM::Policy":     {{"arn:aws:iam::123456789012:role/basecamp-mcp-McpRole-1A2B", "iam: PutRolePolicy GetRolePolicy DeleteRolePolicy"}},
	"AWS::IAM::RolePolicy": {{"arn:aws:iam::123456789012:role/basecamp-mcp-McpRole-1A2B", "iam: PutRolePolicy GetRolePolicy DeleteRolePolicy"}},
	"AWS::DynamoDB::Table": {{"arn:aws:dynamodb:eu-central-1:123456789012:table/basecamp-mcp-Table-1A2B", "dynamodb: CreateTable DescribeTable UpdateTable " +
		"DeleteTable DescribeTimeToLive UpdateTimeToLive DescribeContinuousBackups UpdateContinuousBackups DescribeContributorInsights " +
		"DescribeKinesisStreamingDestination GetResourcePolicy ListTagsOfResource TagResource UntagResource"}},
	"AWS::SecretsManager::Secret": {
		{"arn:aws:secretsmanager:eu-central-1:123456789012:secret:ApplicationSecret-1A2B", "secretsmanager: CreateSecret DescribeSecret UpdateSecret DeleteSecret " +
			"PutSecretValue TagResource UntagResource"},
		{"arn:aws:secretsmanager:eu-central-1:123456789012:secret:GitHubSecret-1A2B", "secretsmanager: CreateSecret DescribeSecret UpdateSecret DeleteSecret PutSecretValue"},
		{"arn:aws:secretsmanager:eu-central-1:123456789012:secret:KeyRingSecret-1A2B", "secretsmanager: CreateSecret DescribeSecret UpdateSecret DeleteSecret PutSecretValue"},
		{"*", "secretsmanager: GetRandomPassword"}, // for the key ring; it has no resource
	},
	"AWS::Logs::LogGroup": {
		{"arn:aws:logs:eu-central-1:123456789012:log-group:basecamp-mcp-McpLogGroup-1A2B:*", "logs: CreateLogGroup DeleteLogGroup PutRetentionPolicy " +
			"DeleteRetentionPolicy ListTagsForResource TagResource UntagResource GetDataProtectionPolicy DescribeIndexPolicies"},
		{"arn:aws:logs:eu-central-1:123456789012:log-group:/aws/vendedlogs/basecamp-mcp/access:*", "logs: CreateLogGroup DeleteLogGroup PutRetentionPolicy"},
		{"*", "logs: DescribeLogGroups"},
	},
	"AWS::Logs::MetricFilter": {{"arn:aws:logs:eu-central-1:123456789012:log-group:/aws/vendedlogs/basecamp-mcp/access:*", "logs: PutMetricFilter " +
		"DescribeMetricFilters DeleteMetricFilter"}},
	"AWS::Events::Rule": {{"arn:aws:events:eu-central-1:123456789012:rule/basecamp-mcp-SweepSchedule-1A2B", "events: PutRule DescribeRule DeleteRule " +
		"PutTargets RemoveTargets ListTargetsByRule ListTagsForResource TagResource UntagResource"}},
	"AWS::SNS::Topic": {{"arn:aws:sns:eu-central-1:123456789012:basecamp-mcp-Alarms-1A2B", "sns: CreateTopic GetTopicAttributes SetTopicAttributes DeleteTopic " +
		"Subscribe Unsubscribe ListSubscriptionsByTopic GetDataProtectionPolicy ListTagsForResource TagResource UntagResource"}},
	"AWS::CloudWatch::Alarm": {{"arn:aws:cloudwatch:eu-central-1:123456789012:alarm:basecamp-mcp-FailingAlarm-1A2B", "cloudwatch: PutMetricAlarm DescribeAlarms " +
		"DeleteAlarms ListTagsForResource TagResource UntagResource"}},
	"AWS::CloudWatch::Dashboard": {{"arn:aws:cloudwatch::123456789012:dashboard/Dashboard-1A2B", "cloudwatch: PutDashboard GetDashboard DeleteDashboards"}},
}

// oneOrMore reads a value that JSON policies write as a string or as a list.
type oneOrMore []string

func (o *oneOrMore) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*o = oneOrMore{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(o))
}

type deployerStatement struct {
	Sid, Effect      string
	Action, Resource oneOrMore
	Condition        map[string]map[string]string
}

const deployPolicy = "docs/deploy-policy.json"

// deployer returns a policy of the deploying user.
func deployer(t *testing.T, file string) (text []byte, statements []deployerStatement) {
	t.Helper()
	text, err := os.ReadFile(root + "/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var policy struct{ Statement []deployerStatement }
	if err := json.Unmarshal(text, &policy); err != nil {
		t.Fatal(err)
	}
	return text, policy.Statement
}

// covers reports whether a pattern with wildcards matches a resource.
func covers(pattern, resource string) bool {
	return regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*") + "$").MatchString(resource)
}

func TestDeployPolicy_AllowsWhatEveryResourceOfTheTemplateTakes(t *testing.T) {
	if diff := cmp.Diff(slices.Sorted(maps.Keys(readStack(t).types())), slices.Sorted(maps.Keys(changes))); diff != "" {
		t.Errorf("this test must know the types of the template:\n%s", diff)
	}
	wantAllowed(t, deployPolicy, changes)
}

// types returns the types of a stack's resources.
func (s stack) types() map[string]bool {
	used := map[string]bool{}
	for _, resource := range s.resources {
		used[resource.(anything)["Type"].(string)] = true
	}
	return used
}

// wantAllowed checks that a policy allows everything that these types take.
func wantAllowed(t *testing.T, policy string, changes map[string][]right) {
	t.Helper()
	_, statements := deployer(t, policy)
	for kind, rights := range changes {
		for _, r := range rights {
			service, actions, _ := strings.Cut(r.actions, ": ")
			for action := range strings.FieldsSeq(actions) {
				if !slices.ContainsFunc(statements, func(s deployerStatement) bool {
					return s.Effect == "Allow" && slices.Contains(s.Action, service+":"+action) &&
						slices.ContainsFunc(s.Resource, func(pattern string) bool { return covers(pattern, r.resource) })
				}) {
					t.Errorf("%s: %s does not allow %s:%s on %s", kind, policy, service, action, r.resource)
				}
			}
		}
	}
}

// The stack's own names bound what the deploying user can touch.
func TestDeployPolicy_AllowsNoMoreActionsThanTheTemplateTakes(t *testing.T) {
	wantNoMore(t, deployPolicy, changes)
}

// wantNoMore checks that a policy allows only what these types take.
func wantNoMore(t *testing.T, policy string, changes map[string][]right) {
	t.Helper()
	text, statements := deployer(t, policy)
	needed := map[string]bool{}
	for _, rights := range changes {
		for _, r := range rights {
			service, actions, _ := strings.Cut(r.actions, ": ")
			for action := range strings.FieldsSeq(actions) {
				needed[service+":"+action] = true
			}
		}
	}
	for _, s := range statements {
		if slices.Contains(s.Resource, "*") && s.Sid != "AccessLog" && s.Sid != "NewKey" {
			t.Errorf("%s is not limited to a resource", s.Sid)
		}
		for _, action := range s.Action {
			if strings.Contains(action, "*") || !needed[action] && s.Sid != "Stack" && s.Sid != "Bucket" {
				t.Errorf("%s allows %s, which no resource of the template takes", s.Sid, action)
			}
		}
	}
	if size := len(regexp.MustCompile(`\s`).ReplaceAll(text, nil)); size > 6144 { // IAM's limit of a managed policy
		t.Errorf("the policy has %d characters without blanks, want at most 6,144", size)
	}
}

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
