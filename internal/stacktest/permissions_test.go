package stacktest_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPermissions_CoverOnlyTheStacksResources(t *testing.T) {
	const persons = "!Sub arn:${AWS::Partition}:secretsmanager:${AWS::Region}:${AWS::AccountId}:secret:${AWS::StackName}/user/*"
	const auditLog = "!GetAtt AuditLogGroup.Arn"
	const github, ring, kms = "!Ref GitHubSecret", "!If [MakesKeyRing, !Ref KeyRingSecret, !Ref KeyRing]", "!Ref KeyRingKmsKey"
	for function, want := range map[string]map[string]string{
		"McpFunction": {
			auditLog:                  "logs: CreateLogStream PutLogEvents",
			"!GetAtt McpLogGroup.Arn": "logs: CreateLogStream PutLogEvents",
			tableARN:                  "dynamodb: BatchGetItem ConditionCheckItem DeleteItem GetItem PutItem Query UpdateItem",
			"!Ref ApplicationSecret":  "secretsmanager: GetSecretValue",
			persons:                   "secretsmanager: GetSecretValue PutSecretValue",
			github:                    "secretsmanager: GetSecretValue",
			ring:                      "secretsmanager: GetSecretValue",
			kms:                       "kms: Decrypt",
		},
		"OAuthFunction": {
			"!GetAtt OAuthLogGroup.Arn": "logs: CreateLogStream PutLogEvents",
			tableARN:                    "dynamodb: BatchGetItem ConditionCheckItem DeleteItem GetItem PutItem Query UpdateItem",
			"!Ref ApplicationSecret":    "secretsmanager: GetSecretValue",
			persons:                     "secretsmanager: CreateSecret DeleteSecret GetSecretValue PutSecretValue RestoreSecret TagResource",
			github:                      "secretsmanager: GetSecretValue",
			ring:                        "secretsmanager: GetSecretValue",
			kms:                         "kms: Decrypt",
		},
		"SweepFunction": {
			"!GetAtt SweepLogGroup.Arn": "logs: CreateLogStream PutLogEvents",
			tableARN:                    "dynamodb: BatchGetItem ConditionCheckItem DeleteItem GetItem PutItem Query Scan UpdateItem",
			persons:                     "secretsmanager: DeleteSecret GetSecretValue",
			github:                      "secretsmanager: GetSecretValue",
			ring:                        "secretsmanager: GetSecretValue",
			kms:                         "kms: Decrypt",
			strings.Replace(persons, "/user/", "/user/github/", 1): "secretsmanager: GetSecretValue",
		},
	} {
		if diff := cmp.Diff(want, permitted(t, readStack(t), function)); diff != "" {
			t.Errorf("%s, -want +got:\n%s", function, diff)
		}
		delete(want, auditLog)
		if diff := cmp.Diff(want, permitted(t, readStack(t).without("HasAuditLog"), function)); diff != "" {
			t.Errorf("%s without an audit log, -want +got:\n%s", function, diff)
		}
		delete(want, github)
		delete(want, strings.Replace(persons, "/user/", "/user/github/", 1))
		if diff := cmp.Diff(want, permitted(t, readStack(t).without("HasAuditLog").without("HasGitHub"), function)); diff != "" {
			t.Errorf("%s without GitHub, -want +got:\n%s", function, diff)
		}
		delete(want, ring)
		delete(want, kms)
		if function == "SweepFunction" {
			want[persons] = "secretsmanager: DeleteSecret" // there is no other place
		}
		if diff := cmp.Diff(want, permitted(t, bare(t), function)); diff != "" {
			t.Errorf("%s without a key ring, -want +got:\n%s", function, diff)
		}
	}
}

// bare returns the stack with neither GitHub nor a key ring.
func bare(t *testing.T) stack {
	t.Helper()
	return readStack(t).without("HasAuditLog").without("HasGitHub").without("HasKeyRing").without("HasKeyRingKmsKey")
}

// permitted returns the actions that a function may perform, by resource.
func permitted(t *testing.T, s stack, function string) map[string]string {
	t.Helper()
	may := map[string][]string{}
	for _, st := range s.statements(function) {
		may[st.resource] = append(may[st.resource], st.actions...)
		if st.resource == tableARN && len(st.keys)+len(st.attributes) == 0 {
			t.Errorf("%s may %v all items", function, st.actions)
		}
	}
	got := map[string]string{}
	for resource, actions := range may {
		slices.Sort(actions)
		actions = slices.Compact(actions)
		service, _, _ := strings.Cut(actions[0], ":")
		got[resource] = service + ": " + strings.ReplaceAll(strings.Join(actions, " "), service+":", "")
	}
	return got
}

