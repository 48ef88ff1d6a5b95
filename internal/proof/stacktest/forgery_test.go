package stacktest_test

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/store/dynamo/dynamotest"
)

// TestMcpFunction_CannotMakeATokenWhenAnAttackerControlsIt writes forged items with the role of the
// function, at their own keys and below every prefix that the role may write. Then it writes them
// at their own keys without a role: there they work, so the forgeries are good ones.
func TestMcpFunction_CannotMakeATokenWhenAnAttackerControlsIt(t *testing.T) {
	integration(t)
	d := prepare(t)
	d.setUpAndStart()
	ines := d.LogIn("ines")
	d.wantMe(ines.Access, "Ines Albrecht")
	a := d.attack(ines)
	written := map[string]bool{}
	for _, forged := range a.forgeries {
		for _, prefix := range prefixes {
			planted := forged.below(prefix)
			for way, write := range a.writes(planted) {
				allowed := d.gateway.stack.reaches("McpFunction", way, planted.pk())
				err := write()
				if isDenied(err) == allowed || allowed && err != nil {
					t.Errorf("%s of %s below %s: %v", way, forged.name, prefix, err)
				}
				if allowed {
					written[prefix] = true
				}
			}
		}
	}
	may := slices.Sorted(maps.Keys(written))
	if want := []string{"audit#", "call#", "checklist#", "grant#", "hub#", "key#", "latest#", "link#", "marks#", "opposite#", "task#", "tokens#"}; !slices.Equal(may, want) {
		t.Errorf("it may write below %v, want %v", may, want)
	}
	for _, forged := range a.forgeries {
		if forged.works != nil && forged.works() {
			t.Errorf("%s works", forged.name)
		}
	}
	d.wantMe(ines.Access, "Ines Albrecht") // the forged marks change no user
	for _, forged := range a.forgeries {
		if _, err := a.owner.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &d.table, Item: forged.row}); err != nil {
			t.Fatal(err)
		}
		if forged.works != nil && !forged.works() {
			t.Errorf("%s does not work even at its own key", forged.name)
		}
	}
}

// prefixes lists the prefix of every kind of item.
var prefixes = []string{
	"client#", "state#", "link#", "code#", "ended#", "family#", "access#", "refresh#", "marks#", "login#", "grant#", "tokens#",
	"checklist#", "latest#", "task#", "call#", "opposite#", "key#", "hub#", "audit#",
}

type row map[string]types.AttributeValue

// forgery is an item that an attacker wants to write.
type forgery struct {
	name  string
	row   row
	works func() bool // reports whether a request that needs the item succeeds
}

func (r row) pk() string { return r["pk"].(*types.AttributeValueMemberS).Value }
func (r row) sk() string { return r["sk"].(*types.AttributeValueMemberS).Value }

// with returns a row with another key, and some other members of the body. It never expires.
func (r row) with(tb testing.TB, pk, sk string, other anything) row {
	tb.Helper()
	body := r.body(tb)
	maps.Copy(body, other)
	encoded, err := json.Marshal(body)
	if err != nil {
		tb.Fatal(err)
	}
	return row{"pk": str(pk), "sk": str("." + sk), "rev": str("1forged"), "body": str(string(encoded))}
}

// body returns the decoded body of a row; an empty one of no row.
func (r row) body(tb testing.TB) anything {
	tb.Helper()
	body := anything{}
	var err error
	switch b := r["body"].(type) {
	case *types.AttributeValueMemberS:
		err = json.Unmarshal([]byte(b.Value), &body)
	case *types.AttributeValueMemberB:
		err = json.NewDecoder(flate.NewReader(bytes.NewReader(b.Value))).Decode(&body)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return body
}

// below returns the row with another prefix.
func (f forgery) below(prefix string) row {
	_, rest, _ := strings.Cut(f.row.pk(), "#")
	made := maps.Clone(f.row)
	made["pk"] = str(prefix + rest)
	return made
}

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

// hashed returns a hash as the authorization server stores it.
func hashed(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:])
}

// attacker controls the MCP function and knows the items of the table.
type attacker struct {
	*deployed
	mcp, owner *dynamodb.Client // with the role of the function, and with all rights
	forgeries  []forgery
}

