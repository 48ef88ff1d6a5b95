package stacktest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPermissions_CoverOnlyTheStacksResources(t *testing.T) {
	const persons = "!Sub arn:${AWS::Partition}:secretsmanager:${AWS::Region}:${AWS::AccountId}:secret:${AWS::StackName}/user/*"
	const github, ring = "!Ref GitHubSecret", "!Ref KeyRingSecret"
	for function, want := range map[string]map[string]string{
		"McpFunction": {
			"!GetAtt McpLogGroup.Arn": "logs: CreateLogStream PutLogEvents",
			tableARN:                  "dynamodb: BatchGetItem ConditionCheckItem DeleteItem GetItem PutItem Query",
			"!Ref ApplicationSecret":  "secretsmanager: GetSecretValue",
			persons:                   "secretsmanager: GetSecretValue PutSecretValue",
			github:                    "secretsmanager: GetSecretValue",
			ring:                      "secretsmanager: GetSecretValue",
		},
		"OAuthFunction": {
			"!GetAtt OAuthLogGroup.Arn": "logs: CreateLogStream PutLogEvents",
			tableARN:                    "dynamodb: BatchGetItem ConditionCheckItem DeleteItem GetItem PutItem Query",
			"!Ref ApplicationSecret":    "secretsmanager: GetSecretValue",
			persons:                     "secretsmanager: CreateSecret DeleteSecret GetSecretValue PutSecretValue RestoreSecret TagResource",
			github:                      "secretsmanager: GetSecretValue",
			ring:                        "secretsmanager: GetSecretValue",
		},
	} {
		if diff := cmp.Diff(want, permitted(t, readStack(t), function)); diff != "" {
			t.Errorf("%s, -want +got:\n%s", function, diff)
		}
		delete(want, github)
		if diff := cmp.Diff(want, permitted(t, readStack(t).without("HasGitHub"), function)); diff != "" {
			t.Errorf("%s without GitHub, -want +got:\n%s", function, diff)
		}
		delete(want, ring)
		if diff := cmp.Diff(want, permitted(t, bare(t), function)); diff != "" {
			t.Errorf("%s without a key ring, -want +got:\n%s", function, diff)
		}
	}
}

// bare returns the stack with neither GitHub nor a key ring.
func bare(t *testing.T) stack {
	t.Helper()
	return readStack(t).without("HasGitHub").without("HasKeyRing")
}

// permitted returns the actions that a function may perform, by resource.
func permitted(t *testing.T, s stack, function string) map[string]string {
	t.Helper()
	may := map[string][]string{}
	for _, st := range s.statements(function) {
		may[st.resource] = append(may[st.resource], st.actions...)
		if st.resource == tableARN && len(st.keys) == 0 {
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

// The roles have no permissions besides the statements that the other tests read, and no conditions
// that these tests do not know.
func TestPermissions_AreTheStatementsOfTwoRolesThatOnlyLambdaCanAssume(t *testing.T) {
	s := readStack(t)
	trust := anything{"Version": "2012-10-17", "Statement": []any{anything{
		"Effect": "Allow", "Principal": anything{"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole",
	}}}
	for _, function := range s.functions() {
		role := s.role(function)
		if diff := cmp.Diff(anything{
			"AssumeRolePolicyDocument": trust, "Policies": role["Policies"], "Tags": role["Tags"],
		}, role); diff != "" {
			t.Errorf("the role of %s: %s", function, diff)
		}
		for _, st := range s.policies(function) {
			want := anything{"Effect": "Allow", "Action": st["Action"], "Resource": st["Resource"]}
			if condition, ok := st["Condition"].(anything); ok {
				operands, _ := condition["ForAllValues:StringLike"].(anything)
				want["Condition"] = anything{"ForAllValues:StringLike": anything{"dynamodb:LeadingKeys": operands["dynamodb:LeadingKeys"]}}
			}
			if diff := cmp.Diff(want, st); diff != "" {
				t.Errorf("%s: %s", function, diff)
			}
		}
	}
	for id, resource := range s.resources {
		if kind := resource.(anything)["Type"].(string); strings.HasPrefix(kind, "AWS::IAM::") && kind != "AWS::IAM::Policy" && !slices.Contains([]string{"McpRole", "OAuthRole"}, id) {
			t.Errorf("%s is an %s", id, kind)
		}
	}
	added := map[string]string{}
	for id := range s.of("AWS::IAM::Policy") {
		added[id] = text(s.resources[id].(anything)["Condition"])
	}
	if diff := cmp.Diff(map[string]string{"GitHubPolicy": "HasGitHub", "KeyRingPolicy": "HasKeyRing"}, added); diff != "" {
		t.Errorf("the conditions of added policies: %s", diff)
	}
}

// The endpoint receives untrusted text, so it has few permissions. It cannot make tokens, codes and
// clients, read or make logins in progress, list people, or change the record of its calls. Of what
// agents store, the login accesses what the account pages show and take back. It lists who has a
// grant, for the sweep. No function can list the tokens of this server, or delete recorded calls.
func TestPermissions_ReachOnlyTheseItems(t *testing.T) {
	s := readStack(t)
	for function, want := range map[string]map[string]string{
		"McpFunction": {
			"BatchGetItem": "access family marks", "ConditionCheckItem": "family",
			"GetItem":    "call checklist family grant hub key latest marks note opposite task tokens",
			"Query":      "audit call checklist hub login task",
			"PutItem":    "audit call checklist grant hub key latest link marks note opposite task tokens",
			"DeleteItem": "checklist key note task tokens",
		},
		"OAuthFunction": {
			"BatchGetItem": "access family marks", "ConditionCheckItem": "ended family",
			"GetItem":    "call checklist client code ended family grant hub link marks note opposite refresh state task tokens",
			"Query":      "audit call grant hub login task",
			"PutItem":    "access call checklist client code ended family grant hub login marks note opposite refresh state task tokens",
			"DeleteItem": "access grant link note state task tokens",
		},
	} {
		keys, got := map[string][]string{}, map[string]string{}
		for _, st := range s.statements(function) {
			for _, action := range st.actions {
				if name, ok := strings.CutPrefix(action, "dynamodb:"); ok {
					for _, key := range st.keys {
						keys[name] = append(keys[name], strings.TrimSuffix(key, "#*"))
					}
				}
			}
		}
		for action, all := range keys {
			slices.Sort(all)
			got[action] = strings.Join(slices.Compact(all), " ")
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s, -want +got:\n%s", function, diff)
		}
	}
}