// scanOfKeys is the condition that limits a scan to the keys of items. A scan names no items, so
// that no condition can limit it to some of them.
var scanOfKeys = anything{
	"ForAllValues:StringEquals": anything{"dynamodb:Attributes": []any{"pk", "sk"}}, "StringEquals": anything{"dynamodb:Select": "SPECIFIC_ATTRIBUTES"},
}

// decryptionOfTheRing is the condition that limits a KMS key to the key ring. Secrets Manager names
// the secret in the encryption context (AWS Secrets Manager User Guide, "Secret encryption and
// decryption").
var decryptionOfTheRing = anything{
	"StringEquals": anything{"kms:EncryptionContext:SecretARN": "!If [MakesKeyRing, !Ref KeyRingSecret, !Ref KeyRing]"},
}

// The roles have no permissions besides the statements that the other tests read, and no conditions
// that these tests do not know.
func TestPermissions_AreTheStatementsOfThreeRolesThatOnlyLambdaCanAssume(t *testing.T) {
	s := readStack(t)
	trust := anything{"Version": "2012-10-17", "Statement": []any{anything{
		"Effect": "Allow", "Principal": anything{"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole",
	}}}
	for _, function := range s.functions() {
		role := s.role(function)
		if diff := cmp.Diff([]string{"AssumeRolePolicyDocument", "ManagedPolicyArns", "PermissionsBoundary", "Policies", "Tags"}, slices.Sorted(maps.Keys(role))); diff != "" {
			t.Errorf("the role of %s: %s", function, diff)
		}
		if diff := cmp.Diff(any(trust), role["AssumeRolePolicyDocument"]); diff != "" {
			t.Errorf("the role of %s can be assumed by others: %s", function, diff)
		}
		for _, st := range s.policies(function) {
			want := anything{"Effect": "Allow", "Action": st["Action"], "Resource": st["Resource"]}
			if st["Action"] == "dynamodb:Scan" {
				want["Condition"] = scanOfKeys
			} else if st["Action"] == "kms:Decrypt" {
				want["Condition"] = decryptionOfTheRing
			} else if condition, ok := st["Condition"].(anything); ok {
				operands, _ := condition["ForAllValues:StringLike"].(anything)
				want["Condition"] = anything{"ForAllValues:StringLike": anything{"dynamodb:LeadingKeys": operands["dynamodb:LeadingKeys"]}}
			}
			if diff := cmp.Diff(want, st); diff != "" {
				t.Errorf("%s: %s", function, diff)
			}
		}
	}
	for id, resource := range s.resources {
		if kind := resource.(anything)["Type"].(string); strings.HasPrefix(kind, "AWS::IAM::") && kind != "AWS::IAM::RolePolicy" && !slices.Contains([]string{"McpRole", "OAuthRole", "SweepRole"}, id) {
			t.Errorf("%s is an %s", id, kind)
		}
	}
	added := map[string]string{}
	for id := range s.of("AWS::IAM::RolePolicy") {
		added[id] = text(s.resources[id].(anything)["Condition"])
	}
	if diff := cmp.Diff(map[string]string{
		"AuditLogPolicy": "HasAuditLog", "McpGitHubPolicy": "HasGitHub", "OAuthGitHubPolicy": "HasGitHub", "McpKeyRingPolicy": "HasKeyRing", "OAuthKeyRingPolicy": "HasKeyRing",
		"McpKeyRingKmsPolicy": "HasKeyRingKmsKey", "OAuthKeyRingKmsPolicy": "HasKeyRingKmsKey",
		"SweepGitHubPolicy": "HasGitHub", "SweepKeyRingPolicy": "HasKeyRing", "SweepKeyRingKmsPolicy": "HasKeyRingKmsKey",
	}, added); diff != "" {
		t.Errorf("the conditions of added policies: %s", diff)
	}
}

// CloudFormation makes a new secret string if this property changes, and so would replace the keys
// of all stacks that have a ring.
func TestTemplate_NeverGeneratesTheKeyRingAgain(t *testing.T) {
	if diff := cmp.Diff(any(anything{
		"SecretStringTemplate": `{"current":"k1"}`, "GenerateStringKey": "k1", "PasswordLength": "64", "ExcludePunctuation": "true",
	}), readStack(t).properties("KeyRingSecret")["GenerateSecretString"]); diff != "" {
		t.Error(diff)
	}
}

// Lambda rejects a function with tracing that has no permission to write to X-Ray.
func TestPermissions_AllowTracingIfItIsOn(t *testing.T) {
	const want = `!If [IsTraced, [!Sub "arn:${AWS::Partition}:iam::aws:policy/AWSXRayDaemonWriteAccess"], !Ref AWS::NoValue]`
	s := readStack(t)
	for _, function := range s.functions() {
		if got := s.role(function)["ManagedPolicyArns"]; got != want {
			t.Errorf("%s has %v", function, got)
		}
	}
	if on := global(t)["Tracing"]; on != "!Ref Tracing" {
		t.Errorf("Tracing is %v", on)
	}
}

// The endpoint receives untrusted text, so it has few permissions. It cannot make tokens, codes and
// clients, read or make logins in progress, create or delete a person's tokens, list people, or
// change the record of its calls. With GitHub, it may also delete the note that GitHub's sign-on
// refused the deployment.
func TestPermissions_OfTheEndpointAreTheExpectedOnes(t *testing.T) {
	wantEndpoint(t, readStack(t).without("HasGitHub"))
	wantEndpoint(t, readStack(t), "DeleteItem UR#gh")
}

func wantEndpoint(t *testing.T, s stack, more ...string) {
	t.Helper()
	for _, action := range []string{"GetItem", "BatchGetItem", "PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem", "Query", "Scan"} {
		for _, key := range []string{"CL#1", "CO#1", "ST#1", "LK#1", "FA#1", "FS#1", "UF#37s:1", "UR#37s:1", "UR#37s", "UR#gh", "UR#gh:1", "UT#37signals#37s:1", "UT#github#37s:1", "TL#37s:1", "TK#37s:1", "IK#37s:1", "UD#37s:1", "HB#37s:1", "HD#37s:1", "AU#37s:1"} {
			want := slices.Contains(append(more,
				"BatchGetItem FA#1", "ConditionCheckItem FA#1", // tokens and connections
				"BatchGetItem FS#1", "UpdateItem FS#1", // ends of connections and sessions, confirmations, latest checklists
				"Query UF#37s:1",                       // the list of the caller's connections
				"GetItem UR#37s:1", "PutItem UR#37s:1", // grants
				"GetItem UR#37s", "PutItem UR#37s", "DeleteItem UR#37s", // the deployment's own record
				"GetItem UR#gh", "PutItem UR#gh", "GetItem UR#gh:1", "PutItem UR#gh:1",
				"GetItem UT#37signals#37s:1", "PutItem UT#37signals#37s:1", "DeleteItem UT#37signals#37s:1", // sealed tokens
				"GetItem UT#github#37s:1", "PutItem UT#github#37s:1", "DeleteItem UT#github#37s:1",
				"PutItem LK#1", // links to reconnect
				"BatchGetItem TL#37s:1", "GetItem TL#37s:1", "Query TL#37s:1",
				"PutItem TL#37s:1", "UpdateItem TL#37s:1", "DeleteItem TL#37s:1", // checklists
				"GetItem TK#37s:1", "Query TK#37s:1", "PutItem TK#37s:1", "UpdateItem TK#37s:1", "DeleteItem TK#37s:1", // tasks
				"GetItem IK#37s:1", "PutItem IK#37s:1", "DeleteItem IK#37s:1", // idempotency keys
				"Query HB#37s:1", "PutItem HB#37s:1", // links
				"GetItem UD#37s:1", "Query UD#37s:1", "PutItem UD#37s:1", // how writes are undone
				"GetItem HD#37s:1", "Query HD#37s:1", "PutItem HD#37s:1", // calls that wait for their user
				"Query AU#37s:1", "PutItem AU#37s:1", // calls
			), action+" "+key)
			if got := s.reaches("McpFunction", action, key); got != want {
				t.Errorf("%s %s: %t", action, key, got)
			}
		}
	}
	for _, action := range []string{"CreateSecret", "TagResource", "RestoreSecret", "DeleteSecret", "ListSecrets", "DescribeSecret"} {
		for _, secret := range []string{"user/1", "user/github/1", "ApplicationSecret", "GitHubSecret"} {
			if s.opens("McpFunction", action, secret) {
				t.Errorf("it may %s %s", action, secret)
			}
		}
	}
}

func TestPermissions_CoverUsersTokensForGitHub(t *testing.T) {
	s := readStack(t)
	for _, action := range []string{"GetSecretValue", "PutSecretValue"} {
		if !s.opens("McpFunction", action, "user/github/1") {
			t.Errorf("the endpoint may not %s", action)
		}
	}
	for _, action := range []string{"CreateSecret", "TagResource", "GetSecretValue", "PutSecretValue", "RestoreSecret", "DeleteSecret"} {
		if !s.opens("OAuthFunction", action, "user/github/1") {
			t.Errorf("the login may not %s", action)
		}
	}
}

// Of what agents store, the login accesses what the account pages show and take back.
func TestPermissions_OfTheLoginAreThoseOfTheAccountPages(t *testing.T) {
	s := readStack(t)
	for _, action := range []string{"GetItem", "BatchGetItem", "PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem", "Query"} {
		for _, key := range []string{"TL#37s:1", "TK#37s:1", "IK#37s:1", "UD#37s:1", "HB#37s:1", "HD#37s:1", "AU#37s:1"} {
			want := slices.Contains([]string{
				"Query AU#37s:1",                                         // calls
				"Query HD#37s:1", "GetItem HD#37s:1", "PutItem HD#37s:1", // those that wait
				"GetItem UD#37s:1", "Query UD#37s:1", "PutItem UD#37s:1", // how writes are undone
				"Query HB#37s:1", "PutItem HB#37s:1", // links, and who is who
				"PutItem TL#37s:1", "UpdateItem TL#37s:1",
				"GetItem TK#37s:1", "Query TK#37s:1", "PutItem TK#37s:1", "UpdateItem TK#37s:1", "DeleteItem TK#37s:1",
			}, action+" "+key)
			if got := s.reaches("OAuthFunction", action, key); got != want {
				t.Errorf("%s %s: %t", action, key, got)
			}
		}
	}
}

// The sweep reads who has a grant and a client. It cannot read what they contain or what agents
// store, and it creates no tokens of this server.
func TestPermissions_OfTheSweepAreTheExpectedOnes(t *testing.T) {
	s := readStack(t)
	for _, action := range []string{"GetItem", "BatchGetItem", "PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem", "Query"} {
		for _, key := range []string{"CL#1", "CO#1", "ST#1", "LK#1", "FA#1", "FS#1", "UF#37s:1", "UR#37s:1", "UT#37signals#37s:1", "SW#place", "TL#37s:1", "TK#37s:1", "IK#37s:1", "UD#37s:1", "HB#37s:1", "HD#37s:1", "AU#37s:1"} {
			want := slices.Contains([]string{
				// grants
				"GetItem UR#37s:1", "PutItem UR#37s:1", "DeleteItem UR#37s:1",
				"BatchGetItem FA#1", "UpdateItem FA#1", "BatchGetItem FS#1", "Query UF#37s:1", // clients
				"GetItem UT#37signals#37s:1", "PutItem UT#37signals#37s:1", "DeleteItem UT#37signals#37s:1", "Query UT#37signals#37s:1",
				"ConditionCheckItem UT#37signals#37s:1",
				"GetItem SW#place", "PutItem SW#place",
			}, action+" "+key)
			if got := s.reaches("SweepFunction", action, key); got != want {
				t.Errorf("%s %s: %t", action, key, got)
			}
		}
	}
	if !s.scans("SweepFunction", "pk", "sk") || s.scans("SweepFunction", "pk", "sealed") {
		t.Error("the sweep can scan for more than keys")
	}
	if !s.opens("SweepFunction", "DeleteSecret", "user/github/1") || s.opens("SweepFunction", "GetSecretValue", "ApplicationSecret") {
		t.Error("the sweep opens other secrets than it needs")
	}
}

func TestPermissions_OnlyTheSweepCanListTheTableAndNoFunctionTheSecrets(t *testing.T) {
	s := readStack(t)
	for _, function := range s.functions() {
		if s.scans(function) != (function == "SweepFunction") || s.reaches(function, "Query", "FA#1") || s.opens(function, "ListSecrets", "user/1") {
			t.Errorf("%s does", function)
		}
		if s.opens(function, "PutSecretValue", "ApplicationSecret") || s.opens(function, "PutSecretValue", "GitHubSecret") || s.opens(function, "GetSecretValue", "another") {
			t.Errorf("%s can read secrets that it does not need", function)
		}
	}
}