// attack prepares forgeries against a user.
func (d *deployed) attack(victim mcptest.Tokens) *attacker {
	d.Helper()
	role := &iam{tb: d, stack: d.gateway.stack, function: "McpFunction", used: map[string]bool{}, denials: true}
	a := &attacker{deployed: d, mcp: dynamotest.Client(role.before(d.services.database)), owner: d.database.Client()}
	family, _, _ := strings.Cut(strings.TrimPrefix(victim.Access, "bcm_at_"), "_")
	a.forgeries = slices.Concat(a.forgedTokens(family), a.forgedFamily(family), a.forgedLogins(victim), a.forgedSteps(), a.forgedUser(family, victim))
	return a
}

const (
	forever      = "9999-01-01T00:00:00Z"
	forgedSecret = "forged-forged-forged-forged-forged-forged-0"
	newFamily    = "forgedforgedforg"
)

// forgedTokens returns tokens of a family that exists.
func (a *attacker) forgedTokens(family string) []forgery {
	access, refresh := "bcm_at_"+family+"_"+forgedSecret, "bcm_rt_"+family+"_"+forgedSecret
	return []forgery{
		{"an access token", a.find("access#"+family, "").with(a, "access#"+family, hashed(access), anything{"ExpiresAt": forever}), func() bool {
			return strings.Contains(a.me(access), "Ines Albrecht")
		}},
		{"a refresh token", a.find("refresh#"+family, "").with(a, "refresh#"+family, hashed(refresh), anything{"Hash": hashed(refresh), "ExpiresAt": forever}), func() bool {
			return a.Token("grant_type", "refresh_token", "client_id", a.clientOf(family), "refresh_token", refresh)["access_token"] != ""
		}},
	}
}

// forgedFamily returns a family with an access token.
func (a *attacker) forgedFamily(family string) []forgery {
	access := "bcm_at_" + newFamily + "_" + forgedSecret
	return []forgery{
		{"an access token of a forged family", a.find("access#"+family, "").with(a, "access#"+newFamily, hashed(access), anything{"ExpiresAt": forever}), nil},
		{"a family", a.find("family#"+family, "").with(a, "family#"+newFamily, "", anything{"ID": newFamily, "ExpiresAt": forever, "EndsAt": forever}), func() bool {
			return strings.Contains(a.me(access), "Ines Albrecht")
		}},
	}
}

// forgedLogins returns a client, and a code of an existing one.
func (a *attacker) forgedLogins(victim mcptest.Tokens) []forgery {
	const client = "c_forged"
	code := a.find("code#", "").with(a, "code#"+hashed(forgedSecret), "", anything{
		"Hash": hashed(forgedSecret), "Family": "forgedbyacode000", "ExpiresAt": forever, "UsedAt": time.Time{},
	})
	return []forgery{
		{"a client", a.find("client#", "").with(a, "client#"+hashed(client), "", anything{"id": client, "expires_at": forever}), func() bool {
			return strings.Contains(a.Get(mcptest.Visitor(), a.URL+mcptest.Asking(client, mcptest.Done)), `name="decision"`)
		}},
		{"a code", code, func() bool {
			return a.Token("grant_type", "authorization_code", "client_id", victim.Client, "code", forgedSecret,
				"redirect_uri", mcptest.Done, "code_verifier", mcptest.Verifier)["access_token"] != ""
		}},
	}
}

// forgedSteps returns a login to which the user consented, and a browser's session.
func (a *attacker) forgedSteps() []forgery {
	code := a.find("code#", "").body(a)
	request := anything{
		"client": code["Client"], "redirect_uri": mcptest.Done, "scopes": []string{"read", "write"},
		"resource": a.URL + "/mcp", "challenge": mcptest.Challenge(),
	}
	consented, account := hashed("upstream", forgedSecret), hashed("account", forgedSecret)
	cookies := map[string]string{"bcm_" + consented[:12]: "cookie", "bcm_me": forgedSecret}
	return []forgery{
		{"a login with consent", row{}.with(a, "state#"+consented, "", anything{
			"Key": consented, "Binding": hashed("cookie"), "ExpiresAt": forever,
			"Body": a.bytes(anything{"purpose": "login", "provider": "37signals", "login": request}),
		}), func() bool {
			back := a.browse(cookies, "/oauth/callback?error=access_denied&state="+forgedSecret)
			return strings.HasPrefix(back, mcptest.Done)
		}},
		{"a session", row{}.with(a, "state#"+account, "", anything{
			"Key": account, "ExpiresAt": forever, "Body": a.bytes(anything{"subject": code["Subject"], "name": "Ines Albrecht"}),
		}), func() bool { return strings.Contains(a.browse(cookies, "/account"), "Ines Albrecht") }},
	}
}

