package stacktest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The endpoint receives untrusted text, so it has few permissions. It cannot make tokens, codes and
// clients, read or make logins in progress, list people, or change the record of its calls. Of what
// agents store, the login accesses what the account pages show and take back. It lists who has a
// grant, for the sweep. No function can list the tokens of this server, or delete recorded calls.
func TestPermissions_CoverOnlyTheseItemsAndSecretsOfTheStack(t *testing.T) {
	const persons = "!Sub arn:${AWS::Partition}:secretsmanager:${AWS::Region}:${AWS::AccountId}:secret:${AWS::StackName}/user/*"
	const github, ring, reads = "!Ref GitHubSecret", "!Ref KeyRingSecret", "secretsmanager:GetSecretValue"
	for function, want := range map[string]map[string]string{
		"McpFunction": {
			"!GetAtt McpLogGroup.Arn": "logs:CreateLogStream logs:PutLogEvents",
			"!Ref ApplicationSecret":  reads, github: reads, ring: reads,
			persons:                       reads + " secretsmanager:PutSecretValue",
			"dynamodb:BatchGetItem":       "access family marks",
			"dynamodb:ConditionCheckItem": "family",
			"dynamodb:GetItem":            "call checklist family grant hub key latest marks opposite task tokens",
			"dynamodb:Query":              "audit call checklist hub login task",
			"dynamodb:PutItem":            "audit call checklist grant hub key latest link marks opposite task tokens",
			"dynamodb:DeleteItem":         "checklist key task tokens",
		},
		"OAuthFunction": {
			"!GetAtt OAuthLogGroup.Arn": "logs:CreateLogStream logs:PutLogEvents",
			"!Ref ApplicationSecret":    reads, github: reads, ring: reads,
			persons: "secretsmanager:CreateSecret secretsmanager:DeleteSecret " + reads +
				" secretsmanager:PutSecretValue secretsmanager:RestoreSecret secretsmanager:TagResource",
			"dynamodb:BatchGetItem":       "access family marks",
			"dynamodb:ConditionCheckItem": "ended family",
			"dynamodb:GetItem":            "call checklist client code ended family grant hub link marks opposite refresh state task tokens",
			"dynamodb:Query":              "audit call grant hub login task",
			"dynamodb:PutItem":            "access call checklist client code ended family grant hub login marks opposite refresh state task tokens",
			"dynamodb:DeleteItem":         "access grant link state task tokens",
		},
	} {
		s := readStack(t)
		for _, gone := range []struct{ condition, resource string }{{}, {"HasGitHub", github}, {"HasKeyRing", ring}} {
			if gone.condition != "" {
				s = s.without(gone.condition)
				delete(want, gone.resource)
			}
			if diff := cmp.Diff(want, permitted(s, function)); diff != "" {
				t.Errorf("%s %s, -want +got:\n%s", function, gone.condition, diff)
			}
		}
	}
}

// permitted returns what a function may do: the actions by resource and, in the table, the kinds of
// items by action.
func permitted(s stack, function string) map[string]string {
	may := map[string][]string{}
	for _, st := range s.statements(function) {
		if st.resource != tableARN {
			may[st.resource] = append(may[st.resource], st.actions...)
			continue
		}
		for _, action := range st.actions {
			if len(st.keys) == 0 {
				may[action] = append(may[action], "all items")
			}
			for _, key := range st.keys {
				may[action] = append(may[action], strings.TrimSuffix(key, "#*"))
			}
		}
	}
	got := map[string]string{}
	for what, all := range may {
		slices.Sort(all)
		got[what] = strings.Join(slices.Compact(all), " ")
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
