// Package functions tests the functions together, behind one gateway, as template.yaml deploys
// them.
package stacktest_test

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"basecamp-mcp/internal/proof/stacktest"
)

const root = "../../.."

// The name and the ARN of the table that the functions use, the stack's own or another one.
const (
	tableName = "!If [OwnsTable, !Ref Table, !Ref ExistingTable]"
	tableARN  = `!If [OwnsTable, !GetAtt Table.Arn, !Sub "arn:${AWS::Partition}:dynamodb:${AWS::Region}:${AWS::AccountId}:table/${ExistingTable}"]`
)

// stack is the content of template.yaml.
type stack struct{ resources map[string]any }

// anything is a map in the template.
type anything = map[string]any

func readStack(tb testing.TB) stack {
	tb.Helper()
	return stack{parsed(tb)["Resources"].(anything)}
}

// without returns the stack that has no resource with a condition.
func (s stack) without(condition string) stack {
	kept := maps.Clone(s.resources)
	maps.DeleteFunc(kept, func(_ string, resource any) bool { return resource.(anything)["Condition"] == condition })
	return stack{kept}
}

var template = sync.OnceValues(stacktest.Template)

// parsed returns all of template.yaml. Its callers must not change it.
func parsed(tb testing.TB) anything {
	tb.Helper()
	template, err := template()
	if err != nil {
		tb.Fatal(err)
	}
	return template
}

func readTemplate(tb testing.TB) string {
	tb.Helper()
	text, err := stacktest.Text()
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

// of returns the properties of the resources of a type, by logical ID.
func (s stack) of(kind string) map[string]anything {
	found := map[string]anything{}
	for id, resource := range s.resources {
		if r := resource.(anything); r["Type"] == kind {
			found[id], _ = r["Properties"].(anything)
		}
	}
	return found
}

func (s stack) properties(id string) anything {
	return s.resources[id].(anything)["Properties"].(anything)
}

// functions returns the logical IDs of the functions, in order.
func (s stack) functions() []string {
	return slices.Sorted(maps.Keys(s.of("AWS::Serverless::Function")))
}

// route returns the route that API Gateway chooses for a request. An exact path comes first, then
// the longest path that ends in {proxy+} (at least one segment), then $default. A route with the
// method precedes ANY.
func (s stack) route(method, to string) (key, function string) {
	best := -1
	for _, r := range s.of("AWS::ApiGatewayV2::Route") {
		routeKey := r["RouteKey"].(string)
		rank := rankOf(routeKey, method, to)
		if rank <= best {
			continue
		}
		best, key = rank, routeKey
	}
	return key, name.FindStringSubmatch(s.integration(key)["IntegrationUri"].(string))[1]
}

// integration returns the integration of a route.
func (s stack) integration(routeKey string) anything {
	for _, r := range s.of("AWS::ApiGatewayV2::Route") {
		if r["RouteKey"] == routeKey {
			return s.properties(name.FindStringSubmatch(r["Target"].(string))[1])
		}
	}
	panic("there is no route " + routeKey)
}

// name matches the logical ID in the text of a !Sub.
var name = regexp.MustCompile(`\$\{(\w+)(?:\.Arn)?\}`)

func rankOf(routeKey, method, to string) int {
	if routeKey == "$default" {
		return 0
	}
	verb, pattern, _ := strings.Cut(routeKey, " ")
	prefix, greedy := strings.CutSuffix(pattern, "{proxy+}")
	rank := 2 * len(pattern)
	switch {
	case verb != "ANY" && verb != method:
		return -1
	case greedy && (!strings.HasPrefix(to, prefix) || to == prefix):
		return -1
	case !greedy && to != pattern:
		return -1
	case !greedy:
		rank = 1 << 20
	}
	if verb == method {
		rank++
	}
	return rank
}

// statement is a permission of a role.
type statement struct {
	actions  []string
	resource string
	keys     []string // patterns for the pk of items; nil for statements about other resources
}

// role returns the role of a function.
func (s stack) role(function string) anything { return s.properties(s.roleID(function)) }

func (s stack) roleID(function string) string {
	id, _ := strings.CutPrefix(s.properties(function)["Role"].(string), "!GetAtt ")
	return strings.TrimSuffix(id, ".Arn")
}

// policies returns the statements of a function's role as the template has them: those of the role,
// and those of the policies that are resources of their own.
func (s stack) policies(function string) (all []anything) {
	policies := slices.Clone(s.role(function)["Policies"].([]any))
	for _, shared := range s.of("AWS::IAM::Policy") {
		if slices.Contains(words(shared["Roles"]), "!Ref "+s.roleID(function)) {
			policies = append(policies, shared)
		}
	}
	for _, policy := range policies {
		for _, each := range policy.(anything)["PolicyDocument"].(anything)["Statement"].([]any) {
			all = append(all, each.(anything))
		}
	}
	return all
}

// statements returns the parsed statements of a function's role. All of them must allow.
func (s stack) statements(function string) (all []statement) {
	for _, from := range s.policies(function) {
		st := statement{resource: from["Resource"].(string), actions: words(from["Action"])}
		if condition, ok := from["Condition"].(anything); ok {
			st.keys = words(condition["ForAllValues:StringLike"].(anything)["dynamodb:LeadingKeys"])
		}
		all = append(all, st)
	}
	return all
}

// words returns a list of the template, or a single value as a list.
func words(value any) (all []string) {
	if one, ok := value.(string); ok {
		return []string{one}
	}
	for _, each := range value.([]any) {
		all = append(all, each.(string))
	}
	return all
}

// reaches reports whether a function may perform an action on all items with these pk.
func (s stack) reaches(function, action string, keys ...string) bool {
	return slices.ContainsFunc(s.statements(function), func(st statement) bool {
		return st.resource == tableARN && slices.Contains(st.actions, "dynamodb:"+action) &&
			!slices.ContainsFunc(keys, func(key string) bool { return !matchesAny(st.keys, key) })
	})
}

// opens reports whether a function may perform an action on a secret: either a logical ID, or the
// part of a name after the stack's prefix.
func (s stack) opens(function, action, secret string) bool {
	return slices.ContainsFunc(s.statements(function), func(st statement) bool {
		_, pattern, _ := strings.Cut(strings.TrimSuffix(st.resource, `"]`), ":secret:${AWS::StackName}/")
		return slices.Contains(st.actions, "secretsmanager:"+action) &&
			(st.resource == "!Ref "+secret || strings.HasPrefix(st.resource, "!If [HasKeyRing, !Ref "+secret+",") || pattern != "" && matchesAny([]string{pattern}, secret))
	})
}

func matchesAny(patterns []string, key string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		// An asterisk of IAM matches slashes too.
		matches, err := path.Match(strings.ReplaceAll(pattern, "/", "\x00"), strings.ReplaceAll(key, "/", "\x00"))
		return err == nil && matches
	})
}