// forgedUser returns another user for a family that exists.
func (a *attacker) forgedUser(family string, victim mcptest.Tokens) []forgery {
	return []forgery{{"another user of a family", a.find("family#"+family, "").with(a, "family#"+family, "", anything{"Subject": "37s:9"}), func() bool {
		return !strings.Contains(a.me(victim.Access), "Ines Albrecht")
	}}}
}

// browse returns a page, or the URL of its redirect, for a browser with cookies.
func (a *attacker) browse(cookies map[string]string, path string) string {
	a.Helper()
	browser := mcptest.Visitor()
	at, err := url.Parse(a.URL)
	if err != nil {
		a.Fatal(err)
	}
	for name, value := range cookies {
		browser.Jar.SetCookies(at, []*http.Cookie{{Name: name, Value: value, Path: "/"}})
	}
	return a.Get(browser, a.URL+path)
}

func (a *attacker) bytes(value any) []byte {
	a.Helper()
	encoded, err := json.Marshal(value)
	if err != nil {
		a.Fatal(err)
	}
	return encoded
}

// find returns an item whose key begins like this.
func (a *attacker) find(pk, sk string) row {
	a.Helper()
	for _, it := range a.items(a.table) {
		if r := row(it); strings.HasPrefix(r.pk(), pk) && strings.HasPrefix(r.sk(), "."+sk) {
			return r
		}
	}
	a.Fatalf("no item %s %s", pk, sk)
	return nil
}

// clientOf returns the ID of the client of a family.
func (a *attacker) clientOf(family string) string {
	a.Helper()
	return a.find("family#"+family, "").body(a)["Client"].(map[string]any)["id"].(string)
}

// writes returns the ways in which the attacker can write a row, by the action that they need.
func (a *attacker) writes(r row) map[string]func() error {
	names, values := map[string]string{}, row{}
	var assignments []string
	for name, value := range r {
		if name == "pk" || name == "sk" {
			continue
		}
		n := len(assignments)
		names[fmt.Sprint("#", n)], values[fmt.Sprint(":", n)] = name, value
		assignments = append(assignments, fmt.Sprintf("#%d = :%d", n, n))
	}
	set, k := "SET "+strings.Join(assignments, ", "), row{"pk": r["pk"], "sk": r["sk"]}
	return map[string]func() error{
		"PutItem": func() error {
			_, err := a.mcp.PutItem(a.Context(), &dynamodb.PutItemInput{TableName: &a.table, Item: r})
			return errors.Join(err, sameAnswer(err, a.transact(types.TransactWriteItem{Put: &types.Put{TableName: &a.table, Item: r}})))
		},
		"UpdateItem": func() error {
			_, err := a.mcp.UpdateItem(a.Context(), &dynamodb.UpdateItemInput{
				TableName: &a.table, Key: k, UpdateExpression: &set, ExpressionAttributeNames: names, ExpressionAttributeValues: values,
			})
			return errors.Join(err, sameAnswer(err, a.transact(types.TransactWriteItem{Update: &types.Update{
				TableName: &a.table, Key: k, UpdateExpression: &set, ExpressionAttributeNames: names, ExpressionAttributeValues: values,
			}})))
		},
	}
}

func (a *attacker) transact(write types.TransactWriteItem) error {
	_, err := a.mcp.TransactWriteItems(a.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{write}})
	return err
}

// sameAnswer returns an error unless a call and its transaction were both denied, or both done.
func sameAnswer(err, inTransaction error) error {
	if isDenied(err) != isDenied(inTransaction) {
		return fmt.Errorf("in a transaction: %w", inTransaction)
	}
	return nil
}

func isDenied(err error) bool {
	answer, ok := errors.AsType[smithy.APIError](err)
	return ok && answer.ErrorCode() == "AccessDeniedException"
}
