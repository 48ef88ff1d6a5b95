package stacktest_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	githubsandbox "basecamp-mcp/internal/github/sandbox"
)

// TestRestore_OfSealedTokensIsWhatTheRunbookSays goes through "Restore the table" of
// docs/operate.md with tokens that are sealed in the table, so that a restore brings back older
// ones. Since the backup, the key that sealed them was replaced and dropped.
func TestRestore_OfSealedTokensIsWhatTheRunbookSays(t *testing.T) {
	integration(t)
	hub := githubsandbox.New(githubsandbox.Options{GitHubApp: true}) // its refresh tokens rotate
	d := prepareStack(t, readStack(t).without("HasKeyRingKmsKey"))
	var connections atomic.Int64
	d.hub = listen(t, &connections, hub)
	d.makeRing()
	d.mode, d.ring = "envelope", "KeyRingSecret"
	d.setUpAndStart()
	ines, aoife, priya := d.logIn("ines"), d.logIn("aoife"), d.logIn("priya")
	d.wantMe(priya.access, "Priya Raman")
	d.wantMe(ines.access, "Ines Albrecht")
	d.wantMe(aoife.access, "Aoife Brennan")
	d.link("ines", "ines-albrecht")
	d.wantGitHub(ines.access, `"has_more"`)
	restored := d.backUp("restored")

	// Since the backup:
	d.refreshes(ines, "Ines Albrecht")
	hub.ExpireToken(d.sealedToken("github", "Ines Albrecht"))
	d.wantGitHub(ines.access, `"has_more"`)
	d.disconnect("aoife", "Read your name and access")
	hanna := d.logIn("hanna")
	d.wantMe(hanna.access, "Hanna Koivisto")
	first, second := strings.Repeat("aB3x", 16), strings.Repeat("cD4y", 16)
	d.changeRing(`{"current":"k2","k2":"` + second + `"}`)

	// The calls of users name the key, and can be retried.
	d.runOn(restored)
	if said := d.me(ines.access); !strings.Contains(said, "UPSTREAM_ERROR") || !strings.Contains(said, `\"retryable\":true`) {
		t.Errorf("without the key: %s", said)
	}
	if said := d.log.String(); !strings.Contains(said, " k1 with fingerprint ") || !strings.Contains(said, "put it back into the ring") {
		t.Errorf("the log does not name the key: %s", said)
	}
	if said := d.me(priya.access); !strings.Contains(said, "UPSTREAM_ERROR") {
		t.Errorf("without the key: %s", said)
	}
	d.visit(d.url+"/oauth/start?for=account", "priya") // a new sign-in does not need the key
	d.wantMe(priya.access, "Priya Raman")
	d.changeRing(`{"current":"k2","k1":"` + first + `","k2":"` + second + `"}`)
	d.runOn(restored)
	// Basecamp has ended the access token of the backup, and its refresh token still works.
	d.wantMe(ines.access, "Ines Albrecht")
	// A user who disconnected is connected again.
	d.wantMe(aoife.access, "Aoife Brennan")
	// GitHub has replaced the refresh token of the backup.
	d.wantGitHub(ines.access, "reauthorize")
	d.link("ines", "ines-albrecht")
	d.wantGitHub(ines.access, `"has_more"`)
	// A user who is new since signs in again.
	d.wantSignedOut(hanna)
	d.wantMe(d.logIn("hanna").access, "Hanna Koivisto")
}

// link links an account of GitHub.
func (d *deployed) link(person, account string) {
	d.Helper()
	browser, _ := d.visit(d.url+"/oauth/start?for=account", person)
	if next := d.get(browser, d.fill(browser, d.fill(browser, d.url+"/oauth/start?link=github"), "person", account)); next != "/account" {
		d.Errorf("linking leads to %s\n%s", next, d.log)
	}
}

// wantGitHub checks the answer of a tool of GitHub.
func (d *deployed) wantGitHub(access, want string) {
	d.Helper()
	if said := d.onGitHub(access); !strings.Contains(said, want) {
		d.Errorf("GitHub: %s, want %s", said, want)
	}
}

// sealedToken returns a user's newest access token in the table.
func (d *deployed) sealedToken(providerID, name string) string {
	d.Helper()
	found, err := d.stores().Tokens(providerID).Load(d.Context(), d.subject(name), "")
	if err != nil {
		d.Fatal(err)
	}
	return found.AccessToken
}

// changeRing stores another version of the key ring.
func (d *deployed) changeRing(text string) {
	d.Helper()
	_, err := d.secrets.PutSecretValue(d.Context(), &secretsmanager.PutSecretValueInput{SecretId: aws.String("KeyRingSecret"), SecretString: &text})
	if err != nil {
		d.Fatal(err)
	}
}
