package functions

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPermissions_EndAtWhatIsTheStacks(t *testing.T) {
	s := readStack(t)
	for _, function := range s.functions() {
		group, _ := strings.CutPrefix(s.properties(function)["LoggingConfig"].(anything)["LogGroup"].(string), "!Ref ")
		resources := map[string]bool{}
		for _, st := range s.statements(function) {
			resources[st.resource] = true
			for _, action := range st.actions {
				if strings.Contains(action, "*") {
					t.Errorf("%s may %s", function, action)
				}
			}
			if st.resource == "!GetAtt Table.Arn" && len(st.keys) == 0 {
				t.Errorf("%s may %v with every item", function, st.actions)
			}
		}
		want := []string{
			"!GetAtt " + group + ".Arn", "!GetAtt Table.Arn", "!Ref ApplicationSecret",
			"!Sub arn:${AWS::Partition}:secretsmanager:${AWS::Region}:${AWS::AccountId}:secret:${AWS::StackName}/user/*",
		}
		if diff := cmp.Diff(want, slices.Sorted(maps.Keys(resources))); diff != "" {
			t.Errorf("%s: %s", function, diff)
		}
	}
}

// The endpoint is what strangers' text reaches, so it gets as little as can be: it cannot read what others are logging in
// with, make or delete a person's tokens, find out who there is, or change what is on record of its calls.
func TestPermissions_OfTheEndpointAreFew(t *testing.T) {
	s := readStack(t)
	for _, action := range []string{"GetItem", "BatchGetItem", "PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem", "Query", "Scan"} {
		for _, key := range []string{"CL#1", "CO#1", "ST#1", "FA#1", "UR#37s:1", "UR#37s", "TL#37s:1", "TK#37s:1", "IK#37s:1", "AU#37s:1"} {
			want := slices.Contains([]string{
				"BatchGetItem FA#1", "UpdateItem FA#1", "PutItem FA#1", // tokens, connections, sessions
				"GetItem UR#37s:1", "PutItem UR#37s:1", // grants
				"GetItem UR#37s", "PutItem UR#37s", "DeleteItem UR#37s", // that of the deployment itself
				"PutItem ST#1", // links to reconnect
				"BatchGetItem TL#37s:1", "GetItem TL#37s:1", "Query TL#37s:1",
				"PutItem TL#37s:1", "UpdateItem TL#37s:1", "DeleteItem TL#37s:1", // checklists
				"GetItem TK#37s:1", "Query TK#37s:1", "PutItem TK#37s:1", "UpdateItem TK#37s:1", "DeleteItem TK#37s:1", // tasks
				"GetItem IK#37s:1", "PutItem IK#37s:1", "DeleteItem IK#37s:1", // idempotency keys
				"Query AU#37s:1", "PutItem AU#37s:1", // calls
			}, action+" "+key)
			if got := s.reaches("McpFunction", action, key); got != want {
				t.Errorf("%s %s: %t", action, key, got)
			}
		}
	}
	for _, action := range []string{"CreateSecret", "TagResource", "RestoreSecret", "DeleteSecret", "ListSecrets", "DescribeSecret"} {
		if s.opens("McpFunction", action, "user/1") || s.opens("McpFunction", action, "ApplicationSecret") {
			t.Errorf("it may %s", action)
		}
	}
}

// What agents keep is none of the login's business; a person's account page shows their latest calls.
func TestPermissions_OfTheLoginEndAtWhatAgentsKeep(t *testing.T) {
	s := readStack(t)
	for _, action := range []string{"GetItem", "BatchGetItem", "PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem", "Query"} {
		for _, key := range []string{"TL#37s:1", "TK#37s:1", "IK#37s:1", "AU#37s:1"} {
			if use := action + " " + key; s.reaches("OAuthFunction", action, key) != (use == "Query AU#37s:1") {
				t.Errorf("%s: %t", use, s.reaches("OAuthFunction", action, key))
			}
		}
	}
}

func TestPermissions_NobodyWalksThroughTheTableOrTheSecrets(t *testing.T) {
	s := readStack(t)
	for _, function := range s.functions() {
		if s.reaches(function, "Scan") || s.reaches(function, "Query", "FA#1") || s.opens(function, "ListSecrets", "user/1") {
			t.Errorf("%s does", function)
		}
		if s.opens(function, "PutSecretValue", "ApplicationSecret") || s.opens(function, "GetSecretValue", "another") {
			t.Errorf("%s reaches secrets that are not for it", function)
		}
	}
}
