package dynamo

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"basecamp-mcp/internal/envelope"
	"basecamp-mcp/internal/envelope/envelopetest"
	"basecamp-mcp/internal/grant"
)

// unreadablePointers are attributes of pointers that only an attacker who can write to the table
// can have stored.
var unreadablePointers = map[string]string{ // the attribute that an error names
	`"changes": {"S": "7"}`:                         ": changes",
	`"changes": {"L": []}`:                          ": changes",
	`"changes": {"N": "1"}, "kept": {"S": "{}"}`:    ": kept",
	`"changes": {"N": "1"}, "kept": {"NULL": true}`: ": kept",
	`"kept": {"S": "[]"}`:                           "",
	`"changes": {"N": "-1"}, "kept": {"S": "[]"}`:   "",
}

// They are not missing tokens.
func TestPointer_ThatIsUnreadableIsAnError(t *testing.T) {
	for stored, attribute := range unreadablePointers {
		k := pointerKey(ines)
		item := fmt.Sprintf(`{"Item": {"pk": {"S": %q}, "sk": {"S": %q}, %s}}`, k.pk, k.sk, stored)
		wantFailure(t, everything["Pointer"](t.Context(), wired(answers(says(200, item)))), "unreadable item"+attribute)
	}
}

// A user who disconnects removes what an attacker stored, and can sign in again.
func TestDelete_RemovesAPointerThatIsUnreadable(t *testing.T) {
	client, table := integration(t)
	items := New(client, table, nil)
	store := sealedIn(items)
	for _, forged := range []item{
		{}, {"changes": text("7")}, {"changes": &types.AttributeValueMemberL{}}, {"changes": number(-1)}, {"changes": number(1), "kept": text("{}")},
	} {
		if _, err := store.Save(t.Context(), ines.Subject, "w", basecampTokens(1)); err != nil {
			t.Fatal(err)
		}
		maps.Copy(forged, pointerKey(ines).item())
		if _, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &table, Item: forged}); err != nil {
			t.Fatal(err)
		}
		if err := store.Delete(t.Context(), ines.Subject); err != nil {
			t.Errorf("%v: %v", forged, err)
		}
		wantRows(t, items, nil)
	}
}

// A row of other types cannot come from this code either. It is refused like every changed row, so
// that the user signs in again.
func TestTokens_OfOtherTypesAreRefused(t *testing.T) {
	for _, stored := range []string{`"rev": {"S": "7"}`, `"rev": {"N": "1"}, "sealed": {"S": "c2VhbGVk"}`, `"sealed": {"BS": ["c2VhbGVk"]}`} {
		ring := envelopetest.NewRing()
		k, err := ring.Current(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		version := "e1." + k.Fingerprint() + ".07"
		at := versionKey(ines, version)
		f := answers(says(200, fmt.Sprintf(`{"Item": {"pk": {"S": %q}, "sk": {"S": %q}, %s}}`, at.pk, at.sk, stored)))
		var log bytes.Buffer
		store := envelope.New(envelope.Config{
			Keys: ring, Rows: wired(f).Tokens(), Stack: "fernhill", Log: slog.New(slog.NewTextHandler(&log, nil)),
		}).Of(ines.Provider)
		if _, err := store.Load(t.Context(), ines.Subject, version); !errors.Is(err, grant.ErrNotFound) || strings.Count(log.String(), "tokens were refused") != 1 {
			t.Errorf("%s: %v, logged %s", stored, err, &log)
		}
	}
}
