package stacktest_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/app/awsstores"
	"basecamp-mcp/internal/config"
	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/signin/grant"
)

// TestDeployed_AChangeOfTokenStoreCostsEachUserOneSignIn changes TokenStore to envelope and back. A
// call without permission fails the test.
func TestDeployed_AChangeOfTokenStoreCostsEachUserOneSignIn(t *testing.T) {
	integration(t)
	d := prepareStack(t, readStack(t).without("HasGitHub"))
	d.setUpAndStart()
	ines, priya := d.LogIn("ines"), d.LogIn("priya")
	d.makeRing()
	for _, ring := range []string{"KeyRingSecret", ""} {
		d.ring = ring
		d.start()
		if said := d.me(ines.Access); !strings.Contains(said, "TOKEN_EXPIRED") || !strings.Contains(said, "/oauth/start?t=") {
			t.Errorf("with the ring %q: %s", ring, said)
		}
		d.Visit(d.URL+"/oauth/start?for=account", "ines")
		d.wantMe(ines.Access, "Ines Albrecht") // the client stays connected
		d.refreshes(ines, "Ines Albrecht")
	}
	d.wantPlaces(2, true)
	d.disconnect("ines", "who you are") // deletes in both places
	d.Visit(d.URL+"/oauth/start?for=account", "priya")
	d.wantMe(priya.Access, "Priya Raman")
	d.disconnect("priya", "who you are")
	d.wantPlaces(0, false)
	d.wantShutOut(priya.Access)
}

// firstKey is the key that CloudFormation generates.
var firstKey = strings.Repeat("fernhill", 8)

// makeRing makes the secret as CloudFormation does.
func (d *deployed) makeRing() {
	d.Helper()
	d.makeSecret("KeyRingSecret", firstKey)
}

func (d *deployed) subject(name string) string {
	return fmt.Sprintf("37s:%d", d.sandbox.Person(name).IdentityID)
}

// stores returns the stores of an operator's program with the parameters of the deployment.
func (d *deployed) stores() awsstores.Stores {
	d.Helper()
	environment := d.environment(d.services)
	c, err := config.Load(func(name string) string { return environment[name] }, nil)
	if err != nil {
		d.Fatal(err)
	}
	s, err := awsstores.Open(c.AWS, slog.New(slog.DiscardHandler), http.DefaultTransport, nil)
	if err != nil {
		d.Fatal(err)
	}
	return s
}

func (d *deployed) kept(name string) grant.Record {
	d.Helper()
	r, err := d.stores().Items.Records("37signals").Record(d.Context(), d.subject(name))
	if err != nil {
		d.Fatal(err)
	}
	return r
}

// refreshes ends the life of a user's token at Basecamp, and calls a tool.
func (d *deployed) refreshes(t mcptest.Tokens, name string) {
	d.Helper()
	before := d.kept(name)
	old, err := d.stores().Tokens("37signals").Load(d.Context(), d.subject(name), before.Version)
	if err != nil {
		d.Fatal(err)
	}
	// A token that replaced a refused one must not be refused within an hour.
	before.Forced = time.Time{}
	if _, err := d.stores().Items.Records("37signals").SaveRecord(d.Context(), before); err != nil {
		d.Fatal(err)
	}
	d.start() // functions that have cached nothing
	d.sandbox.ExpireToken(old.AccessToken)
	d.wantMe(t.Access, name)
	if after := d.kept(name); after.Revision != before.Revision+1 {
		d.Errorf("%s: before %+v, after %+v", name, before, after)
	}
}

// wantPlaces checks how many users have secrets, and whether the table has sealed tokens.
func (d *deployed) wantPlaces(secret int, sealed bool) {
	d.Helper()
	found := len(d.userSecrets(""))
	rows := 0
	for key := range d.items(d.table) {
		if strings.HasPrefix(key, "tokens#") {
			rows++
		}
	}
	if found != secret || rows > 0 != sealed {
		d.Errorf("%d users have secrets, and the table has %d rows of sealed tokens", found, rows)
	}
}
